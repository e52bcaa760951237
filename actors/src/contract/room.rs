//! The state of a contract room and its dispatcher.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Store};

use super::agenda::Agenda;
use super::command::{Command, ContractTools};
use super::metering::Metering;
use crate::domain::billing::contract::{Contract, ContractStatus};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, InvoiceType, Origin, Terms};
use crate::domain::billing::subscription::{Facts, Moment, Proration, Subscription};
use crate::domain::billing::test_clock::{self, TestClock};
use crate::domain::ids::{ContractId, InvoiceId, ProrationId, SellerId, SubscriptionId};
use crate::domain::quantity::TaxRate;
use crate::domain::time::Timestamp;
use crate::query;
use crate::room::{Desk, Recent, Room};
use crate::tables::{CLOCKS, CONTRACT_INVOICES, PRORATIONS, SUBSCRIPTIONS};
use crate::timers::{TimerKind, Timers};

/// One contract's room. It knows what is open; what is over is read when it is asked for.
#[derive(Debug)]
pub struct ContractRoom {
    pub(super) seller: SellerId,
    pub(super) id: ContractId,
    /// Absent until the contract is made.
    pub(super) contract: Option<Contract>,
    pub(super) subscriptions: BTreeMap<SubscriptionId, Subscription>,
    /// Proration records that no invoice carries in full yet.
    pub(super) prorations: BTreeMap<ProrationId, Proration>,
    pub(super) clock: Option<TestClock>,
    /// The invoice that the recurring pass goes on from.
    pub(super) continues_from: Option<Prior>,
    /// The invoice whose recipient and collection method usage documents take over.
    pub(super) usage_follows: Option<Prior>,
    /// What was used, and what it costs.
    pub(super) metering: Metering,
    pub(super) agenda: Agenda,
    pub(super) timers: Timers,
    /// Invoices that this room moved lately.
    pub(super) invoices: Recent<InvoiceId, Invoice>,
    /// Idempotency keys of subscriptions that this room is just writing.
    pub(super) subscription_keys: Recent<String, ()>,
    /// Idempotency keys of invoices that this room is just writing.
    pub(super) invoice_keys: Recent<String, ()>,
}

/// The last recurring invoice, as far as the next one has to know it.
#[derive(Debug)]
pub(super) enum Prior {
    /// Not looked at since the room started.
    OnDisk(InvoiceId),
    /// Its recipient and how it is collected.
    Known(Box<Terms>),
}

impl Prior {
    /// Whether the recurring pass goes on from a document that is being issued.
    pub(super) fn may_follow(invoice: &Invoice) -> bool {
        invoice.origin == Origin::Recurring && invoice.invoice_type == InvoiceType::Standard
    }
}

impl Prior {
    /// Whether usage documents go on as this document is made out and collected.
    pub(super) fn is_followed_by_usage(
        origin: Origin,
        invoice_type: InvoiceType,
        status: InvoiceStatus,
    ) -> bool {
        matches!(origin, Origin::Recurring | Origin::Usage)
            && invoice_type == InvoiceType::Standard
            && status != InvoiceStatus::Voided
    }
}

impl Room for ContractRoom {
    type Id = (SellerId, ContractId);
    type Command = Command;
    type Tools = ContractTools;
    const KIND: &'static str = "contract";

