use actors::contract::SubscriptionAction;
use actors::domain::billing::subscription::{
    CancelMode, ChangeTiming, Facts, PlanChange, Subscription, change_plan, create,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::ids::{ContractId, CustomerId, SubscriptionId};
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query::Page;
use serde_json::{Value, json};

use super::*;

fn least() -> Value {
    json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-31",
    })
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

fn moment() -> Moment {
    let now = Timestamp::parse("2027-01-31T09:00:00Z").expect("an instant");
    Moment::of(None, now)
}

fn made(body: Value) -> Subscription {
    let body: NewSubscriptionBody = serde_json::from_value(body).expect("a body");
    let facts = Facts {
        currency: Currency::EUR,
        contract_closed: false,
        card_saved: false,
        credits_on: false,
    };
    let (id, contract, customer) = (SubscriptionId(3), ContractId(2), CustomerId(1));
    let new = body.parse().expect("valid");
    create(id, contract, customer, new, &facts, moment()).expect("created").subscription
}

fn shown(subscription: &Subscription) -> Value {
    serde_json::to_value(SubscriptionView::from(subscription)).expect("JSON")
}

fn refusal(body: Value) -> String {
    match serde_json::from_value::<NewSubscriptionBody>(body) {
        Ok(body) => body.parse().expect_err("a refusal").text().to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_has_no_value_is_left_out() {
    let expected = json!({
        "id": 3, "contractId": 2, "sellerCustomerId": 1, "status": "active",
        "frequency": "monthly", "priceMinor": 1000, "quantity": "1", "currency": "EUR",
        "startDate": "2027-01-31", "trialEndBehavior": "activate", "requirePaymentMethod": false,
        "collectionMethod": "payment_link", "currentPeriodStart": "2027-01-31",
        "currentPeriodEnd": "2027-02-28", "createdAt": "2027-01-31T09:00:00Z",
    });
    assert_eq!(shown(&made(least())), expected);
    assert_eq!(shown(&made(with(least(), "description", json!("")))), expected);
}

#[test]
fn what_was_stated_is_shown() {
    let stated = json!({
        "quantity": "2.50", "description": "Team", "endDate": "2027-12-31", "trialDays": 14,
        "trialEndBehavior": "cancel", "requirePaymentMethod": true, "taxRate": "7.70",
        "collectionMethod": "bank_transfer",
    });
    let body = stated
        .as_object()
        .expect("fields")
        .iter()
        .fold(least(), |body, (name, value)| with(body, name, value.clone()));
    let view = shown(&made(body));
    for (field, value) in [
        ("status", json!("trialing")),
        ("quantity", json!("2.5")),
        ("description", json!("Team")),
        ("endDate", json!("2027-12-31")),
        ("trialEnd", json!("2027-02-14")),
        ("trialEndBehavior", json!("cancel")),
        ("requirePaymentMethod", json!(true)),
        ("taxRate", json!("7.7")),
        ("collectionMethod", json!("bank_transfer")),
        ("currentPeriodEnd", json!("2027-02-14")),
    ] {
        assert_eq!(view[field], value, "{field}");
    }
}

#[test]
fn a_pending_change_is_shown_as_the_plan_it_leads_to() {
    let change = PlanChange {
        price_minor: Some(2500),
        effective: ChangeTiming::PeriodEnd,
        ..PlanChange::default()
    };
    let change = change_plan(&made(least()), &change, moment()).expect("a change");
    let expected = json!({
        "priceMinor": 2500, "quantity": "1", "frequency": "monthly",
        "effectiveDate": "2027-02-28",
    });
    assert_eq!(shown(&change.subscription)["pendingChange"], expected);
}

#[test]
fn a_wrong_field_is_refused_by_its_name() {
    for (field, value, expected) in [
        ("frequency", json!("daily"), "unknown variant `daily`"),
        ("priceMinor", json!(-1), "priceMinor must be"),
        ("priceMinor", json!(1.5), "floating point `1.5`"),
        ("currency", json!("EURO"), "expected an ISO 4217 currency"),
        ("startDate", json!("31.1.2027"), "expected a date"),
        ("quantity", json!(2), "invalid type: integer `2`"),
        ("description", json!("x".repeat(257)), "description must be at most 256"),
        ("endDate", json!("2027-01-30"), "endDate must not be before startDate"),
        ("trialDays", json!(0), "trialDays must be from 1 to 730"),
        ("trialEnd", json!("2027-01-31"), "trialEnd must be after startDate"),
        ("taxRate", json!("101"), "expected a percent string"),
    ] {
        let text = refusal(with(least(), field, value));
        assert!(text.contains(expected), "{field}: {text}");
    }
    for field in ["frequency", "priceMinor", "currency", "startDate"] {
        let mut body = least();
        body.as_object_mut().expect("fields").remove(field);
        assert!(refusal(body).contains(field));
    }
}

#[test]
fn actions_have_their_defaults() {
    let nothing = || json!({});
    let cancel: CancelBody = serde_json::from_value(nothing()).expect("a body");
    let SubscriptionAction::Cancel(cancel) = cancel.into() else { panic!("a cancel") };
    assert_eq!((cancel.mode, cancel.at, cancel.prorate), (CancelMode::PeriodEnd, None, false));
    let change: ChangePlanBody = serde_json::from_value(nothing()).expect("a body");
    let SubscriptionAction::ChangePlan(change) = change.into() else { panic!("a change") };
    assert_eq!(change, PlanChange::default());
    let pause: PauseBody = serde_json::from_value(nothing()).expect("a body");
    assert!(matches!(pause.into(), SubscriptionAction::Pause(pause) if pause.resumes_at.is_none()));
}

#[test]
fn a_list_names_the_next_page_twice() {
    let page = Page { items: vec![made(least())], next: Some(3) };
    let list = serde_json::to_value(SubscriptionList::from(page)).expect("JSON");
    assert_eq!((&list["subscriptions"][0]["id"], &list["hasMore"]), (&json!(3), &json!(true)));
    assert_eq!((&list["nextCursor"], &list["nextBeforeId"]), (&json!(3), &json!(3)));
    let last = SubscriptionList::whole(Vec::new());
    let last = serde_json::to_value(last).expect("JSON");
    assert_eq!(last, json!({"subscriptions": [], "hasMore": false}));
}
