//! `/payments/{externalOrderRef}/split-decisions`.

use actors::domain::ids::{DecisionId, PayeeId, PaymentId, SellerId};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::split::{DecisionRecord, Inputs, PlanShare, SplitLine};
use actors::query;
use actors::tables::{DECISIONS, ids};
use storage::Batch;

use crate::support::buyer::{GOOD, page_of};
use crate::support::make::Seller;
use crate::support::{Server, Value, json};

/// A payment of 10.00 by its reference.
async fn paid(seller: &Seller) -> String {
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let paid = seller.payments.pay(&page_of(&invoice), GOOD).await.is(200);
    paid["paymentId"].as_str().expect("a reference").to_owned()
}

/// Keeps a decision with a payment, as its room does.
fn decide(server: &Server, seller: &Seller, reference: &str, inputs: Inputs) -> u64 {
    server.makes_up_rows();
    let (app, seller) = (server.app(), SellerId(seller.id));
    let payment = app.payments.by_reference(seller, reference).expect("readable");
    let payment: PaymentId = payment.expect("a payment").id;
    let id = DecisionId(app.store.next_id_in(ids::DECISION, seller.shard()));
    let amount = Money::new(1_000, Currency::EUR).expect("money");
    let record = DecisionRecord::made(id, seller, payment, amount, inputs, server.now());
    let mut batch = Batch::new();
    batch.put(DECISIONS, &(seller, payment, id), &record);
    app.store.write_blocking(batch).expect("durable");
    id.0
}

async fn decisions(seller: &Seller, reference: &str) -> Value {
    let path = format!("/payments/{reference}/split-decisions");
    seller.payments.get(&path).await.is(200)
}

#[tokio::test]
async fn a_stated_distribution_is_a_decision_without_a_rule() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let reference = paid(&seller).await;
    let before = decisions(&seller, &reference).await;
    assert_eq!(before, json!({"decisions": []}));

    let payee = seller.payee(0);
    let stated = [PlanShare { payee: PayeeId(payee), minor: 600 }];
    let made = decide(&server, &seller, &reference, Inputs::of_distribution(&stated, 1_000));
    let share = json!({
        "payeeId": payee, "rawShareMinor": 600, "shareAmountMinor": 600, "feeAmountMinor": 0,
        "netAmountMinor": 600, "effects": [],
    });
    let expected = json!({
        "id": made, "paymentId": reference, "currencyCode": "EUR",
        "inputs": {
            "allocationMode": "absolute", "amountBase": "gross_payment", "grossAmountMinor": 1_000,
            "lines": [{
                "payeeId": payee, "priority": 1, "isEnabled": true,
                "allocationType": "fixed_minor", "allocationPercentBps": 0,
                "allocationFixedAmountMinor": 600, "feePercentBps": 0, "feeFixedAmountMinor": 0,
            }],
            "overAllocationPolicy": "scale_down", "remainderPolicy": "seller",
        },
        "outcome": {
            "grossAmountMinor": 1_000, "totalFeeMinor": 0, "remainderMinor": 400,
            "overAllocated": false, "shares": [share],
        },
        "appliedRules": [share],
        "createdAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(decisions(&seller, &reference).await, json!({"decisions": [expected]}));
    server.close().await;
}

#[tokio::test]
async fn a_rule_is_shown_as_it_was() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let reference = paid(&seller).await;
    let rules = query::split_rules(&server.app().store, SellerId(seller.id)).expect("readable");
    let mut rule = rules[0].clone();
    rule.lines[0] = SplitLine {
        fee_percent_bps: 1_000,
        min_minor: Some(100),
        max_minor: Some(500),
        ..rule.lines[0].clone()
    };
    decide(&server, &seller, &reference, Inputs::of_rule(&rule, 1_000));
    let found = decisions(&seller, &reference).await;
    let decision = &found["decisions"][0];
    assert_eq!(
        (&decision["inputs"]["ruleId"], &decision["inputs"]["ruleVersion"]),
        (&json!(rule.id.0), &json!(1))
    );
    let line = &decision["inputs"]["lines"][0];
    assert_eq!(
        (&line["feePercentBps"], &line["minAmountMinor"], &line["maxAmountMinor"]),
        (&json!(1_000), &json!(100), &json!(500))
    );
    let share = json!({
        "payeeId": seller.payee(0), "rawShareMinor": 600, "shareAmountMinor": 500,
        "feeAmountMinor": 50, "netAmountMinor": 450, "effects": ["clamped_to_max"],
    });
    assert_eq!(decision["appliedRules"][0], share);
    assert_eq!(decision["outcome"]["totalFeeMinor"], 50);
    server.close().await;
}

#[tokio::test]
async fn another_sellers_payment_is_not_there() {
    let server = Server::start().await;
    let (seller, stranger) = (server.seller().await, server.seller().await);
    let reference = paid(&seller).await;
    let path = format!("/payments/{reference}/split-decisions");
    stranger.payments.get(&path).await.has_status(404);
    seller.payments.get("/payments/unknown/split-decisions").await.has_status(404);
    server.close().await;
}
