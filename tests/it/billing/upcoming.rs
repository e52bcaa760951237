//! `GET /contracts/{contractId}/invoices/upcoming`: what the next invoice would be.

use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh, json};

async fn upcoming(seller: &Seller, contract: u64) -> Value {
    seller.billing.get(&format!("/contracts/{contract}/invoices/upcoming")).await.is(200)
}

fn rows(projection: &Value) -> Value {
    let lines = projection["lines"].as_array().expect("lines").iter();
    lines.map(|line| json!([line["source"], line["amountMinor"], line["periodStart"]])).collect()
}

fn notes(projection: &Value) -> String {
    projection["notes"].to_string()
}

#[tokio::test]
async fn the_next_invoice_is_what_the_pass_then_issues() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let nothing = upcoming(&seller, contract).await;
    assert_eq!((nothing.get("nextIssueDate"), &nothing["lines"]), (None, &json!([])));
    assert_eq!(nothing["estimate"], true);

    let team = json!({"priceMinor": 3100, "taxRate": "21", "description": "Team"});
    let sub = id(&seller.subscribe(contract, "2027-03-01", team).await);
    let due = upcoming(&seller, contract).await;
    assert_eq!(due["nextIssueDate"], "2027-03-01");
    assert_eq!(rows(&due), json!([["subscription", 3100, "2027-03-01"]]));
    assert!(notes(&due).contains("no recurring invoice yet"), "{due}");
    seller.recurring(contract).await;

    seller.advance(contract, "2027-03-11T12:00:00Z").await;
    let next = upcoming(&seller, contract).await;
    assert_eq!(
        (&next["nextIssueDate"], &next["asOf"]),
        (&json!("2027-04-01"), &json!("2027-03-11T12:00:00Z"))
    );
    seller.act(sub, "change-plan", json!({"priceMinor": 1550})).await;
    let grant = json!({
        "creditType": "gift", "amountMinor": 100, "currency": "EUR", "reason": "welcome",
    });
    let path = format!("/contracts/{contract}/credits/top-up");
    seller.billing.create(&path, &fresh("grant"), &grant).await.is(201);
    let next = upcoming(&seller, contract).await;
    // 21 of 31 days come back at half the price.
    let expected =
        json!([["subscription", 1550, "2027-04-01"], ["proration", -1050, "2027-04-01"]]);
    assert_eq!(rows(&next), expected);
    assert_eq!((&next["subtotalMinor"], &next["grandTotalMinor"]), (&json!(500), &json!(500)));
    assert_eq!(
        (&next["creditAvailableMinor"], &next["creditAppliedEstimateMinor"]),
        (&json!(100), &json!(100))
    );
    assert_eq!(next["collectibleEstimateMinor"], 400);
    assert!(notes(&next).contains("tax is not projected"));

    seller.advance(contract, "2027-04-01T00:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}&limit=1")).await;
    let issued = list.is(200)["invoices"][0].clone();
    let net = |of: &Value| {
        of["subtotalMinor"].as_i64().expect("a sum") - of["discountMinor"].as_i64().expect("a sum")
    };
    assert_eq!((net(&issued), &issued["creditAppliedMinor"]), (500, &json!(100)));
    server.close().await;
}

