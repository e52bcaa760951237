//! A copy of a contract on its way through time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::seen::Seen;
use super::{AssumedChange, ForecastOrder, PASSES};
use crate::contract::Issued;
use crate::contract::billing_run::Billed;
use crate::contract::room::{Context, ContractRoom, Decision};
use crate::contract::strides::Decided;
use crate::contract::subscriptions::By;
use crate::directory::SellerSnapshot;
use crate::domain::billing::forecast::{Forecast, ForecastDocument, ForecastTotals};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::Fork;
use crate::tables::INVOICES;
use crate::timers::TimerKind;

pub(super) struct Run {
    fork: Fork<ContractRoom>,
    order: ForecastOrder,
    from: Timestamp,
    now: Timestamp,
    /// Those that are to come, each with its place in the order.
    changes: VecDeque<(usize, AssumedChange)>,
    /// How long usage periods wait for late arrivals.
    grace_seconds: i64,
    seen: Seen,
}

impl Run {
    pub(super) fn new(
        mut fork: Fork<ContractRoom>,
        from: Timestamp,
        order: ForecastOrder,
        seller: &Arc<SellerSnapshot>,
        simulated: bool,
    ) -> Self {
        let mut changes: Vec<_> = order.changes.iter().cloned().enumerate().collect();
        changes.sort_by_key(|(place, change)| (change.on, *place));
        let mut seen = Seen::default();
        for switch in PASSES.into_iter().filter(|switch| !seller.switch(*switch)) {
            seen.note(format!("{switch} is off: it counts as on here"));
        }
        let room = fork.room();
        if !seller.switch(Switch::ProrationBinding) && !room.prorations.is_empty() {
            seen.note("plan changes are not bound to invoices: they wait".to_owned());
        }
        if !seller.switch(Switch::Credits) {
            seen.note("stored credits are off".to_owned());
        }
        if simulated {
            seen.note(
                "usage closes by the contract's clock here: on a test clock it closes by the wall \
                 clock"
                    .to_owned(),
            );
            if fork.room().credit.next_expiry().is_some() {
                seen.note(
                    "stored credit expires by the contract's clock here: on a test clock it expires \
                     by the wall clock"
                        .to_owned(),
                );
            }
        }
        let changes = changes.into();
        let grace_seconds = seller.usage_grace_seconds();
        Self { fork, order, from, now: from, changes, grace_seconds, seen }
    }

    pub(super) fn until_the_end(mut self) -> Result<Forecast, Refusal> {
        self.set_prices()?;
        loop {
            self.make_changes()?;
            self.let_passes_come_by()?;
            self.use_what_is_assumed()?;
            match self.next_instant() {
                Some(next) => self.now = next,
                None => return self.into_forecast(),
            }
        }
    }

    fn set_prices(&mut self) -> Result<(), Refusal> {
        for (index, price) in self.order.prices.clone().into_iter().enumerate() {
            let set = self.decide(|room, cx| room.set_price(cx, &price));
            set.map_err(|refusal| named(&format!("assume.prices[{index}]"), refusal))?;
        }
        Ok(())
    }

