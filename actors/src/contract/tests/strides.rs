//! Long commands go in strides, and go on where they were broken off.

use storage::Batch;
use storage::testing::AfterFailure;

use super::ALL;
use super::collection::GOOD;
use super::house::House;
use crate::contract::changes::Changes;
use crate::contract::collection::Seen;
use crate::contract::room::{Context, ContractRoom};
use crate::contract::strides::Stride;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus};
use crate::domain::billing::subscription::{Frequency, Pause, SubscriptionStatus, next_wakeup};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::ContractId;
use crate::domain::refusal::RefusalKind;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::passes::{Pass, Scope};
use crate::query::{self, Paging};
use crate::tables::{CARDS_ON_FILE, CLOCKS, NO_PAYMENT, OPEN_PAYMENTS};

/// Subscriptions of a long contract; each renews 52 times in a year.
const WEEKLY: usize = 40;
const RENEWALS: u64 = 52 * WEEKLY as u64;

impl House {
    async fn contract_of_weekly_subscriptions(&self, key: &str) -> ContractId {
        let contract = self.contract(key).await;
        let keys: Vec<_> = (0..WEEKLY).map(|n| format!("{key}-{n}")).collect();
        let made = keys.iter().map(|key| self.subscribe(contract, key, Frequency::Weekly, 700));
        futures::future::join_all(made).await;
        contract
    }

    fn a_year_on(&self) -> Timestamp {
        self.start().date().plus_days(365).start()
    }

    fn clock_of(&self, contract: ContractId) -> Timestamp {
        let clock = self.store.get(CLOCKS, &(self.seller.id, contract)).expect("read");
        clock.expect("a clock").now
    }

    fn renewals(&self, contract: ContractId) -> u64 {
        let all = Paging { limit: 100_000, cursor: None };
        let timeline = query::timeline(&self.store, self.seller.id, contract, all).expect("read");
        let renewed = |kind| kind == TimelineKind::SubscriptionRenewed;
        timeline.items.iter().filter(|(_, entry)| renewed(entry.kind)).count() as u64
    }

    /// A contract with a card on file, and more invoices to collect than one command reads.
    async fn many_to_collect(&self) -> (ContractId, Vec<Invoice>) {
        let contract = self.contract("c").await;
        let first = self.issue_one_time(contract, "first", 700).await;
        self.saves_card(&first, GOOD).await;
        let mut invoices = Vec::new();
        for n in 0..250 {
            invoices.push(self.issue_one_time(contract, &n.to_string(), 1_000).await);
        }
        (contract, invoices)
    }

    /// How many invoices each stride of a collection looks at, where nobody makes its charges.
    async fn looks_at(&self, contract: ContractId) -> Vec<usize> {
        let (mut seen, mut looked_at) = (Seen::default(), Vec::new());
        loop {
            let before = seen.clone();
            let stride = move |room: &ContractRoom, cx: &Context| {
                let mut changes = Changes::begin(room, cx)?;
                let stride = changes.collect(&before)?;
                Ok(changes.finish().answer(stride))
            };
            let rooms = &self.system.contracts.rooms;
            let stride = rooms.command((self.seller.id, contract), stride).await;
            let Stride { done, more } = stride.expect("decided");
            assert!(done.orders.is_empty());
            looked_at.push(done.seen.count());
            seen.add(done.seen);
            if !more {
                return looked_at;
            }
        }
    }

