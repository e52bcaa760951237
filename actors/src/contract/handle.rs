//! What callers hold of the contract rooms.

use storage::Store;

use super::advance::AdvanceAnswer;
use super::invoicing::Issued;
use super::lifecycle::LifecycleCounts;
use super::room::ContractRoom;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::billing::contract::{Amendment, Contract, NewContract};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{Intent, Invoice, NewInvoice};
use crate::domain::billing::subscription::{
    Cancel, NewSubscription, Pause, PlanChange, Subscription,
};
use crate::domain::ids::{ContractId, InvoiceId, MessageId, SellerId, SubscriptionId};
use crate::domain::messages::ContractMessage;
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{AskError, Reply, Rooms};
use crate::tables::ids;

/// What all contract rooms work with.
#[derive(Debug)]
pub struct ContractTools {
    /// Sellers with their switches and webhooks.
    pub directory: Directory,
    /// Told of the deliveries that a durable write has staged.
    pub deliveries: DeliveryPool,
}

/// The outcome of a write under an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once<T> {
    /// The write was made.
    Made(T),
    /// The key had made something before, or at the same time; nothing was written now.
    Before,
}

/// What is done to a subscription (billing 4.5).
#[derive(Clone, Debug)]
pub enum SubscriptionAction {
    /// `cancel`.
    Cancel(Cancel),
    /// `pause`.
    Pause(Pause),
    /// `resume`.
    Resume,
    /// `end-trial`.
    EndTrial,
    /// `change-plan`.
    ChangePlan(PlanChange),
}

/// An invoice to be issued (billing 4.4).
#[derive(Clone, Debug)]
pub struct IssueOrder {
    /// What was asked for.
    pub request: NewInvoice,
    /// The same, for comparison with a replay.
    pub intent: Intent,
    /// Under which idempotency key.
    pub key: String,
    /// The contract's customer.
    pub customer: Customer,
}

pub(super) type Answer<T> = Reply<Result<T, Refusal>>;

/// What can be asked of a contract room.
#[derive(Debug)]
pub enum Command {
    /// Makes the contract under the room's id.
    Create {
        new: Box<NewContract>,
        customer: Box<Customer>,
        key: String,
        reply: Answer<Once<Contract>>,
    },
    /// Makes the contract of an ad-hoc invoice, unless it is there.
    OpenAdhoc { customer: Box<Customer>, currency: Currency, reply: Answer<()> },
    /// Appends a version.
    Amend { amendment: Box<Amendment>, reply: Answer<Contract> },
    /// Makes a subscription.
    Subscribe { new: Box<NewSubscription>, key: String, reply: Answer<Once<Subscription>> },
    /// Acts on a subscription.
    Act { subscription: SubscriptionId, action: SubscriptionAction, reply: Answer<Subscription> },
    /// Issues an invoice.
    Issue { order: Box<IssueOrder>, reply: Answer<Once<Issued>> },
    /// Sends an invoice.
    Send { invoice: InvoiceId, reply: Answer<Invoice> },
    /// Takes a durable message.
    Take { message: MessageId, content: ContractMessage, reply: Answer<()> },
    /// Advances the test clock.
    Advance { to: Timestamp, reply: Answer<AdvanceAnswer> },
    /// Lets subscriptions do what is due.
    RunLifecycle { reply: Answer<LifecycleCounts> },
    /// Issues the invoice of the oldest due terms.
    RunRecurring { reply: Answer<super::InvoiceCounts> },
    /// Moves invoices past their due date.
    RunOverdue { reply: Answer<u64> },
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<()> },
}

/// The handle to all contract rooms.
#[derive(Clone)]
pub struct Contracts {
    rooms: Rooms<ContractRoom>,
    store: Store,
}

/// A room's answer: a value, a refusal, or none at all.
pub type Asked<T> = Result<Result<T, Refusal>, AskError>;

impl Contracts {
    /// A handle over running rooms.
    pub fn new(rooms: Rooms<ContractRoom>, store: Store) -> Self {
        Self { rooms, store }
    }

