//! `POST /contracts/{contractId}/metrics/{metric}/price/backtest`.

mod nothing_stored;
mod refusals;

use super::{config, per_unit};
use crate::support::make::with;
use crate::support::meter::event_with;
use crate::support::{Seller, Server, Value, json};

const DAY: i64 = 86_400;
const CLOSE: &str = "/passes/billing.usage.close_pass/run";

/// A configuration like the one that is billed, but with 10 units that roll over.
fn rolling(price: &str) -> Value {
    let own = json!({"allotment": {"includedUnits": "10", "rollover": "rollover"}});
    with(&per_unit(price), own)
}

fn path(contract: u64, metric: &str) -> String {
    format!("/contracts/{contract}/metrics/{metric}/price/backtest")
}

async fn test(seller: &Seller, contract: u64, config: Value, from: &str, to: &str) -> Value {
    let body = json!({"config": config, "from": from, "to": to});
    seller.billing.post(&path(contract, "api.calls"), &body).await.is(200)
}

/// A contract at 1.00 a unit with closed periods from 15 September, October and November on, in
/// which 4, 18 and 13 were used, and one from 15 December on without any event.
async fn closed(server: &Server, seller: &Seller) -> u64 {
    let contract = seller.metered("2026-09-15").await;
    let price = format!("/usage/contracts/{contract}/metrics/api.calls/price");
    let body = json!({"effectiveFrom": "2026-09-15", "config": per_unit("1")});
    seller.billing.put(&price, &body).await.is(200);
    for (at, used) in [
        ("2026-09-15T00:00:00Z", "4"),
        ("2026-11-14T23:59:59Z", "18"),
        ("2026-12-01T12:00:00Z", "13"),
    ] {
        let more = json!({"quantity": used, "occurredAt": at});
        seller.record(&event_with(contract, &format!("used {used}"), more)).await;
    }
    server.operator.post(CLOSE, &json!({})).await.is(200);
    contract
}

/// Of each period: first day, billed, would be, difference.
fn amounts(tested: &Value) -> Vec<(String, i64, i64, i64)> {
    let periods = tested["periods"].as_array().expect("periods").iter().map(|period| {
        let minor = |field: &str| period[field].as_i64().expect("an amount");
        let start = period["periodStart"].as_str().expect("a day").to_owned();
        (start, minor("billedMinor"), minor("wouldBeMinor"), minor("differenceMinor"))
    });
    periods.collect()
}

fn row(start: &str, billed: i64, would_be: i64) -> (String, i64, i64, i64) {
    (start.to_owned(), billed, would_be, would_be - billed)
}

#[tokio::test]
async fn closed_periods_are_rated_by_another_price() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = closed(&server, &seller).await;
    // 6 of 10 are left of the first; they go first in the second, whose own 10 are used up; the
    // third has its own 10 alone and 10 are left of the last.
    let tested = test(&seller, contract, rolling("1.5"), "2026-01-01", "2028-01-01").await;
    assert_eq!(
        amounts(&tested),
        [
            row("2026-09-15", 400, 0),
            row("2026-10-15", 1_800, 300),
            row("2026-11-15", 1_300, 450),
            row("2026-12-15", 0, 0),
        ]
    );
    let totals = json!({"billedMinor": 3_500, "wouldBeMinor": 750, "differenceMinor": -2_750});
    assert_eq!(tested["totals"], totals);
    assert_eq!(
        (&tested["contractId"], &tested["metricName"], &tested["currency"]),
        (&json!(contract), &json!("api.calls"), &json!("EUR"))
    );
    assert_eq!((&tested["from"], &tested["to"]), (&json!("2026-01-01"), &json!("2028-01-01")));
    let second = &tested["periods"][1];
    assert_eq!(
        *second,
        json!({
            "periodStart": "2026-10-15", "periodEnd": "2026-11-15",
            "subscriptionId": second["subscriptionId"], "quantity": "18",
            "billedMinor": 1_800, "wouldBeMinor": 300, "differenceMinor": -1_500,
            "flags": {
                "includedUnitsApplied": true, "usageCapApplied": false, "minimumApplied": false,
                "spendCapApplied": false,
            },
            "lines": [
                {"from": "0", "upTo": null, "quantity": "2", "unitPrice": "1.5", "amount": "3"},
            ],
            "usedUnits": "18", "rolledOverUnits": "6", "includedUnits": "10",
            "billableUnits": "2", "exactAmount": "3", "unusedUnits": "0",
        })
    );
    assert!(second["subscriptionId"].is_u64());
    // By what it is billed by, nothing differs.
    let same = test(&seller, contract, per_unit("1"), "2026-01-01", "2028-01-01").await;
    let totals = json!({"billedMinor": 3_500, "wouldBeMinor": 3_500, "differenceMinor": 0});
    assert_eq!(same["totals"], totals);
    // A flat amount is not charged for the period without an event, a minimum is.
    let flats = json!([{"upTo": "15", "flatAmount": "5"}, {"upTo": null, "flatAmount": "9"}]);
    let tiered = config(json!({"scheme": "tiered", "tiers": flats}));
    let would_be = |tested: &Value| amounts(tested).iter().map(|row| row.2).collect::<Vec<_>>();
    let tested = test(&seller, contract, tiered.clone(), "2026-01-01", "2028-01-01").await;
    assert_eq!(would_be(&tested), [500, 900, 500, 0]);
    let floor = with(&tiered, json!({"commitment": {"minimumMinor": 600}}));
    let tested = test(&seller, contract, floor, "2026-01-01", "2028-01-01").await;
    assert_eq!(would_be(&tested), [600, 900, 600, 600]);
    server.close().await;
}

