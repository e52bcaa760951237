//! `POST /subscriptions/{subscriptionId}/cancel`, `/pause`, `/resume`, `/end-trial`.

use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

/// A seller with a contract whose clock stands at the beginning.
async fn ready(server: &Server) -> (Seller, u64) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    (seller, contract)
}

async fn refuse(seller: &Seller, subscription: u64, action: &str, body: Value, status: u16) {
    let path = format!("/subscriptions/{subscription}/{action}");
    seller.billing.post(&path, &body).await.has_status(status);
}

#[tokio::test]
async fn a_cancel_takes_effect_at_the_period_end_by_default() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let asked = seller.act(sub, "cancel", json!({"reason": "too dear"})).await;
    assert_eq!((&asked["status"], &asked["cancelAt"]), (&json!("active"), &json!("2027-02-15")));
    assert_eq!(asked["cancelReason"], "too dear");
    seller.advance(contract, "2027-02-14T23:59:59Z").await;
    assert_eq!(seller.subscription(sub).await["status"], "active");
    let advance = seller.advance(contract, "2027-02-15T00:00:00Z").await;
    assert_eq!(
        (&advance["lifecycle"]["canceled"], &advance["lifecycle"]["renewed"]),
        (&json!(1), &json!(0))
    );
    let ended = seller.subscription(sub).await;
    assert_eq!(ended["status"], "canceled");
    assert_eq!(ended["canceledAt"], "2027-02-15T00:00:00Z");
    for (action, body) in [
        ("cancel", json!({})),
        ("pause", json!({})),
        ("resume", json!({})),
        ("end-trial", json!({})),
        ("change-plan", json!({"priceMinor": 5})),
    ] {
        refuse(&seller, sub, action, body, 422).await;
    }
    server.close().await;
}

#[tokio::test]
async fn a_cancel_can_be_immediate_or_dated() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let now = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let ended = seller.act(now, "cancel", json!({"mode": "immediately"})).await;
    assert_eq!(
        (&ended["status"], &ended["canceledAt"]),
        (&json!("canceled"), &json!("2027-01-15T09:00:00Z"))
    );
    // A begun term stays due in full.
    assert_eq!(seller.recurring(contract).await["grandTotalMinor"], 1000);
    let dated = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let asked = seller.act(dated, "cancel", json!({"mode": "at_date", "at": "2027-01-20"})).await;
    assert_eq!((&asked["status"], &asked["cancelAt"]), (&json!("active"), &json!("2027-01-20")));
    seller.advance(contract, "2027-01-20T00:00:00Z").await;
    assert_eq!(seller.subscription(dated).await["status"], "canceled");
    let other = id(&seller.subscribe(contract, "2027-01-20", json!({})).await);
    for (body, status) in [
        (json!({"mode": "at_date"}), 400),
        (json!({"mode": "at_date", "at": "2027-01-19"}), 400),
        (json!({"mode": "at_date", "at": "soon"}), 400),
        (json!({"mode": "someday"}), 400),
        (json!({"at": "2027-02-01"}), 400),
    ] {
        refuse(&seller, other, "cancel", body, status).await;
    }
    server.close().await;
}

#[tokio::test]
async fn a_scheduled_cancel_is_taken_back_by_resume() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    refuse(&seller, sub, "resume", json!({}), 422).await;
    seller.act(sub, "cancel", json!({})).await;
    let back = seller.act(sub, "resume", json!({})).await;
    assert_eq!((&back["status"], back.get("cancelAt")), (&json!("active"), None));
    let advance = seller.advance(contract, "2027-02-15T12:00:00Z").await;
    assert_eq!(advance["lifecycle"]["renewed"], 1);
    server.close().await;
}

