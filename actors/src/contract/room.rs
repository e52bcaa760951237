//! What a contract room remembers, and how a decided change is applied to it.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, View};

use super::agenda::Agenda;
use super::credit::CreditLots;
use super::invoice_rows::Prior;
use super::mails::OpenMails;
use super::metering::{self, Metering};
use super::prorations::OpenProrations;
use super::unbilled::Unbilled;
use super::versions::put_contract;
use crate::chunked;
use crate::domain::billing::contract::{Contract, ContractStatus};
use crate::domain::billing::credit::{AutoTopup, CreditEntry};
use crate::domain::billing::invoice::{FollowedInvoices, Invoice, InvoiceHead, Terms};
use crate::domain::billing::mail::Mail;
use crate::domain::billing::overview::contributions::{ACTIVE_CONTRACT, of_subscription};
use crate::domain::billing::subscription::{Facts, Proration, Subscription};
use crate::domain::billing::test_clock::TestClock;
use crate::domain::billing::usage::Coverage;
use crate::domain::ids::{ContractId, InvoiceId, ProrationId, SellerId, SubscriptionId};
use crate::domain::platform::event::ObjectKind;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{self, Room};
use crate::sums::resum;
use crate::tables::{
    ACTIVE_CONTRACTS, AUTO_TOPUPS, CARDS_ON_FILE, CARRIED_PRORATIONS, CLOCKS, PRORATIONS,
    SUBSCRIPTION_PARTS, SUBSCRIPTIONS,
};
use crate::timers::TimerKind;

pub(super) type Context = kernel::Context<ContractRoom>;
pub(super) type Effects = kernel::Effects<ContractRoom>;
pub(super) type Decision<T> = kernel::Decision<ContractRoom, T>;

pub(super) type ContractKey = (SellerId, ContractId);

/// One contract's memory. It knows what is open; what is over is read when it is asked for.
#[derive(Clone, Debug)]
pub(super) struct ContractRoom {
    pub(super) seller: SellerId,
    pub(super) id: ContractId,
    /// Absent where there is no such contract, or none yet.
    pub(super) contract: Option<Contract>,
    pub(super) subscriptions: BTreeMap<SubscriptionId, Subscription>,
    pub(super) coverage: Coverage,
    /// Proration records that no invoice carries in full yet.
    pub(super) prorations: OpenProrations,
    pub(super) clock: Option<TestClock>,
    /// The invoice that the recurring pass goes on from.
    pub(super) continues_from: Option<Prior>,
    /// The invoice whose recipient and collection method usage documents take over.
    pub(super) usage_follows: Option<Prior>,
    pub(super) metering: Metering,
    pub(super) credit: CreditLots,
    pub(super) auto_topup: Option<AutoTopup>,
    pub(super) agenda: Agenda,
    /// Whether its customer is known to have saved a card.
    pub(super) card_on_file: bool,
    pub(super) mails: OpenMails,
}

#[derive(Debug)]
pub(super) enum Change {
    Contract(Box<Contract>),
    Subscription(Box<Subscription>),
    Proration(ProrationId, Box<Proration>),
    Clock(TestClock),
    Invoice(Box<Invoice>),
    /// A document whose rows are put when its number is drawn.
    Issuing(Box<(InvoiceId, InvoiceHead, Terms)>),
    /// Later documents go on from others than before.
    Followed(FollowedInvoices),
    Usage(metering::Change),
    /// Movements of stored credit, in their order.
    Credit(Vec<CreditEntry>),
    AutoTopup(AutoTopup),
    Mail(Box<Mail>),
    CardOnFile(bool),
}

impl Room for ContractRoom {
    type Id = ContractKey;
    type Change = Change;
    type Tools = Unbilled;
    const WORKER: &'static str = "rest of contracts";
    const KIND: &'static str = "contract";
    const TELLS_OF: ObjectKind = ObjectKind::Contract;

    fn seller((seller, _): ContractKey) -> SellerId {
        seller
    }

    fn object((_, contract): ContractKey) -> u64 {
        contract.0
    }

    fn load(key: ContractKey, store: &View, _: &Unbilled) -> Result<Self, ReadError> {
        store.at_one_moment(|rows| Self::read(key, rows))
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        match change {
            Change::Contract(after) => self.keep_contract(*after, rows),
            Change::Subscription(after) => self.keep_subscription(*after, rows),
            Change::Proration(id, after) => self.keep_proration(id, *after, rows),
            Change::Clock(after) => self.keep_clock(after, rows),
            Change::Invoice(after) => self.keep_invoice(&after, rows),
            Change::Issuing(issuing) => self.keep_issuing(*issuing, rows),
            Change::Followed(followed) => self.keep_followed(followed, rows),
            Change::Credit(moves) => self.credit.apply((self.seller, self.id), &moves, rows),
            Change::AutoTopup(after) => self.keep_auto_topup(after, rows),
            Change::Usage(change) => self.metering.apply((self.seller, self.id), change, rows),
            Change::Mail(after) => self.mails.keep(*after, rows),
            Change::CardOnFile(there) => self.keep_card_on_file(there, rows),
        }
    }

