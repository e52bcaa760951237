//! Payments of a live account through a terminal: what the rooms make of a processor that loses
//! answers, also over a restart. Never a second charge.

use actors::domain::country::Country;
use actors::domain::ids::SellerId;
use actors::domain::money::{Currency, Money};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{
    BillingDetails, BuyerAnswer, CaptureMode, OrderTerms, Payment, PaymentStatus, Returns,
};
use actors::domain::payments::source::Source;
use actors::domain::platform::idempotency_key::KeyedRequest;
use actors::kernel::KeyClaim;
use actors::kernel::Once;
use actors::payment::PaymentOrder;

use crate::support::processor::{AMOUNT, card};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Server, json, until};

const GOOD: &str = "4242424242424242";
const REFERENCE: &str = "order-1";

/// A live seller at `fake`, by id, with the path of its terminal.
async fn seller_at(server: &Server, fake: &StripeFake) -> (SellerId, String) {
    let seller = server.live_seller(json!({})).await.id;
    let path = format!("/sellers/{seller}/terminals");
    let terminal = server.operator.post(&path, &terminal(fake, "active")).await.is(201);
    (SellerId(seller), format!("{path}/{}", terminal["id"]))
}

fn terminal(fake: &StripeFake, status: &str) -> crate::support::Value {
    json!({
        "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": fake.url(), "secretKey": STRIPE_KEY,
        "status": status, "multicapture": true,
    })
}

fn order(seller: SellerId, reference: &str) -> PaymentOrder {
    let amount = Money::new(AMOUNT, Currency::EUR).expect("money");
    PaymentOrder {
        terms: Some(OrderTerms {
            key: format!("key of {reference}"),
            phone: None,
            fingerprint: None,
            returns: Returns::default(),
            billing: Some(BillingDetails {
                zip: Some("10115".to_owned()),
                country: Country::parse("DE"),
                ..BillingDetails::default()
            }),
            distribution: Vec::new(),
            skip_challenge: true,
        }),
        ..PaymentOrder::new(seller, reference.to_owned(), amount)
    }
}

fn spend(key: &str) -> KeyClaim {
    let request = KeyedRequest::default();
    KeyClaim { endpoint: "/payments/tests", key: key.to_owned(), request }
}

async fn initiated(server: &Server, order: PaymentOrder, source: Source) -> Payment {
    match server.app().payments.initiate(order, source).await {
        Ok(Once::Made(payment)) => payment,
        other => panic!("not initiated: {other:?}"),
    }
}

fn now(server: &Server, seller: SellerId, reference: &str) -> Payment {
    let found = server.app().payments.by_reference(seller, reference).expect("read");
    found.expect("the payment")
}

/// Pushes the clock until the provider was asked again and the payment has `status`; not so far
/// that the buyer's time is over.
async fn comes_to(server: &Server, seller: SellerId, status: PaymentStatus) -> Payment {
    let mut pushes = 0;
    until(&format!("{status}"), async || {
        let payment = now(server, seller, REFERENCE);
        if payment.status != status && pushes < 40 {
            server.pass_seconds(5);
            pushes += 1;
        }
        (payment.status == status).then_some(payment)
    })
    .await
}

#[tokio::test]
async fn a_live_card_is_charged_once_and_its_number_stays_in_memory() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let (seller, _) = seller_at(&server, &fake).await;
    let payment = initiated(&server, order(seller, REFERENCE), card(GOOD)).await;
    assert_eq!(payment.status, PaymentStatus::ProviderCompleted);
    assert_eq!(fake.charged(), (AMOUNT, 1));
    let asked = fake.asked();
    assert!(asked.iter().any(|asked| asked.contains(GOOD)), "the processor has it");
    assert!(asked.iter().any(|asked| asked.contains("postal_code%5D=10115")), "{asked:?}");
    let kept = format!("{:?}", now(&server, seller, REFERENCE));
    assert!(!kept.contains(GOOD), "{kept}");
    server.close().await;
}

