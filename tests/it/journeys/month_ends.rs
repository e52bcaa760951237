//! A monthly subscription that starts on 31 January, term by term through a year and its leap
//! day: a short month never moves the anchor.

use crate::support::response::id;
use crate::support::{Server, json};

#[tokio::test]
async fn a_31_january_start_keeps_its_anchor_for_fourteen_months() {
    let server = Server::at("2027-01-31T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-31").await;
    let sub = id(&seller.subscribe(contract, "2027-01-31", json!({})).await);
    seller.recurring(contract).await;
    let mut start = "2027-01-31";
    for day in [
        "2027-02-28",
        "2027-03-31",
        "2027-04-30",
        "2027-05-31",
        "2027-06-30",
        "2027-07-31",
        "2027-08-31",
        "2027-09-30",
        "2027-10-31",
        "2027-11-30",
        "2027-12-31",
        "2028-01-31",
        "2028-02-29",
        "2028-03-31",
    ] {
        let now = seller.subscription(sub).await;
        assert_eq!(now["currentPeriodStart"], start);
        assert_eq!(now["currentPeriodEnd"], day);
        let answer = seller.advance(contract, &format!("{day}T12:00:00Z")).await;
        assert_eq!(
            (&answer["lifecycle"]["renewed"], &answer["invoices"]["issued"]),
            (&json!(1), &json!(1)),
            "{day}"
        );
        start = day;
    }
    let path = format!("/invoices?contractId={contract}");
    let invoices = seller.billing.all(&path, "invoices").await;
    assert_eq!(invoices.len(), 15);
    for pair in invoices.windows(2) {
        assert_eq!(pair[1]["periodEnd"], pair[0]["periodStart"], "no day is lost or billed twice");
    }
    assert!(invoices.iter().all(|invoice| invoice["grandTotalMinor"] == 1000));
    let numbers: Vec<&str> = invoices
        .iter()
        .rev()
        .map(|invoice| invoice["invoiceNumber"].as_str().expect("a number"))
        .map(|number| &number[number.len() - 3..])
        .collect();
    assert_eq!(numbers[0], "AAA");
    assert_eq!(numbers[14], "AAO");
    server.close().await;
}
