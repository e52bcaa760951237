//! A little of everything that is stored.

use actors::domain::billing::usage::CorrectLate;
use actors::domain::ids::{ContractId, InvoiceId, SellerId, UsageEventId};

use crate::billing::csv::{Csv, done};
use crate::support::buyer::{DECLINED, GOOD, page_of};
use crate::support::links::url_of;
use crate::support::make::line;
use crate::support::meter::{EARLIER, event_with};
use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh, fresh_uuid, json, until};

const DAY: i64 = 86_400;

/// What it has made, as far as tests have to name it.
pub(super) struct Made {
    pub(super) seller: SellerId,
    /// Of the payment that is settled, refunded in part and shared.
    pub(super) payment: String,
}

pub(super) async fn live(server: &Server) -> Made {
    let seller = server.seller().await;
    hooks(&seller).await;
    let contract = seller.metered("2026-12-18").await;
    let active = json!({"expectedBaseVersion": 1, "status": "active"});
    let path = format!("/contracts/{contract}/amendments");
    seller.billing.post(&path, &active).await.is(200);
    usage(server, &seller, contract).await;
    documents(server, &seller, contract).await;
    credit(server, &seller).await;
    late(server, &seller, contract).await;
    letters(&seller, contract).await;
    let payment = payments(server, &seller).await;
    payouts(server, &seller).await;
    marketplace(server, &seller).await;
    links(server, &seller).await;
    subscriptions(server, &seller).await;
    Made { seller: SellerId(seller.id), payment }
}

/// A webhook that answers never, and one that keeps order besides.
async fn hooks(seller: &Seller) {
    for (port, ordered) in [(9, false), (10, true)] {
        let url = format!("http://127.0.0.1:{port}/hook");
        let body = json!({"webhookUrl": url, "ordered": ordered});
        seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    }
}

async fn usage(server: &Server, seller: &Seller, contract: u64) {
    let users = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", users).await;
    for (metric, price) in [("api.calls", "0.02"), ("users", "1")] {
        let path = format!("/usage/contracts/{contract}/metrics/{metric}/price");
        let config = json!({
            "currency": "EUR", "rounding": "half_up", "scheme": "per_unit", "unitPrice": price,
        });
        let body = json!({"effectiveFrom": "2026-12-01", "config": config});
        seller.billing.put(&path, &body).await.is(200);
    }
    let calls: Vec<Value> = (0..80)
        .map(|number| event_with(contract, &format!("call-{number}"), json!({"quantity": "3"})))
        .collect();
    seller.record_all(&calls).await;
    for user in ["ada", "bob", "ada"] {
        let more = json!({"metric": "users", "metadata": {"user": user}});
        seller.record(&event_with(contract, &format!("{user}-{}", fresh_uuid()), more)).await;
    }
    server.pass_seconds(4 * DAY);
    for pass in ["billing.usage.close_pass", "billing.usage.invoice_pass"] {
        server.operator.post(&format!("/passes/{pass}/run"), &json!({})).await.is(200);
    }
}

async fn documents(server: &Server, seller: &Seller, contract: u64) {
    let subscription = seller.subscribe(contract, "2027-01-19", json!({"taxRate": "19"})).await;
    seller.recurring(contract).await;
    let once = json!({"componentType": "one_time", "quantity": "1",
                      "componentConfig": {"amountMinor": 150}});
    let body = json!({"expectedBaseVersion": 2, "lineItems": [once]});
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &body).await.is(200);
    let run = format!("/sellers/{}/contracts/{contract}/billing-run", seller.id);
    server.operator.post(&run, &json!({})).await.is(200);
    let lines = json!([line("Set-up", 10_000), line("Training", 333)]);
    let body = json!({"contractId": contract, "origin": "one_time", "lines": lines});
    let invoice = seller.invoice(body).await;
    server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    until("the invoice to be paid", async || {
        (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
    })
    .await;
    seller.one_time(contract, 700).await;
    // A plan change that no document carries yet.
    let plan = json!({"priceMinor": 5000});
    seller.act(id(&subscription), "change-plan", plan).await;
    let weekly = seller.contract("2027-01-15").await;
    let more = json!({"frequency": "weekly"});
    let subscription = seller.subscribe(weekly, "2027-01-15", more).await;
    seller.recurring(weekly).await;
    let plan = json!({"priceMinor": 2500});
    seller.act(id(&subscription), "change-plan", plan).await;
    seller.advance(weekly, "2027-02-20T00:00:00Z").await;
}

/// Credit that is granted, drawn, given back and made, and invoices that are corrected and voided.
async fn credit(server: &Server, seller: &Seller) {
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/credits/top-up");
    for (kind, minor) in [("gift", 400), ("purchased", 900)] {
        let body = json!({
            "creditType": kind, "amountMinor": minor, "currency": "EUR", "reason": "welcome",
        });
        seller.billing.create(&path, &fresh("grant"), &body).await.is(201);
    }
    seller.one_time(contract, 500).await;
    let voided = id(&seller.one_time(contract, 300).await);
    let contracts = &server.app().contracts;
    let (seller_id, contract_id) = (SellerId(seller.id), ContractId(contract));
    // It is paid by credit, and stays.
    let refused = contracts.void_invoice(seller_id, contract_id, InvoiceId(voided), String::new());
    assert!(refused.await.is_err(), "paid invoices are not voided");
    let part = seller.one_time(contract, 2_000).await;
    let note = json!({
        "invoiceType": "credit_note", "corrects": part["invoiceNumber"],
        "lines": [line("Too much", 1_800)],
    });
    seller.invoice(note).await;
    let open = id(&seller.one_time(contract, 5_000).await);
    let reason = "made out twice".to_owned();
    let voided = contracts.void_invoice(seller_id, contract_id, InvoiceId(open), reason);
    voided.await.expect("voided");
}

