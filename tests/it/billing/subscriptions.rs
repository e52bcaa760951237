//! `POST /contracts/{contractId}/subscriptions`, `GET /subscriptions` and
//! `GET /subscriptions/{subscriptionId}`.

use crate::support::make::with;
use crate::support::response::{id, ids};
use crate::support::{Server, Value, fresh, json};

fn least() -> Value {
    json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    })
}

#[tokio::test]
async fn a_subscription_that_starts_today_is_active_in_its_first_term() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let made = seller.subscribe(contract, "2027-01-15", json!({"description": "Team"})).await;
    assert_eq!((&made["status"], &made["contractId"]), (&json!("active"), &json!(contract)));
    assert_eq!(made["sellerCustomerId"], seller.customer());
    assert_eq!((&made["frequency"], &made["priceMinor"]), (&json!("monthly"), &json!(1000)));
    assert_eq!((&made["quantity"], &made["currency"]), (&json!("1"), &json!("EUR")));
    assert_eq!((&made["description"], &made["startDate"]), (&json!("Team"), &json!("2027-01-15")));
    assert_eq!(made["currentPeriodStart"], "2027-01-15");
    assert_eq!(made["currentPeriodEnd"], "2027-02-15");
    assert_eq!(made["createdAt"], server.now().to_string());
    for absent in [
        "endDate",
        "trialEnd",
        "cancelAt",
        "canceledAt",
        "cancelReason",
        "pausedAt",
        "resumesAt",
        "pendingChange",
    ] {
        assert_eq!(made.get(absent), None, "{absent}");
    }
    assert_eq!(seller.subscription(id(&made)).await, made);
    server.close().await;
}

#[tokio::test]
async fn a_start_ahead_is_scheduled_and_a_trial_is_free() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let ahead = seller.subscribe(contract, "2027-02-01", json!({})).await;
    assert_eq!(ahead["status"], "scheduled");
    let by_days = seller.subscribe(contract, "2027-01-15", json!({"trialDays": 14})).await;
    assert_eq!(
        (&by_days["status"], &by_days["trialEnd"]),
        (&json!("trialing"), &json!("2027-01-29"))
    );
    assert_eq!(by_days["currentPeriodStart"], "2027-01-15");
    assert_eq!(by_days["currentPeriodEnd"], "2027-01-29");
    assert_eq!(by_days["trialEndBehavior"], "activate");
    let by_date = json!({"trialEnd": "2027-02-01", "trialEndBehavior": "cancel"});
    let by_date = seller.subscribe(contract, "2027-01-15", by_date).await;
    assert_eq!(
        (&by_date["trialEnd"], &by_date["trialEndBehavior"]),
        (&json!("2027-02-01"), &json!("cancel"))
    );
    // A trial that is over at creation: active, anchored at its end.
    let over = seller.subscribe(contract, "2027-01-01", json!({"trialDays": 7})).await;
    assert_eq!(over["status"], "active");
    assert_eq!(over["currentPeriodStart"], "2027-01-08");
    let nothing = json!({"contractId": contract, "origin": "recurring"});
    let first = seller.billing.create("/invoices", &fresh("i"), &nothing).await.is(201);
    assert_eq!(first["grandTotalMinor"], 1000, "only the one whose trial is over");
    server.close().await;
}

