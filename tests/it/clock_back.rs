//! A wall clock that is set back by hours while the service runs: nothing is lost, nothing happens
//! twice, and what is counted stays in order.

use std::collections::BTreeSet;

use actors::domain::ids::SellerId;
use actors::domain::platform::event::EventSequence;
use actors::domain::time::Timestamp;

use crate::support::buyer::{GOOD, page_of};
use crate::support::make::line;
use crate::support::meter::event_with;
use crate::support::receiver::Delivery;
use crate::support::response::id;
use crate::support::{Receiver, Seller, Server, Value, fresh, fresh_uuid, json, until};

const HOUR: i64 = 3_600;

/// Before all that the clock shows.
const USED_AT: &str = "2027-01-14T12:00:00Z";

/// What the rounds write to, and what they have made.
struct Shop {
    seller: Seller,
    real: u64,
    simulated: u64,
    /// Days that the test clock has gone ahead.
    days: i64,
    payments: Vec<String>,
    invoices: Vec<u64>,
    subscriptions: Vec<u64>,
}

impl Shop {
    async fn open(server: &Server, hook: &str) -> Self {
        let seller = server.seller().await;
        let hook = json!({"webhookUrl": hook, "ordered": true});
        seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
        let real = seller.metered("2027-01-01").await;
        let simulated = seller.contract("2027-01-01").await;
        for contract in [real, simulated] {
            let active = json!({"expectedBaseVersion": 1, "status": "active"});
            let path = format!("/contracts/{contract}/amendments");
            seller.billing.post(&path, &active).await.is(200);
        }
        seller.subscribe(simulated, "2027-01-15", json!({"frequency": "weekly"})).await;
        let (payments, invoices, subscriptions) = (Vec::new(), Vec::new(), Vec::new());
        Self { seller, real, simulated, days: 1, payments, invoices, subscriptions }
    }

    /// Something of everything, at whatever the clock shows.
    async fn trade(&mut self, server: &Server, round: u64) {
        let Self { seller, real, simulated, .. } = &*self;
        let parts = json!([{"payeeId": seller.payee(0), "amount": 6.0}]);
        let shared = json!({"orderData": {"totalAmount": 12.5, "payeeDistribution": parts}});
        let payment = seller.paid(shared).await;
        let refunded = seller.paid(json!({})).await;
        seller.act_on(&refunded, "refund", &json!({"amount": 1})).await.has_status(202);

        let body = json!({
            "contractId": real, "origin": "one_time", "lines": [line("Set-up", 700)],
        });
        let key = fresh("invoice");
        let invoice = seller.billing.create("/invoices", &key, &body).await.is(201);
        assert!(seller.billing.create("/invoices", &key, &body).await.is_replay());
        server.anonymous.pay(&page_of(&invoice), GOOD).await.has_status(200);
        let subscription = seller.subscribe(*real, "2027-01-15", json!({})).await;
        let amendment = json!({
            "expectedBaseVersion": round + 1, "customerName": format!("No. {round}"),
        });
        let path = format!("/contracts/{real}/amendments");
        seller.billing.post(&path, &amendment).await.is(200);
        let calls: Vec<Value> = (0..5)
            .map(|call| {
                event_with(*real, &format!("{round}-{call}"), json!({"occurredAt": USED_AT}))
            })
            .collect();
        seller.record_all(&calls).await;
        let to = Timestamp::parse("2027-01-20T00:00:00Z").expect("an instant");
        let to = to.plus_seconds(24 * HOUR * self.days).to_string();
        seller.advance(*simulated, &to).await;
        self.days += 7;
        self.payments.push(payment);
        self.invoices.push(id(&invoice));
        self.subscriptions.push(id(&subscription));
    }
}

fn sequence(delivery: &Delivery) -> u64 {
    delivery.event["sequence"].as_u64().expect("a sequence")
}

fn is_rising(ids: &[u64]) -> bool {
    ids.is_sorted_by(|one, next| one < next)
}

#[tokio::test]
async fn nothing_is_lost_or_done_twice_when_the_clock_is_set_back() {
    let receiver = Receiver::start().await;
    let server = Server::start().await;
    let mut shop = Shop::open(&server, &receiver.url("/hook")).await;
    let browser = server.owner_of(&shop.seller).await;
    let beginning = server.now();
    // Back below what was seen, over what is waited for, on, and back again.
    for (round, hours) in (1..).zip([0, -3, -5, 2, -1, -8]) {
        server.clock.set(beginning.plus_seconds(HOUR * hours));
        shop.trade(&server, round).await;
        assert!(!browser.get("/dashboard").await.text.contains("Sign in"), "at {}", server.now());
        let found = server.operator.post("/verify", &json!({})).await.is(200);
        assert_eq!(found["faults"], json!([]), "at {}: {found}", server.now());
    }
    assert!(is_rising(&shop.invoices) && is_rising(&shop.subscriptions));
    let shown = shop.seller.usage_of(shop.real, "api.calls").await;
    assert_eq!(shown["used"], "30", "{shown}");

    // The clock is right again: what waited for a time settles, once.
    server.clock.set(beginning.plus_seconds(HOUR * 3));
    for payment in &shop.payments {
        shop.seller.wait_for_status(payment, "settled").await;
    }
    let rounds = shop.payments.len();
    until("the payee's money", async || {
        let wallet = shop.seller.wallet_now(shop.seller.wallet(0)).await;
        (wallet["availableBalanceMinor"] == json!(600 * rounds)).then_some(())
    })
    .await;

    // Payments that were refunded in part settle beside those, and tell of it.
    let sequence_of_events = EventSequence(SellerId(shop.seller.id));
    let came = until("all events that there are", async || {
        let came = receiver.deliveries();
        let drawn = server.app().store.drawn(&sequence_of_events).expect("readable");
        (came.len() as u64 >= drawn).then_some(came)
    })
    .await;
    let mut sequences: Vec<u64> = came.iter().map(sequence).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=came.len() as u64).collect::<Vec<_>>(), "each event, once");
    let ids: BTreeSet<u64> = came.iter().map(Delivery::event_id).collect();
    assert_eq!(ids.len(), came.len());
    for contract in [shop.real, shop.simulated] {
        // What is told of a payment is in a line of its own.
        let of = came.iter().filter(|one| {
            let kind = one.event["eventType"].as_str().expect("a type");
            one.event["payload"]["contractId"] == contract && !kind.starts_with("Payment")
        });
        assert!(of.map(sequence).is_sorted(), "those of contract {contract} come in order");
    }
    server.close().await;
}

#[tokio::test]
async fn a_server_that_starts_with_an_earlier_clock_goes_on() {
    let mut server = Server::start().await;
    let receiver = Receiver::start().await;
    let mut shop = Shop::open(&server, &receiver.url("/hook")).await;
    let beginning = server.now();
    shop.trade(&server, 1).await;
    server.clock.set(beginning.plus_seconds(-6 * HOUR));
    server.restart().await;
    shop.seller = server.again(&shop.seller);
    shop.trade(&server, 2).await;
    assert!(is_rising(&shop.invoices) && is_rising(&shop.subscriptions));
    server.clock.set(beginning.plus_seconds(HOUR));
    for payment in &shop.payments {
        shop.seller.wait_for_status(payment, "settled").await;
    }
    server.close().await;
}