    fn load(
        (seller, id): (SellerId, ContractId),
        store: &Store,
        _: &ContractTools,
    ) -> Result<Self, ReadError> {
        let mut room = Self {
            seller,
            id,
            contract: query::contract(store, seller, id)?,
            subscriptions: BTreeMap::new(),
            prorations: BTreeMap::new(),
            clock: store.get(CLOCKS, &(seller, id))?,
            continues_from: None,
            usage_follows: None,
            metering: Metering::default(),
            agenda: Agenda::default(),
            timers: Timers::default(),
            invoices: Recent::default(),
            subscription_keys: Recent::default(),
            invoice_keys: Recent::default(),
        };
        if room.contract.is_none() {
            return Ok(room);
        }
        for row in store.scan(SUBSCRIPTIONS, Scan::prefix(&(seller, id))) {
            let ((_, _, key), subscription) = row?;
            room.agenda.subscription(None, &subscription);
            room.subscriptions.insert(key, subscription);
        }
        for row in store.scan(PRORATIONS, Scan::prefix(&(seller, id))) {
            let ((_, _, key), proration) = row?;
            if proration.is_open() {
                room.prorations.insert(key, proration);
            }
        }
        for row in store.scan(CONTRACT_INVOICES, Scan::prefix(&(seller, id))) {
            let ((_, _, key), head) = row?;
            room.agenda.invoice(key, head.overdue_at);
            if head.continues {
                room.continues_from = Some(Prior::OnDisk(key));
            }
            if Prior::is_followed_by_usage(head.origin, head.invoice_type, head.status) {
                room.usage_follows = Some(Prior::OnDisk(key));
            }
        }
        room.metering = Metering::load(store, seller, id)?;
        // Timers are always written with the change that wants them, so these are on disk.
        let wanted = room.wanted_timers();
        room.timers = Timers::known(wanted);
        Ok(room)
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        match command {
            Command::Create { new, customer, key, reply } => {
                self.create(desk, &new, &customer, key, reply);
            }
            Command::OpenAdhoc { customer, currency, reply } => {
                self.open_adhoc(desk, &customer, currency, reply);
            }
            Command::Amend { amendment, reply } => self.amend(desk, &amendment, reply),
            Command::Subscribe { new, key, reply } => self.subscribe(desk, *new, key, reply),
            Command::Act { subscription, action, reply } => {
                self.act(desk, subscription, &action, reply);
            }
            Command::Issue { order, reply } => self.issue(desk, *order, reply),
            Command::Send { invoice, reply } => self.send(desk, invoice, reply),
            Command::Take { message, content, reply } => self.take(desk, message, content, reply),
            Command::Advance { to, reply } => self.advance(desk, to, reply),
            Command::RunLifecycle { reply } => self.run_lifecycle(desk, reply),
            Command::RunRecurring { reply } => self.run_recurring(desk, reply),
            Command::RunOverdue { reply } => self.run_overdue(desk, reply),
            Command::Metering(command) => self.metering(desk, command),
            #[cfg(feature = "faults")]
            Command::Panic { .. } => panic!("a test asked the contract room to panic"),
        }
    }
}

impl ContractRoom {
    /// Now, by the wall and by the contract's own clock.
    pub(super) fn moment(&self, now: Timestamp) -> test_clock::Moment {
        test_clock::Moment::of(self.clock.as_ref(), now)
    }

    /// The same for the rules of subscriptions.
    pub(super) fn subscription_moment(&self, now: Timestamp) -> Moment {
        let moment = self.moment(now);
        Moment { now: moment.wall, engine: moment.engine }
    }

    /// What the rules of subscriptions have to know of this contract. No card can be saved and
    /// no credit stored yet, so both are off.
    pub(super) fn facts(contract: &Contract, default_tax_rate: TaxRate) -> Facts {
        Facts {
            currency: contract.currency,
            contract_closed: contract.current.status == ContractStatus::Closed,
            card_saved: false,
            credits_on: false,
            default_tax_rate,
        }
    }

    /// The timers that this contract wants as it stands.
    pub(super) fn wanted_timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        let simulated = self.clock.as_ref().map(|clock| clock.now);
        let mut timers = self.agenda.timers(simulated, self.continues_from.is_some());
        timers.extend(self.metering.timers(&self.subscriptions));
        timers
    }

    /// An invoice of this contract as it stands, with what is not on disk yet.
    pub(super) fn invoice(
        &self,
        desk: &Desk<Self>,
        id: InvoiceId,
    ) -> Result<Option<Invoice>, ReadError> {
        let found = self.invoices.get(&id, || query::invoice(desk.store(), self.seller, id))?;
        Ok(found.filter(|invoice| invoice.contract == self.id))
    }
}
