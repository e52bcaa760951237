//! Beginning a payment of any kind: the way it takes, and the rows of its first batch.

use storage::{Fingerprint, ReadError, Seen};

use super::order::{BeginRefusal, PaymentOrder};
use super::room::{PaymentRoom, Step};
use super::{Payments, keys};
use crate::domain::country::Country;
use crate::domain::ids::{DecisionId, InvoiceId, PaymentId, SellerId, TerminalId};
use crate::domain::money::Currency;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{NewPayment, Payment, PaymentHome};
use crate::domain::payments::saved_card::SavedCard;
use crate::domain::payments::source::Source;
use crate::domain::payments::split::{DecisionRecord, Inputs, Plan};
use crate::domain::payments::terminal::{Connector, TerminalStatus, route};
use crate::domain::platform::seller::Mode;
use crate::entropy::Entropy;
use crate::kernel::{AskError, Context, Decision, Effects, Halt, KeyClaim, Once};
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::tables::{CHECKOUTS, DECISIONS, PAYMENT_KEYS, PAYMENT_REFS, SAVED_CHARGES, ids};

pub(super) struct Beginning {
    new: NewPayment,
    /// What the money is taken from; `None` for a session.
    source: Option<Source>,
    split: Option<(DecisionId, Inputs)>,
    /// The key that opening a session spends.
    spend: Option<KeyClaim>,
}

type ChosenTerminal = Option<(TerminalId, Connector)>;

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
    fn route_of(
        &self,
        seller: SellerId,
        mode: Mode,
        card: &SavedCard,
    ) -> Result<ChosenTerminal, ReadError> {
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
    ) -> Result<ChosenTerminal, ReadError> {
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
        let names = Names::of(new);
        let seen = self.check_names(cx, &names, beginning)?;
        let record = split.clone().map(|(decision, inputs)| {
            DecisionRecord::made(decision, seller, id, new.amount, inputs, cx.now())
        });
        let new = NewPayment { split: record.as_ref().map(Plan::from), ..new.clone() };
        let change = Payment::start(new, source.as_ref(), &cx.tools().windows, cx.now());
        let (mut effects, step) = self.effects(cx, change)?;

        self.begin_at_link(cx, &step.payment, &mut effects)?;
        self.begin_at_subscription(cx, &step.payment, &mut effects)?;
        names.claim(&mut effects, id, seen);
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
        self.begin_at_invoice(cx, &step.payment, &mut effects)?;
        Ok(effects.answer(step))
    }

    /// Goes on unless a payment goes by one of these names, and tells how far its key was searched
    /// for. Two requests under one key have one reference too: looked for before the keys, a used
    /// reference is never taken for another payment's.
    fn check_names(
        &self,
        cx: &Context<Self>,
        names: &Names,
        Beginning { new, spend, .. }: &Beginning,
    ) -> Result<Seen, Halt> {
        let reference_used = cx.contains(PAYMENT_REFS, &names.reference)?;
        let seen = match names.key {
            Some(key) => keys::free(cx, self.seller, key)?,
            None => Seen::default(),
        };
        if let Some(claim) = spend {
            claim.check(cx, self.seller)?;
        }
        if let Some(row) = &names.charge {
            cx.once(SAVED_CHARGES, row)?;
        }
        self.order_of_subscription(cx, new)?;
        if reference_used {
            let of_invoice = new.pays_for.invoice().map(|_| BeginRefusal::InProgress);
            return Err(of_invoice.unwrap_or(BeginRefusal::ReferenceUsed).into());
        }
        Ok(seen)
    }
}

/// What a payment goes by; each is of one payment alone.
struct Names {
    reference: (SellerId, String),
    key: Option<Fingerprint>,
    /// The attempt at an invoice by which a saved card is charged.
    charge: Option<(SellerId, InvoiceId, u32)>,
}

impl Names {
    fn of(new: &NewPayment) -> Self {
        let charge = new.pays_for.invoice().zip(new.saved_charge);
        Self {
            reference: (new.seller, new.reference.clone()),
            key: new.order.as_ref().map(|order| keys::fingerprint(&order.key)),
            charge: charge.map(|((_, invoice), charge)| (new.seller, invoice, charge.attempt)),
        }
    }

    fn claim(&self, effects: &mut Effects<PaymentRoom>, id: PaymentId, seen: Seen) {
        effects.claim(PAYMENT_REFS, &self.reference, &id);
        if let Some(key) = self.key {
            let (seller, claim) = (self.reference.0, (key, keys::taken_for(id)));
            effects.rows.claim_fingerprints(PAYMENT_KEYS, seller.0, vec![claim], seen);
        }
        if let Some(row) = &self.charge {
            effects.claim(SAVED_CHARGES, row, &id);
        }
    }
}
