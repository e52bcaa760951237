//! What callers hold of the contract rooms.

use storage::Store;

use super::answers::{AdvanceAnswer, InvoiceCounts, Issued, LifecycleCounts};
use super::command::{Command, IssueOrder, SubscriptionAction};
use super::room::ContractRoom;
use crate::domain::billing::contract::{Amendment, Contract, NewContract};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::Invoice;
use crate::domain::billing::subscription::{NewSubscription, Subscription};
use crate::domain::ids::{ContractId, InvoiceId, MessageId, SellerId, SubscriptionId};
use crate::domain::messages::ContractMessage;
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;
use crate::kernel::Once;
use crate::room::{AskError, Rooms};
use crate::tables::ids;

/// The handle to all contract rooms.
#[derive(Clone)]
pub struct Contracts {
    pub(super) rooms: Rooms<ContractRoom>,
    pub(super) store: Store,
}

/// A room's answer: a value, a refusal, or none at all.
pub type Asked<T> = Result<T, AskError>;

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
    pub async fn run_recurring(&self, seller: SellerId, id: ContractId) -> Asked<InvoiceCounts> {
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