#[tokio::test]
async fn usage_so_far_is_part_of_it_and_later_terms_are_notes() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    seller.subscribe(contract, "2027-02-20", json!({"priceMinor": 500})).await;
    let price = json!({
        "effectiveFrom": "2027-01-15",
        "config": {"scheme": "per_unit", "currency": "EUR", "rounding": "half_up", "unitPrice": "0.50"},
    });
    let path = format!("/usage/contracts/{contract}/metrics/api.calls/price");
    seller.billing.put(&path, &price).await.is(200);
    let event = json!({
        "contractId": contract.to_string(), "metric": "api.calls", "quantity": "7",
        "occurredAt": "2027-01-15T08:30:00Z", "idempotencyKey": fresh("event"),
    });
    seller.billing.post("/usage/events", &event).await.is(201);
    seller.recurring(contract).await;
    let next = upcoming(&seller, contract).await;
    assert_eq!(next["nextIssueDate"], "2027-02-15");
    let usage =
        next["lines"].as_array().expect("lines").iter().find(|line| line["source"] == "usage");
    let usage = usage.expect("a line of usage");
    assert_eq!((&usage["quantity"], &usage["amountMinor"]), (&json!("7"), &json!(350)));
    assert_eq!((&usage["unitPriceMinor"], &usage["periodEnd"]), (&json!(50), &json!("2027-02-15")));
    assert!(notes(&next).contains("counts what was used so far"), "{next}");
    assert!(notes(&next).contains("due on 2027-02-20"), "{next}");
    // Nothing was written.
    assert_eq!(upcoming(&seller, contract).await["lines"], next["lines"]);
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"].as_array().map(Vec::len), Some(1));
    server.close().await;
}

#[tokio::test]
async fn it_is_asked_for_a_time_and_may_be_disabled() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    let path = format!("/contracts/{contract}/invoices/upcoming");
    let at = seller.billing.get(&format!("{path}?at=2027-02-01")).await.is(200);
    assert_eq!(
        (&at["asOf"], &at["nextIssueDate"]),
        (&json!("2027-02-01T00:00:00Z"), &json!("2027-02-01"))
    );
    seller.billing.get(&format!("{path}?at=soon")).await.refuses(400, "at must be");
    seller.billing.get("/contracts/999999999/invoices/upcoming").await.has_status(404);
    seller.billing.get("/contracts/x/invoices/upcoming").await.has_status(400);
    server.switch("billing.recurring.invoice_pass", false).await;
    assert!(
        notes(&upcoming(&seller, contract).await).contains("billing.recurring.invoice_pass is off")
    );
    let patch = json!({"projectionEnabled": false});
    server.operator.patch(&format!("/sellers/{}", seller.id), &patch).await.is(200);
    seller.billing.get(&path).await.refuses_saying(501, "not available");
    server.close().await;
}

#[tokio::test]
async fn credit_that_will_have_expired_is_not_counted_on() {
    let server = Server::at("2027-03-10T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-10").await;
    seller.subscribe(contract, "2027-03-10", json!({"priceMinor": 1000})).await;
    seller.recurring(contract).await;
    for (kind, minor, expires) in
        [("promotional", 400, Some("2027-03-15T00:00:00Z")), ("manual", 100, None)]
    {
        let grant = json!({
            "creditType": kind, "amountMinor": minor, "currency": "EUR", "reason": "welcome",
            "expiresAt": expires,
        });
        let path = format!("/contracts/{contract}/credits/top-up");
        seller.billing.create(&path, &fresh("grant"), &grant).await.is(201);
    }
    let figures = |of: &Value| {
        json!([
            of["nextIssueDate"],
            of["creditAvailableMinor"],
            of["creditAppliedEstimateMinor"],
            of["collectibleEstimateMinor"]
        ])
    };
    let next = upcoming(&seller, contract).await;
    assert_eq!(figures(&next), json!(["2027-04-10", 100, 100, 900]));
    assert!(notes(&next).contains("stored credit of 400 EUR minor units has expired by then"));
    let path = format!("/contracts/{contract}/invoices/upcoming?at=2027-05-01");
    let later = seller.billing.get(&path).await.is(200);
    assert_eq!(figures(&later), json!(["2027-05-01", 100, 100, 900]));
    // On a test clock months go by while no credit expires.
    seller.advance(contract, "2027-03-20T00:00:00Z").await;
    let simulated = upcoming(&seller, contract).await;
    assert_eq!(figures(&simulated), json!(["2027-04-10", 500, 500, 500]));
    assert!(!notes(&simulated).contains("expired"), "{simulated}");
    server.close().await;
}