#[tokio::test]
async fn a_start_in_the_past_has_begun_all_its_terms() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2026-01-15").await;
    let made = seller.subscribe(contract, "2026-10-31", json!({})).await;
    assert_eq!(made["currentPeriodStart"], "2026-12-31");
    assert_eq!(made["currentPeriodEnd"], "2027-01-31");
    for start in ["2026-10-31", "2026-11-30", "2026-12-31"] {
        let invoice = seller.recurring(contract).await;
        assert_eq!(invoice["periodStart"], start, "oldest first");
    }
    let body = json!({"contractId": contract, "origin": "recurring"});
    seller.billing.create("/invoices", &fresh("i"), &body).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn every_frequency_counts_from_the_anchor() {
    let server = Server::at("2027-01-31T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-31").await;
    for (frequency, end) in [
        ("weekly", "2027-02-07"),
        ("monthly", "2027-02-28"),
        ("quarterly", "2027-04-30"),
        ("semiannual", "2027-07-31"),
        ("annual", "2028-01-31"),
    ] {
        let more = json!({"frequency": frequency});
        let made = seller.subscribe(contract, "2027-01-31", more).await;
        assert_eq!(made["currentPeriodEnd"], end, "{frequency}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/subscriptions");
    let wrong = [
        (json!({"frequency": null}), "frequency"),
        (json!({"frequency": "daily"}), "frequency"),
        (json!({"priceMinor": null}), "priceMinor"),
        (json!({"priceMinor": -1}), "priceMinor"),
        (json!({"priceMinor": 1_000_000_000_001_u64}), "priceMinor"),
        (json!({"priceMinor": "10"}), "priceMinor"),
        (json!({"priceMinor": 10.5}), "priceMinor"),
        (json!({"currency": null}), "currency"),
        (json!({"currency": "USD"}), "currency"),
        (json!({"startDate": null}), "startDate"),
        (json!({"startDate": "2027-13-01"}), "startDate"),
        (json!({"startDate": "2026-01-14"}), "startDate"),
        (json!({"quantity": 2}), "quantity"),
        (json!({"quantity": "-1"}), "quantity"),
        (json!({"quantity": "1e2"}), "quantity"),
        (json!({"description": "x".repeat(257)}), "description"),
        (json!({"endDate": "2027-01-14"}), "endDate"),
        (json!({"trialDays": 0}), "trialDays"),
        (json!({"trialDays": 731}), "trialDays"),
        (json!({"trialDays": 7, "trialEnd": "2027-02-01"}), "trialEnd"),
        (json!({"trialEnd": "2027-01-15"}), "trialEnd"),
        (json!({"trialEndBehavior": "ask"}), "trialEndBehavior"),
        (json!({"requirePaymentMethod": "yes"}), "requirePaymentMethod"),
        (json!({"taxRate": "101"}), "taxRate"),
        (json!({"taxRate": "1.23456"}), "taxRate"),
        (json!({"taxRate": 19}), "taxRate"),
        (json!({"collectionMethod": "cash"}), "collectionMethod"),
    ];
    for (more, field) in wrong {
        let body = with(&least(), more);
        seller.billing.create(&path, &fresh("k"), &body).await.refuses(400, field);
    }
    let fine = [
        json!({"priceMinor": 0}),
        json!({"priceMinor": 1_000_000_000_000_u64}),
        json!({"quantity": "0.5"}),
        json!({"description": "é".repeat(256)}),
        json!({"trialDays": 730}),
        json!({"taxRate": "100"}),
        json!({"taxRate": "7.7"}),
        json!({"collectionMethod": "bank_transfer"}),
        json!({"endDate": "2027-01-15"}),
        json!({"startDate": "2026-01-15"}),
    ];
    for more in fine {
        seller.billing.create(&path, &fresh("k"), &with(&least(), more)).await.is(201);
    }
    server.close().await;
}

#[tokio::test]
async fn a_contract_that_is_missing_or_closed_takes_no_subscription() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let missing = seller.billing.create("/contracts/999999999/subscriptions", "k", &least()).await;
    missing.refuses_saying(404, "not found");
    let malformed = seller.billing.create("/contracts/x/subscriptions", "k", &least()).await;
    malformed.has_status(400);
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/amendments");
    let amend = async |version: u64, status: &str| {
        let body = json!({"expectedBaseVersion": version, "status": status});
        seller.billing.post(&path, &body).await.is(200);
    };
    // Draft and suspended allow everything; closed nothing new, and ends nothing.
    let kept = seller.subscribe(contract, "2027-01-15", json!({})).await;
    amend(1, "active").await;
    amend(2, "suspended").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    amend(3, "closed").await;
    let path = format!("/contracts/{contract}/subscriptions");
    seller.billing.create(&path, &fresh("k"), &least()).await.has_status(422);
    assert_eq!(seller.subscription(id(&kept)).await["status"], "active");
    seller.recurring(contract).await;
    server.close().await;
}

#[tokio::test]
async fn subscriptions_are_listed_newest_first_and_by_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (one, other) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    let mut made = Vec::new();
    for contract in [one, other, one] {
        made.push(id(&seller.subscribe(contract, "2027-01-15", json!({})).await));
    }
    let list = seller.billing.get("/subscriptions").await.is(200);
    assert_eq!(ids(&list, "subscriptions"), [made[2], made[1], made[0]]);
    let list = seller.billing.get(&format!("/subscriptions?contractId={one}")).await.is(200);
    assert_eq!(ids(&list, "subscriptions"), [made[2], made[0]]);
    seller.billing.get("/subscriptions/999999999").await.refuses_saying(404, "not found");
    seller.billing.get("/subscriptions/x").await.has_status(400);
    server.close().await;
}
