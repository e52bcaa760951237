//! `/pay/{token}` of subscriptions: signed, charged by their timers, past due, cancelled.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::links::url_of;
use crate::support::{Browser, Receiver, Seller, Server, Value, fresh_uuid, json, until};

const DECLINED_LATER: &str = "4000000000000341";
const TIMES_OUT_LATER: &str = "4000000000009979";
const WEEK: i64 = 7 * 24 * 3_600;

async fn shop(server: &Server) -> (Seller, Browser) {
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    (seller, browser)
}

async fn listen(seller: &Seller) -> Receiver {
    let receiver = Receiver::start().await;
    let body = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    receiver
}

/// The subscription once it stands so.
async fn becomes(browser: &Browser, one: &Value, status: &str, paid: u64) -> Value {
    until(&format!("the subscription to be {status} with {paid} paid terms"), async || {
        let now = browser.link_subscription_now(one).await;
        (now["status"] == status && now["termsPaid"] == json!(paid)).then_some(now)
    })
    .await
}

/// Signs at the page with a card, and agrees that it is kept.
async fn sign(server: &Server, page: &str, number: &str) -> crate::support::Response {
    server.anonymous.pay_with(page, json!({"cardNumber": number, "saveCard": "true"})).await
}

#[tokio::test]
async fn a_subscription_is_signed_with_a_card_and_charged_each_week() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let receiver = listen(&seller).await;
    let one = browser.link_subscription(json!({})).await;
    assert_eq!((&one["status"], &one["termsPaid"]), (&json!("pending"), &json!(0)));
    let page = url_of(&one);
    let created = receiver.wait_for_type("SubscriptionCreated").await.event;
    assert_eq!(created["payload"]["source"], "payment_links");
    assert_eq!(created["payload"]["subscriptionId"].to_string(), one["id"].as_str().expect("id"));
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    for part in ["Coffee", "19.00", "a week", "name=\"saveCard\"", "value=\"1900\""] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }

    server.anonymous.pay(&page, GOOD).await.refuses_saying(400, "saveCard must be true");
    let form = "cardNumber=4242424242424242&expMonth=12&expYear=2030&cvv=123";
    let unsaved = server.anonymous.submit(&page, form).await;
    assert!(unsaved.has_status(400).text.contains("id=\"saveCard-problem\""), "{}", unsaved.text);
    let declined = sign(&server, &page, DECLINED).await.is(200);
    assert_eq!((&declined["status"], &declined["failureCode"]), (&json!("failed"), &json!(2001)));
    assert_eq!(browser.link_subscription_now(&one).await["status"], "pending");

    let paid = sign(&server, &page, GOOD).await.is(200);
    assert_eq!(paid["status"], "provider_completed");
    // It may fail yet: the page that waits for it can tell why.
    let own = format!("{page}?payment={}", paid["paymentId"].as_str().expect("a reference"));
    assert_eq!(paid["redirectUrl"], own);
    let now = becomes(&browser, &one, "active", 1).await;
    assert_eq!(now["card"]["last4"], "4242");
    let charged = receiver.wait_for_type("SubscriptionCharged").await.event;
    assert_eq!(charged["payload"]["paymentId"], paid["paymentId"]);
    sign(&server, &page, GOOD)
        .await
        .refuses_saying(409, "the subscription does not ask for a card");
    server.pass_seconds(WEEK);
    // A session is over after a day.
    let browser = server.owner_of(&seller).await;
    becomes(&browser, &one, "active", 2).await;
    let read = format!(
        "{{ linkSubscriptionPayments(linkSubscriptionId: {}) {{ nodes {{ term status automatic }} }} }}",
        one["id"]
    );
    let payments = browser.query(&read).await["linkSubscriptionPayments"]["nodes"].clone();
    assert_eq!(payments.as_array().expect("payments").len(), 3, "{payments}");
    assert_eq!((&payments[0]["term"], &payments[0]["automatic"]), (&json!(2), &json!(true)));
    let listed = browser.query("{ linkSubscriptions(status: \"active\") { nodes { id } } }").await;
    assert_eq!(listed["linkSubscriptions"]["nodes"][0]["id"], one["id"]);

    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(shown.contains("Next charge") && shown.contains("value=\"cancel\""), "{shown}");
    server.anonymous.submit(&page, "action=cancel").await.has_status(303);
    let now = becomes(&browser, &one, "cancelled", 2).await;
    assert_eq!(now["cancelledBy"], "buyer");
    let over = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(over.contains("This subscription has ended") && !over.contains("<form"), "{over}");
    sign(&server, &page, GOOD).await.refuses_saying(409, "the subscription has ended");
    server.close().await;
}

