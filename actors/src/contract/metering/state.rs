//! What a contract room remembers of its usage.

use std::collections::BTreeMap;
use std::sync::Arc;

use storage::{ReadError, Scan, Store};

use super::keys::KeysInFlight;
use super::ledger::Ledger;
use super::meter::{Home, Meter};
use crate::domain::billing::subscription::{Span, Subscription};
use crate::domain::billing::usage::{Coverage, MetricName, UsageTotal, next_due};
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::domain::time::Timestamp;
use crate::tables::{PRICES, USAGE_METERS};
use crate::timers::TimerKind;

/// Days that stay in memory when twice as many have come together.
const DAYS_KEPT: usize = 32;

/// The metering of one contract.
#[derive(Debug, Default)]
pub(in crate::contract) struct Metering {
    /// Every metric that the contract has a price, a limit or usage of.
    pub(super) meters: BTreeMap<MetricName, Meter>,
    /// Keys of events that may not be durable yet.
    pub(super) keys: KeysInFlight,
    /// The days that subscriptions cover, once somebody asked.
    coverage: Option<Arc<Coverage>>,
    /// What is closed and not billed.
    pub(super) ledger: Ledger,
    /// Counts commands, to tell which days were used last.
    turns: u64,
}

impl Metering {
    /// Reads what the room has to know; days are left where they are until they are used.
    pub(in crate::contract) fn load(
        store: &Store,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<Self, ReadError> {
        let ledger = Ledger::load(store, seller, contract)?;
        let mut metering = Self { ledger, ..Self::default() };
        for row in store.scan(USAGE_METERS, Scan::prefix(&(seller, contract))) {
            let ((_, _, metric), row) = row?;
            metering.meters.insert(metric, Meter::stored(row));
        }
        if metering.meters.is_empty() {
            return Ok(metering);
        }
        for row in store.scan(PRICES, Scan::prefix(&(seller, contract))) {
            let ((_, _, metric, _), price) = row?;
            metering.meters.entry(metric).or_default().prices.push(price);
        }
        Ok(metering)
    }

    /// The timers that the contract's usage wants now, by the wall clock.
    pub(in crate::contract) fn timers(
        &mut self,
        subscriptions: &BTreeMap<SubscriptionId, Subscription>,
    ) -> impl Iterator<Item = (TimerKind, Timestamp)> + use<> {
        let coverage = self.coverage(subscriptions);
        let ends =
            self.meters.values().filter_map(|meter| next_due(&coverage, &meter.row, &meter.prices));
        let close = ends.min().map(|day| (TimerKind::UsageClose, day.start()));
        let bill = self.ledger.asks_since().map(|since| (TimerKind::UsageInvoice, since));
        close.into_iter().chain(bill)
    }

    /// Has to be called whenever a subscription of the contract changes: usage may now belong to
    /// other periods.
    pub(in crate::contract) fn coverage_changed(&mut self) {
        self.coverage = None;
        self.meters.values_mut().for_each(Meter::forget_totals);
    }

    /// Which days are covered by which subscription.
    pub(super) fn coverage(
        &mut self,
        subscriptions: &BTreeMap<SubscriptionId, Subscription>,
    ) -> Arc<Coverage> {
        let known =
            self.coverage.get_or_insert_with(|| Arc::new(Coverage::of(subscriptions.values())));
        Arc::clone(known)
    }

    /// What was used of a metric on some days, with what is not durable yet.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub(super) fn total(
        &mut self,
        store: &Store,
        home: Home,
        metric: &MetricName,
        span: Span,
    ) -> Result<UsageTotal, ReadError> {
        match self.meters.get_mut(metric) {
            Some(meter) => meter.total(store, home, metric, span).cloned(),
            None => Ok(UsageTotal::default()),
        }
    }

    /// Begins a command: days that it opens are the latest used.
    pub(super) fn turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Lets go of days that were not used lately and whose rows have landed.
    pub(super) fn tidy(&mut self, landed: u64) {
        let open: usize = self.meters.values().map(Meter::open_days).sum();
        if open <= 2 * DAYS_KEPT {
            return;
        }
        let mut turns: Vec<_> = self.meters.values().flat_map(Meter::turns).collect();
        let (_, oldest_kept, _) = turns.select_nth_unstable(open - DAYS_KEPT);
        let oldest_kept = *oldest_kept;
        self.meters.values_mut().for_each(|meter| meter.let_go(oldest_kept, landed));
    }
}