#[tokio::test]
async fn a_scheduled_subscription_is_cancelled_at_once_and_a_trial_at_its_end() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let ahead = id(&seller.subscribe(contract, "2027-03-01", json!({})).await);
    assert_eq!(seller.act(ahead, "cancel", json!({})).await["status"], "canceled");
    let trial = id(&seller.subscribe(contract, "2027-01-15", json!({"trialDays": 10})).await);
    let asked = seller.act(trial, "cancel", json!({})).await;
    assert_eq!((&asked["status"], &asked["cancelAt"]), (&json!("trialing"), &json!("2027-01-25")));
    let advance = seller.advance(contract, "2027-01-25T00:00:00Z").await;
    assert_eq!(advance["lifecycle"]["trialsCanceled"], 1);
    assert_eq!(advance["lifecycle"]["trialsActivated"], 0);
    assert_eq!(seller.subscription(trial).await["status"], "canceled");
    server.close().await;
}

#[tokio::test]
async fn a_pause_finishes_the_term_and_begins_none() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let paused = seller.act(sub, "pause", json!({})).await;
    assert_eq!(
        (&paused["status"], &paused["pausedAt"]),
        (&json!("paused"), &json!("2027-01-15T09:00:00Z"))
    );
    refuse(&seller, sub, "pause", json!({}), 422).await;
    let advance = seller.advance(contract, "2027-03-20T12:00:00Z").await;
    assert_eq!(advance["lifecycle"]["renewed"], 0);
    assert_eq!(seller.subscription(sub).await["status"], "paused");
    let resumed = seller.act(sub, "resume", json!({})).await;
    assert_eq!((&resumed["status"], resumed.get("pausedAt")), (&json!("active"), None));
    // The schedule keeps its anchor; the term that covers the day is the current one.
    assert_eq!(resumed["currentPeriodStart"], "2027-03-15");
    assert_eq!(resumed["currentPeriodEnd"], "2027-04-15");
    server.close().await;
}

#[tokio::test]
async fn a_term_resumed_in_its_middle_is_billed_by_the_days_left() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let more = json!({"priceMinor": 3100});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    assert_eq!(seller.recurring(contract).await["grandTotalMinor"], 3100);
    seller.act(sub, "pause", json!({})).await;
    seller.advance(contract, "2027-03-25T12:00:00Z").await;
    seller.act(sub, "resume", json!({})).await;
    let invoice = seller.recurring(contract).await;
    // 15 March to 15 April has 31 days, of which 21 are left on 25 March.
    assert_eq!(invoice["grandTotalMinor"], 2100);
    assert_eq!(invoice["lines"][0]["periodStart"], "2027-03-15");
    assert_eq!(invoice["lines"][0]["periodEnd"], "2027-04-15");
    server.close().await;
}

#[tokio::test]
async fn a_dated_resume_comes_by_itself() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    for early in ["2027-01-14", "2027-01-15"] {
        refuse(&seller, sub, "pause", json!({"resumesAt": early}), 400).await;
    }
    let paused = seller.act(sub, "pause", json!({"resumesAt": "2027-02-20"})).await;
    assert_eq!(paused["resumesAt"], "2027-02-20");
    let advance = seller.advance(contract, "2027-02-20T00:00:00Z").await;
    assert_eq!(advance["lifecycle"]["resumed"], 1);
    let resumed = seller.subscription(sub).await;
    assert_eq!(
        (&resumed["status"], &resumed["currentPeriodStart"]),
        (&json!("active"), &json!("2027-02-15"))
    );
    server.close().await;
}

#[tokio::test]
async fn only_an_active_subscription_is_paused() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let ahead = id(&seller.subscribe(contract, "2027-03-01", json!({})).await);
    refuse(&seller, ahead, "pause", json!({}), 422).await;
    let trial = id(&seller.subscribe(contract, "2027-01-15", json!({"trialDays": 10})).await);
    refuse(&seller, trial, "pause", json!({}), 422).await;
    server.close().await;
}

