//! Beginning a payment of any kind: the way it takes, and the rows of its first batch.

use storage::ReadError;

use super::Payments;
use super::reads::rests_until;
use super::room::{PaymentRoom, Step};
use crate::domain::country::Country;
use crate::domain::ids::{CustomerId, DecisionId, PaymentId, SellerId, TerminalId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{
    CaptureMode, Checkout, NewPayment, OrderTerms, Payment, PaymentHome, PaysFor,
};
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
use crate::domain::payments::source::Source;
use crate::domain::payments::split::{DecisionRecord, Inputs, Plan};
use crate::domain::payments::terminal::{Connector, TerminalStatus, route};
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::{Cause, RefusalKind, Refuse};
use crate::entropy::Entropy;
use crate::kernel::{AskError, Context, Decision, Halt, KeyClaim, Once};
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::tables::{
    CHECKOUTS, DECISIONS, INVOICE_PAYMENTS, NO_PAYMENT, OPEN_PAYMENTS, PAYMENT_KEYS, PAYMENT_REFS,
    SAVED_CHARGES, ids,
};

/// A payment that is to be begun; all of it has been checked.
#[derive(Clone, Debug)]
pub struct PaymentOrder {
    pub seller: SellerId,
    /// `externalOrderRef`; unique to the seller.
    pub reference: String,
    /// Above 0, but for a card that is only verified.
    pub amount: Money,
    pub pays_for: PaysFor,
    /// Of a session, until the buyer chooses, a card.
    pub method: Method,
    pub country: Option<Country>,
    pub capture: CaptureMode,
    /// The rest of what a seller asked for over the API, with its idempotency key.
    pub terms: Option<OrderTerms>,
    pub split: Option<Inputs>,
    /// The hosted session at which it is paid.
    pub checkout: Option<Checkout>,
    pub forced: Option<FailureCode>,
    /// Whose card is saved once it succeeds.
    pub saves_for: Option<CustomerId>,
    /// The saved card that it charges, as which attempt at its invoice.
    pub saved: Option<(SavedCharge, SavedCard)>,
}

impl PaymentOrder {
    /// An order of the seller's own, by card and captured at once; all of it stays with the
    /// seller.
    pub fn new(seller: SellerId, reference: String, amount: Money) -> Self {
        Self {
            seller,
            reference,
            amount,
            pays_for: PaysFor::Order,
            method: Method::Card,
            country: None,
            capture: CaptureMode::Automatic,
            terms: None,
            split: None,
            checkout: None,
            forced: None,
            saves_for: None,
            saved: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginRefusal {
    #[error("externalOrderRef is already used")]
    ReferenceUsed,
    /// Another payment of the invoice is open, which may yet pay it.
    #[error("another payment is in progress")]
    InProgress,
    #[error("the invoice is already paid")]
    Paid,
    #[error("the invoice is voided")]
    Voided,
    #[error("the payment link is already paid")]
    LinkPaid,
    #[error("too many cards were declined, try again later")]
    TooManyDeclines,
    /// The charge of a saved card that was removed in the meantime, or is not wanted any more.
    #[error("the charge was called off")]
    CalledOff,
}

impl Refuse for BeginRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }

    fn cause(&self) -> Cause {
        match self {
            Self::ReferenceUsed => Cause::ReferenceUsed,
            _ => Cause::Other,
        }
    }
}

pub(super) struct Beginning {
    new: NewPayment,
    /// What the money is taken from; `None` for a session.
    source: Option<Source>,
    split: Option<(DecisionId, Inputs)>,
    /// The key that opening a session spends.
    spend: Option<KeyClaim>,
}

type Route = Option<(TerminalId, Connector)>;

impl Payments {
    pub async fn initiate(
        &self,
        order: PaymentOrder,
        source: Source,
    ) -> Result<Once<Payment>, AskError> {
        self.begin(self.next_id(order.seller), order, Some(source), None).await
    }

    /// The way of a saved card: only whoever keeps it can charge it, in the mode that it was saved
    /// in.
    fn route_of(&self, seller: SellerId, mode: Mode, card: &SavedCard) -> Result<Route, ReadError> {
        let Some(id) = card.terminal.filter(|_| card.is_of(mode)) else { return Ok(None) };
        let snapshot = self.rooms.services().directory.seller(seller)?;
        let terminals = snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.terminals);
        let found = terminals.iter().find(|terminal| terminal.id == id);
        let open = found
            .filter(|terminal| terminal.status == TerminalStatus::Active && terminal.mode == mode);
        Ok(open.map(|terminal| (terminal.id, terminal.connector)))
    }

    /// Tries a payment again that failed for a passing reason, with the card or token of the
    /// replayed request; refused as a conflict when it is not to be tried again.
    pub async fn retry(
        &self,
        seller: SellerId,
        id: PaymentId,
        source: Source,
    ) -> Result<Payment, AskError> {
        self.change(seller, id, Some(source), |payment, windows, now| payment.retry(windows, now))
            .await
    }

    pub(super) async fn begin(
        &self,
        id: PaymentId,
        order: PaymentOrder,
        source: Option<Source>,
        spend: Option<KeyClaim>,
    ) -> Result<Once<Payment>, AskError> {
        let beginning = Beginning {
            split: order.split.clone().map(|inputs| (self.decision_id(order.seller), inputs)),
            new: self.read(order.seller, id.0, self.new_payment(id, order))?,
            source,
            spend,
        };
        self.to_the_end(move |payments| async move {
            let (seller, source) = (beginning.new.seller, beginning.source.clone());
            let begun =
                payments.rooms.once((seller, id), move |room, cx| room.begin(cx, &beginning));
            payments.call_provider_once(begun.await?, source).await
        })
        .await
    }

    fn new_payment(&self, id: PaymentId, order: PaymentOrder) -> Result<NewPayment, ReadError> {
        let PaymentOrder { seller, amount, method, country, .. } = order;
        let snapshot = self.rooms.services().directory.seller(seller)?;
        let mode = snapshot.map_or(Mode::Live, |snapshot| snapshot.seller.mode);
        // The way of a session is found when its buyer has chosen how to pay.
        let route = match (&order.checkout, &order.saved) {
            (Some(_), _) => None,
            (None, Some((_, card))) => self.route_of(seller, mode, card)?,
            (None, None) => self.route(seller, mode, method, amount.currency, country)?,
        };
        let signs = order.pays_for.subscription().is_some() && order.saved.is_none();
        let keeps = order.saves_for.is_some() || signs;
        Ok(NewPayment {
            id,
            seller,
            reference: order.reference,
            amount,
            pays_for: order.pays_for,
            demo: mode == Mode::Demo,
            provider_key: LinkTokens::draw(Entropy),
            route,
            method,
            country,
            capture: order.capture,
            order: order.terms,
            split: None,
            checkout: order.checkout,
            forced: order.forced,
            consent: keeps.then(|| self.consent_of(order.seller, order.saves_for)),
            saved_charge: order.saved.map(|(charge, _)| charge),
        })
    }

    /// The terminal that takes a payment of this kind.
    pub fn route(
        &self,
        seller: SellerId,
        mode: Mode,
        method: Method,
        currency: Currency,
        country: Option<Country>,
    ) -> Result<Route, ReadError> {
        let snapshot = self.rooms.services().directory.seller(seller)?;
        let terminals = snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.terminals);
        let found = route(terminals, method.rail(), method, currency, country, mode);
        Ok(found.map(|terminal| (terminal.id, terminal.connector)))
    }

    /// The id of a payment that is about to begin.
    pub(crate) fn next_id(&self, seller: SellerId) -> PaymentId {
        PaymentId(self.store().next_id_in(ids::PAYMENT, seller.shard()))
    }

    fn decision_id(&self, seller: SellerId) -> DecisionId {
        DecisionId(self.store().next_id_in(ids::DECISION, seller.shard()))
    }
}