#[tokio::test]
async fn an_answer_that_was_lost_leaves_the_payment_pending_until_it_is_found() {
    for fault in [Fault::ActsAndDrops, Fault::ActsAndFails] {
        let server = Server::start().await;
        let fake = StripeFake::open().await;
        let (seller, _) = seller_at(&server, &fake).await;
        fake.goes_wrong("/confirm", fault);
        let payment = initiated(&server, order(seller, REFERENCE), card(GOOD)).await;
        assert_eq!(payment.status, PaymentStatus::ProviderPending, "{fault:?}");
        assert!(payment.awaits_provider());
        comes_to(&server, seller, PaymentStatus::ProviderCompleted).await;
        assert_eq!(fake.charged(), (AMOUNT, 1), "{fault:?}");
        server.close().await;
    }
}

#[tokio::test]
async fn what_never_reached_the_processor_fails_and_can_be_tried_again() {
    let automatic = (CaptureMode::Automatic, PaymentStatus::ProviderCompleted, (AMOUNT, 0));
    let manual = (CaptureMode::Manual, PaymentStatus::Authorized, (0, AMOUNT));
    for (capture, status, books) in [automatic, manual] {
        for path in ["/payment_intents", "/confirm"] {
            let server = Server::start().await;
            let fake = StripeFake::open().await;
            let (seller, _) = seller_at(&server, &fake).await;
            fake.goes_wrong(path, Fault::Drops);
            let order = PaymentOrder { capture, ..order(seller, REFERENCE) };
            initiated(&server, order, card(GOOD)).await;
            let failed = comes_to(&server, seller, PaymentStatus::Failed).await;
            let code = failed.failure.map(|failure| failure.code);
            assert_eq!(code, Some(FailureCode::Interrupted), "{path} {capture}");
            assert_eq!(fake.charged(), (0, 0), "{path} {capture}");
            let again = server.app().payments.retry(seller, failed.id, card(GOOD)).await;
            assert_eq!(again.expect("tried again").status, status, "{path} {capture}");
            assert_eq!(fake.charged(), (books.0, 1), "{path} {capture}");
            assert_eq!(fake.held(), books.1, "{path} {capture}");
            server.close().await;
        }
    }
}

#[tokio::test]
async fn a_local_method_whose_beginning_was_lost_can_be_tried_again() {
    for fault in [Fault::Drops, Fault::ActsAndDrops] {
        let server = Server::start().await;
        let fake = StripeFake::open().await;
        let (seller, _) = seller_at(&server, &fake).await;
        let mut local = terminal(&fake, "active");
        (local["rail"], local["methods"]) = (json!("apm"), json!(["bancontact"]));
        let path = format!("/sellers/{}/terminals", seller.0);
        server.operator.post(&path, &local).await.is(201);
        fake.goes_wrong("/payment_intents", fault);
        let method = Method::Bancontact;
        let order =
            PaymentOrder { method, country: Country::parse("BE"), ..order(seller, REFERENCE) };
        initiated(&server, order, Source::Local).await;
        let failed = comes_to(&server, seller, PaymentStatus::Failed).await;
        let code = failed.failure.map(|failure| failure.code);
        assert_eq!(code, Some(FailureCode::Interrupted), "{fault:?}");
        let payments = &server.app().payments;
        let again = payments.retry(seller, failed.id, Source::Local).await.expect("tried again");
        assert!(again.requires_action(), "{fault:?}");
        fake.buyer_acts(&again.processor_token.expect("a name"), true);
        let paid = payments.buyer_answered(seller, failed.id, BuyerAnswer::Approve).await;
        assert_eq!(paid.expect("taken").status, PaymentStatus::ProviderCompleted, "{fault:?}");
        assert_eq!(fake.charged(), (AMOUNT, 1), "{fault:?}");
        server.close().await;
    }
}