#[tokio::test]
async fn ending_a_trial_begins_the_first_paid_term_at_once() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({"trialDays": 30})).await);
    seller.advance(contract, "2027-01-20T12:00:00Z").await;
    let begun = seller.act(sub, "end-trial", json!({})).await;
    assert_eq!(begun["status"], "active");
    assert_eq!(begun["currentPeriodStart"], "2027-01-20");
    assert_eq!(begun["currentPeriodEnd"], "2027-02-20");
    refuse(&seller, sub, "end-trial", json!({}), 422).await;
    assert_eq!(seller.recurring(contract).await["grandTotalMinor"], 1000);
    // A card that is required and not there.
    let more = json!({"trialDays": 30, "requirePaymentMethod": true});
    let needy = id(&seller.subscribe(contract, "2027-01-20", more).await);
    refuse(&seller, needy, "end-trial", json!({}), 422).await;
    server.close().await;
}

#[tokio::test]
async fn a_trial_ends_active_canceled_or_past_due() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let trial = async |more: Value| {
        let mut body = json!({"trialDays": 10});
        crate::support::make::merge(&mut body, more);
        id(&seller.subscribe(contract, "2027-01-15", body).await)
    };
    let plain = trial(json!({})).await;
    let ending = trial(json!({"trialEndBehavior": "cancel"})).await;
    let needy = trial(json!({"requirePaymentMethod": true})).await;
    let advance = seller.advance(contract, "2027-01-25T00:00:00Z").await;
    let counts = &advance["lifecycle"];
    assert_eq!(
        [&counts["trialsActivated"], &counts["trialsCanceled"], &counts["trialsPastDue"]],
        [&json!(1), &json!(1), &json!(1)]
    );
    let plain = seller.subscription(plain).await;
    assert_eq!(
        (&plain["status"], &plain["currentPeriodStart"]),
        (&json!("active"), &json!("2027-01-25"))
    );
    assert_eq!(seller.subscription(ending).await["status"], "canceled");
    let needy_now = seller.subscription(needy).await;
    assert_eq!(
        (&needy_now["status"], &needy_now["currentPeriodStart"]),
        (&json!("past_due"), &json!("2027-01-25"))
    );
    // Past due keeps renewing, and cannot be paused.
    refuse(&seller, needy, "pause", json!({}), 422).await;
    let advance = seller.advance(contract, "2027-02-25T00:00:00Z").await;
    assert_eq!(advance["lifecycle"]["renewed"], 2);
    assert_eq!(seller.subscription(needy).await["status"], "past_due");
    server.close().await;
}

#[tokio::test]
async fn the_last_day_served_ends_a_subscription_and_cuts_its_last_term() {
    let server = Server::start().await;
    let (seller, contract) = ready(&server).await;
    let more = json!({"priceMinor": 3100, "endDate": "2027-01-24"});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    // Ten of the 31 days of the term.
    let invoice = seller.recurring(contract).await;
    assert_eq!(invoice["grandTotalMinor"], 1000);
    seller.advance(contract, "2027-01-24T23:00:00Z").await;
    assert_eq!(seller.subscription(sub).await["status"], "active");
    let advance = seller.advance(contract, "2027-01-25T00:00:00Z").await;
    assert_eq!(advance["lifecycle"]["expired"], 1);
    assert_eq!(seller.subscription(sub).await["status"], "expired");
    refuse(&seller, sub, "cancel", json!({}), 422).await;
    server.close().await;
}

#[tokio::test]
async fn an_unknown_subscription_is_not_found_before_the_body_is_read() {
    let server = Server::start().await;
    let (seller, _) = ready(&server).await;
    for action in ["cancel", "pause", "resume", "end-trial", "change-plan"] {
        refuse(&seller, 999_999_999, action, json!({"mode": 7}), 404).await;
        let path = format!("/subscriptions/x/{action}");
        seller.billing.post(&path, &json!({})).await.has_status(400);
    }
    server.close().await;
}
