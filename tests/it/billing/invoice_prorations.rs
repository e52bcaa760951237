//! Plan changes on `GET /invoices/{invoiceId}`: whoever reads a line can compute its amount again.

use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

/// A month of 31 days at 31.00, billed; today is its 11th day, so that 21 days are left.
async fn in_march(server: &Server, rate: &str) -> (Seller, u64, u64) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-03-01").await;
    let more = json!({"priceMinor": 3100, "taxRate": rate, "description": "Team"});
    let sub = id(&seller.subscribe(contract, "2027-03-01", more).await);
    seller.recurring(contract).await;
    seller.advance(contract, "2027-03-11T12:00:00Z").await;
    (seller, contract, sub)
}

async fn in_april(seller: &Seller, contract: u64) -> Value {
    seller.advance(contract, "2027-04-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}&limit=1")).await;
    seller.invoice_now(id(&list.is(200)["invoices"][0])).await
}

#[tokio::test]
async fn legs_of_one_rate_are_one_line_with_both() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_march(&server, "21").await;
    seller.act(sub, "change-plan", json!({"priceMinor": 6200, "quantity": "1.5"})).await;
    let invoice = in_april(&seller, contract).await;
    let line = &invoice["lines"][1];
    assert_eq!((&line["source"], &line["amountMinor"]), (&json!("proration"), &json!(4200)));
    assert_eq!(line["description"], "Team: plan change from 2027-03-11 on (21 of 31 days)");
    let breakdown = &line["ratingBreakdown"];
    assert_eq!((&breakdown["days"], &breakdown["termDays"]), (&json!(21), &json!(31)));
    assert_eq!(breakdown["carries"], "net");
    let credit = json!({"priceMinor": 3100, "quantity": "1", "amountMinor": 2100});
    assert_eq!(breakdown["credit"], credit);
    let charge = json!({"priceMinor": 6200, "quantity": "1.5", "amountMinor": 6300});
    assert_eq!(breakdown["charge"], charge);
    server.close().await;
}

#[tokio::test]
async fn legs_of_two_rates_are_two_lines_each_taxed_with_its_own() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_march(&server, "9").await;
    seller.act(sub, "change-plan", json!({"taxRate": "21"})).await;
    let invoice = in_april(&seller, contract).await;
    let lines = invoice["lines"].as_array().expect("lines");
    let rows: Vec<_> = lines
        .iter()
        .map(|line| json!([line["source"], line["amountMinor"], line["taxRate"], line["taxMinor"]]))
        .collect();
    assert_eq!(
        json!(rows),
        json!([
            ["subscription", 3100, "21", 651],
            ["proration", 2100, "21", 441],
            ["proration", -2100, "9", -189],
        ])
    );
    assert_eq!(lines[1]["ratingBreakdown"]["carries"], "charge");
    assert_eq!(lines[2]["ratingBreakdown"]["carries"], "credit");
    assert_eq!(lines[2]["ratingBreakdown"]["charge"]["amountMinor"], 2100);
    assert_eq!(invoice["grandTotalMinor"], 3100 + 651 + 441 - 189);
    server.close().await;
}

#[tokio::test]
async fn a_credit_is_taxed_as_its_term_was_also_when_the_tax_is_another_one_by_now() {
    for (before, now, total) in
        [("20", "0", 1550 - 1050 - 210), ("0", "20", 1550 + 310 - 1050), ("20", "20", 500 + 100)]
    {
        let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
        let seller = server.seller().await;
        let tax = async |rate| {
            let path = format!("/sellers/{}", seller.id);
            server.operator.patch(&path, &json!({"defaultTaxRate": rate})).await.is(200);
        };
        tax(before).await;
        let contract = seller.contract("2027-03-01").await;
        let plan = json!({"priceMinor": 3100});
        let sub = id(&seller.subscribe(contract, "2027-03-01", plan).await);
        seller.recurring(contract).await;
        seller.advance(contract, "2027-03-11T12:00:00Z").await;
        seller.act(sub, "change-plan", json!({"priceMinor": 1550})).await;
        tax(now).await;
        let upcoming = format!("/contracts/{contract}/invoices/upcoming?at=2027-04-01");
        let upcoming = seller.billing.get(&upcoming).await.is(200);
        assert_eq!(upcoming["subtotalMinor"], 500, "{upcoming}");
        let invoice = in_april(&seller, contract).await;
        assert_eq!(invoice["grandTotalMinor"], total, "{before}, then {now}");
        server.close().await;
    }
}

#[tokio::test]
async fn a_discount_says_which_credit_it_is_and_what_is_left() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    server.switch("billing.credits", false).await;
    let (seller, contract, sub) = in_march(&server, "0").await;
    seller.act(sub, "change-plan", json!({"priceMinor": 310})).await;
    let invoice = in_april(&seller, contract).await;
    let line = &invoice["lines"][0];
    assert_eq!((&line["discountMinor"], &line["amountMinor"]), (&json!(310), &json!(0)));
    let credit = &line["prorationCredits"][0];
    assert_eq!(credit["amountMinor"], 310);
    let breakdown = &credit["ratingBreakdown"];
    assert_eq!(breakdown["credit"]["amountMinor"], 2100);
    assert_eq!(breakdown["charge"]["amountMinor"], 210);
    assert_eq!((&breakdown["earlierMinor"], &breakdown["leftMinor"]), (&json!(0), &json!(1580)));
    seller.advance(contract, "2027-05-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}&limit=1")).await;
    let next = seller.invoice_now(id(&list.is(200)["invoices"][0])).await;
    let breakdown = &next["lines"][0]["prorationCredits"][0]["ratingBreakdown"];
    assert_eq!((&breakdown["earlierMinor"], &breakdown["leftMinor"]), (&json!(310), &json!(1270)));
    server.close().await;
}

#[tokio::test]
async fn what_a_line_has_no_room_for_becomes_stored_credit_with_its_tax() {
    let server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let (seller, contract, sub) = in_march(&server, "21").await;
    seller.act(sub, "change-plan", json!({"priceMinor": 310})).await;
    let invoice = in_april(&seller, contract).await;
    // 18.90 come back, 3.10 of it on the line: 15.80 and 21% are left.
    assert_eq!((&invoice["discountMinor"], &invoice["grandTotalMinor"]), (&json!(310), &json!(0)));
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    let lot = &credits["entries"][0];
    assert_eq!((&lot["creditType"], &lot["signedDeltaMinor"]), (&json!("proration"), &json!(1912)));
    assert_eq!((&lot["expiresAt"], lot.get("lotId")), (&Value::Null, None));
    let reason = "Team: plan change from 2027-03-11 on (21 of 31 days)";
    assert_eq!(lot["reason"], reason);
    seller.advance(contract, "2027-05-01T12:00:00Z").await;
    let list = seller.billing.get(&format!("/invoices?contractId={contract}&limit=1")).await;
    let next = seller.invoice_now(id(&list.is(200)["invoices"][0])).await;
    assert_eq!((&next["discountMinor"], &next["creditAppliedMinor"]), (&json!(0), &json!(375)));
    assert_eq!(next["status"], "paid");
    server.close().await;
}