    fn is_known(&self) -> bool {
        self.contract.is_some()
    }

    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        let simulated = self.clock.as_ref().and_then(TestClock::stands_at);
        let mut timers = self.passes_ahead(simulated, self.continues_from.is_some());
        if let Some(at) = timers.get_mut(&TimerKind::UsageClose) {
            *at = self.metering.next_attempt(&self.coverage).unwrap_or(*at);
        }
        let collection = self.agenda.collection_timer(simulated);
        timers.extend(collection.filter(|_| self.card_on_file));
        timers.extend(self.top_up_due_at().map(|at| (TimerKind::AutoTopup, at)));
        // A mail server has its own time, whatever clock the contract is on.
        timers.extend(self.mails.next_attempt().map(|at| (TimerKind::Mail, at)));
        timers
    }
}

impl ContractRoom {
    /// When passes have something to do here. `continues`: the recurring one has an invoice that
    /// it goes on from.
    pub(super) fn passes_ahead(
        &mut self,
        simulated: Option<Timestamp>,
        continues: bool,
    ) -> BTreeMap<TimerKind, Timestamp> {
        let mut timers = self.agenda.timers(simulated, continues);
        timers.extend(self.metering.timers(&self.coverage));
        timers.extend(self.credit.next_expiry().map(|at| (TimerKind::CreditExpiry, at)));
        timers
    }

    fn keep_contract(&mut self, after: Contract, rows: &mut Batch) {
        put_contract(rows, &after);
        let is_active = |contract: &Contract| contract.current.status == ContractStatus::Active;
        let key = (self.seller, after.customer, after.currency, self.id);
        match (self.contract.as_ref().is_some_and(is_active), is_active(&after)) {
            (false, true) => {
                rows.put(ACTIVE_CONTRACTS, &key, &());
                resum(rows, self.seller, &[], &[ACTIVE_CONTRACT]);
            }
            (true, false) => {
                rows.delete(ACTIVE_CONTRACTS, &key);
                resum(rows, self.seller, &[ACTIVE_CONTRACT], &[]);
            }
            _ => {}
        }
        self.contract = Some(after);
    }

    fn keep_subscription(&mut self, after: Subscription, rows: &mut Batch) {
        let key = (self.seller, self.id, after.id);
        chunked::put(rows, SUBSCRIPTIONS, &key, SUBSCRIPTION_PARTS, &key, &after);
        let was = self.subscriptions.get(&after.id).map(of_subscription).unwrap_or_default();
        resum(rows, self.seller, &was, &of_subscription(&after));
        self.agenda.subscription(self.subscriptions.get(&after.id), &after);
        self.agenda.prorations(after.id, self.prorations.due_by_themselves(&after));
        if self.coverage.update(&after) {
            self.metering.coverage_changed((self.seller, self.id), rows);
        }
        self.subscriptions.insert(after.id, after);
    }

    fn keep_proration(&mut self, id: ProrationId, after: Proration, rows: &mut Batch) {
        let key = (self.seller, self.id, id);
        let subscription = after.subscription;
        if after.is_open() {
            rows.put(PRORATIONS, &key, &after);
        } else {
            rows.put(CARRIED_PRORATIONS, &key, &after);
            if self.prorations.get(id).is_some() {
                rows.delete(PRORATIONS, &key);
            }
        }
        self.prorations.keep(id, after);
        if let Some(subscription) = self.subscriptions.get(&subscription) {
            let due = self.prorations.due_by_themselves(subscription);
            self.agenda.prorations(subscription.id, due);
        }
    }

    fn keep_clock(&mut self, after: TestClock, rows: &mut Batch) {
        rows.put(CLOCKS, &(self.seller, self.id), &after);
        self.clock = Some(after);
    }

    fn keep_auto_topup(&mut self, after: AutoTopup, rows: &mut Batch) {
        rows.put(AUTO_TOPUPS, &(self.seller, self.id), &after);
        self.auto_topup = Some(after);
    }

    fn keep_card_on_file(&mut self, there: bool, rows: &mut Batch) {
        let key = (self.seller, self.id);
        match there {
            true => rows.put(CARDS_ON_FILE, &key, &()),
            false => rows.delete(CARDS_ON_FILE, &key),
        }
        self.card_on_file = there;
    }

    pub(super) fn contract(&self) -> Result<&Contract, Refusal> {
        self.contract.as_ref().ok_or_else(Refusal::missing)
    }

    /// What the rules of subscriptions have to know of this contract, but for the saved card.
    pub(super) fn facts(contract: &Contract, credits_on: bool) -> Facts {
        Facts {
            currency: contract.currency,
            contract_closed: contract.current.status == ContractStatus::Closed,
            card_saved: false,
            credits_on,
        }
    }
}