    /// How many contract rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all contract rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Makes a contract under an idempotency key (billing 4.1).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn create(
        &self,
        seller: SellerId,
        new: NewContract,
        customer: Customer,
        key: String,
    ) -> Asked<Once<Contract>> {
        let id = ContractId(self.store.next_id(ids::CONTRACT));
        self.rooms
            .ask((seller, id), |reply| Command::Create {
                new: Box::new(new.clone()),
                customer: Box::new(customer.clone()),
                key: key.clone(),
                reply,
            })
            .await
    }

    /// Makes the contract that an ad-hoc invoice needs, unless it is there (billing 1.9).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn open_adhoc(
        &self,
        seller: SellerId,
        id: ContractId,
        customer: Customer,
        currency: Currency,
    ) -> Asked<()> {
        self.rooms
            .ask((seller, id), |reply| Command::OpenAdhoc {
                customer: Box::new(customer.clone()),
                currency,
                reply,
            })
            .await
    }

    /// Appends a version to a contract (billing 3.1, 4.1).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn amend(
        &self,
        seller: SellerId,
        id: ContractId,
        amendment: Amendment,
    ) -> Asked<Contract> {
        self.rooms
            .ask((seller, id), |reply| Command::Amend {
                amendment: Box::new(amendment.clone()),
                reply,
            })
            .await
    }

    /// Makes a subscription under an idempotency key (billing 4.5).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn subscribe(
        &self,
        seller: SellerId,
        id: ContractId,
        new: NewSubscription,
        key: String,
    ) -> Asked<Once<Subscription>> {
        self.rooms
            .ask((seller, id), |reply| Command::Subscribe {
                new: Box::new(new.clone()),
                key: key.clone(),
                reply,
            })
            .await
    }

    /// Acts on a subscription (billing 4.5).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn act(
        &self,
        seller: SellerId,
        id: ContractId,
        subscription: SubscriptionId,
        action: SubscriptionAction,
    ) -> Asked<Subscription> {
        self.rooms
            .ask((seller, id), |reply| Command::Act { subscription, action: action.clone(), reply })
            .await
    }

    /// Issues an invoice under an idempotency key (billing 4.4).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn issue(
        &self,
        seller: SellerId,
        id: ContractId,
        order: IssueOrder,
    ) -> Asked<Once<Issued>> {
        self.rooms
            .ask((seller, id), |reply| Command::Issue { order: Box::new(order.clone()), reply })
            .await
    }

    /// Sends an invoice to its customer (billing 3.2).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn send(
        &self,
        seller: SellerId,
        id: ContractId,
        invoice: InvoiceId,
    ) -> Asked<Invoice> {
        self.rooms.ask((seller, id), |reply| Command::Send { invoice, reply }).await
    }

    /// Hands a durable message to a contract; it is taken once however often it comes.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn take(
        &self,
        seller: SellerId,
        id: ContractId,
        message: MessageId,
        content: ContractMessage,
    ) -> Asked<()> {
        self.rooms
            .ask((seller, id), |reply| Command::Take { message, content: content.clone(), reply })
            .await
    }

    /// Advances the test clock of a contract (billing 4.7).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn advance(
        &self,
        seller: SellerId,
        id: ContractId,
        to: Timestamp,
    ) -> Asked<AdvanceAnswer> {
        self.rooms.ask((seller, id), |reply| Command::Advance { to, reply }).await
    }

    /// Lets a contract's subscriptions do what is due by its clock.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn run_lifecycle(&self, seller: SellerId, id: ContractId) -> Asked<LifecycleCounts> {
        self.rooms.ask((seller, id), |reply| Command::RunLifecycle { reply }).await
    }

    /// Issues the invoice of a contract's oldest due terms.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn run_recurring(
        &self,
        seller: SellerId,
        id: ContractId,
    ) -> Asked<super::InvoiceCounts> {
        self.rooms.ask((seller, id), |reply| Command::RunRecurring { reply }).await
    }

    /// Moves a contract's invoices past their due date; answers how many.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn run_overdue(&self, seller: SellerId, id: ContractId) -> Asked<u64> {
        self.rooms.ask((seller, id), |reply| Command::RunOverdue { reply }).await
    }

    /// Makes a room panic, in test builds.
    ///
    /// # Errors
    /// Always [`AskError::Unanswered`].
    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: ContractId) -> Result<(), AskError> {
        self.rooms.ask((seller, id), |reply| Command::Panic { _reply: reply }).await
    }
}
