//! `POST /subscriptions/{subscriptionId}/change-plan` and proration.

use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

async fn change(seller: &Seller, subscription: u64, body: Value) -> crate::support::Response {
    seller.billing.post(&format!("/subscriptions/{subscription}/change-plan"), &body).await
}

/// An active subscription of 31.00 from 1 March (31 days), its first term billed, on 11 March.
async fn in_the_middle(server: &Server, more: Value) -> (Seller, u64, u64) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let body = crate::support::make::with(&json!({"priceMinor": 3100}), more);
    let sub = id(&seller.subscribe(contract, "2027-03-01", body).await);
    seller.recurring(contract).await;
    seller.advance(contract, "2027-03-11T12:00:00Z").await;
    (seller, contract, sub)
}

#[tokio::test]
async fn a_dearer_plan_is_charged_for_the_days_left_on_the_next_invoice() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    let changed = change(&seller, sub, json!({"priceMinor": 6200})).await.is(200);
    assert_eq!((&changed["priceMinor"], changed.get("pendingChange")), (&json!(6200), None));
    // 21 of 31 days left: credit 2100, charge 4200; the next term costs 6200.
    let advance = seller.advance(contract, "2027-04-01T12:00:00Z").await;
    assert_eq!(advance["invoices"]["issued"], 1);
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 6200 + 4200 - 2100);
    let invoice = seller.invoice_now(id(&list["invoices"][0])).await;
    let lines = invoice["lines"].as_array().expect("lines");
    let sources: Vec<&Value> = lines.iter().map(|line| &line["source"]).collect();
    assert!(sources.contains(&&json!("subscription")), "{sources:?}");
    assert!(sources.contains(&&json!("proration")), "{sources:?}");
    // Claimed once: the next one is plain again.
    seller.advance(contract, "2027-05-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 6200);
    server.close().await;
}

#[tokio::test]
async fn a_cheaper_plan_is_a_discount_on_the_next_recurring_line() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    change(&seller, sub, json!({"priceMinor": 1550})).await.is(200);
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    // Credit 2100, charge 1050: 1050 off the term's 1550.
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 1550 - 1050);
    server.close().await;
}

#[tokio::test]
async fn each_leg_of_a_proration_is_rounded_half_up() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({"priceMinor": 999})).await;
    change(&seller, sub, json!({"priceMinor": 1999})).await.is(200);
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    // 999 * 21 / 31 = 676.74 -> 677; 1999 * 21 / 31 = 1354.16 -> 1354.
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 1999 + 1354 - 677);
    server.close().await;
}

#[tokio::test]
async fn without_proration_only_the_next_term_changes() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    change(&seller, sub, json!({"priceMinor": 6200, "prorate": false})).await.is(200);
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 6200);
    server.close().await;
}

#[tokio::test]
async fn proration_waits_while_its_binding_is_switched_off() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    change(&seller, sub, json!({"priceMinor": 6200})).await.is(200);
    server.switch("billing.proration.invoice_binding", false).await;
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    server.switch("billing.proration.invoice_binding", true).await;
    seller.advance(contract, "2027-05-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][1]["grandTotalMinor"], 6200);
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 6200 + 4200 - 2100);
    server.close().await;
}

#[tokio::test]
async fn a_change_at_the_period_end_waits_and_may_change_the_frequency() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    change(&seller, sub, json!({"frequency": "annual"})).await.has_status(422);
    let body = json!({"priceMinor": 30_000, "frequency": "annual", "effective": "period_end"});
    let asked = change(&seller, sub, body.clone()).await.is(200);
    assert_eq!(asked["priceMinor"], 3100, "as before until then");
    let pending = &asked["pendingChange"];
    assert_eq!((&pending["priceMinor"], &pending["frequency"]), (&json!(30_000), &json!("annual")));
    assert_eq!(pending["effectiveDate"], "2027-04-01");
    // A new one replaces it; one that equals the plan clears it.
    let same = json!({"priceMinor": 3100, "effective": "period_end"});
    let cleared = change(&seller, sub, same).await.is(200);
    assert_eq!(cleared.get("pendingChange"), None);
    change(&seller, sub, body).await.is(200);
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let now = seller.subscription(sub).await;
    assert_eq!((&now["priceMinor"], &now["frequency"]), (&json!(30_000), &json!("annual")));
    assert_eq!(now["currentPeriodStart"], "2027-04-01");
    assert_eq!(now["currentPeriodEnd"], "2028-04-01");
    assert_eq!(now.get("pendingChange"), None);
    server.close().await;
}

