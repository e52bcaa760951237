//! `GET /invoices` and `GET /invoices/{invoiceId}`.

use crate::support::make::line;
use crate::support::response::{id, ids};
use crate::support::{Server, json};

#[tokio::test]
async fn invoices_are_found_by_every_filter() {
    let server = Server::at("2027-01-30T12:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-30").await;
    let one = seller.one_time(contract, 100).await;
    let project = json!({
        "contractId": contract, "origin": "project", "lines": [line("Move", 100)], "send": false,
    });
    let project = id(&seller.invoice(project).await);
    server.pass_seconds(2 * 86_400);
    let adhoc = json!({
        "origin": "adhoc", "currency": "EUR", "billTo": {"email": "n@example.com"},
        "lines": [line("Talk", 100)], "invoiceType": "simplified",
    });
    let adhoc = seller.invoice(adhoc).await;
    seller.subscribe(contract, "2027-01-30", json!({})).await;
    let recurring = id(&seller.recurring(contract).await);
    let (one, adhoc, nils) = (id(&one), id(&adhoc), &adhoc["sellerCustomerId"]);
    let customer = seller.customer();
    let (contract_query, customer_query) =
        (format!("contractId={contract}"), format!("sellerCustomerId={customer}"));
    let nils_query = format!("sellerCustomerId={nils}");
    let cases: [(&str, &[u64]); 19] = [
        ("", &[recurring, adhoc, project, one]),
        (&contract_query, &[recurring, project, one]),
        (&customer_query, &[recurring, project, one]),
        (&nils_query, &[adhoc]),
        ("origin=project", &[project]),
        ("origin=recurring", &[recurring]),
        ("origin=subscription", &[recurring]),
        ("status=issued", &[project]),
        ("status=sent", &[recurring, adhoc, one]),
        ("status=sent&origin=one_time", &[one]),
        ("invoiceType=simplified", &[adhoc]),
        ("issuedFrom=2027-02-01", &[recurring, adhoc]),
        ("issuedFrom=2027-02-01T12:00:00Z", &[recurring, adhoc]),
        ("issuedFrom=2027-02-01T12:00:01Z", &[]),
        ("issuedTo=2027-02-01", &[project, one]),
        ("issuedTo=2027-01-30T12:00:00Z", &[]),
        ("issuedFrom=2027-01-30&issuedTo=2027-01-31", &[project, one]),
        ("corrects=1000001-2701AAA", &[]),
        ("contractId=999999999", &[]),
    ];
    for (query, expected) in cases {
        let list = seller.billing.get(&format!("/invoices?{query}")).await.is(200);
        assert_eq!(ids(&list, "invoices"), expected, "{query}");
    }
    server.close().await;
}

#[tokio::test]
async fn wrong_filters_are_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (query, field) in [
        ("origin=gift", "origin"),
        ("status=open", "status"),
        ("invoiceType=proforma", "invoiceType"),
        ("issuedFrom=yesterday", "issuedFrom"),
        ("issuedTo=2027-02-30", "issuedTo"),
    ] {
        seller.billing.get(&format!("/invoices?{query}")).await.refuses(400, field);
    }
    for known in ["draft", "issued", "sent", "paid", "overdue", "voided", "written_off"] {
        seller.billing.get(&format!("/invoices?status={known}")).await.is(200);
    }
    for known in ["recurring", "usage", "milestone", "project", "one_time", "adhoc", "marketplace"]
    {
        seller.billing.get(&format!("/invoices?origin={known}")).await.is(200);
    }
    for known in ["standard", "credit_note", "simplified", "modified"] {
        seller.billing.get(&format!("/invoices?invoiceType={known}")).await.is(200);
    }
    server.close().await;
}

#[tokio::test]
async fn the_list_serves_the_invoice_without_its_lines() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let mut made = seller.one_time(contract, 100).await;
    let list = seller.billing.get("/invoices").await.is(200);
    made.as_object_mut().expect("an object").remove("lines");
    assert_eq!(list["invoices"][0], made);
    seller.billing.get("/invoices/999999999").await.refuses_saying(404, "not found");
    for wrong in ["0", "x", "-1", "9007199254740992"] {
        seller.billing.get(&format!("/invoices/{wrong}")).await.has_status(400);
    }
    server.close().await;
}
