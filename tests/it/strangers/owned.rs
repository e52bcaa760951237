//! A seller with one object of every kind.

use hyper::Method;

use crate::support::buyer::page_of;
use crate::support::response::id;
use crate::support::{Api, Receiver, Seller, Server, Value, fresh_uuid, json, until};

/// The ids of a seller's objects, by the names that paths and bodies have for them.
pub(super) type Owned = Vec<(&'static str, String)>;

/// Makes one object of every kind that a path or a body can name.
pub(super) async fn seed(server: &Server, receiver: &Receiver) -> (Seller, Owned) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let subscription = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let body = json!({"webhookUrl": receiver.url("/")});
    let webhook = id(&seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201));
    let body = json!({"cidr": "127.0.0.0/8"});
    let entry = seller.payments.create("/webhook-allowlist", &fresh_uuid(), &body).await.is(201);
    let invoice = id(&seller.one_time(contract, 100).await);
    let delivery = until("a delivery", async || {
        let list = seller.payments.get("/webhook-deliveries").await.is(200);
        list["deliveries"][0]["id"].as_u64()
    })
    .await;
    let line = seller.invoice_now(invoice).await["lines"][0]["lineId"].to_string();
    seller.metric("api.calls", json!({})).await;
    let described = json!({"description": "A meter"});
    let endpoint = seller.billing.post("/usage/webhook-endpoints", &described).await.is(201);
    let (upload, dead_letter) = upload(&seller.older(), "1", "unknown.metric").await;
    let payee = seller.payee(0);
    server.fund(&seller, payee, 1, 500).await;
    let payout = id(&seller.payout(json!({})).await);
    let body = json!({"currency": "EUR", "amountMinor": 100});
    let topup = seller.payments.create("/topup-invoices", &fresh_uuid(), &body).await.is(201);
    let body = json!({"displayName": "Atelier Nord", "email": "nord@example.com"});
    let vendor = seller.payments.create("/vendors", &fresh_uuid(), &body).await.is(201);
    let page = page_of(&seller.one_time(contract, 100).await);
    let paid = seller.payments.pay_with(&page, json!({"saveCard": true})).await.is(200);
    let customer = seller.billing.get(&format!("/customers/{}", seller.customer())).await.is(200);
    let card = id(&customer["savedCards"][0]);
    let reference = paid["paymentId"].as_str().expect("a reference").to_owned();
    let token = "/device-intelligence/token";
    let device = seller.payments.create(token, &fresh_uuid(), &json!({})).await.is(200);
    let session = device["sessionId"].as_str().expect("a session").to_owned();
    let mut owned = vec![("lineId", line), ("externalOrderRef", reference), ("sessionId", session)];
    owned.extend(["metric", "metricName"].map(|name| (name, "api.calls".to_owned())));
    let ids = [
        ("contractId", contract),
        ("subscriptionId", subscription),
        ("invoiceId", invoice),
        ("customerId", seller.customer()),
        ("savedCardId", card),
        ("webhookId", webhook),
        ("entryId", id(&entry)),
        ("deliveryId", delivery),
        ("endpointId", id(&endpoint)),
        ("uploadId", upload),
        ("deadLetterId", id(&dead_letter)),
        ("payeeId", payee),
        ("methodId", seller.method(payee).await),
        ("walletId", seller.wallet(0)),
        ("payoutId", payout),
        ("topupInvoiceId", id(&topup)),
        ("vendorId", id(&vendor)),
    ];
    owned.extend(ids.map(|(name, id)| (name, id.to_string())));
    (seller, owned)
}

/// Uploads a file of one row that is refused; returns the id of the upload and the dead letter.
/// `usage` is a client of the metering routes, below either prefix.
pub(super) async fn upload(usage: &Api, contract: &str, metric: &str) -> (u64, Value) {
    let mapping = json!({
        "contractId": "contract", "metric": {"const": metric}, "quantity": {"const": "1"},
        "occurredAt": {"const": "2027-01-15T08:30:00Z"},
    });
    let part = |name: &str, content: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let file = part("file", &format!("contract\n{contract}\n"));
    let mapping = part("mapping", &mapping.to_string());
    let headers = [("content-type", "multipart/form-data; boundary=b")];
    let body = format!("{file}{mapping}--b--\r\n");
    let known = usage.all("/dead-letters", "deadLetters").await.len();
    let taken = usage.send(Method::POST, "/csv", &headers, &body).await.is(202);
    let dead_letter = until("a dead letter", async || {
        let rows = usage.all("/dead-letters", "deadLetters").await;
        (rows.len() > known).then(|| rows[0].clone())
    });
    (taken["uploadId"].as_u64().expect("an id"), dead_letter.await)
}

/// The id that a path parameter of this name takes.
pub(super) fn owned_id(owned: &Owned, name: &str) -> u64 {
    let (_, value) = owned.iter().find(|(known, _)| *known == name).expect("an id");
    value.parse().expect("a number")
}

/// The same names with ids that nothing has.
pub(super) fn missing(owned: &Owned) -> Owned {
    let missing = |value: &str| match value.parse::<u64>() {
        Ok(_) => "9007199254740991".to_owned(),
        Err(_) => "missing".to_owned(),
    };
    owned.iter().map(|(name, value)| (*name, missing(value))).collect()
}
