//! Closing periods.

use storage::testing::AfterFailure;
use storage::{Record, Scan};

use super::books::{ALL, at_least, per_seat, per_unit};
use super::workshop::{Workshop, metric};
use crate::contract::SubscriptionAction;
use crate::domain::billing::invoice::InvoiceStatus;
use crate::domain::billing::subscription::{Cancel, CancelMode, Frequency, NewSubscription, Span};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::billing::usage::{CLOSED_IN_ROW, ChangeSeats, LimitChange, SEATS};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::RefusalKind;
use crate::domain::time::Date;
use crate::kernel::AskError;
use crate::passes::Pass;
use crate::query;
use crate::tables::{CLOSED_DAYS, USAGE_METERS};
use crate::timers::TimerKind;

fn new(start: Date, frequency: Frequency) -> NewSubscription {
    NewSubscription { frequency, ..NewSubscription::monthly(&start.to_string(), 0) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_period_closes_once_into_a_line_for_each_priced_metric() {
    let shop = Workshop::open().await;
    for name in ["calls", "bytes", "unpriced"] {
        shop.register(name, "sum", None).await;
    }
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.price(contract, "bytes", day, at_least("0.10", 250)).await;
    for name in ["calls", "unpriced"] {
        shop.use_some(contract, name, "12.5", now, &format!("{name} 1")).await;
        shop.use_some(contract, name, "7.5", now, &format!("{name} 2")).await;
    }
    let end = day.plus_months(1);
    assert_eq!(shop.timers(contract), [(TimerKind::UsageClose, end.start())]);
    shop.noon(end.plus_days(-1));
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.noon(end);
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 2)].into());
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    let lines = shop.lines(contract);
    let told: Vec<_> =
        lines.iter().map(|line| (line.metric.as_str(), line.amount_minor())).collect();
    assert_eq!(told, [("bytes", 250), ("calls", 200)]);
    assert_eq!((lines[1].quantity.to_string(), lines[1].events), ("20".to_owned(), 2));
    assert_eq!((lines[1].span.start, lines[1].span.end), (day, end));
    let seller = shop.house.seller.id;
    let timeline = query::timeline(&shop.house.store, seller, contract, ALL).expect("read").items;
    let closed = timeline.iter().filter(|(_, entry)| entry.kind == TimelineKind::UsagePeriodClosed);
    assert_eq!(closed.count(), 2);
    // The metric without a price is rated when one arrives.
    shop.price(contract, "unpriced", day, per_unit("1")).await;
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 1)].into());
    assert_eq!(shop.lines(contract)[2].amount_minor(), 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_moves_no_closed_amount() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "10", now, "1").await;
    shop.noon(day.plus_months(1));
    // Over, but not closed: it still counts.
    assert!(!shop.use_some(contract, "calls", "5", now, "2").await.1);
    shop.pass(Pass::UsageClose).await;
    assert!(shop.use_some(contract, "calls", "1000", now, "3").await.1);
    // A price for the closed time changes nothing either.
    shop.price(contract, "calls", day, per_unit("9")).await;
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    assert_eq!(shop.lines(contract).len(), 1);
    assert_eq!(shop.lines(contract)[0].amount_minor(), 150);
    assert_eq!(shop.used(contract, "calls").await, "");
    shop.noon(day.plus_months(2));
    shop.pass(Pass::UsageClose).await;
    assert_eq!(shop.lines(contract)[1].amount_minor(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn prices_that_nothing_was_rated_by_make_way_and_the_others_stay() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    let kept = |shop: &Workshop| {
        let (store, seller) = (&shop.house.store, shop.house.seller.id);
        let prices = query::prices(store, seller, contract, &metric("calls")).expect("read");
        prices.iter().map(|price| price.version).collect::<Vec<_>>()
    };
    for price in ["0.10", "0.20", "0.10", "0.30"] {
        shop.price(contract, "calls", day, per_unit(price)).await;
    }
    assert_eq!(kept(&shop), [4]);
    shop.use_some(contract, "calls", "10", now, "1").await;
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    assert_eq!(shop.lines(contract)[0].amount_minor(), 300);
    for price in ["0.40", "0.50"] {
        shop.house.restart().await;
        shop.price(contract, "calls", day, per_unit(price)).await;
    }
    assert_eq!(kept(&shop), [4, 6]);
    // What comes late to the closed period is still rated by its price.
    let (late, _) = shop.use_some(contract, "calls", "1", now, "2").await;
    let corrected = shop.correct(contract, &[late], None, "k").await.expect("corrected");
    assert_eq!(corrected.amount_minor, 30);
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_cuts_the_period_which_closes_with_it() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, at_least("0.10", 400)).await;
    shop.price(contract, SEATS, day, per_seat("30")).await;
    let seats = ChangeSeats { delta: 2, at: None, note: None };
    let contracts = &shop.house.system.contracts;
    let seller = shop.house.seller.id;
    let changed = contracts.change_seats(seller, contract, seats).await;
    assert_eq!(changed.expect("changed").seats, 2);
    shop.use_some(contract, "calls", "10", now, "1").await;
    shop.noon(day.plus_days(10));
    let subscription = query::subscriptions(&shop.house.store, seller, Some(contract), ALL)
        .expect("read")
        .items[0]
        .id;
    let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let action = SubscriptionAction::Cancel(now);
    contracts.change_subscription(seller, contract, subscription, action).await.expect("canceled");
    // The day of the cancel is served to its end: what was told to be metered is billed.
    let at = day.plus_days(10).start().plus_seconds(3_600);
    assert!(!shop.use_some(contract, "calls", "7", at, "2").await.1);
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.noon(day.plus_days(11));
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 2)].into());
    let lines = shop.lines(contract);
    assert_eq!(lines[0].quantity.to_string(), "17");
    // Allotment and minimum stay whole; seats divide by the days of the uncut term, 30.
    assert_eq!((lines[0].amount_minor(), lines[0].lapses), (400, true));
    assert_eq!((lines[1].amount_minor(), lines[1].quantity.to_string()), (2_200, "22".to_owned()));
    assert!(shop.timers(contract).iter().all(|(kind, _)| *kind == TimerKind::UsageInvoice));
    // Seats of days that are closed stay as they were.
    let back = ChangeSeats { delta: 1, at: Some(day.start().plus_seconds(3600)), note: None };
    let refused = contracts.change_seats(seller, contract, back).await.map_err(AskError::refusal);
    assert_eq!(refused.expect_err("closed").kind, RefusalKind::Unprocessable);
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_that_are_set_for_past_days_leave_what_was_said_of_later_ones() {
    let mut shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    let (seller, day) = (shop.house.seller.id, shop.house.start().date());
    shop.price(contract, SEATS, day, per_seat("30")).await;
    let contracts = &shop.house.system.contracts;
    contracts.set_seats(seller, contract, 10, None).await.expect("set");
    shop.noon(day.plus_days(9));
    contracts.set_seats(seller, contract, 15, None).await.expect("set");
    shop.noon(day.plus_days(19));
    let past = day.plus_days(4).start().plus_seconds(3_600);
    let made = contracts.set_seats(seller, contract, 12, Some(past)).await.expect("set");
    assert_eq!((made.change.delta, made.seats), (2, 15));
    shop.house.restart().await;
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    // 4 days of 10, 5 of 12 and 21 of 15.
    let line = &shop.lines(contract)[0];
    assert_eq!((line.amount_minor(), line.quantity.to_string()), (41_500, "415".to_owned()));
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_closes_at_nothing_and_its_document_is_paid_at_once() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.house.contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    let trial = NewSubscription { trial_days: Some(14), ..new(day, Frequency::Monthly) };
    shop.subscribe(contract, "s", trial).await;
    shop.price(contract, "calls", day, at_least("1", 500)).await;
    shop.use_some(contract, "calls", "70", now, "1").await;
    shop.noon(day.plus_days(14));
    shop.settle().await;
    let (invoice, lines) = shop.documents(contract).remove(0);
    assert_eq!((invoice.totals.grand_total_minor, invoice.status), (0, InvoiceStatus::Paid));
    assert!(invoice.link.is_none());
    assert_eq!((lines[0].quantity.to_string(), lines[0].amount_minor), ("70".to_owned(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_closes_in_bounded_steps() {
    let shop = Workshop::open().await;
    let contract = shop.house.contract("c").await;
    let day = shop.house.start().date();
    shop.subscribe(contract, "s", new(day.plus_days(-350), Frequency::Weekly)).await;
    for n in 0..5 {
        let name = format!("m{n}");
        shop.register(&name, "sum", None).await;
        shop.price(contract, &name, day.plus_days(-350), per_unit("1")).await;
    }
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 50), ("lines", 250)].into());
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    let starts: Vec<_> = shop.lines(contract).iter().map(|line| line.span.start).collect();
    assert!(starts.is_sorted());
    assert_eq!(shop.pass(Pass::UsageInvoice).await, [("issued", 1)].into());
    assert_eq!(shop.documents(contract)[0].1.len(), 250);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_clock_has_no_say_in_usage() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("1")).await;
    shop.use_some(contract, "calls", "3", now, "1").await;
    shop.house.advance(contract, day.plus_months(5).start()).await.expect("advanced");
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.noon(day.plus_months(1));
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 1)].into());
    assert_eq!(shop.pass(Pass::UsageInvoice).await, [("issued", 1), ("sent", 1)].into());
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_passes_do_nothing() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("1")).await;
    shop.use_some(contract, "calls", "3", now, "1").await;
    shop.noon(day.plus_months(1));
    shop.switch(Switch::UsageClosePass, false).await;
    shop.switch(Switch::UsageInvoicePass, false).await;
    shop.settle().await;
    assert!(shop.lines(contract).is_empty());
    shop.switch(Switch::UsageClosePass, true).await;
    shop.settle().await;
    // Closing is not billing.
    assert_eq!((shop.lines(contract).len(), shop.documents(contract).len()), (1, 0));
    shop.switch(Switch::UsageInvoicePass, true).await;
    shop.settle().await;
    assert_eq!(shop.documents(contract).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_any_two_writes_repeats_and_loses_nothing() {
    for at in 1..=4 {
        let mut shop = Workshop::open().await;
        shop.register("calls", "sum", None).await;
        let contract = shop.metered_contract("c").await;
        let (now, day) = (shop.house.start(), shop.house.start().date());
        shop.price(contract, "calls", day, per_unit("0.10")).await;
        shop.price(contract, SEATS, day, per_seat("30")).await;
        shop.use_some(contract, "calls", "25", now, "1").await;
        shop.noon(day.plus_months(2));
        shop.house.store.fail_at(at, AfterFailure::StaysFailed);
        for _ in 0..2 {
            shop.pass(Pass::UsageClose).await;
            shop.pass(Pass::UsageInvoice).await;
        }
        shop.house.store.fail_at(0, AfterFailure::WorksOn);
        shop.house.restart().await;
        for _ in 0..2 {
            shop.settle().await;
        }
        let lines = shop.lines(contract);
        assert_eq!(lines.len(), 4, "failed at {at}");
        let mut places: Vec<_> =
            lines.iter().map(|line| (line.metric.clone(), line.span.start)).collect();
        places.dedup();
        assert_eq!(places.len(), 4);
        let documents = shop.documents(contract);
        let billed: Vec<_> =
            documents.iter().flat_map(|(_, lines)| lines).filter_map(|l| l.usage_line()).collect();
        assert_eq!(billed, lines.iter().map(|line| line.id).collect::<Vec<_>>());
        assert!(lines.iter().all(|line| line.billed_by.is_some()));
        let total: i64 = documents.iter().map(|(d, _)| d.totals.grand_total_minor).sum();
        assert_eq!(total, 250);
        let [(TimerKind::UsageClose, next)] = shop.timers(contract)[..] else { panic!("timers") };
        assert_eq!(next, day.plus_months(3).start());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_are_the_same_after_a_restart() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let day = shop.house.start().date();
    assert!(shop.timers(contract).is_empty());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    for month in 1..=3 {
        shop.noon(day.plus_months(month));
        shop.pass(Pass::UsageClose).await;
        if month == 2 {
            shop.pass(Pass::UsageInvoice).await;
        }
        let before = shop.timers(contract);
        assert_eq!(before.len(), if month == 2 { 1 } else { 2 }, "in month {month}");
        // A start runs the passes; they are to leave everything as it is.
        for switch in [Switch::UsageClosePass, Switch::UsageInvoicePass] {
            shop.switch(switch, false).await;
        }
        shop.house.restart().await;
        // A write that wants the same timers leaves them as they are.
        let limit = shop.house.system.contracts.set_usage_limit(
            shop.house.seller.id,
            contract,
            metric("calls"),
            LimitChange { cap_quantity: Some(None), mode: None },
        );
        limit.await.expect("set");
        assert_eq!(shop.timers(contract), before);
        for switch in [Switch::UsageClosePass, Switch::UsageInvoicePass] {
            shop.switch(switch, true).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_years_of_periods_with_pauses_between_stay_closed_and_the_row_stays_small() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.house.contract("c").await;
    let first = shop.house.start().date().plus_days(-3_650);
    shop.price(contract, "calls", first, per_unit("1")).await;
    // A row from before spans had rows of their own.
    let spans = (0..100).map(|n| first.plus_days(30 * n));
    let spans: Vec<_> = spans.map(|start| Span { start, end: start.plus_days(20) }).collect();
    shop.meter(contract, "calls", |row| row.closed = spans).await;
    let row = |shop: &Workshop| {
        let key = (shop.house.seller.id, contract, metric("calls"));
        shop.house.store.get(USAGE_METERS, &key).expect("read").expect("there")
    };
    assert_eq!(row(&shop).closed.len(), 100);
    let is_late = async |shop: &Workshop, day: Date, key: &str| {
        let noon = day.start().plus_seconds(12 * 3_600);
        shop.use_some(contract, "calls", "1", noon, key).await.1
    };
    assert!(is_late(&shop, first.plus_days(19), "a").await);
    assert!(!is_late(&shop, first.plus_days(20), "b").await);
    let mut begun = Vec::new();
    for n in 0..10 {
        let start = shop.house.start().date();
        let end_date = Some(start.plus_days(6));
        let new = NewSubscription { end_date, ..new(start, Frequency::Weekly) };
        shop.subscribe(contract, &format!("s{n}"), new).await;
        shop.noon(start.plus_days(20));
        assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 1)].into());
        begun.push(start);
    }
    for (restarts, begun) in (0..3).zip(begun) {
        let stored = row(&shop);
        assert_eq!(stored.closed.len(), CLOSED_IN_ROW);
        assert!(stored.encode().len() < 1_024, "{} bytes", stored.encode().len());
        let apart = shop.house.store.scan(CLOSED_DAYS, Scan::all()).count();
        assert_eq!(apart, 110 - CLOSED_IN_ROW);
        let day = first.plus_days(30 * (restarts + 1));
        assert!(is_late(&shop, day, &format!("old {restarts}")).await);
        assert!(!is_late(&shop, day.plus_days(20), &format!("open {restarts}")).await);
        assert!(is_late(&shop, begun, &format!("new {restarts}")).await);
        shop.house.restart().await;
    }
}