impl PaymentRoom {
    fn begin(
        &self,
        cx: &Context<Self>,
        beginning: &Beginning,
    ) -> Result<Decision<Self, Step>, Halt> {
        let (seller, id) = (self.seller, self.id);
        let Beginning { new, source, split, spend } = beginning;
        let invoice = new.pays_for.invoice().map(|(_, invoice)| (seller, invoice));
        let reference = (seller, new.reference.clone());
        let key = new.order.as_ref().map(|order| (seller, order.key.clone()));

        // Two requests under one key have one reference too: looked for before the keys, a used
        // reference is never taken for another payment's.
        let reference_used = cx.contains(PAYMENT_REFS, &reference)?;
        if let Some(key) = &key {
            cx.once(PAYMENT_KEYS, key)?;
        }
        if let Some(claim) = spend {
            claim.check(cx, seller)?;
        }
        let charge = invoice
            .zip(new.saved_charge)
            .map(|((seller, invoice), charge)| (seller, invoice, charge.attempt));
        if let Some(row) = &charge {
            cx.once(SAVED_CHARGES, row)?;
        }
        self.order_of_subscription(cx, new)?;
        if reference_used {
            let of_invoice = invoice.map(|_| BeginRefusal::InProgress);
            return Err(of_invoice.unwrap_or(BeginRefusal::ReferenceUsed).into());
        }
        let record = split.clone().map(|(decision, inputs)| {
            DecisionRecord::made(decision, seller, id, new.amount, inputs, cx.now())
        });
        let new = NewPayment { split: record.as_ref().map(Plan::from), ..new.clone() };
        let change = Payment::start(new, source.as_ref(), &cx.tools().windows, cx.now());
        let (mut effects, step) = self.effects(cx, change)?;

        self.begin_at_link(cx, &step.payment, &mut effects)?;
        self.begin_at_subscription(cx, &step.payment, &mut effects)?;
        effects.claim(PAYMENT_REFS, &reference, &id);
        if let Some(key) = &key {
            effects.claim(PAYMENT_KEYS, key, &id);
        }
        if let Some(row) = &charge {
            effects.claim(SAVED_CHARGES, row, &id);
        }
        if let Some(claim) = spend {
            claim.hold(&mut effects, seller, id.0);
        }
        if let Some(record) = &record {
            effects.put(DECISIONS, &(seller, id, record.id), record);
        }
        if step.payment.checkout.is_some() {
            let session = LinkHash::of(&cx.services().links.of_checkout(&step.payment));
            effects.put(CHECKOUTS, &session, &PaymentHome { seller, payment: id });
        }
        if let Some(invoice) = invoice {
            effects.put(INVOICE_PAYMENTS, &(seller, invoice.1, id), &());
            // One open payment at most, so that two pages cannot both pay.
            if !step.payment.status.is_lost() {
                match cx.get(OPEN_PAYMENTS, &invoice)? {
                    Some(NO_PAYMENT) => return Err(BeginRefusal::Voided.into()),
                    Some(_) => return Err(BeginRefusal::InProgress.into()),
                    None => {}
                }
                // Looked for behind the one before, which has ended by now.
                let rests = rests_until(cx.store(), seller, invoice.1, cx.now());
                if cx.read(rests)?.is_some() {
                    return Err(BeginRefusal::TooManyDeclines.into());
                }
                effects.claim(OPEN_PAYMENTS, &invoice, &id);
            }
        }
        Ok(effects.answer(step))
    }
}