#[tokio::test]
async fn a_trial_verifies_the_card_with_the_bank_and_charges_nothing() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let receiver = listen(&seller).await;
    let one = browser.link_subscription(json!({"trialDays": 3, "commitmentTerms": 2})).await;
    let page = url_of(&one);
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    for part in ["Free for the first 3 days", "At least 2 charges", "Start the subscription"] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    let asked = sign(&server, &page, CHALLENGED).await.is(200);
    let bank = asked["actionUrl"].as_str().expect("the bank asks");
    server.anonymous.answer_bank(bank, "approve").await.has_status(200);
    let now = becomes(&browser, &one, "trialing", 0).await;
    assert_eq!((&now["trialEnd"], &now["trialEnd"]), (&now["nextChargeOn"], &now["trialEnd"]));
    assert!(receiver.of("PaymentCompleted").is_empty(), "nothing was charged");
    server.pass_seconds(2 * 24 * 3_600);
    let told = receiver.wait_for_type("SubscriptionTrialWillEnd").await.event;
    assert_eq!(told["payload"]["trialEnd"], now["trialEnd"]);
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(shown.contains("value=\"cancel\""), "a trial can be left: {shown}");
    // The bank asks once more, and nobody is there: the card has to be another one.
    server.pass_seconds(24 * 3_600);
    let browser = server.owner_of(&seller).await;
    receiver.wait_for_type("SubscriptionTrialEnded").await;
    until("the page to ask for a card", async || {
        let shown = server.anonymous.open_page(&page).await.text;
        shown.contains("name=\"cardNumber\"").then_some(())
    })
    .await;
    sign(&server, &page, GOOD).await.is(200);
    becomes(&browser, &one, "active", 1).await;
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(shown.contains("once 2 charges are paid") && !shown.contains("value=\"cancel\""));
    let refused = server.anonymous.post(&page, &json!({"action": "cancel"})).await;
    refused.refuses_saying(409, "the subscription cannot be cancelled yet");
    server.close().await;
}

#[tokio::test]
async fn what_the_card_refuses_is_past_due_until_the_buyer_pays_it() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let receiver = listen(&seller).await;
    let one = browser.link_subscription(json!({"installments": 2})).await;
    let page = url_of(&one);
    sign(&server, &page, DECLINED_LATER).await.is(200);
    becomes(&browser, &one, "active", 1).await;
    server.pass_seconds(WEEK);
    // A session is over after a day.
    let browser = server.owner_of(&seller).await;
    let now = becomes(&browser, &one, "past_due", 1).await;
    assert_eq!(now["failureCode"], 2001);
    let told = receiver.wait_for_type("SubscriptionPastDue").await.event;
    assert_eq!(told["payload"]["failureCode"], 2001);
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(shown.contains("A payment is overdue"), "{shown}");
    sign(&server, &page, GOOD).await.is(200);
    let over = becomes(&browser, &one, "completed", 2).await;
    assert_eq!(over["card"], Value::Null, "nothing is charged any more");
    receiver.wait_for_type("SubscriptionCommitmentCompleted").await;
    until("both instalments to be told", async || {
        (receiver.of("SubscriptionInstallmentCharged").len() == 2).then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn the_page_tells_of_a_charge_that_failed_and_when_it_is_made_again() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let one = browser.link_subscription(json!({})).await;
    let page = url_of(&one);
    sign(&server, &page, TIMES_OUT_LATER).await.is(200);
    becomes(&browser, &one, "active", 1).await;
    server.pass_seconds(WEEK);
    let browser = server.owner_of(&seller).await;
    until("the charge to fail", async || {
        let now = browser.link_subscription_now(&one).await;
        (now["retryOn"] == "2027-01-25").then_some(())
    })
    .await;
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    for part in ["25\u{a0}January 2027", "The last charge failed"] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_buyer_may_leave_what_is_past_due_instead_of_paying_it() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let bound = browser.link_subscription(json!({"commitmentTerms": 2})).await;
    let free = browser.link_subscription(json!({})).await;
    for one in [&bound, &free] {
        let shown = server.anonymous.open_page(&url_of(one)).await.text;
        assert!(!shown.contains("value=\"cancel\""), "there is nothing to leave yet: {shown}");
        sign(&server, &url_of(one), DECLINED_LATER).await.is(200);
        becomes(&browser, one, "active", 1).await;
    }
    server.pass_seconds(WEEK);
    let browser = server.owner_of(&seller).await;
    for (one, may_leave) in [(&bound, false), (&free, true)] {
        becomes(&browser, one, "past_due", 1).await;
        let shown = server.anonymous.open_page(&url_of(one)).await.has_status(200).text.clone();
        assert!(shown.contains("name=\"cardNumber\""), "{shown}");
        assert_eq!(shown.contains("value=\"cancel\""), may_leave, "{shown}");
    }
    let page = url_of(&free);
    let left = server.anonymous.post(&page, &json!({"action": "cancel"})).await.is(200);
    assert_eq!(left, json!({"status": "cancelled", "redirectUrl": page}));
    becomes(&browser, &free, "cancelled", 1).await;
    server.close().await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_and_what_is_foreign_is_not_found() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let (_, stranger) = shop(&server).await;
    let one = browser.link_subscription(json!({})).await;
    let cancel = format!(
        "mutation {{ cancelLinkSubscription(input: {{linkSubscriptionId: {}}}) {{ status }} }}",
        one["id"]
    );
    assert_eq!(stranger.error(&cancel).await.0, "not found");
    let input = "title: \"x\", amountMinor: 100, currency: \"EUR\", frequency: \"weekly\"";
    let create = |more: &str| {
        format!("mutation {{ createLinkSubscription(input: {{{input}, {more}}}) {{ id }} }}")
    };
    for (more, said) in [
        ("trialDays: 0", "trialDays must be from 1 to 730"),
        ("installments: 2, commitmentTerms: 3", "commitmentTerms must be from 1 to 1200"),
        ("recipientEmail: \"x\"", "recipientEmail must be a plain e-mail address"),
    ] {
        let (text, _, status) = browser.error(&create(more)).await;
        assert!(text.contains(said) && status == 400, "{text}");
    }
    server.switch("payment_links.recurring_billing", false).await;
    let (text, _, status) = browser.error(&create("trialDays: 1")).await;
    assert!(text.contains("switched off") && status == 422, "{text}");
    let cancelled = browser.query(&cancel).await;
    assert_eq!(cancelled["cancelLinkSubscription"]["status"], "cancelled");
    server.close().await;
}
