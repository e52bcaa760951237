//! Beginning payments: those that a seller initiates, and hosted sessions (payments 2.1, 2.3).

use storage::ReadError;

use super::command::{Command, Start};
use super::handle::{Asked, Payments};
use crate::domain::country::Country;
use crate::domain::ids::{DecisionId, PaymentId, SellerId, TerminalId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{
    CaptureMode, Checkout, NewAttempt, NewPayment, OrderTerms, Payment, PaysFor,
};
use crate::domain::payments::source::Source;
use crate::domain::payments::split::Inputs;
use crate::domain::payments::terminal::{Connector, route};
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::entropy::Entropy;
use crate::room::AskError;
use crate::seller::SpendKey;
use crate::tables::ids;

/// A payment as a seller initiates it; all of it has been checked.
#[derive(Clone, Debug)]
pub struct DirectOrder {
    /// Whose payment it is.
    pub seller: SellerId,
    /// `externalOrderRef`.
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    /// What it is paid with.
    pub method: Method,
    /// The buyer's country, if it was stated.
    pub country: Option<Country>,
    /// When the held amount is taken.
    pub capture: CaptureMode,
    /// The rest of what was asked for.
    pub terms: OrderTerms,
    /// How it is shared, if it is.
    pub split: Option<Inputs>,
    /// What a demo request forces on it.
    pub forced: Option<FailureCode>,
}

/// A hosted session to be opened; all of it has been checked.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Whose payment it is.
    pub seller: SellerId,
    /// `externalOrderRef`.
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    /// The buyer's country, if it was stated.
    pub country: Option<Country>,
    /// When the held amount is taken.
    pub capture: CaptureMode,
    /// How it is shared, if it is.
    pub split: Option<Inputs>,
    /// The session itself.
    pub checkout: Checkout,
    /// The key that the request spends.
    pub spend: SpendKey,
}

/// What became of a beginning.
#[derive(Clone, Debug, PartialEq)]
pub enum Initiated {
    /// The payment is there, as the provider's first answer left it.
    Made(Box<Payment>),
    /// The key has made another payment: this request is a replay.
    KeyUsed,
    /// The reference is another payment's. Nothing was written.
    ReferenceUsed,
}

/// Where a payment goes: nowhere if no terminal takes it.
type Route = Option<(TerminalId, Connector)>;

impl Payments {
    /// Initiates a payment and asks the provider (payments 3).
    ///
    /// # Errors
    /// As [`AskError`] says; refused only by a fault of our own.
    pub async fn initiate(
        &self,
        order: DirectOrder,
        source: Source,
    ) -> Result<Initiated, AskError> {
        let prepared = self.prepare(order.seller, order.method, order.amount, order.country);
        let Ok((id, mode, route)) = prepared else { return Err(Refusal::fault().into()) };
        let split = order.split.map(|inputs| (self.decision_id(), inputs));
        let new = NewPayment {
            id,
            seller: order.seller,
            reference: order.reference,
            amount: order.amount,
            pays_for: PaysFor::Order,
            demo: mode == Mode::Demo,
            provider_key: Entropy.token(),
            route,
            method: order.method,
            country: order.country,
            capture: order.capture,
            order: Some(order.terms),
            split: None,
            checkout: None,
            forced: order.forced,
        };
        self.begin(Start { new, source: Some(source), split, spend: None }).await
    }

    /// Opens a hosted session: a payment that nobody has paid at yet.
    ///
    /// # Errors
    /// As [`AskError`] says; refused only by a fault of our own.
    pub async fn open_session(&self, session: NewSession) -> Result<Initiated, AskError> {
        let method = Method::Card;
        let prepared = self.prepare(session.seller, method, session.amount, session.country);
        let Ok((id, mode, _)) = prepared else { return Err(Refusal::fault().into()) };
        let seller = session.seller;
        let split = session.split.map(|inputs| (self.decision_id(), inputs));
        let new = NewPayment {
            id,
            seller,
            reference: session.reference,
            amount: session.amount,
            pays_for: PaysFor::Order,
            demo: mode == Mode::Demo,
            provider_key: Entropy.token(),
            route: None,
            method,
            country: session.country,
            capture: session.capture,
            order: None,
            split: None,
            checkout: Some(session.checkout),
            forced: None,
        };
        self.begin(Start { new, source: None, split, spend: Some(session.spend) }).await
    }

    /// Hands a beginning to the payment's room and carries the call out that it wrote down, to
    /// the end even if the caller goes away.
    pub(super) async fn begin(&self, start: Start) -> Result<Initiated, AskError> {
        let payments = self.clone();
        let task = tokio::spawn(async move {
            let id = (start.new.seller, start.new.id);
            let source = start.source.clone();
            let command = |reply| Command::Start { start: Box::new(start.clone()), reply };
            match payments.rooms.ask(id, command).await? {
                Initiated::Made(payment) => {
                    let asked = payments.ask_on(*payment, source).await?;
                    Ok(Initiated::Made(Box::new(asked)))
                }
                other => Ok(other),
            }
        });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }

    /// The terminal that takes a payment of this kind.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn route(
        &self,
        seller: SellerId,
        mode: Mode,
        method: Method,
        currency: Currency,
        country: Option<Country>,
    ) -> Result<Route, ReadError> {
        let snapshot = self.rooms.tools().directory.seller(seller)?;
        let terminals = snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.terminals);
        let found = route(terminals, method.rail(), method, currency, country, mode);
        Ok(found.map(|terminal| (terminal.id, terminal.connector)))
    }

    /// The mode in which a seller's payments are made.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn mode_of(&self, seller: SellerId) -> Result<Mode, ReadError> {
        let snapshot = self.rooms.tools().directory.seller(seller)?;
        Ok(snapshot.map_or(Mode::Live, |snapshot| snapshot.seller.mode))
    }

    pub(super) fn prepare(
        &self,
        seller: SellerId,
        method: Method,
        amount: Money,
        country: Option<Country>,
    ) -> Result<(PaymentId, Mode, Route), ReadError> {
        let id = PaymentId(self.store.next_id(ids::PAYMENT));
        let mode = self.mode_of(seller)?;
        let route = self.route(seller, mode, method, amount.currency, country);
        let route = route.inspect_err(|error| {
            tracing::error!(%error, "a payment could not be prepared");
        })?;
        Ok((id, mode, route))
    }

    fn decision_id(&self) -> DecisionId {
        DecisionId(self.store.next_id(ids::DECISION))
    }

    /// Begins an attempt at a hosted session (payments 2.3, decisions 13).
    ///
    /// # Errors
    /// As [`AskError`] says; refused as a conflict while another attempt is under way and once
    /// the session has come to an end.
    pub async fn attempt(&self, seller: SellerId, id: PaymentId, attempt: NewAttempt) -> Asked {
        let source = attempt.source.clone();
        let command = move |reply| Command::Attempt { attempt: Box::new(attempt.clone()), reply };
        self.carry_on(seller, id, command, Some(source)).await
    }
}
