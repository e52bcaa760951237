//! A card that the processor keeps with its holder's consent, and charges when nobody is there.

use actors::connector::Forgotten;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use super::whole::live_at;
use crate::support::links::url_of;
use crate::support::processor::{AMOUNT, Asker};
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Server, fresh, fresh_uuid, json, until};

const GOOD: &str = "4242424242424242";

#[tokio::test]
async fn a_card_is_kept_and_charged_again_with_nobody_there() {
    for (number, later) in [(GOOD, None), ("4000000000000341", Some(FailureCode::Declined))] {
        let fake = StripeFake::open().await;
        let first = Asker::new(&fake.url(), STRIPE_KEY, "first");
        let intent = first.open(CaptureMode::Automatic).await;
        let (outcome, kept) = first.charge_and_keep(&intent, number).await.and_card();
        assert!(matches!(outcome, ProviderOutcome::Completed { .. }), "{outcome:?}");
        let kept = kept.expect("the name of the card");

        let again = Asker::new(&fake.url(), STRIPE_KEY, "again");
        let intent = again.open(CaptureMode::Automatic).await;
        let charged = again.charge_kept(&intent, &kept).await;
        match later {
            None => assert!(matches!(charged, ProviderOutcome::Completed { .. }), "{charged:?}"),
            Some(expected) => assert!(
                matches!(charged, ProviderOutcome::Failed { code, .. } if code == expected),
                "{charged:?}"
            ),
        }
        assert_eq!(fake.charged().1, 1 + usize::from(later.is_none()));
        let numbers = fake.asked().into_iter().filter(|asked| asked.contains(number)).count();
        assert_eq!(numbers, 1, "the number goes to the processor once");
    }
}

#[tokio::test]
async fn a_kept_card_that_its_bank_asks_about_needs_its_holder() {
    let fake = StripeFake::open().await;
    let first = Asker::new(&fake.url(), STRIPE_KEY, "first");
    let intent = first.open(CaptureMode::Automatic).await;
    let (outcome, kept) = first.charge_and_keep(&intent, "4000000000003220").await.and_card();
    assert!(matches!(outcome, ProviderOutcome::Challenged { .. }), "{outcome:?}");
    fake.buyer_acts(&intent, true);
    let (outcome, confirmed) = first.confirm(&intent).await.and_card();
    assert!(matches!(outcome, ProviderOutcome::Completed { .. }), "{outcome:?}");
    assert_eq!(confirmed, kept, "told again with the confirmation");

    let again = Asker::new(&fake.url(), STRIPE_KEY, "again");
    let intent = again.open(CaptureMode::Automatic).await;
    let charged = again.charge_kept(&intent, &kept.expect("the name of the card")).await;
    let code = FailureCode::AuthenticationRequired;
    assert!(
        matches!(charged, ProviderOutcome::Failed { code: found, .. } if found == code),
        "{charged:?}"
    );
    assert_eq!(fake.charged(), (AMOUNT, 1));
}

#[tokio::test]
async fn the_name_of_a_kept_card_is_found_with_a_charge_whose_answer_was_lost() {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), STRIPE_KEY, "one");
    let intent = asker.open(CaptureMode::Automatic).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    let (lost, none) = asker.charge_and_keep(&intent, GOOD).await.and_card();
    assert!(matches!(lost, ProviderOutcome::Unknown { .. }) && none.is_none(), "{lost:?}");
    let found = asker.look_up(CallKind::Charge, "charge", Some(&intent)).await;
    let (outcome, kept) = found.and_card();
    assert!(matches!(outcome, ProviderOutcome::Completed { .. }), "{outcome:?}");
    assert!(kept.is_some());
    assert_eq!(fake.charged(), (AMOUNT, 1));
}

#[tokio::test]
async fn a_kept_card_is_forgotten_once_and_charged_no_more() {
    let fake = StripeFake::open().await;
    let first = Asker::new(&fake.url(), STRIPE_KEY, "first");
    let intent = first.open(CaptureMode::Automatic).await;
    let (_, kept) = first.charge_and_keep(&intent, GOOD).await.and_card();
    let kept = kept.expect("the name of the card");
    for fault in [Fault::Drops, Fault::Status(500), Fault::Status(429), Fault::Status(401)] {
        fake.goes_wrong("/detach", fault);
        assert_eq!(first.forget(&kept).await, Forgotten::Unknown, "{fault:?}");
    }
    assert_eq!(fake.keeps(), 1);
    fake.goes_wrong("/detach", Fault::ActsAndDrops);
    assert_eq!(first.forget(&kept).await, Forgotten::Unknown);
    assert_eq!((first.forget(&kept).await, fake.keeps()), (Forgotten::Gone, 0));
    let again = Asker::new(&fake.url(), STRIPE_KEY, "again");
    let intent = again.open(CaptureMode::Automatic).await;
    let charged = again.charge_kept(&intent, &kept).await;
    assert!(matches!(charged, ProviderOutcome::Refused { .. }), "{charged:?}");
}

