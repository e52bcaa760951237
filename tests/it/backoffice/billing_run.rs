//! `/sellers/{sellerAccountId}/contracts/{contractId}/billing-run`.

use crate::support::response::id;
use crate::support::{Server, json};

#[tokio::test]
async fn the_operator_bills_what_is_due_on_a_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    let items = json!([
        {"componentType": "one_time", "quantity": "2",
         "componentConfig": {"amountMinor": 150, "description": "Set-up"}},
        {"componentType": "project", "quantity": "1", "componentConfig": {"amountMinor": 900}},
        {"componentType": "milestone", "quantity": "1",
         "componentConfig": {"amountMinor": 400, "status": "completed"}},
    ]);
    let body = json!({"expectedBaseVersion": 1, "lineItems": items});
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &body).await.is(200);
    server.switch("billing.recurring.invoice_pass", false).await;
    let path = format!("/sellers/{}/contracts/{contract}/billing-run", seller.id);
    let run = server.operator.post(&path, &json!({})).await.is(200);
    assert_eq!((&run["contractId"], &run["failures"]), (&json!(contract), &json!([])));
    assert_eq!(run["hasMore"], false);
    let invoices = run["invoices"].as_array().expect("invoices");
    let told: Vec<_> =
        invoices.iter().map(|one| (&one["origin"], &one["grandTotalMinor"])).collect();
    let expected = [
        (&json!("recurring"), &json!(1_000)),
        (&json!("milestone"), &json!(400)),
        (&json!("one_time"), &json!(300)),
    ];
    assert_eq!(told, expected);
    let issued = seller.invoice_now(id(&invoices[2])).await;
    assert_eq!(issued["invoiceNumber"], invoices[2]["invoiceNumber"]);
    let line = &issued["lines"][0];
    let known = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(line["lineItemId"], known["lineItems"][0]["lineItemId"]);
    assert_eq!((&line["source"], &line["description"]), (&json!("one_time"), &json!("Set-up")));
    let again = server.operator.post(&path, &json!({})).await.is(200);
    assert_eq!(again["invoices"], json!([]), "nothing is missing");
    for path in [
        format!("/sellers/{}/contracts/999999999/billing-run", seller.id),
        format!("/sellers/999999999/contracts/{contract}/billing-run"),
    ] {
        server.operator.post(&path, &json!({})).await.has_status(404);
    }
    server.close().await;
}
