//! The payment room: one for each payment, from its beginning to its settlement.
//!
//! [`Payments`] is what callers hold. A room decides and writes. The provider is called beside
//! it, in a task of the command's own: the call is on disk before it is made, and its answer goes
//! back to the room. Each terminal has a limit of calls at once and a breaker, so that a processor
//! which does not answer is left alone ([`Calls`]). A call whose answer is lost is found again by
//! the payment's timer, or by the next who asks for the payment under its key.

mod begin;
mod calls;
mod capture;
pub(crate) mod forgetting;
mod invoices;
pub(crate) mod keys;
mod links;
mod messages;
mod open_at;
mod open_calls;
mod order;
mod provider;
mod reads;
mod refund;
mod room;
mod saving;
mod subscriptions;
#[cfg(test)]
mod tests;
mod timers;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use storage::{ReadError, Store};

use crate::connector::Processors;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{
    BuyerAnswer, Change, NewAttempt, Payment, PaymentRefusal, PaymentTimer, ProviderCall, Windows,
};
use crate::domain::payments::source::Source;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, KeyClaim, Once, Rooms};
use crate::timers::TimerKind;
use crate::watchers::Watchers;

pub use calls::{BreakerState, CallFigures, Calls, TerminalKey};
pub use invoices::{CardOrder, InvoiceOrder};
pub(crate) use links::Attempted;
pub(crate) use open_at::list_all as list_open;
pub use order::{BeginRefusal, PaymentOrder};
pub use room::PaymentRoom;
pub(crate) use subscriptions::SubscriptionCharge;

pub struct PaymentTools {
    pub processors: Processors,
    /// How long payments wait for what happens elsewhere.
    pub windows: Windows,
    /// How long a processor may take before its answer counts as lost.
    pub provider_timeout: Duration,
    /// Known once the server knows its own address.
    pub return_address: OnceLock<ReturnAddress>,
    pub watchers: Watchers<(SellerId, PaymentId)>,
    pub calls: Calls,
}

/// The address that the buyer of a payment comes back to from a processor's page.
pub type ReturnAddress = Box<dyn Fn(SellerId, PaymentId) -> String + Send + Sync>;

impl fmt::Debug for PaymentTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentTools").field("windows", &self.windows).finish_non_exhaustive()
    }
}

/// The timers that a payment wants. A call under way has its own, also where the payment settles
/// before: a process that starts finds by it what another one asked.
pub(crate) fn timers_of(payment: &Payment) -> BTreeMap<TimerKind, Timestamp> {
    let asked = payment.asking().and_then(ProviderCall::ask_again_at);
    let is_asked =
        |(_, timer): &(_, PaymentTimer)| asked.is_some() && *timer == PaymentTimer::AskAgain;
    let next = payment.next_timer().filter(|next| !is_asked(next));
    let next = next.map(|(at, _)| (TimerKind::Payment, at));
    let asked = asked.map(|at| (TimerKind::ProviderCall, at));
    let funds = payment.funds_asked_at().map(|at| (TimerKind::Settlement, at));
    asked.into_iter().chain(next).chain(funds).collect()
}

/// The handle to all payment rooms. Clones are the same handle.
#[derive(Clone)]
pub struct Payments {
    rooms: Rooms<PaymentRoom>,
}

impl Payments {
    pub fn new(rooms: Rooms<PaymentRoom>) -> Self {
        Self { rooms }
    }

    /// Sets where buyers come back to from a processor's page; the first address counts.
    pub fn set_return_address(&self, address: ReturnAddress) {
        // A second one is no error: there is one server in a process.
        let _ = self.tools().return_address.set(address);
    }

    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Calls to processors that are under way, and processors that are left alone.
    pub fn call_figures(&self) -> CallFigures {
        self.tools().calls.figures()
    }

    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Counts the durable changes of a payment from now on.
    pub fn watch(&self, seller: SellerId, id: PaymentId) -> tokio::sync::watch::Receiver<u64> {
        self.tools().watchers.watch((seller, id))
    }

    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PaymentId) -> Result<(), AskError> {
        self.rooms.command((seller, id), |_, _| panic!("a test asked the payment room to")).await
    }

    /// Opens a hosted session, once for its key: a payment that nobody has paid at yet.
    pub async fn open_session(
        &self,
        order: PaymentOrder,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.begin(self.next_id(order.seller), order, None, Some(spend)).await
    }

    /// Begins an attempt at a hosted session; refused as a conflict while another is under way and
    /// once the session has come to an end.
    pub async fn attempt(
        &self,
        seller: SellerId,
        id: PaymentId,
        attempt: NewAttempt,
    ) -> Result<Payment, AskError> {
        let source = Some(attempt.source.clone());
        self.change(seller, id, source, move |payment, windows, now| {
            payment.attempt(&attempt, windows, now)
        })
        .await
    }

    /// Takes the buyer's answer to the challenge. Where an approval is enough the provider is
    /// told, and the payment answered as that left it.
    pub async fn buyer_answered(
        &self,
        seller: SellerId,
        id: PaymentId,
        answer: BuyerAnswer,
    ) -> Result<Payment, AskError> {
        self.change(seller, id, None, move |payment, _, now| payment.buyer_answered(answer, now))
            .await
    }

    /// Changes a payment by a rule, makes the call to the provider that this leads to, and
    /// answers the payment as the provider's answer left it.
    async fn change(
        &self,
        seller: SellerId,
        id: PaymentId,
        source: Option<Source>,
        rule: impl Fn(&Payment, &Windows, Timestamp) -> Result<Change, PaymentRefusal>
        + Send
        + Sync
        + 'static,
    ) -> Result<Payment, AskError> {
        self.to_the_end(move |payments| async move {
            let decided = payments.rooms.command((seller, id), move |room, cx| {
                room.change(cx, |payment| rule(payment, &cx.tools().windows, cx.now()))
            });
            payments.call_provider(decided.await?, source).await
        })
        .await
    }

    /// Runs to the end what was begun, even if the caller goes away: nobody else knows the card
    /// that a call needs.
    async fn to_the_end<T, F>(&self, work: impl FnOnce(Self) -> F) -> Result<T, AskError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, AskError>> + Send + 'static,
    {
        tokio::spawn(work(self.clone())).await.unwrap_or(Err(AskError::Unanswered))
    }

    fn tools(&self) -> &PaymentTools {
        self.rooms.tools()
    }

    fn store(&self) -> &Store {
        &self.rooms.services().store
    }

    fn read<T>(
        &self,
        seller: SellerId,
        object: u64,
        read: Result<T, ReadError>,
    ) -> Result<T, Refusal> {
        read.map_err(|error| {
            let seller = seller.0;
            tracing::error!(seller, object, %error, "the rows of a payment cannot be read");
            Refusal::fault()
        })
    }
}