#[tokio::test]
async fn a_removed_card_is_forgotten_by_a_processor_that_is_not_there_at_first() {
    let mut server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let customer = json!({"email": "ada@example.com", "name": "Ada"});
    let customer = seller.billing.post("/customers", &customer).await.is(200)["id"].clone();
    let saved = async |server: &Server| {
        let body = json!({
            "externalOrderRef": fresh("order"), "amount": 12.5, "currencyCode": "EUR",
            "sellerCustomerId": customer,
            "returnUrls": {
                "success": "https://shop.example.com/yes", "failure": "https://shop.example.com/no",
            },
        });
        let open = seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
        let page = open["checkoutUrl"].as_str().expect("a page");
        let pays = json!({"paymentMethod": "card", "saveCard": true});
        server.anonymous.pay_with(page, pays).await.is(200);
        let path = format!("/customers/{customer}");
        seller.billing.get(&path).await.is(200)["savedCards"][0]["id"].clone()
    };
    let first = saved(&server).await;
    let second = saved(&server).await;
    assert_ne!(first, second);
    until("the replaced card", async || (fake.keeps() == 1).then_some(())).await;

    fake.goes_wrong("/detach", Fault::Status(503));
    let path = format!("/customers/{customer}/saved-cards/{second}");
    seller.billing.delete(&path).await.has_status(204);
    seller.billing.delete(&path).await.has_status(404);
    server.restart().await;
    until("the removed card", async || (fake.keeps() == 0).then_some(())).await;
    server.close().await;
}

#[tokio::test]
async fn the_card_of_a_hold_that_is_let_go_is_forgotten() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let customer = json!({"email": "ada@example.com", "name": "Ada"});
    let customer = seller.billing.post("/customers", &customer).await.is(200)["id"].clone();
    let name = fresh("order");
    let body = json!({
        "externalOrderRef": name, "amount": 12.5, "currencyCode": "EUR",
        "sellerCustomerId": customer, "autoSettlement": false,
        "returnUrls": {
            "success": "https://shop.example.com/yes", "failure": "https://shop.example.com/no",
        },
    });
    let open = seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
    let pays = json!({"paymentMethod": "card", "saveCard": true});
    let page = open["checkoutUrl"].as_str().expect("a page");
    server.anonymous.pay_with(page, pays).await.is(200);
    assert_eq!((fake.held(), fake.keeps()), (12_50, 1));
    let path = format!("/payments/{name}/cancel");
    seller.payments.create(&path, &fresh_uuid(), &json!({})).await.is(200);
    until("the card", async || (fake.keeps() == 0).then_some(())).await;
    server.close().await;
}

#[tokio::test]
async fn the_card_of_a_cancelled_subscription_is_forgotten() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    server.switch("payment_links.recurring_billing", true).await;
    let browser = server.owner_of(&seller).await;
    let one = browser.link_subscription(json!({})).await;
    let signs = json!({"cardNumber": GOOD, "saveCard": "true"});
    server.anonymous.pay_with(&url_of(&one), signs).await.is(200);
    until("the card", async || {
        (browser.link_subscription_now(&one).await["status"] == "active").then_some(())
    })
    .await;
    assert_eq!(fake.keeps(), 1);
    let id = &one["id"];
    let cancel = format!(
        "mutation {{ cancelLinkSubscription(input: {{linkSubscriptionId: {id}}}) {{ status }} }}"
    );
    browser.query(&cancel).await;
    until("the forgotten card", async || (fake.keeps() == 0).then_some(())).await;
    server.close().await;
}

#[tokio::test]
async fn the_card_that_pays_the_last_instalment_is_forgotten() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let browser = server.owner_of(&seller).await;
    let one = browser.link_subscription(json!({"installments": 1})).await;
    let signs = json!({"cardNumber": GOOD, "saveCard": "true"});
    server.anonymous.pay_with(&url_of(&one), signs).await.is(200);
    until("the last instalment", async || {
        (browser.link_subscription_now(&one).await["status"] == "completed").then_some(())
    })
    .await;
    until("the forgotten card", async || (fake.keeps() == 0).then_some(())).await;
    assert_eq!(fake.charged().1, 1);
    server.close().await;
}

