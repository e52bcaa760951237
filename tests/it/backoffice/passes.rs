//! `POST /passes/{name}/run` (decisions 9, 11, 12).

use crate::support::heard::{column, id};
use crate::support::{House, json};

#[tokio::test]
async fn the_recurring_pass_continues_contracts_that_have_an_invoice() {
    let house = House::open().await;
    let seller = house.seller().await;
    let weekly = json!({"frequency": "weekly"});
    let (begun, fresh) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    seller.subscribe(begun, "2027-01-15", weekly.clone()).await;
    seller.subscribe(fresh, "2027-01-15", weekly).await;
    seller.recurring(begun).await;
    house.pass_seconds(7 * 86_400);
    let run = async |name: &str| {
        house.operator.post(&format!("/passes/{name}/run"), &json!({})).await.is(200)
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
    house.close().await;
}

#[tokio::test]
async fn a_pass_that_is_switched_off_does_nothing_and_says_so() {
    let house = House::open().await;
    let seller = house.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let weekly = json!({"frequency": "weekly"});
    let sub = id(&seller.subscribe(contract, "2027-01-15", weekly).await);
    house.switch("billing.subscription.lifecycle_cron", false).await;
    house.pass_seconds(7 * 86_400);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    let report = house.operator.post(path, &json!({})).await.is(200);
    assert_eq!(report["passDisabled"], true);
    assert_eq!(seller.subscription(sub).await["currentPeriodStart"], "2027-01-15");
    house.operator.post("/passes/nothing/run", &json!({})).await.has_status(404);
    house.close().await;
}

#[tokio::test]
async fn a_trial_is_announced_a_day_before_its_end() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = crate::support::Inbox::open().await;
    let body = json!({
        "webhookUrl": inbox.url("/"), "eventTypes": ["SubscriptionTrialWillEnd"],
    });
    let key = crate::support::fresh_uuid();
    seller.payments.create("/webhooks", &key, &body).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    let more = json!({"trialDays": 10, "priceMinor": 2900});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    house.pass_seconds(8 * 86_400);
    house.operator.post(path, &json!({})).await.is(200);
    assert_eq!(inbox.deliveries().len(), 0);
    house.pass_seconds(86_400);
    house.operator.post(path, &json!({})).await.is(200);
    let told = inbox.wait_for_type("SubscriptionTrialWillEnd").await;
    let payload = json!({
        "source": "billing", "subscriptionId": sub, "contractId": contract,
        "trialEnd": "2027-01-25", "amountMinor": 2900, "currency": "EUR",
    });
    assert_eq!(told.event["payload"], payload);
    house.close().await;
}

#[tokio::test]
async fn a_trial_that_is_almost_over_is_announced_at_once_and_never_again() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = crate::support::Inbox::open().await;
    let body = json!({
        "webhookUrl": inbox.url("/"),
        "eventTypes": ["SubscriptionTrialWillEnd", "BillingSubscriptionActivated"],
    });
    let key = crate::support::fresh_uuid();
    seller.payments.create("/webhooks", &key, &body).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({"trialEnd": "2027-01-16"})).await;
    inbox.wait_for_type("SubscriptionTrialWillEnd").await;
    house.pass_seconds(86_400);
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    house.operator.post(path, &json!({})).await.is(200);
    inbox.wait_for_type("BillingSubscriptionActivated").await;
    assert_eq!(inbox.of("SubscriptionTrialWillEnd").len(), 1);
    house.close().await;
}