#[tokio::test]
async fn a_plan_equal_to_the_current_one_writes_nothing() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    let path = format!("/contracts/{contract}/timeline");
    let before = seller.billing.get(&path).await.is(200);
    let unchanged = change(&seller, sub, json!({"priceMinor": 3100, "quantity": "1.0"})).await;
    assert_eq!(unchanged.is(200), seller.subscription(sub).await);
    assert_eq!(seller.billing.get(&path).await.is(200), before);
    server.close().await;
}

#[tokio::test]
async fn before_the_first_paid_day_a_plan_is_replaced_without_proration() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let ahead = id(&seller.subscribe(contract, "2027-04-01", json!({})).await);
    let trial = id(&seller.subscribe(contract, "2027-03-01", json!({"trialDays": 31})).await);
    for sub in [ahead, trial] {
        let body = json!({"priceMinor": 2000, "frequency": "weekly"});
        let changed = change(&seller, sub, body).await.is(200);
        assert_eq!(
            (&changed["priceMinor"], &changed["frequency"]),
            (&json!(2000), &json!("weekly"))
        );
    }
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let invoice = seller.recurring(contract).await;
    assert_eq!(invoice["grandTotalMinor"], 4000);
    server.close().await;
}

#[tokio::test]
async fn a_quantity_multiplies_the_price() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let more = json!({"priceMinor": 333, "quantity": "2.5"});
    let sub = id(&seller.subscribe(contract, "2027-03-01", more).await);
    // 832.5 is rounded half up.
    let invoice = seller.recurring(contract).await;
    assert_eq!(invoice["grandTotalMinor"], 833);
    let changed = change(&seller, sub, json!({"quantity": "3", "prorate": false})).await.is(200);
    assert_eq!(changed["quantity"], "3");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, _, sub) = in_the_middle(&server, json!({})).await;
    for (body, field) in [
        (json!({"priceMinor": -1}), "priceMinor"),
        (json!({"priceMinor": "1"}), "priceMinor"),
        (json!({"quantity": "x"}), "quantity"),
        (json!({"frequency": "daily"}), "frequency"),
        (json!({"effective": "now"}), "effective"),
        (json!({"taxRate": "200"}), "taxRate"),
        (json!({"prorate": "yes"}), "prorate"),
    ] {
        change(&seller, sub, body).await.refuses(400, field);
    }
    server.close().await;
}

#[tokio::test]
async fn a_change_while_paused_takes_effect_with_the_next_term() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_the_middle(&server, json!({})).await;
    seller.act(sub, "pause", json!({})).await;
    change(&seller, sub, json!({"priceMinor": 6200})).await.is(200);
    seller.advance(contract, "2027-03-20T12:00:00Z").await;
    seller.act(sub, "resume", json!({})).await;
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][0]["grandTotalMinor"], 6200, "without proration");
    server.close().await;
}

#[tokio::test]
async fn a_prorated_cancel_cuts_a_term_that_is_not_billed() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let sub = id(&seller.subscribe(contract, "2027-03-01", json!({"priceMinor": 3100})).await);
    seller.advance(contract, "2027-03-11T12:00:00Z").await;
    seller.act(sub, "cancel", json!({"mode": "immediately", "prorate": true})).await;
    // The day of cancelling counts as unused: ten of 31 days.
    assert_eq!(seller.recurring(contract).await["grandTotalMinor"], 1000);
    server.close().await;
}

#[tokio::test]
async fn a_prorated_cancel_of_a_billed_term_needs_stored_credit() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, _, sub) = in_the_middle(&server, json!({})).await;
    server.switch("billing.credits", false).await;
    let path = format!("/subscriptions/{sub}/cancel");
    let body = json!({"mode": "immediately", "prorate": true});
    seller.billing.post(&path, &body).await.has_status(422);
    assert_eq!(seller.subscription(sub).await["status"], "active", "nothing was changed");
    server.close().await;
}