#[tokio::test]
async fn a_card_is_verified_and_kept_without_a_charge() {
    let fake = StripeFake::open().await;
    let first = Asker::new(&fake.url(), STRIPE_KEY, "first").verifying();
    let intent = first.open(CaptureMode::Automatic).await;
    let (outcome, kept) = first.charge_and_keep(&intent, GOOD).await.and_card();
    assert!(matches!(outcome, ProviderOutcome::Completed { .. }), "{outcome:?}");
    assert_eq!(fake.charged(), (0, 0), "nothing was charged");
    let again = Asker::new(&fake.url(), STRIPE_KEY, "again");
    let intent = again.open(CaptureMode::Automatic).await;
    let charged = again.charge_kept(&intent, &kept.expect("the name of the card")).await;
    assert!(matches!(charged, ProviderOutcome::Completed { .. }), "{charged:?}");
    assert_eq!(fake.charged(), (AMOUNT, 1));
}

#[tokio::test]
async fn a_verification_is_declined_or_confirmed_with_the_bank() {
    let fake = StripeFake::open().await;
    let one = Asker::new(&fake.url(), STRIPE_KEY, "one").verifying();
    let intent = one.open(CaptureMode::Automatic).await;
    let declined = one.charge_and_keep(&intent, "4000000000000002").await;
    assert!(
        matches!(declined, ProviderOutcome::Failed { code: FailureCode::Declined, .. }),
        "{declined:?}"
    );
    let other = Asker::new(&fake.url(), STRIPE_KEY, "other").verifying();
    let intent = other.open(CaptureMode::Automatic).await;
    let (outcome, _) = other.charge_and_keep(&intent, "4000000000003220").await.and_card();
    assert!(matches!(outcome, ProviderOutcome::Challenged { url: Some(_), .. }), "{outcome:?}");
    fake.buyer_acts(&intent, true);
    let (outcome, kept) = other.confirm(&intent).await.and_card();
    assert!(matches!(outcome, ProviderOutcome::Completed { .. }) && kept.is_some(), "{outcome:?}");
    assert_eq!(fake.charged(), (0, 0));
}

#[tokio::test]
async fn a_verification_whose_answer_was_lost_is_found_or_called_off() {
    let fake = StripeFake::open().await;
    let one = Asker::new(&fake.url(), STRIPE_KEY, "one").verifying();
    fake.goes_wrong("/v1/setup_intents", Fault::ActsAndDrops);
    let lost = one.create(Method::Card, CaptureMode::Automatic).await;
    assert!(matches!(lost, ProviderOutcome::Unknown { .. }), "{lost:?}");
    assert_eq!(one.look_up(CallKind::Create, "create", None).await, ProviderOutcome::Absent);

    let other = Asker::new(&fake.url(), STRIPE_KEY, "other").verifying();
    let intent = other.open(CaptureMode::Automatic).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    let lost = other.charge_and_keep(&intent, GOOD).await;
    assert!(matches!(lost, ProviderOutcome::Unknown { .. }), "{lost:?}");
    let (found, kept) = other.look_up(CallKind::Charge, "charge", Some(&intent)).await.and_card();
    assert!(matches!(found, ProviderOutcome::Completed { .. }) && kept.is_some(), "{found:?}");
}

#[tokio::test]
async fn a_card_that_was_charged_just_before_its_payment_was_called_off_is_kept() {
    for verifies in [false, true] {
        let fake = StripeFake::open().await;
        let mut asker = Asker::new(&fake.url(), STRIPE_KEY, "late");
        if verifies {
            asker = asker.verifying();
        }
        let intent = asker.open(CaptureMode::Automatic).await;
        fake.goes_wrong("/confirm", Fault::Drops);
        let lost = asker.charge_and_keep(&intent, GOOD).await;
        assert!(matches!(lost, ProviderOutcome::Unknown { .. }), "{lost:?}");
        fake.goes_wrong("/cancel", Fault::ConfirmsFirst);
        let found = asker.look_up(CallKind::Charge, "charge", Some(&intent)).await;
        let (found, kept) = found.and_card();
        assert_eq!(found, ProviderOutcome::Completed { token: intent });
        assert!(kept.is_some(), "verifies: {verifies}");
    }
}
