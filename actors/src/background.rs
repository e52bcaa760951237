//! What works by itself, as the operator sees it.

use std::sync::{Arc, OnceLock};

use storage::{ReadError, Store};

use crate::delivery::{Counts, DeliveryPool};
use crate::domain::ids::{SellerId, UploadId};
use crate::domain::messages::{
    Addressee, ContractMessage, Message, PayeeMessage, PaymentMessage, SellerMessage,
    SubscriptionMessage,
};
use crate::domain::time::Timestamp;
use crate::outbox::{self, Outbox};
use crate::payment::forgetting::CardLine;
use crate::payment::{CallFigures, Payments};
use crate::queue::{Level, Queue, Supervisor, Trouble, WorkerFigures};
use crate::scheduler::Scheduler;
use crate::timers::TimerKind;

/// How many messages behind a parked one are counted.
const COUNTED: usize = 1_000;

/// Clones see the same.
#[derive(Clone)]
pub struct Background {
    pub(crate) store: Store,
    pub(crate) supervisor: Supervisor,
    pub(crate) outbox: Outbox,
    pub(crate) scheduler: Scheduler,
    pub(crate) payments: Payments,
    pub(crate) deliveries: DeliveryPool,
    pub(crate) cards: Queue<CardLine>,
    /// Set once the intake has started.
    pub(crate) uploads: Arc<OnceLock<Queue<(SellerId, UploadId)>>>,
}

#[derive(Clone, Debug)]
pub struct Figures {
    pub workers: Vec<WorkerFigures>,
    pub queues: Vec<(&'static str, Level)>,
    /// Messages between rooms that are in memory.
    pub held_messages: usize,
    pub calls: CallFigures,
    /// Deliveries of webhooks.
    pub deliveries: Counts,
}

/// Work that failed too often. It is tried again seldom, and the later work for its object waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parked {
    pub queue: &'static str,
    pub seller: SellerId,
    /// What the object is: a contract, a payment, a payee and so on.
    pub object: &'static str,
    pub object_id: u64,
    /// What is to be done.
    pub work: &'static str,
    /// How much waits, counted up to 1,000.
    pub waiting: usize,
    pub failures: u32,
    pub reason: String,
    pub since: Timestamp,
}

impl Background {
    pub fn figures(&self) -> Figures {
        let messages = ("messages", self.outbox.level());
        let cards = (self.cards.name(), self.cards.level());
        let uploads = self.uploads.get().map(|queue| (queue.name(), queue.level()));
        let timers = self.scheduler.queues().map(|queue| (queue.name(), Queue::level(queue)));
        Figures {
            workers: self.supervisor.figures(),
            queues: timers.chain([messages, cards]).chain(uploads).collect(),
            held_messages: self.outbox.held(),
            calls: self.payments.call_figures(),
            deliveries: self.deliveries.counts(),
        }
    }

    /// Makes a worker panic in each of its rounds, or mends it.
    #[cfg(feature = "faults")]
    pub fn break_worker(&self, name: &str, broken: bool) {
        self.supervisor.break_worker(name, broken);
    }

    /// What failed too often, at most `limit` of each queue. May wait for the disk.
    pub fn parked(&self, limit: usize) -> Result<Vec<Parked>, ReadError> {
        let mut parked = Vec::new();
        for (to, trouble) in self.outbox.parked(limit) {
            let waiting = outbox::waiting(&self.store, to, COUNTED)?;
            // It may have been taken just now.
            let Some((_, message, waiting)) = waiting else { continue };
            let (object, object_id) = match to {
                Addressee::Contract(_, contract) => ("contract", contract.0),
                Addressee::Payee(_, payee) => ("payee", payee.0),
                Addressee::Payment(_, payment) => ("payment", payment.0),
                Addressee::Seller(seller) => ("seller", seller.0),
                Addressee::Subscription(_, subscription) => ("link subscription", subscription.0),
            };
            let found = Parked {
                queue: "messages",
                seller: to.seller(),
                object,
                object_id,
                work: work_of(&message),
                waiting,
                ..Parked::of(trouble)
            };
            parked.push(found);
        }
        for (kind, timer, trouble) in self.scheduler.parked(limit) {
            let (queue, object, work) = match kind {
                TimerKind::Payee => ("payee timers", "payee", "timer"),
                TimerKind::Mail => ("mails", "contract", "post a mail"),
                TimerKind::LinkMail => ("mails of links", "mail", "post a mail"),
                TimerKind::InviteMail => ("invitations", "mail", "post a mail"),
                TimerKind::LinkExpiry => ("payment links", "payment link", "timer"),
                TimerKind::LinkSubscription => {
                    ("link subscriptions", "link subscription", "charge the card")
                }
                TimerKind::SubscriptionMail => {
                    ("mails of subscriptions", "link subscription", "post a mail")
                }
                TimerKind::LinkTrial => {
                    ("trials of link subscriptions", "link subscription", "tell of a trial's end")
                }
                TimerKind::ProviderCall => ("provider calls", "payment", "ask the provider"),
                _ => ("payment timers", "payment", "timer"),
            };
            let found = Parked {
                queue,
                seller: timer.seller,
                object,
                object_id: timer.object,
                work,
                ..Parked::of(trouble)
            };
            parked.push(found);
        }
        parked.sort_by_key(|parked| parked.since);
        Ok(parked)
    }

    /// Tries all that is parked again now; how much that is.
    pub fn retry_parked(&self) -> usize {
        self.outbox.retry_parked() + self.scheduler.queues().map(Queue::retry_parked).sum::<usize>()
    }
}

impl Parked {
    fn of(trouble: Trouble) -> Self {
        Self {
            queue: "",
            seller: SellerId(0),
            object: "",
            object_id: 0,
            work: "",
            waiting: 1,
            failures: trouble.failures,
            reason: trouble.reason,
            since: trouble.since,
        }
    }
}

fn work_of(message: &Message) -> &'static str {
    match message {
        Message::Contract(ContractMessage::PaymentSucceeded(_)) => "a payment succeeded",
        Message::Contract(ContractMessage::PaymentReversed(_)) => "a payment was reversed",
        Message::Contract(ContractMessage::ChargeFailed(_)) => "the charge of a saved card failed",
        Message::Contract(ContractMessage::CardSaved(_)) => "a card was saved",
        Message::Contract(ContractMessage::PaymentRefunded(_)) => "a payment was refunded",
        Message::Contract(ContractMessage::WentLive)
        | Message::Seller(SellerMessage::WentLive(_)) => "the account went live",
        Message::Payee(PayeeMessage::ShareMoved(_)) => "a share of a payment moved",
        Message::Payee(PayeeMessage::Deposited(_)) => "money was deposited",
        Message::Payment(PaymentMessage::NotNeeded(_) | PaymentMessage::NotWanted(_)) => {
            "a payment is not needed"
        }
        Message::Seller(SellerMessage::LinkPaid(_)) => "a payment link was paid",
        Message::Seller(SellerMessage::LinkPaymentLost(_)) => "a payment of a link is lost",
        Message::Seller(SellerMessage::LinkPaymentReversed(_)) => {
            "a payment of a link was reversed"
        }
        Message::Subscription(SubscriptionMessage::Paid(_)) => "a term was paid",
        Message::Subscription(SubscriptionMessage::ChargeFailed(_)) => {
            "the charge of a term failed"
        }
        Message::Subscription(SubscriptionMessage::Reversed(_)) => {
            "the payment of a term was reversed"
        }
    }
}