/// An event of a closed day, and its correction.
async fn late(server: &Server, seller: &Seller, contract: u64) {
    let recorded = seller.record(&event_with(contract, "late", json!({}))).await;
    assert_eq!(recorded["late"], true, "{recorded}");
    let event = recorded["eventId"].as_u64().or_else(|| recorded["id"].as_u64());
    let request = CorrectLate {
        events: vec![UsageEventId(event.expect("an id"))],
        amount_minor: Some(150),
        description: "A call that came late".to_owned(),
        key: "late".to_owned(),
    };
    let contracts = &server.app().contracts;
    let corrected =
        contracts.correct_late_usage(SellerId(seller.id), ContractId(contract), request);
    corrected.await.expect("corrected");
}

async fn letters(seller: &Seller, contract: u64) {
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": "unknown"},
        "quantity": "quantity", "occurredAt": {"const": EARLIER},
    });
    let upload = Csv::of("quantity\n1\n2\n", &mapping).send(&seller.billing).await.is(202);
    assert_eq!(done(seller, &upload).await["parked"], 2);
}

async fn payments(server: &Server, seller: &Seller) -> String {
    let parts = json!([
        {"payeeId": seller.payee(0), "amount": 6.0}, {"payeeId": seller.payee(1), "amount": 2.5},
    ]);
    let shared = json!({"orderData": {"totalAmount": 12.5, "payeeDistribution": parts}});
    let payment = seller.paid(shared.clone()).await;
    server.settle(seller, &payment).await;
    seller.act_on(&payment, "refund", &json!({"amount": 3.33})).await;
    server.pass_seconds(3);
    until("the refund", async || {
        let now = seller.payment(&payment).await;
        (now["status"] == "settled" && now["refundedAmount"] != 0).then_some(())
    })
    .await;
    let held = seller.held(shared).await;
    seller.act_on(&held, "capture", &json!({"amount": 5})).await;
    let session = crate::payments::checkout::body();
    seller.payments.create("/checkout", &fresh_uuid(), &session).await.is(201);
    payment
}

async fn payouts(server: &Server, seller: &Seller) {
    let network = json!({"cidr": "127.0.0.0/8"});
    seller.payments.create("/webhook-allowlist", &fresh_uuid(), &network).await.is(201);
    let hook = json!({"webhookUrl": "http://127.0.0.1:9/payout"});
    let arrived = seller.payout(hook).await;
    server.pass_seconds(6);
    until("the payout", async || {
        let now = seller.payout_now(id(&arrived)).await;
        (now["status"] == "completed").then_some(())
    })
    .await;
    seller.payout(json!({"amount": "0.50"})).await;
    let parts = json!([{"payeeId": seller.payee(0), "amount": 6.0}]);
    let shared = json!({"orderData": {"totalAmount": 12.5, "payeeDistribution": parts}});
    seller.held(shared).await;
}

async fn marketplace(server: &Server, seller: &Seller) {
    let vendor = json!({"displayName": "Nord", "email": "nord@example.com", "country": "SE"});
    seller.payments.create("/vendors", &fresh_uuid(), &vendor).await.is(201);
    let topup = json!({"currency": "EUR", "amountMinor": 25_000});
    let topup = seller.payments.create("/topup-invoices", &fresh_uuid(), &topup).await.is(201);
    let deposit = json!({
        "invoiceNumber": topup["invoiceNumber"], "sellerAccountId": seller.id, "amountMinor": 100,
        "currency": "EUR", "reference": "T-1",
    });
    server.operator.post("/bank-deposits", &deposit).await.is(200);
}

/// A link that was paid with a code, and one with an end at which a card was declined.
async fn links(server: &Server, seller: &Seller) {
    let browser = server.owner_of(seller).await;
    browser.promo_code("SUMMER", json!({})).await;
    let link = browser.payment_link(json!({"recipientEmail": "ada@example.com"})).await;
    let typed = json!({"promoCode": "summer"});
    server.anonymous.pay_with(&url_of(&link), typed).await.is(200);
    until("the link to be paid", async || {
        let now = browser.payment_link_now(&link).await;
        (now["status"] == "paid").then_some(())
    })
    .await;
    let ends = json!({"singleUse": false, "expiresAt": "2035-01-01T00:00:00Z"});
    let link = browser.payment_link(ends).await;
    server.anonymous.pay(&url_of(&link), DECLINED).await.is(200);
}

/// A subscription that was signed at its page, where a card was declined before.
async fn subscriptions(server: &Server, seller: &Seller) {
    let browser = server.owner_of(seller).await;
    let one = browser.link_subscription(json!({"recipientEmail": "ada@example.com"})).await;
    for number in [DECLINED, GOOD] {
        let typed = json!({"cardNumber": number, "saveCard": "true"});
        server.anonymous.pay_with(&url_of(&one), typed).await.is(200);
    }
    until("the subscription to be signed", async || {
        let now = browser.link_subscription_now(&one).await;
        (now["status"] == "active").then_some(())
    })
    .await;
}