    fn make_changes(&mut self) -> Result<(), Refusal> {
        while self.changes.front().is_some_and(|(_, change)| change.on.start() <= self.now) {
            let Some((index, change)) = self.changes.pop_front() else { break };
            loop {
                let acted = self
                    .decide(|room, cx| {
                        room.act(cx, change.subscription, &change.action, By::Seller)
                    })
                    .map_err(|refusal| named(&format!("assume.changes[{index}]"), refusal))?;
                if acted.is_some() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// In the order in which each brings about what the next one looks for.
    fn let_passes_come_by(&mut self) -> Result<(), Refusal> {
        use TimerKind::{CreditExpiry, LastCharge, LastCredit, Lifecycle, Overdue, Recurring};
        use TimerKind::{Reminder, UsageClose, UsageCredit, UsageInvoice};
        self.strides(CreditExpiry, ContractRoom::expire_credit)?;
        self.strides(Lifecycle, ContractRoom::live)?;
        self.strides(Overdue, ContractRoom::fall_overdue)?;
        self.strides(Reminder, ContractRoom::remind)?;
        self.strides(UsageClose, ContractRoom::close_usage)?;
        let first = self.order.first_invoice;
        self.issue(&[Recurring, LastCharge, LastCredit], |room, cx| room.bill_terms(cx, first))?;
        self.issue(&[UsageInvoice, UsageCredit], ContractRoom::bill_usage)
    }

    fn strides<T>(
        &mut self,
        kind: TimerKind,
        stride: fn(&ContractRoom, &Context) -> Decided<T>,
    ) -> Result<(), Refusal> {
        if !self.is_due(&[kind]) {
            return Ok(());
        }
        while self.decide(stride)?.more {}
        Ok(())
    }

    /// Issues one document after the other while any is due. Why one cannot be made is a note.
    fn issue(
        &mut self,
        kinds: &[TimerKind],
        issue: impl Fn(&ContractRoom, &Context) -> Result<Decision<Billed>, Refusal>,
    ) -> Result<(), Refusal> {
        while self.is_due(kinds) {
            match self.decide(&issue)? {
                Ok(Some(issued)) => self.seen.document(issued)?,
                Ok(None) => break,
                Err(refusal) => {
                    let day = self.now.date();
                    self.seen.note(format!("what is due on {day} cannot be invoiced: {refusal}"));
                    break;
                }
            }
        }
        Ok(())
    }

    /// On each day that begins within the forecast.
    fn use_what_is_assumed(&mut self) -> Result<(), Refusal> {
        let day = self.now.date();
        if self.order.usage.is_empty() || day.start() != self.now || self.now >= self.order.to {
            return Ok(());
        }
        let usage = std::mem::take(&mut self.order.usage);
        let assumed = self.decide(|room, cx| room.assume_usage(cx, &usage, day));
        self.order.usage = usage;
        for metric in assumed?.limited {
            self.seen.note(format!(
                "{metric}: its hard limit lets only a part of what is assumed through"
            ));
        }
        Ok(())
    }

    /// Lets the copy decide at its present instant, and takes note of what its timeline gets.
    fn decide<T>(
        &mut self,
        decide: impl FnOnce(&ContractRoom, &Context) -> Result<Decision<T>, Refusal>,
    ) -> Result<T, Refusal> {
        let (answer, rows) = self.fork.decide(self.now, decide)?;
        self.seen.entries(&rows)?;
        Ok(answer)
    }

    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        let first = self.order.first_invoice;
        let room = self.fork.room();
        let continues = first || room.continues_from.is_some();
        let mut timers = room.passes_ahead(None, continues);
        if let Some(at) = timers.get_mut(&TimerKind::UsageClose) {
            *at = at.plus_seconds(self.grace_seconds);
        }
        timers
    }

    fn is_due(&mut self, kinds: &[TimerKind]) -> bool {
        let (now, timers) = (self.now, self.timers());
        kinds.iter().any(|kind| timers.get(kind).is_some_and(|at| *at <= now))
    }

    /// When something happens next, if anything does before the end.
    fn next_instant(&mut self) -> Option<Timestamp> {
        let timers = self.timers().into_values();
        let change = self.changes.front().map(|(_, change)| change.on.start());
        let tomorrow = self.now.date().plus_days(1).start();
        let usage = (!self.order.usage.is_empty()).then_some(tomorrow);
        let ahead = timers.chain(change).chain(usage).filter(|at| *at > self.now);
        ahead.min().filter(|next| *next <= self.order.to)
    }

    fn into_forecast(mut self) -> Result<Forecast, Refusal> {
        self.now = self.order.to;
        self.note_what_is_left_out()?;
        let mut documents = Vec::with_capacity(self.seen.documents.len());
        for place in 0..self.seen.documents.len() {
            let Issued { invoice, lines } = self.seen.documents[place].clone();
            let known = self.decide(|room, cx| {
                let known = cx.get(INVOICES, &(room.seller, invoice.id))?;
                Ok(Decision::unchanged(known))
            })?;
            documents.push(ForecastDocument { invoice: known.unwrap_or(invoice), lines });
        }
        let invoices = documents.iter().map(|document| &document.invoice);
        let totals = ForecastTotals::of(invoices, (self.from, self.order.to))?;
        let room = self.fork.room();
        let currency = room.contract()?.currency;
        let subscriptions = room.subscriptions.values().cloned().collect();
        let notes = std::mem::take(&mut self.seen.notes);
        let (from, to, entries) = (self.from, self.order.to, self.seen.into_timeline());
        Ok(Forecast { currency, from, to, documents, subscriptions, entries, totals, notes })
    }

    fn note_what_is_left_out(&mut self) -> Result<(), Refusal> {
        let unpriced = self.decide(|room, cx| Ok(Decision::unchanged(room.unpriced(cx)?)))?;
        let assumed = self.order.first_invoice;
        let room = self.fork.room();
        let first = room.continues_from.is_none() && !room.subscriptions.is_empty() && !assumed;
        let blocked: Vec<_> = room.metering.blocked().collect();
        if first {
            self.seen.note(
                "the contract has no recurring invoice yet: the pass goes on from the first, which \
                 POST /invoices makes, or assume.firstInvoice here"
                    .to_owned(),
            );
        }
        for note in unpriced {
            self.seen.note(note);
        }
        for (metric, from, reason) in blocked {
            self.seen.note(format!("{metric} from {from} stays open: {reason}"));
        }
        if !self.seen.documents.is_empty() {
            self.seen.note(
                "payments are not foreseen: what stored credit does not pay stays open".to_owned(),
            );
        }
        Ok(())
    }
}

/// A refusal of a part of the order, under the name of that part.
fn named(part: &str, refusal: Refusal) -> Refusal {
    Refusal { text: format!("{part}: {}", refusal.text), ..refusal }
}