#[tokio::test]
async fn a_buyer_who_does_not_come_back_is_seen_before_the_time_is_over() {
    for (method, country) in
        [(Method::MbWay, "PT"), (Method::Multibanco, "PT"), (Method::Bancontact, "BE")]
    {
        for approves in [true, false] {
            let server = Server::start().await;
            let fake = StripeFake::open().await;
            let (seller, _) = seller_at(&server, &fake).await;
            let mut local = terminal(&fake, "active");
            (local["rail"], local["methods"]) = (json!("apm"), json!([method.name()]));
            let path = format!("/sellers/{}/terminals", seller.0);
            server.operator.post(&path, &local).await.is(201);
            let country = Country::parse(country);
            let order = PaymentOrder { method, country, ..order(seller, REFERENCE) };
            let waiting = initiated(&server, order, Source::Local).await;
            assert!(waiting.requires_action(), "{method}");
            fake.buyer_acts(&waiting.processor_token.expect("a name"), approves);
            let status = match approves {
                true => PaymentStatus::ProviderCompleted,
                false => PaymentStatus::Failed,
            };
            comes_to(&server, seller, status).await;
            assert_eq!(fake.charged().1, usize::from(approves), "{method}");
            server.close().await;
        }
    }
}

#[tokio::test]
async fn a_charge_under_way_when_the_server_ends_is_found_after_it_starts_again() {
    let mut server = Server::start().await;
    let fake = StripeFake::open().await;
    let (seller, _) = seller_at(&server, &fake).await;
    fake.goes_wrong("/confirm", Fault::ActsAndHangs);
    let payments = server.app().payments.clone();
    let asking =
        tokio::spawn(async move { payments.initiate(order(seller, REFERENCE), card(GOOD)).await });
    until("the charge", async || (fake.charged().1 == 1).then_some(())).await;
    server.restart().await;
    asking.abort();
    comes_to(&server, seller, PaymentStatus::ProviderCompleted).await;
    assert_eq!(fake.charged(), (AMOUNT, 1));
    server.close().await;
}

#[tokio::test]
async fn what_is_left_of_a_hold_is_let_go_when_the_payment_settles_or_is_refunded() {
    for refunded in [false, true] {
        let server = Server::start().await;
        let fake = StripeFake::open().await;
        let (seller, _) = seller_at(&server, &fake).await;
        let order = PaymentOrder { capture: CaptureMode::Manual, ..order(seller, REFERENCE) };
        let held = initiated(&server, order, card(GOOD)).await;
        let payments = &server.app().payments;
        let part = payments.capture(seller, held.id, Some(4_00), false, spend("capture")).await;
        assert!(matches!(part, Ok(Once::Made(_))), "{part:?}");
        assert_eq!(fake.held(), AMOUNT - 4_00);
        if refunded {
            let back = payments.refund(seller, held.id, None, None, None, spend("refund")).await;
            assert!(matches!(back, Ok(Once::Made(_))), "{back:?}");
            assert_eq!(now(&server, seller, REFERENCE).status, PaymentStatus::Refunded);
        } else {
            fake.pays_out();
            payments.check_funds(seller, held.id).await.expect("asked");
            assert_eq!(now(&server, seller, REFERENCE).status, PaymentStatus::Settled);
        }
        assert_eq!((fake.held(), fake.charged()), (0, (4_00, 1)));
        assert!(!now(&server, seller, REFERENCE).awaits_provider());
        server.close().await;
    }
}

#[tokio::test]
async fn a_disabled_terminal_takes_no_new_payment() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let (seller, path) = seller_at(&server, &fake).await;
    server.operator.put(&path, &terminal(&fake, "disabled")).await.is(200);
    let payment = initiated(&server, order(seller, REFERENCE), card(GOOD)).await;
    assert_eq!(payment.failure.map(|failure| failure.code), Some(FailureCode::NoTerminal));
    assert!(fake.asked().is_empty());
    server.close().await;
}
