//! A forecast says what an advance of the test clock then does, and leaves nothing behind.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::ALL;
use super::house::House;
use crate::contract::{AssumedChange, ForecastOrder, Once, SubscriptionAction};
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::forecast::Forecast;
use crate::domain::billing::invoice::{Invoice, InvoiceLine, InvoiceStatus};
use crate::domain::billing::subscription::{
    Cancel, CancelMode, ChangeTiming, Frequency, NewSubscription, Pause, PlanChange, Subscription,
    SubscriptionStatus,
};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{ContractId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;
use crate::query;

/// Contracts whose lives are compared.
const LIVES: usize = 30;

impl House {
    fn forecast_to(&self, to: Timestamp) -> ForecastOrder {
        ForecastOrder {
            to,
            usage: Vec::new(),
            changes: Vec::new(),
            prices: Vec::new(),
            first_invoice: false,
        }
    }

    async fn forecast(
        &self,
        contract: ContractId,
        order: ForecastOrder,
    ) -> Result<Forecast, Refusal> {
        let contracts = &self.system.contracts;
        contracts.forecast(self.seller.id, contract, order).await.map_err(AskError::refusal)
    }

    fn subscriptions(&self, contract: ContractId) -> Vec<Subscription> {
        let seller = self.seller.id;
        query::subscriptions(&self.store, seller, Some(contract), ALL).expect("read").items
    }

    fn timeline(&self, contract: ContractId) -> Vec<TimelineEntry> {
        let found = query::timeline(&self.store, self.seller.id, contract, ALL).expect("read");
        found.items.into_iter().rev().map(|(_, entry)| entry).collect()
    }

    /// Advances until nothing more is invoiced on that day.
    async fn advance_and_bill(&self, contract: ContractId, to: Timestamp) {
        let mut to = to;
        while self.advance(contract, to).await.expect("advanced").invoices.issued > 0 {
            to = to.plus_seconds(1);
        }
    }

    fn clock(&self, contract: ContractId) -> Timestamp {
        let key = (self.seller.id, contract);
        let clock = self.store.get(crate::tables::CLOCKS, &key).expect("read");
        clock.map_or(self.start(), |clock| clock.now)
    }
}

#[derive(Clone, Debug)]
struct Life {
    subscriptions: Vec<NewSubscription>,
    first_invoice: bool,
    /// After so many days, to one of the subscriptions.
    acts: Vec<(i64, usize, SubscriptionAction)>,
    days_ahead: i64,
}

fn lives() -> impl Strategy<Value = Life> {
    let frequency = prop_oneof![
        Just(Frequency::Weekly),
        Just(Frequency::Monthly),
        Just(Frequency::Monthly),
        Just(Frequency::Quarterly),
    ];
    let trial = prop_oneof![3 => Just(None), 1 => (1..40_i64).prop_map(Some)];
    let end = prop_oneof![3 => Just(None), 1 => (60..160_i64).prop_map(Some)];
    let subscription = (frequency, 0..20_000_i64, -70..30_i64, trial, end).prop_map(
        |(frequency, price, start, trial_days, end)| {
            let first = Date::parse("2026-11-21").expect("a day").plus_days(start);
            NewSubscription {
                frequency,
                trial_days,
                end_date: end.map(|days| first.plus_days(days)),
                ..NewSubscription::monthly(&first.to_string(), price)
            }
        },
    );
    let cancel =
        |mode| SubscriptionAction::Cancel(Cancel { mode, at: None, reason: None, prorate: true });
    let change = (0..20_000_i64, any::<bool>()).prop_map(|(price, now)| {
        let effective = if now { ChangeTiming::Immediately } else { ChangeTiming::PeriodEnd };
        SubscriptionAction::ChangePlan(PlanChange {
            price_minor: Some(price),
            effective,
            ..PlanChange::default()
        })
    });
    let act = prop_oneof![
        4 => change,
        1 => Just(cancel(CancelMode::PeriodEnd)),
        1 => Just(cancel(CancelMode::Immediately)),
        1 => Just(SubscriptionAction::Pause(Pause { resumes_at: None })),
        1 => Just(SubscriptionAction::Resume),
        1 => Just(SubscriptionAction::EndTrial),
    ];
    let acts = prop::collection::vec((0..25_i64, 0..3_usize, act), 0..6);
    let subscriptions = prop::collection::vec(subscription, 1..4);
    (subscriptions, any::<bool>(), acts, 10..90_i64).prop_map(
        |(subscriptions, first, acts, days_ahead)| Life {
            subscriptions,
            first_invoice: first || days_ahead % 3 > 0,
            acts,
            days_ahead,
        },
    )
}

impl House {
    /// Lets a contract live as far as the forecast begins. What does not apply is left out.
    async fn live(&self, name: &str, life: &Life) -> ContractId {
        let (contracts, seller) = (&self.system.contracts, self.seller.id);
        let contract = self.contract(name).await;
        let mut ids: Vec<SubscriptionId> = Vec::new();
        for (n, new) in life.subscriptions.iter().enumerate() {
            let key = format!("{name}-{n}");
            let made = contracts.create_subscription(seller, contract, new.clone(), key).await;
            if let Ok(Once::Made(made)) = made {
                ids.push(made.id);
            }
        }
        if life.first_invoice {
            let _ = self.issue_recurring(contract, name).await;
        }
        for (days, which, action) in &life.acts {
            if *days > 0 {
                let to = self.clock(contract).date().plus_days(*days).start();
                self.advance(contract, to).await.expect("advanced");
            }
            if let Some(id) = ids.get(*which) {
                let _ = contracts.change_subscription(seller, contract, *id, action.clone()).await;
            }
        }
        contract
    }
}

/// A document line by line, without what tells it from another of the same words.
fn told(invoice: &Invoice, lines: &[InvoiceLine]) -> String {
    let lines: Vec<_> = lines
        .iter()
        .map(|line| {
            let of = (line.source, &line.description, line.quantity, line.unit_price_minor);
            let money = (line.discount_minor, line.amount_minor, line.tax_minor, line.tax_rate);
            (of, money, line.period_start, line.period_end, line.subscription)
        })
        .collect();
    let of = (invoice.origin, invoice.status, invoice.due_date, invoice.collection_method);
    let money = (invoice.totals, invoice.credit_applied_minor, invoice.outstanding_minor);
    format!("{of:?} {money:?} {:?} {lines:#?}", invoice.bill_to)
}

fn as_it_is(of: &Subscription) -> String {
    let period = (of.current_period_start, of.current_period_end);
    let ends = (of.cancel_at(), of.canceled_at.map(Timestamp::date), of.paused_at, of.resumes_at);
    format!("{} {:?} {:?} {period:?} {ends:?} {:?}", of.id, of.status, of.plan(), of.pending_plan())
}

fn happened(entries: &[TimelineEntry]) -> Vec<String> {
    let told = |of: &TimelineEntry| {
        format!(
            "{} {:?} {:?} {:?}",
            of.occurred_at.date(),
            of.kind,
            of.subscription,
            of.amount_minor
        )
    };
    let mut all: Vec<_> = entries.iter().map(told).collect();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_forecast_says_is_what_advances_then_do() {
    let house = House::open().await;
    let (mut runner, lives) = (TestRunner::deterministic(), lives());
    let (mut documents, mut renewed) = (0, 0);
    for n in 0..LIVES {
        let life = lives.new_tree(&mut runner).expect("a life").current();
        let contract = house.live(&format!("life-{n}"), &life).await;
        let (from, before) = (house.clock(contract), house.invoices(contract).len());
        let entries_before = house.timeline(contract).len();
        let to = from.date().plus_days(life.days_ahead).start();
        let forecast = house.forecast(contract, house.forecast_to(to)).await.expect("told");
        assert_eq!((forecast.from, forecast.to), (from, to));
        assert_eq!(house.invoices(contract).len(), before, "a forecast issues nothing");

        house.advance_and_bill(contract, from.plus_seconds(1)).await;
        for day in 1..=life.days_ahead {
            house.advance_and_bill(contract, from.date().plus_days(day).start()).await;
        }
        let mut issued = house.invoices(contract);
        issued.truncate(issued.len() - before);
        let lines = |of: &Invoice| query::invoice_lines(&house.store, house.seller.id, of.id);
        let issued: Vec<_> =
            issued.iter().rev().map(|of| told(of, &lines(of).expect("read"))).collect();
        let foreseen: Vec<_> =
            forecast.documents.iter().map(|of| told(&of.invoice, &of.lines)).collect();
        assert_eq!(foreseen, issued, "{life:#?}");
        let are: Vec<_> = house.subscriptions(contract).iter().rev().map(as_it_is).collect();
        let will_be: Vec<_> = forecast.subscriptions.iter().map(as_it_is).collect();
        assert_eq!(will_be, are, "{life:#?}");
        let timeline = house.timeline(contract);
        let entries: Vec<_> = forecast.entries.into_iter().map(|(entry, _)| entry).collect();
        assert_eq!(happened(&entries), happened(&timeline[entries_before..]), "{life:#?}");
        documents += foreseen.len();
        let is_renewal = |entry: &&TimelineEntry| entry.kind == TimelineKind::SubscriptionRenewed;
        renewed += entries.iter().filter(is_renewal).count();
    }
    assert!(documents > LIVES && renewed > LIVES, "{documents} documents, {renewed} renewals");
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forecast_writes_nothing_and_takes_no_number() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let first = house.issue_recurring(contract, "first").await.expect("issued");
    let before = house.store.stats().records;
    let to = house.start().date().plus_months(12).start();
    let forecast = house.forecast(contract, house.forecast_to(to)).await.expect("told");
    house.store.barrier().await;
    assert_eq!(house.store.stats().records, before);
    assert_eq!(forecast.documents.len(), 12);
    assert_eq!((forecast.totals.billed_minor, forecast.totals.tax_minor), (12_000, 0));
    assert_eq!(forecast.totals.by_month.len(), 13);
    let months: Vec<_> = forecast.totals.by_month.iter().map(|(_, minor)| *minor).collect();
    assert_eq!(months, [&[0][..], &[1_000; 12]].concat());
    let dates: Vec<_> = forecast.documents.iter().map(|of| of.invoice.issue_date).collect();
    let days = (1..=12).map(|n| house.start().date().plus_months(n));
    assert!(dates.into_iter().eq(days), "documents are dated as they would be");
    let of_documents = forecast.entries.iter().filter(|(_, place)| place.is_some());
    for (entry, _) in of_documents {
        assert_eq!((entry.invoice, &entry.detail), (None, &None), "{entry:?}");
    }
    let second = house.issue_one_time(contract, "next", 100).await;
    assert_eq!(second.number.map(|n| n.order), first.number.map(|n| n.order + 1));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_that_are_off_count_as_on_and_a_note_says_so() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    for switch in [Switch::LifecycleCron, Switch::RecurringInvoicePass] {
        house.switch(switch, false).await;
    }
    let to = house.start().date().plus_months(2).start();
    let forecast = house.forecast(contract, house.forecast_to(to)).await.expect("told");
    assert_eq!(forecast.documents.len(), 2);
    for switch in [Switch::LifecycleCron, Switch::RecurringInvoicePass] {
        let note = format!("{switch} is off: it counts as on here");
        assert!(forecast.notes.contains(&note), "{:?}", forecast.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_test_clock_a_note_says_by_which_clock_credit_expires() {
    let house = House::open().await;
    let day = house.start().date();
    for (expires_in, noted) in [(None, false), (Some(40 * 86_400), true)] {
        let key = format!("{expires_in:?}");
        let contract = house.contract(&key).await;
        house.top_up(contract, &key, CreditType::Gift, 500, expires_in).await.expect("granted");
        let order = house.forecast_to(day.plus_months(3).start());
        let is_noted = |forecast: Forecast| {
            forecast.notes.iter().any(|note| note.starts_with("stored credit expires by"))
        };
        let real = house.forecast(contract, order.clone()).await.expect("told");
        assert!(!is_noted(real));
        house.advance(contract, day.plus_days(1).start()).await.expect("advanced");
        let simulated = house.forecast(contract, order).await.expect("told");
        assert_eq!(is_noted(simulated), noted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_first_invoice_nothing_is_billed_unless_it_is_assumed() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let to = house.start().date().plus_months(2).start();
    let order = house.forecast_to(to);
    let forecast = house.forecast(contract, order.clone()).await.expect("told");
    assert!(forecast.documents.is_empty());
    assert!(forecast.notes.iter().any(|note| note.contains("no recurring invoice yet")));
    let order = ForecastOrder { first_invoice: true, ..order };
    let forecast = house.forecast(contract, order).await.expect("told");
    assert_eq!(forecast.documents.len(), 3);
    let first = &forecast.documents[0].invoice;
    assert_eq!((first.issue_date, first.status), (house.start().date(), InvoiceStatus::Overdue));
    assert_eq!(first.bill_to.email, house.customer.email);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_made_before_the_passes_of_its_day() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 1_000).await else {
        panic!("a fresh key")
    };
    house.issue_recurring(contract, "first").await.expect("issued");
    let today = house.start().date();
    let change = |on: Date, action| AssumedChange { on, subscription: made.id, action };
    let dearer = SubscriptionAction::ChangePlan(PlanChange {
        price_minor: Some(3_000),
        effective: ChangeTiming::PeriodEnd,
        ..PlanChange::default()
    });
    let cancel = SubscriptionAction::Cancel(Cancel {
        mode: CancelMode::Immediately,
        at: None,
        reason: None,
        prorate: false,
    });
    let ends = today.plus_months(3).plus_days(5);
    let order = ForecastOrder {
        // Stated in another order than they happen in.
        changes: vec![change(ends, cancel.clone()), change(today, dearer)],
        ..house.forecast_to(today.plus_months(6).start())
    };
    let forecast = house.forecast(contract, order.clone()).await.expect("told");
    let billed: Vec<_> =
        forecast.documents.iter().map(|of| of.invoice.totals.grand_total_minor).collect();
    assert_eq!(billed, [3_000, 3_000, 3_000]);
    let ended = &forecast.subscriptions[0];
    assert_eq!(ended.status, SubscriptionStatus::Canceled);
    assert_eq!(ended.canceled_at, Some(ends.start()));
    assert_eq!(house.subscriptions(contract)[0].status, SubscriptionStatus::Active);

    let refused = |changes| house.forecast(contract, ForecastOrder { changes, ..order.clone() });
    let again = vec![change(ends, cancel.clone()), change(ends, cancel.clone())];
    let refusal = refused(again).await.expect_err("it has ended");
    assert_eq!(refusal.kind, RefusalKind::Unprocessable);
    assert!(refusal.text.starts_with("assume.changes[1]: "), "{refusal}");
    let early = refused(vec![change(today.plus_days(-1), cancel.clone())]).await;
    assert!(early.expect_err("past").text.starts_with("assume.changes[0].on "));
    let stranger = AssumedChange { subscription: SubscriptionId(999_999), ..change(today, cancel) };
    let refusal = refused(vec![stranger]).await.expect_err("unknown");
    assert!(refusal.text.starts_with("assume.changes[0].subscriptionId "), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forecast_has_bounds_and_names_what_goes_beyond() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let from = house.start();
    let last = Timestamp::parse("2029-11-21T09:00:00Z").expect("an instant");
    for (to, expected) in [
        (from, Ok(0)),
        (last, Ok(0)),
        (last.plus_seconds(1), Err(RefusalKind::Invalid)),
        (from.plus_seconds(-1), Err(RefusalKind::Invalid)),
    ] {
        let told = house.forecast(contract, house.forecast_to(to)).await;
        assert_eq!(told.as_ref().map(|of| of.documents.len()).map_err(|no| no.kind), expected);
        assert!(told.map_or_else(|no| no.text.starts_with("to is "), |_| true));
    }
    let unknown = house.forecast(ContractId(999_999), house.forecast_to(from)).await;
    assert_eq!(unknown.expect_err("unknown").kind, RefusalKind::Missing);

    // Weekly renewals of many subscriptions come to more entries than an answer holds.
    let many = house.contract("many").await;
    let keys: Vec<_> = (0..150).map(|n| format!("many-{n}")).collect();
    let made = keys.iter().map(|key| house.subscribe(many, key, Frequency::Weekly, 100));
    futures::future::join_all(made).await;
    let refusal = house.forecast(many, house.forecast_to(last)).await.expect_err("too much");
    assert_eq!(refusal.kind, RefusalKind::Unprocessable);
    assert!(refusal.text.starts_with("to is too far ahead for this contract"), "{refusal}");
}
