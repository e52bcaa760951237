//! Documents of closed usage, and corrections of what came late.

use super::books::{ALL, at_least, beyond, per_unit, rolling};
use super::workshop::Workshop;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::invoice::{
    CarriedUsage, CollectionMethod, InvoiceStatus, LineSource, RatingBreakdown,
};
use crate::domain::billing::subscription::{Cancel, CancelMode, NewSubscription};
use crate::domain::billing::tax::TaxCategory;
use crate::domain::platform::seller::{ProfilePatch, SellerPatch};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::RefusalKind;
use crate::passes::Pass;
use crate::query;

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_bills_what_is_closed_once() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    let refused = shop.issue_usage(contract, "early").await.expect_err("nothing is closed");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    let invoice = shop.issue_usage(contract, "k").await.expect("issued");
    assert_eq!((invoice.status, invoice.totals.grand_total_minor), (InvoiceStatus::Sent, 250));
    assert_eq!(invoice.collection_method, CollectionMethod::PaymentLink);
    let refused = shop.issue_usage(contract, "again").await.expect_err("billed");
    assert!(refused.text.contains("closed usage"), "{refused}");
    assert!(shop.pass(Pass::UsageInvoice).await.is_empty());
    let (_, lines) = shop.documents(contract).remove(0);
    let line = &lines[0];
    assert_eq!(line.source, LineSource::Usage);
    assert_eq!((line.unit_price_minor, line.amount_minor), (Some(10), 250));
    assert_eq!(line.metric_name.as_deref(), Some("calls"));
    assert_eq!((line.period_start, line.period_end), (Some(day), Some(day.plus_months(1))));
    assert_eq!(line.description, format!("calls, {day} to {}", day.plus_months(1).plus_days(-1)));
    let closed = &shop.lines(contract)[0];
    assert_eq!(line.usage, Some(CarriedUsage::Line(closed.id)));
    assert_eq!(closed.billed_by, Some(invoice.id));
    let Some(RatingBreakdown::Usage(breakdown)) = &line.breakdown else { panic!("a breakdown") };
    assert_eq!(breakdown.rating.amount_minor, 250);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pass_bills_all_periods_that_wait_to_the_customer() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, at_least("0.10", 100)).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    shop.noon(day.plus_months(2));
    shop.pass(Pass::UsageClose).await;
    assert_eq!(shop.pass(Pass::UsageInvoice).await, [("issued", 1), ("sent", 1)].into());
    let (invoice, lines) = shop.documents(contract).remove(0);
    assert_eq!(invoice.bill_to.email, shop.house.customer.email);
    let told: Vec<_> = lines.iter().map(|l| (l.amount_minor, l.unit_price_minor)).collect();
    // A line raised to the minimum has no price that would give its amount.
    assert_eq!(told, [(250, Some(10)), (100, None)]);
    assert_eq!(invoice.totals.grand_total_minor, 350);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_is_on_the_next_document_once() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    let on_time = shop.use_some(contract, "calls", "25", now, "1").await.0;
    shop.noon(day.plus_months(1));
    shop.settle().await;
    let (late, _) = shop.use_some(contract, "calls", "40", now, "2").await;
    let (other, _) = shop.use_some(contract, "calls", "50", now, "3").await;
    let refused = shop.correct(contract, &[late, on_time], 400, "k").await;
    assert_eq!(refused.expect_err("not late").kind, RefusalKind::Invalid);
    let made = shop.correct(contract, &[late], 400, "k").await.expect("corrected");
    assert_eq!((made.days.start, made.days.end), (day, day.plus_days(1)));
    shop.house.restart().await;
    assert_eq!(shop.correct(contract, &[late], 400, "k").await.expect("again"), made);
    let refused = shop.correct(contract, &[late], 401, "k").await.expect_err("other content");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    let refused = shop.correct(contract, &[other, late], 1, "l").await.expect_err("corrected");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    for _ in 0..3 {
        shop.settle().await;
    }
    assert_eq!(shop.documents(contract).len(), 2);
    let (invoice, lines) = shop.documents(contract).remove(1);
    assert_eq!((invoice.totals.grand_total_minor, lines.len()), (400, 1));
    assert_eq!(lines[0].source, LineSource::Adjustment);
    assert_eq!(lines[0].usage, Some(CarriedUsage::Adjustment(made.id)));
    let seller = shop.house.seller.id;
    let kept = query::adjustments(&shop.house.store, seller, contract, ALL).expect("read").items;
    assert_eq!(kept[0].carried, [(invoice.id, 400)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_events_are_priced_as_their_closed_period_was() {
    for (aggregation, late, costs) in [
        // 25 came in time; each at 0.10 beyond the first 30.
        ("sum", ["4", "6", "10"], [0, 50, 100]),
        ("max", ["20", "40", "33"], [0, 100, 0]),
    ] {
        let mut shop = Workshop::open().await;
        shop.register("calls", aggregation, None).await;
        let contract = shop.metered_contract("c").await;
        let (now, day) = (shop.house.start(), shop.house.start().date());
        shop.price(contract, "calls", day, beyond("0.10", 30)).await;
        shop.use_some(contract, "calls", "25", now, "0").await;
        shop.noon(day.plus_months(1));
        shop.settle().await;
        // A later price has no say in what is closed.
        shop.price(contract, "calls", day.plus_months(1), per_unit("9")).await;
        let mut made = Vec::new();
        for (number, quantity) in late.iter().enumerate() {
            let key = format!("late {number}");
            let (event, _) = shop.use_some(contract, "calls", quantity, now, &key).await;
            let corrected = shop.correct(contract, &[event], None, &format!("k{number}")).await;
            made.push(corrected.expect("corrected").amount_minor);
            shop.house.restart().await;
        }
        assert_eq!(made, costs, "{aggregation}");
        shop.house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn included_units_that_a_late_event_uses_go_to_no_open_period() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (first, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, rolling("0.10", 100)).await;
    shop.use_some(contract, "calls", "40", first, "1").await;
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    let (late, _) = shop.use_some(contract, "calls", "50", first, "late").await;
    let made = shop.correct(contract, &[late], None, "k").await.expect("corrected");
    assert_eq!(made.amount_minor, 0);
    shop.house.restart().await;
    // 10 of the first month are left beside the 100 of the second.
    shop.use_some(contract, "calls", "160", shop.house.start(), "2").await;
    shop.noon(day.plus_months(2));
    shop.pass(Pass::UsageClose).await;
    let second = shop.lines(contract).remove(1);
    assert_eq!((second.amount_minor(), second.rolled_in.to_string()), (500, "10".to_owned()));
    // The second month is closed: it keeps what it was left by the first.
    let (later, _) = shop.use_some(contract, "calls", "30", first, "later").await;
    let made = shop.correct(contract, &[later], None, "l").await.expect("corrected");
    assert_eq!(made.amount_minor, 200);
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_waits_until_there_is_something_to_take_it_off() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    let (late, _) = shop.use_some(contract, "calls", "40", now, "1").await;
    shop.correct(contract, &[late], -600, "k").await.expect("corrected");
    // The zero line makes its document; the credit cannot lower it.
    shop.settle().await;
    assert_eq!(shop.documents(contract)[0].0.totals.grand_total_minor, 0);
    assert!(shop.pass(Pass::UsageInvoice).await.is_empty());
    let refused = shop.issue_usage(contract, "alone").await.expect_err("a credit alone");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    for (month, used, total, left) in [(2, "25", 0, 350), (3, "50", 150, 0)] {
        let at = day.plus_months(month).plus_days(-1).start();
        shop.noon(at.date());
        shop.use_some(contract, "calls", used, at, &format!("in {month}")).await;
        shop.noon(day.plus_months(month));
        shop.settle().await;
        shop.house.restart().await;
        let documents = shop.documents(contract);
        let (invoice, lines) = documents.last().expect("a document");
        assert_eq!((invoice.totals.grand_total_minor, lines.len()), (total, 2), "in {month}");
        let seller = shop.house.seller.id;
        let kept = query::adjustments(&shop.house.store, seller, contract, ALL).expect("read");
        assert_eq!(kept.items[0].open_minor(), -left);
    }
    shop.noon(day.plus_months(4));
    shop.settle().await;
    assert_eq!(shop.documents(contract).last().map(|(_, lines)| lines.len()), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projection_says_that_it_shows_no_more_than_the_oldest_periods() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    let note = "calls: only the oldest 24 periods are shown".to_owned();
    for (months, more) in [(24, false), (25, true)] {
        shop.noon(day.plus_months(months));
        let (contracts, seller) = (&shop.house.system.contracts, shop.house.seller.id);
        let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
        let usage = shown.lines.iter().filter(|line| line.source == LineSource::Usage);
        assert_eq!((usage.count(), shown.notes.contains(&note)), (24, more), "{months} months");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projection_waits_for_late_events_as_long_as_the_seller_does() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let minutes = 3 * 24 * 60;
    let profile =
        ProfilePatch { usage_grace_minutes: Some(Some(minutes)), ..ProfilePatch::default() };
    let grace = SellerPatch { profile, ..SellerPatch::default() };
    shop.house.system.sellers.patch(shop.house.seller.id, grace).await.expect("patched");
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.house.issue_recurring(contract, "first").await.expect("issued");
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    let end = day.plus_months(1);
    let closes = end.plus_days(3);
    let waits = format!(
        "calls counts what was used so far: its period ends on {end}, and it waits for late \
         events until {closes}"
    );
    let recurring = [Pass::Lifecycle, Pass::UsageClose, Pass::RecurringInvoice];
    // Before the end of the term, behind its document, and once usage is closed.
    for (at, issued, usage, noted) in [
        (end.plus_days(-1), end, 0, false),
        (end.plus_days(2), closes, 250, true),
        (closes, closes, 250, false),
    ] {
        shop.noon(at);
        for pass in recurring {
            shop.pass(pass).await;
        }
        let (contracts, seller) = (&shop.house.system.contracts, shop.house.seller.id);
        let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
        let lines = shown.lines.iter().filter(|line| line.source == LineSource::Usage);
        let minor: i64 = lines.map(|line| line.amount_minor).sum();
        let told = (shown.next_issue_date, minor, shown.notes.contains(&waits));
        assert_eq!(told, (Some(issued), usage, noted), "{at}: {:?}", shown.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_that_no_document_is_to_carry_becomes_stored_credit() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.house.contract("c").await;
    let (seller, begun) = (shop.house.seller.id, shop.house.start());
    let day = begun.date();
    let new = NewSubscription {
        tax_rate: TaxRate::parse("21"),
        ..NewSubscription::monthly(&day.to_string(), 1_000)
    };
    let contracts = &shop.house.system.contracts;
    let made = contracts.create_subscription(seller, contract, new, "s".to_owned()).await;
    let Ok(Once::Made(subscription)) = made else { panic!("made") };
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.noon(day.plus_months(1));
    shop.settle().await;
    let (late, _) = shop.use_some(contract, "calls", "4", begun, "1").await;
    shop.correct(contract, &[late], -160, "k").await.expect("corrected");
    shop.settle().await;
    assert_eq!(shop.house.balance(contract), 0, "a period is to be closed still");
    let cancel = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let action = SubscriptionAction::Cancel(cancel);
    let contracts = &shop.house.system.contracts;
    let acted = contracts.change_subscription(seller, contract, subscription.id, action).await;
    acted.expect("canceled");
    shop.noon(day.plus_months(2));
    shop.switch(Switch::Credits, false).await;
    for _ in 0..2 {
        shop.settle().await;
    }
    let rest = "Late usage: a credit of 194 EUR minor units, tax included,";
    let noted = async |shop: &Workshop, becomes: &str| {
        let contracts = &shop.house.system.contracts;
        let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
        let note = format!("{rest} {becomes}");
        assert!(shown.notes.contains(&note), "{:?}", shown.notes);
    };
    noted(&shop, "waits").await;
    assert_eq!(shop.house.balance(contract), 0);
    shop.switch(Switch::Credits, true).await;
    noted(&shop, "becomes stored credit").await;
    shop.house.restart().await;
    for _ in 0..2 {
        shop.settle().await;
    }
    assert_eq!(shop.house.balance(contract), 194);
    let kept = query::adjustments(&shop.house.store, seller, contract, ALL).expect("read");
    assert_eq!((kept.items[0].open_minor(), kept.items[0].credited_minor), (0, -160));
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_outside_the_scope_of_tax_has_a_document_apart_from_usage_with_a_rate_of_its_own() {
    let mut shop = Workshop::open().await;
    shop.house.leave_tax_to_countries_with("US").await;
    shop.register("calls", "sum", None).await;
    let contract = shop.house.contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    let next = day.plus_months(1);
    let free = NewSubscription::monthly(&day.to_string(), 1_000);
    let tax_rate = TaxRate::parse("20");
    let taxed = NewSubscription { tax_rate, end_date: Some(next.plus_days(-1)), ..free.clone() };
    shop.subscribe(contract, "taxed", taxed).await;
    shop.subscribe(contract, "free", free).await;
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    shop.noon(next);
    shop.use_some(contract, "calls", "40", next.start(), "2").await;
    shop.noon(day.plus_months(2));
    shop.pass(Pass::UsageClose).await;
    let (contracts, seller) = (&shop.house.system.contracts, shop.house.seller.id);
    let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
    let waits = format!("calls: its usage from {next} waits for a document that can carry it");
    assert!(shown.notes.contains(&waits), "{:?}", shown.notes);
    for _ in 0..2 {
        assert_eq!(shop.pass(Pass::UsageInvoice).await, [("issued", 1), ("sent", 1)].into());
    }
    assert!(shop.pass(Pass::UsageInvoice).await.is_empty());
    let documents = shop.documents(contract);
    let told = documents.iter().map(|(invoice, _)| {
        let of = invoice.tax_summary[0];
        (of.category, of.taxable_minor, of.tax_minor)
    });
    let expected = [(TaxCategory::Standard, 250, 50), (TaxCategory::OutOfScope, 400, 0)];
    assert_eq!(Vec::from_iter(told), expected);
    shop.house.assert_right_at_rest().await;
}
