//! `POST /passes/{name}/run`.

use crate::support::response::{column, id};
use crate::support::{Server, json};

#[tokio::test]
async fn the_recurring_pass_continues_contracts_that_have_an_invoice() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let weekly = json!({"frequency": "weekly"});
    let (begun, fresh) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    seller.subscribe(begun, "2027-01-15", weekly.clone()).await;
    seller.subscribe(fresh, "2027-01-15", weekly).await;
    seller.recurring(begun).await;
    server.pass_seconds(7 * 86_400);
    let run = async |name: &str| {
        server.operator.post(&format!("/passes/{name}/run"), &json!({})).await.is(200)
    };
    let report = run("billing.subscription.lifecycle_cron").await;
    assert_eq!(
        (&report["pass"], &report["passDisabled"]),
        (&json!("billing.subscription.lifecycle_cron"), &json!(false))
    );
    assert_eq!(report["counts"]["renewed"], 2);
    assert_eq!(run("billing.subscription.lifecycle_cron").await["counts"]["renewed"], 0);
    let report = run("billing.recurring.invoice_pass").await;
    assert_eq!((&report["counts"]["issued"], &report["counts"]["failed"]), (&json!(1), &json!(0)));
    assert_eq!(run("billing.recurring.invoice_pass").await["counts"]["issued"], 0);
    let list = seller.billing.get("/invoices").await.is(200);
    assert_eq!(column(&list, "invoices", "contractId"), [begun, begun]);
    assert_eq!(list["invoices"][0]["periodStart"], "2027-01-22");
    server.close().await;
}

#[tokio::test]
async fn a_pass_that_is_switched_off_does_nothing_and_says_so() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let weekly = json!({"frequency": "weekly"});
    let sub = id(&seller.subscribe(contract, "2027-01-15", weekly).await);
    server.switch("billing.subscription.lifecycle_cron", false).await;
    server.pass_seconds(7 * 86_400);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    let report = server.operator.post(path, &json!({})).await.is(200);
    assert_eq!(report["passDisabled"], true);
    assert_eq!(seller.subscription(sub).await["currentPeriodStart"], "2027-01-15");
    server.operator.post("/passes/nothing/run", &json!({})).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_trial_is_announced_a_day_before_its_end() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = crate::support::Receiver::start().await;
    let body = json!({
        "webhookUrl": receiver.url("/"), "eventTypes": ["SubscriptionTrialWillEnd"],
    });
    let key = crate::support::fresh_uuid();
    seller.payments.create("/webhooks", &key, &body).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    let more = json!({"trialDays": 10, "priceMinor": 2900});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    server.pass_seconds(8 * 86_400);
    server.operator.post(path, &json!({})).await.is(200);
    assert_eq!(receiver.deliveries().len(), 0);
    server.pass_seconds(86_400);
    server.operator.post(path, &json!({})).await.is(200);
    let event = receiver.wait_for_type("SubscriptionTrialWillEnd").await;
    let payload = json!({
        "source": "billing", "subscriptionId": sub, "contractId": contract,
        "trialEnd": "2027-01-25", "amountMinor": 2900, "currency": "EUR",
    });
    assert_eq!(event.event["payload"], payload);
    server.close().await;
}

#[tokio::test]
async fn a_trial_that_is_almost_over_is_announced_at_once_and_never_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = crate::support::Receiver::start().await;
    let body = json!({
        "webhookUrl": receiver.url("/"),
        "eventTypes": ["SubscriptionTrialWillEnd", "BillingSubscriptionActivated"],
    });
    let key = crate::support::fresh_uuid();
    seller.payments.create("/webhooks", &key, &body).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({"trialEnd": "2027-01-16"})).await;
    receiver.wait_for_type("SubscriptionTrialWillEnd").await;
    server.pass_seconds(86_400);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    server.operator.post(path, &json!({})).await.is(200);
    receiver.wait_for_type("BillingSubscriptionActivated").await;
    assert_eq!(receiver.of("SubscriptionTrialWillEnd").len(), 1);
    server.close().await;
}