    /// Holds that no subscription is ahead of an instant, and that each did all before its day.
    fn is_as_of(&self, contract: ContractId, now: Timestamp) {
        let found = query::subscriptions(&self.store, self.seller.id, Some(contract), ALL);
        let subscriptions = found.expect("read").items;
        assert_eq!(subscriptions.len(), WEEKLY);
        for subscription in subscriptions {
            assert!(subscription.current_period_start <= Some(now.date()), "{subscription:?}");
            assert!(next_wakeup(&subscription) >= Some(now.date().start()), "{subscription:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_advance_is_many_small_batches_and_one_answer() {
    let house = House::open().await;
    let contract = house.contract_of_weekly_subscriptions("c").await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let before = house.store.stats();
    let to = house.a_year_on();
    let advanced = house.advance(contract, to).await.expect("advanced");
    let after = house.store.stats();
    let (batches, rows) = (after.commits - before.commits, after.records - before.records);
    assert!(batches > 3 && rows / batches < 1_000, "{rows} rows in {batches} batches");
    let clock = advanced.clock.expect("a clock");
    assert_eq!((clock.now, clock.heading_for, advanced.advanced), (to, None, true));
    assert_eq!((advanced.lifecycle.renewed, advanced.lifecycle.skipped), (RENEWALS, 0));
    assert_eq!((advanced.invoices.issued, advanced.invoices.skipped), (1, 0));
    assert_eq!(house.renewals(contract), RENEWALS);
    house.is_as_of(contract, to);
    let again = house.advance(contract, to).await.expect("answered");
    assert_eq!((again.advanced, again.invoices.issued), (false, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_that_was_broken_off_is_gone_on_with_by_the_same_request() {
    let mut house = House::open().await;
    let contract = house.contract_of_weekly_subscriptions("c").await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let to = house.a_year_on();
    house.store.fail_at(3, AfterFailure::WorksOn);
    house.advance(contract, to).await.expect_err("the third stride is lost");
    house.restart().await;
    let reached = house.clock_of(contract);
    assert!(house.start() < reached && reached < to, "{reached}");
    house.is_as_of(contract, reached);
    let made = house.renewals(contract);
    assert!(0 < made && made < RENEWALS, "{made}");
    let advanced = house.advance(contract, to).await.expect("advanced");
    assert_eq!((advanced.lifecycle.renewed, advanced.invoices.issued), (RENEWALS - made, 1));
    assert_eq!((house.clock_of(contract), house.renewals(contract)), (to, RENEWALS));
    house.is_as_of(contract, to);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_advances_to_the_same_instant_at_once_are_one() {
    let house = House::open().await;
    let contract = house.contract_of_weekly_subscriptions("c").await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let to = house.a_year_on();
    let (one, other) = tokio::join!(house.advance(contract, to), house.advance(contract, to));
    let (one, other) = (one.expect("advanced"), other.expect("advanced"));
    assert_eq!(one.lifecycle.renewed + other.lifecycle.renewed, RENEWALS);
    assert_eq!(one.invoices.issued + other.invoices.issued, 1);
    assert_eq!((house.clock_of(contract), house.renewals(contract)), (to, RENEWALS));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_that_another_one_overtakes_ends_well() {
    let house = House::open().await;
    let contract = house.contract_of_weekly_subscriptions("c").await;
    let (near, far) = (house.start().date().plus_days(200).start(), house.a_year_on());
    let (short, long) = tokio::join!(house.advance(contract, near), house.advance(contract, far));
    let (short, long) = (short.expect("advanced"), long.expect("advanced"));
    assert_eq!(short.lifecycle.renewed + long.lifecycle.renewed, RENEWALS);
    assert!(short.advanced && long.advanced);
    assert_eq!(house.clock_of(contract), far);
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_over_a_large_contract_go_in_strides() {
    let house = House::open().await;
    let contract = house.contract_of_weekly_subscriptions("c").await;
    let before = house.store.stats().commits;
    house.clock.push(house.a_year_on());
    let report = house.system.passes.run(Pass::Lifecycle, Scope::Schedule).await.expect("run");
    let renewed = report.counts.iter().find(|(name, _)| *name == "renewed");
    assert_eq!(renewed, Some(&("renewed", RENEWALS)));
    assert!(house.store.stats().commits - before > 3);
    house.is_as_of(contract, house.clock.now());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_invoices_fall_overdue_in_strides() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Weekly, 700).await;
    house.clock.push(house.start().date().plus_days(4 * 364).start());
    house.system.passes.run(Pass::Lifecycle, Scope::Schedule).await.expect("run");
    for n in 0..209 {
        house.issue_recurring(contract, &format!("i-{n}")).await.expect("issued");
    }
    house.clock.push(house.start().date().plus_days(60).start());
    let before = house.store.stats().commits;
    let report = house.system.passes.run(Pass::Overdue, Scope::Schedule).await.expect("run");
    assert_eq!(report.counts, [("overdue", 209)]);
    assert!(house.store.stats().commits - before > 1);
    let invoices = house.invoices(contract);
    assert!(invoices.iter().all(|one| one.status == InvoiceStatus::Overdue));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_nobody_bills_for_decades_is_kept() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Weekly, 700).await;
    let mut now = house.start().date();
    for _ in 0..26 {
        now = now.plus_days(364);
        house.advance(contract, now.start()).await.expect("advanced");
    }
    house.restart().await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let found = query::subscriptions(&house.store, house.seller.id, Some(contract), ALL);
    let kept = found.expect("read").items.remove(0);
    assert_eq!(kept.terms.len(), 26 * 52);
    assert_eq!(query::subscription(&house.store, house.seller.id, kept.id), Ok(Some(kept)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_action_leaves_what_was_due_before_it() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 1_000).await else {
        panic!("made")
    };
    let act = async |action| {
        let contracts = &house.system.contracts;
        contracts.change_subscription(house.seller.id, contract, made.id, action).await
    };
    let tomorrow = house.start().date().plus_days(1);
    let paused = act(SubscriptionAction::Pause(Pause { resumes_at: Some(tomorrow) })).await;
    assert_eq!(paused.expect("paused").status, SubscriptionStatus::Paused);
    house.clock.push(tomorrow.plus_days(1).start());
    let refused = act(SubscriptionAction::Resume).await.map_err(AskError::refusal);
    assert_eq!(refused.expect_err("nothing to resume").kind, RefusalKind::Unprocessable);
    let now = query::subscriptions(&house.store, house.seller.id, None, ALL).expect("read");
    assert_eq!(now.items[0].status, SubscriptionStatus::Active);
    act(SubscriptionAction::Pause(Pause::default())).await.expect("paused again");
}

#[tokio::test(flavor = "multi_thread")]
async fn invoices_that_somebody_is_paying_are_looked_at_some_at_a_time_and_once() {
    let house = House::open().await;
    let (contract, invoices) = house.many_to_collect().await;
    let mut batch = Batch::new();
    for invoice in &invoices {
        batch.put(OPEN_PAYMENTS, &(house.seller.id, invoice.id), &NO_PAYMENT);
    }
    house.store.write_blocking(batch).expect("durable");
    assert_eq!(house.looks_at(contract).await, [200, 50]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_gone_is_noted_once_every_invoice_was_looked_at_some_at_a_time() {
    let house = House::open().await;
    let (contract, _) = house.many_to_collect().await;
    let (seller, customer) = (house.seller.id, house.customer.id);
    let cards = query::saved_cards(&house.store, seller, customer).expect("read");
    house.system.sellers.remove_card(seller, customer, cards[0].id).await.expect("removed");
    let is_known = || house.store.contains(CARDS_ON_FILE, &(seller, contract)).expect("read");
    assert!(is_known());
    assert_eq!(house.looks_at(contract).await, [200, 50]);
    assert!(!is_known());
    house.assert_right();
}
