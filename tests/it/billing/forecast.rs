//! `/contracts/{contractId}/simulate`.

use crate::support::make::with as with_fields;
use crate::support::response::id;
use crate::support::{Server, Value, json};

/// What tells documents apart, of a forecast and of an invoice alike.
fn told(document: &Value) -> Value {
    let lines = document["lines"].as_array().expect("lines").iter().map(|line| {
        let mut line = line.clone();
        line.as_object_mut().expect("a line").remove("lineId");
        line
    });
    json!({
        "origin": document["origin"], "dueDate": document["dueDate"],
        "periodStart": document["periodStart"], "periodEnd": document["periodEnd"],
        "grandTotalMinor": document["grandTotalMinor"], "taxSummary": document["taxSummary"],
        "billTo": document["billTo"], "lines": lines.collect::<Vec<_>>(),
    })
}

#[tokio::test]
async fn a_forecast_is_told_and_then_comes_about() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let more = json!({"taxRate": "19", "description": "Plan"});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    seller.recurring(contract).await;
    let change = json!({"priceMinor": 4_000, "effective": "period_end"});
    seller.act(sub, "change-plan", change).await;
    let path = format!("/contracts/{contract}/simulate");
    let body = json!({"to": "2027-04-20T12:00:00Z"});
    let forecast = seller.billing.post(&path, &body).await.is(200);
    assert_eq!(
        (&forecast["contractId"], &forecast["from"], &forecast["to"], &forecast["currency"]),
        (
            &json!(contract),
            &json!("2027-01-15T09:00:00Z"),
            &json!("2027-04-20T12:00:00Z"),
            &json!("EUR")
        )
    );
    let documents = forecast["documents"].as_array().expect("documents");
    assert_eq!(documents.len(), 3);
    for document in documents {
        for absent in ["id", "invoiceNumber", "paymentUrl", "issuedAt", "sentAt"] {
            assert!(document.get(absent).is_none(), "{absent}");
        }
    }
    let dates: Vec<_> = documents.iter().map(|document| &document["issueDate"]).collect();
    assert_eq!(dates, ["2027-02-15", "2027-03-15", "2027-04-15"]);
    let months = json!([
        {"month": "2027-01", "billedMinor": 0}, {"month": "2027-02", "billedMinor": 4_760},
        {"month": "2027-03", "billedMinor": 4_760}, {"month": "2027-04", "billedMinor": 4_760},
    ]);
    let totals = json!({"billedMinor": 14_280, "taxMinor": 2_280, "byMonth": months});
    assert_eq!(forecast["totals"], totals);
    let renewed = forecast["entries"].as_array().expect("entries").iter();
    let renewed = renewed.filter(|entry| entry["kind"] == "subscription_renewed");
    assert_eq!(renewed.count(), 3);
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"].as_array().map(Vec::len), Some(1), "nothing was issued");
    assert_eq!(seller.subscription(sub).await["priceMinor"], 1_000);

    for (to, foreseen) in ["2027-02-15", "2027-03-15", "2027-04-15"].into_iter().zip(documents) {
        seller.advance(contract, &format!("{to}T00:00:00Z")).await;
        let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
        let issued = seller.invoice_now(id(&list["invoices"][0])).await;
        assert_eq!(told(foreseen), told(&issued));
    }
    seller.advance(contract, "2027-04-20T12:00:00Z").await;
    assert_eq!(forecast["subscriptions"], json!([seller.subscription(sub).await]));
    server.close().await;
}

#[tokio::test]
async fn assumptions_are_made_on_the_copy() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.metric("calls", json!({})).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let config = json!({
        "scheme": "per_unit", "currency": "EUR", "rounding": "half_up", "unitPrice": "0.10",
    });
    let path = format!("/contracts/{contract}/simulate");
    let body = json!({"to": "2027-03-15", "assume": {
        "usage": [{"metric": "calls", "perDay": "10"}],
        "prices": [{"metric": "calls", "effectiveFrom": "2027-01-15", "config": config}],
        "changes": [{"on": "2027-02-01", "subscriptionId": sub, "action": "change-plan",
                     "priceMinor": 500, "effective": "period_end"}],
        "firstInvoice": true,
    }});
    let forecast = seller.billing.post(&path, &body).await.is(200);
    let documents = forecast["documents"].as_array().expect("documents");
    let billed: Vec<_> = documents
        .iter()
        .map(|document| (document["origin"].as_str(), document["grandTotalMinor"].as_i64()))
        .collect();
    let expected = [
        (Some("recurring"), Some(1_000)),
        (Some("recurring"), Some(500)),
        (Some("usage"), Some(30 * 100)),
        (Some("recurring"), Some(500)),
        (Some("usage"), Some(28 * 100)),
    ];
    assert_eq!(billed, expected);
    assert_eq!(seller.subscription(sub).await.get("pendingChange"), None);
    let price = format!("/usage/contracts/{contract}/metrics/calls/price");
    seller.billing.get(&price).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_forecast_that_cannot_be_made_says_why() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let path = format!("/contracts/{contract}/simulate");
    let change = json!({"on": "2027-02-01", "subscriptionId": sub, "action": "resume"});
    let words = with_fields(&change, json!({"action": "cancel", "reason": "a\u{0}b"}));
    let price = with_fields(&change, json!({"action": "change-plan", "priceMinor": "5"}));
    let with = |name: &str, item: Value| json!({"to": "2027-12-31", "assume": {name: [item]}});
    for (body, status, part) in [
        (json!({}), 400, "to is required"),
        (json!({"to": "2030-01-16"}), 400, "to is more than 3 years"),
        (json!({"to": "2027-01-14"}), 400, "to is before"),
        (with("usage", json!({"metric": "none", "perDay": "1"})), 400, "assume.usage[0].metric"),
        (with("usage", json!({"metric": "none", "perDay": 1})), 400, "assume.usage[0].perDay"),
        (with("changes", json!({"on": "2027-02-01"})), 400, "assume.changes[0]"),
        (with("changes", words), 400, "assume.changes[0].reason must not contain control"),
        (with("changes", price), 400, "assume.changes[0].priceMinor: expected an integer"),
        (with("changes", change), 422, "assume.changes[0]: "),
    ] {
        seller.billing.post(&path, &body).await.refuses(status, part);
    }
    let body = json!({"to": "2027-12-31"});
    seller.billing.post("/contracts/999999999/simulate", &body).await.has_status(404);
    let stranger = server.seller().await;
    stranger.billing.post(&path, &body).await.has_status(404);
    server.close().await;
}
