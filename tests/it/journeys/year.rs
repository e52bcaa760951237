//! A year of a customer: a trial, a plan change, a second subscription that ends, every invoice
//! paid; then the books are added up.

use crate::support::buyer::{GOOD, page_of};
use crate::support::response::id;
use crate::support::{Receiver, Server, Value, fresh_uuid, json, until};

const MONTHS: [&str; 12] = [
    "2027-04-01",
    "2027-05-01",
    "2027-06-01",
    "2027-07-01",
    "2027-08-01",
    "2027-09-01",
    "2027-10-01",
    "2027-11-01",
    "2027-12-01",
    "2028-01-01",
    "2028-02-01",
    "2028-03-01",
];

#[tokio::test]
async fn a_year_adds_up() {
    let mut server = Server::at("2027-03-01T09:00:00Z", &[]).await;
    let receiver = Receiver::start().await;
    let mut seller = server.seller().await;
    let body = json!({"webhookUrl": receiver.url("/hook")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let contract = seller.contract("2027-03-01").await;
    let amend = json!({"expectedBaseVersion": 1, "status": "active"});
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &amend).await.is(200);
    let more = json!({"priceMinor": 4900, "trialEnd": "2027-04-01", "taxRate": "19"});
    let team = id(&seller.subscribe(contract, "2027-03-01", more).await);
    let more = json!({"priceMinor": 1000, "taxRate": "19"});
    let addon = id(&seller.subscribe(contract, "2027-03-01", more).await);
    pay_open(&server, &seller, vec![seller.recurring(contract).await]).await;

    let mut expected = vec![1000];
    for (month, day) in MONTHS.into_iter().enumerate() {
        let answer = seller.advance(contract, &format!("{day}T12:00:00Z")).await;
        assert_eq!(answer["invoices"]["issued"], 1, "{day}");
        assert_eq!(answer["lifecycle"]["trialsActivated"], u64::from(month == 0), "{day}");
        let path = format!("/invoices?contractId={contract}&status=sent");
        let open = seller.billing.all(&path, "invoices").await;
        assert_eq!(open.len(), 1, "{day}");
        expected.push(
            open[0]["subtotalMinor"].as_i64().expect("an amount")
                - open[0]["discountMinor"].as_i64().expect("an amount"),
        );
        pay_open(&server, &seller, open).await;
        match month {
            // Changed at noon of 1 July, which has 31 days left of 31.
            3 => {
                let body = json!({"priceMinor": 9900, "effective": "immediately"});
                seller.act(team, "change-plan", body).await;
            }
            5 => {
                server.restart().await;
                seller = server.again(&seller);
            }
            8 => drop(seller.act(addon, "cancel", json!({})).await),
            _ => {}
        }
    }
    let plain = [
        1000,
        5900,
        5900,
        5900,
        5900,
        9900 + 1000 + 5000,
        10_900,
        10_900,
        10_900,
        10_900,
        9900,
        9900,
        9900,
    ];
    assert_eq!(expected, plain);
    assert_eq!(seller.subscription(addon).await["status"], "canceled");
    assert_eq!(seller.subscription(team).await["status"], "active");

    let invoices =
        seller.billing.all(&format!("/invoices?contractId={contract}"), "invoices").await;
    assert_eq!(invoices.len(), 13);
    let mut total = 0;
    for invoice in &invoices {
        let amount = |field: &str| invoice[field].as_i64().expect("an amount");
        assert_eq!(invoice["status"], "paid");
        let net = amount("subtotalMinor") - amount("discountMinor");
        assert_eq!(amount("taxMinor"), (net * 19 + 50) / 100);
        assert_eq!(amount("grandTotalMinor"), net + amount("taxMinor"));
        assert_eq!(amount("outstandingMinor"), 0);
        total += amount("grandTotalMinor");
    }
    let paid: i64 = until("13 paid events", async || {
        let events = receiver.of("InvoicePaid");
        let amounts = events.iter().map(|one| one.event["payload"]["grandTotalMinor"].as_i64());
        (events.len() == 13).then(|| amounts.map(|amount| amount.expect("an amount")).sum())
    })
    .await;
    assert_eq!(paid, total);
    let timeline = seller.billing.all(&format!("/contracts/{contract}/timeline"), "entries").await;
    let count = |kind: &str| timeline.iter().filter(|entry| entry["kind"] == kind).count();
    // The team plan renews 11 times after its first paid term, the add-on 9 times until its end.
    assert_eq!((count("subscription_renewed"), count("invoice_paid")), (11 + 9, 13));
    server.close().await;
}

async fn pay_open(server: &Server, seller: &crate::support::Seller, open: Vec<Value>) {
    for invoice in open {
        let page = page_of(&invoice);
        let token = page.rsplit_once('/').expect("a token").1;
        server
            .anonymous
            .pay(&format!("{}/pay/{token}", server.anonymous.origin), GOOD)
            .await
            .is(200);
        until("the invoice to be paid", async || {
            (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
        })
        .await;
    }
}
