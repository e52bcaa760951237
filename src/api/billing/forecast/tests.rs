use actors::contract::{AssumedChange, SubscriptionAction};
use actors::domain::billing::subscription::{
    Cancel, CancelMode, ChangeTiming, Frequency, Pause, PlanChange,
};
use actors::domain::quantity::Quantity;
use actors::domain::time::Date;
use serde_json::json;

use super::*;
use crate::http::json::read;

fn parsed(body: &serde_json::Value) -> Result<ForecastOrder, ApiError> {
    read::<SimulateBody>(body.to_string().as_bytes())?.parse()
}

fn day(text: &str) -> Date {
    Date::parse(text).expect("a day")
}

#[test]
fn every_action_takes_the_fields_of_its_route() {
    let change = |action: &str, fields: serde_json::Value| {
        let mut change = json!({"on": "2027-02-01", "subscriptionId": 7, "action": action});
        for (name, value) in fields.as_object().expect("fields") {
            change[name] = value.clone();
        }
        change
    };
    let changes = [
        change("cancel", json!({"mode": "at_date", "at": "2027-03-01", "prorate": true})),
        change("pause", json!({"resumesAt": "2027-04-01"})),
        change("resume", json!({})),
        change("end-trial", json!({})),
        change(
            "change-plan",
            json!({"priceMinor": 500, "quantity": "2.5", "frequency": "annual",
                   "effective": "period_end"}),
        ),
    ];
    let body = json!({"to": "2027-12-31", "assume": {"changes": changes, "firstInvoice": true}});
    let order = parsed(&body).expect("an order");
    assert!(order.first_invoice);
    assert_eq!(order.to, day("2027-12-31").start());
    let mut actions = order.changes.into_iter().map(|change| {
        let AssumedChange { on, subscription, action } = change;
        assert_eq!((on, subscription.0), (day("2027-02-01"), 7));
        action
    });
    let Some(SubscriptionAction::Cancel(cancel)) = actions.next() else { panic!("a cancel") };
    let at = Some(day("2027-03-01"));
    assert_eq!(cancel, Cancel { mode: CancelMode::AtDate, at, reason: None, prorate: true });
    let Some(SubscriptionAction::Pause(pause)) = actions.next() else { panic!("a pause") };
    assert_eq!(pause, Pause { resumes_at: Some(day("2027-04-01")) });
    assert!(matches!(actions.next(), Some(SubscriptionAction::Resume)));
    assert!(matches!(actions.next(), Some(SubscriptionAction::EndTrial)));
    let Some(SubscriptionAction::ChangePlan(plan)) = actions.next() else { panic!("a plan") };
    let expected = PlanChange {
        price_minor: Some(500),
        quantity: Quantity::parse("2.5"),
        frequency: Some(Frequency::Annual),
        tax_rate: None,
        effective: ChangeTiming::PeriodEnd,
        prorate: true,
    };
    assert_eq!(plan, expected);
}

#[test]
fn a_change_is_read_as_the_route_of_its_action_reads_it() {
    let changes = |change: serde_json::Value| {
        let resume = json!({"on": "2027-02-01", "subscriptionId": 7, "action": "resume"});
        parsed(&json!({"to": "2027-12-31", "assume": {"changes": [resume, change]}}))
    };
    let change = |action: &str, field: &str, value: serde_json::Value| {
        let mut change = json!({"on": "2027-02-01", "subscriptionId": 7, "action": action});
        change[field] = value;
        change
    };
    let cancel = change("cancel", "reason", json!("A\u{202e}d\u{200b}a"));
    let order = changes(cancel).expect("an order");
    let Some(SubscriptionAction::Cancel(cancel)) =
        order.changes.into_iter().nth(1).map(|one| one.action)
    else {
        panic!("a cancel")
    };
    assert_eq!(cancel.reason.as_deref(), Some("Ada"));
    // The fields of other actions are no fields of this one.
    assert!(changes(change("pause", "priceMinor", json!("5"))).is_ok());
    for (change, expected) in [
        (
            change("change-plan", "priceMinor", json!("5")),
            "invalid request body: assume.changes[1].priceMinor: expected an integer, not a string",
        ),
        (
            change("cancel", "reason", json!("a\u{0}b")),
            "assume.changes[1].reason must not contain control characters",
        ),
        (
            change("cancel", "on", json!("soon")),
            "invalid request body: assume.changes[1].on: expected a date",
        ),
        (
            change("delete", "at", json!("2027-03-01")),
            "invalid request body: assume.changes[1].action: expected one of",
        ),
        (
            json!({"on": "2027-02-01", "subscriptionId": 7}),
            "invalid request body: assume.changes[1]: missing field `action`",
        ),
        (json!([1]), "invalid request body: assume.changes[1]: expected an object, not a list"),
    ] {
        let refused = changes(change).expect_err("refused");
        assert!(refused.text().starts_with(expected), "{refused:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let usage = json!([{"metric": "calls", "perDay": "1"}, {"metric": "no such", "perDay": "1"}]);
    let prices = json!([{"metric": "calls", "effectiveFrom": "2027-01-01",
                         "config": {"scheme": "none", "currency": "EUR", "rounding": "half_up"}}]);
    for (body, expected) in [
        (json!({}), "to is required"),
        (json!({"to": "soon"}), "to must be a date or an RFC 3339 timestamp"),
        (
            json!({"to": "2027-12-31", "assume": {"usage": usage}}),
            "assume.usage[1].metric no such is not registered",
        ),
        (
            json!({"to": "2027-12-31", "assume": {"prices": prices}}),
            "assume.prices[0].config.scheme",
        ),
    ] {
        let refused = parsed(&body).expect_err("refused");
        assert!(format!("{refused:?}").contains(expected), "{refused:?}");
    }
}
