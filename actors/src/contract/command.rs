//! What can be asked of a contract room, and what all of them work with.

use super::answers::{AdvanceAnswer, InvoiceCounts, Issued, LifecycleCounts};
use super::metering;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::billing::contract::{Amendment, Contract, NewContract};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{Intent, Invoice, NewInvoice};
use crate::domain::billing::subscription::{
    Cancel, NewSubscription, Pause, PlanChange, Subscription,
};
use crate::domain::ids::{InvoiceId, MessageId, SubscriptionId};
use crate::domain::messages::ContractMessage;
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::Once;
use crate::room::Reply;

/// What all contract rooms work with.
#[derive(Debug)]
pub struct ContractTools {
    /// Sellers with their switches and webhooks.
    pub directory: Directory,
    /// Told of the deliveries that a durable write has staged.
    pub deliveries: DeliveryPool,
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
    RunRecurring { reply: Answer<InvoiceCounts> },
    /// Moves invoices past their due date.
    RunOverdue { reply: Answer<u64> },
    /// Anything about usage and its prices.
    Metering(metering::Command),
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<Result<(), Refusal>> },
}