#[tokio::test]
async fn a_period_belongs_to_its_first_day_and_begins_with_what_was_left() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = closed(&server, &seller).await;
    let (second, third) = (row("2026-10-15", 1_800, 300), row("2026-11-15", 1_300, 450));
    for (from, to, expected) in [
        ("2026-10-15", "2026-11-15", vec![second.clone()]),
        ("2026-10-15", "2026-11-16", vec![second.clone(), third.clone()]),
        ("2026-09-16", "2026-10-16", vec![second]),
        ("2026-11-15", "2026-11-16", vec![third]),
        ("2026-10-16", "2026-11-15", vec![]),
        ("2025-01-01", "2026-09-15", vec![]),
        // Open periods are not there.
        ("2027-01-15", "2027-06-01", vec![]),
    ] {
        let tested = test(&seller, contract, rolling("1.5"), from, to).await;
        assert_eq!(amounts(&tested), expected, "{from} to {to}");
        let sum =
            |field: fn(&(String, i64, i64, i64)) -> i64| expected.iter().map(field).sum::<i64>();
        let totals = json!({
            "billedMinor": sum(|row| row.1), "wouldBeMinor": sum(|row| row.2),
            "differenceMinor": sum(|row| row.3),
        });
        assert_eq!(tested["totals"], totals);
    }
    // Nor is what came late.
    let late = json!({"quantity": "1000", "occurredAt": "2026-10-20T00:00:00Z"});
    assert_eq!(seller.record(&event_with(contract, "late", late)).await["late"], true);
    let tested = test(&seller, contract, rolling("1.5"), "2026-10-15", "2026-11-15").await;
    assert_eq!(tested["periods"][0]["quantity"], "18");
    server.close().await;
}

#[tokio::test]
async fn a_trial_stays_free_and_seats_are_tested_by_seats() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.metric("api.calls", json!({})).await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({"trialDays": 5, "frequency": "weekly"})).await;
    let seat = with(&per_unit("7"), json!({"scheme": "per_seat"}));
    for (metric, config) in [("api.calls", per_unit("1")), ("platform.seat.active", seat.clone())] {
        let price = format!("/usage/contracts/{contract}/metrics/{metric}/price");
        let body = json!({"effectiveFrom": "2027-01-01", "config": config});
        seller.billing.put(&price, &body).await.is(200);
    }
    let more = json!({"quantity": "4", "occurredAt": server.now().to_string()});
    seller.record(&event_with(contract, "in the trial", more)).await;
    two_seats(&server, &seller, contract).await;
    // To 27 January, the end of the first paid week.
    server.pass_seconds(12 * DAY);
    server.operator.post(CLOSE, &json!({})).await.is(200);
    let floor = with(&rolling("2"), json!({"commitment": {"minimumMinor": 700}}));
    let tested = test(&seller, contract, floor, "2027-01-01", "2028-01-01").await;
    assert_eq!(amounts(&tested), [row("2027-01-15", 0, 0), row("2027-01-20", 0, 700)]);
    let (trial, paid) = (&tested["periods"][0], &tested["periods"][1]);
    assert_eq!((&trial["trial"], paid.get("trial")), (&json!(true), None));
    assert_eq!((&trial["quantity"], &trial["lines"]), (&json!("4"), &json!([])));
    assert_eq!(paid["rolledOverUnits"], "0");

    let body = json!({
        "config": with(&seat, json!({"unitPrice": "3.5", "commitment": {"minimumMinor": 100}})),
        "from": "2027-01-20", "to": "2027-01-21",
    });
    let tested = seller.billing.post(&path(contract, "platform.seat.active"), &body).await.is(200);
    let period = &tested["periods"][0];
    assert_eq!(amounts(&tested), [row("2027-01-20", 1_400, 700)]);
    assert_eq!((&period["seatDays"], &period["periodDays"]), (&json!(14), &json!(7)));
    assert_eq!((&period["quantity"], &period["unitPrice"]), (&json!("14"), &json!("3.5")));
    assert_eq!(period["lines"], json!([]));
    server.close().await;
}

/// Two seats from now on, as the seller's owner sets them on the dashboard.
async fn two_seats(server: &Server, seller: &Seller, contract: u64) {
    let change = format!(
        "mutation {{ changeSeats(input: {{contractId: \"{contract}\", seats: 2}}) {{
            seats delta }} }}"
    );
    let changed = server.owner_of(seller).await.query(&change).await;
    assert_eq!(changed["changeSeats"], json!({"seats": 2, "delta": 2}));
}
