//! What a rule makes of a payment: the record, and the events, messages and wallet movements that
//! follow from it.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    Payment, PaymentRefusal, PaymentStatus, Refund, RefundStatus, SpentKey, Trigger, next_status,
};
use crate::domain::ids::RefundId;
use crate::domain::messages::Envelope;
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::{CardConsent, SavedCard};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::split::{Plan, ShareMoves, capture_moves, credited, refund_moves};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;
use crate::secrets::Sealed;

/// A payment as it is from now on, with what has to be told. The next provider call is
/// [`Payment::asking`], the next timer [`Payment::next_timer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub payment: Payment,
    pub events: Vec<NewEvent>,
    /// A message to whom it pays for: the contract of its invoice, the seller of its link, its
    /// subscription.
    pub message: Option<Envelope>,
    pub shares: ShareMoves,
    pub refund: Option<Refund>,
    pub refund_moved: Option<RefundMove>,
    /// A key that may be used again: what it was spent on did not happen.
    pub freed: Option<SpentKey>,
    /// A card that its holder let be saved.
    pub saved: Option<SavedCard>,
    /// A card that the processor keeps since it holds the money, and nobody wants.
    pub unwanted: Option<SavedCard>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundMove {
    pub id: RefundId,
    pub status: RefundStatus,
    pub failure: Option<FailureCode>,
    pub token: Option<String>,
}

impl Change {
    pub(super) fn without_effects(payment: Payment) -> Self {
        Self {
            payment,
            events: Vec::new(),
            message: None,
            shares: Vec::new(),
            refund: None,
            refund_moved: None,
            freed: None,
            saved: None,
            unwanted: None,
        }
    }

    pub fn nothing(payment: &Payment) -> Self {
        Self::without_effects(payment.clone())
    }

    pub(super) fn begun(payment: Payment) -> Self {
        let mut change = Self::without_effects(payment);
        if change.payment.status.completes() && !change.payment.is_verification() {
            change.events.push(completed_event(&change.payment));
        }
        let at = change.payment.created_at;
        change.message = change.payment.lost(at);
        change
    }

    /// `payment` after `trigger`, with all that entering the new status brings along.
    pub(super) fn by(
        payment: &Payment,
        trigger: Trigger,
        now: Timestamp,
        edit: impl FnOnce(&mut Payment),
    ) -> Result<Self, PaymentRefusal> {
        let from = payment.status;
        let to = next_status(from, trigger).ok_or(PaymentRefusal::Move { from, trigger })?;
        let mut payment = payment.clone();
        payment.status = to;
        payment.updated_at = now;
        edit(&mut payment);
        if to != PaymentStatus::ProviderPending {
            payment.expires_at = None;
            if from == PaymentStatus::ProviderPending && !to.is_lost() {
                payment.paid_at = Some(now);
            }
        }
        if to != PaymentStatus::Authorized {
            payment.hold_ends_at = None;
        }
        if to.is_past_capturing() {
            // A capture that failed is told of while another may follow.
            payment.failure = None;
        }
        let mut change = Self::without_effects(payment);
        if to != from {
            change.enter(from, now);
        }
        Ok(change)
    }

    fn enter(&mut self, from: PaymentStatus, now: Timestamp) {
        let status = self.payment.status;
        // A payment that falls back after a partial refund told of its status before, unless it
        // settled meanwhile; and of a card that was verified tells what it was kept for.
        let told_before = from == PaymentStatus::RefundPending && !self.payment.settlement_untold;
        let tells = !told_before && !self.payment.is_verification();
        if status.completes() && tells {
            self.payment.settlement_untold = false;
            self.events.push(completed_event(&self.payment));
        }
        if status == PaymentStatus::Authorized && self.payment.waits_for_capture() {
            self.events.push(authorized_event(&self.payment));
        }
        let first = matches!(from, PaymentStatus::ProviderPending | PaymentStatus::Authorized);
        if first && status == PaymentStatus::ProviderCompleted {
            self.saved = self.payment.card_to_save(now);
        }
        if from == PaymentStatus::Authorized && status.is_lost() {
            self.unwanted = self.payment.card_to_save(now);
        }
        self.message = match (from, status) {
            (_, PaymentStatus::ProviderCompleted) if first => self.payment.success(now),
            (_, PaymentStatus::Failed) if !first => self.payment.reversed(now),
            _ => self.payment.lost(now),
        };
    }
}

impl Payment {
    /// This payment with what the processor calls the card that it keeps.
    #[must_use]
    pub fn keeping(self, token: Option<Sealed>) -> Self {
        let consent =
            self.consent.map(|consent| CardConsent { token: token.or(consent.token), ..consent });
        Self { consent, ..self }
    }

    pub(super) fn card_to_save(&self, now: Timestamp) -> Option<SavedCard> {
        let CardConsent { customer, card: id, token } = self.consent.clone()?;
        Some(SavedCard {
            id,
            customer,
            card: self.card.clone()?,
            token: token?,
            terminal: self.terminal,
            connector: self.connector,
            demo: self.demo,
            created_at: now,
        })
    }

    fn plan(&self) -> Cow<'_, Plan> {
        self.split.as_ref().map_or_else(|| Cow::Owned(Plan::default()), Cow::Borrowed)
    }
}

impl Change {
    /// With the shares of what was captured since `before`.
    pub(super) fn with_capture_shares(mut self, before: &Payment) -> Self {
        let (plan, whole) = (before.plan(), before.amount.minor);
        let (was, is) = (before.captured_minor.unwrap_or(0), self.payment.captured());
        self.shares = capture_moves(&plan, whole, was, is);
        self
    }

    pub(super) fn with_refund_shares(mut self, before: &Payment) -> Self {
        let had = credited(&before.plan(), before.amount.minor, before.captured());
        let (was, is) = (before.refunds.refunded_minor, self.payment.refunds.refunded_minor);
        self.shares = refund_moves(&had, was, is);
        self
    }

    pub(super) fn with_settled_shares(mut self) -> Self {
        let payment = &self.payment;
        let had = credited(&payment.plan(), payment.amount.minor, payment.captured());
        let parties = had.into_iter().filter(|(_, minor)| *minor > 0);
        self.shares = parties.map(|(who, minor)| (who, ShareMove::Settled, minor)).collect();
        self
    }

    /// With all shares gone: what was captured did not settle.
    pub(super) fn with_lost_shares(mut self, before: &Payment) -> Self {
        let had = credited(&before.plan(), before.amount.minor, before.captured());
        let back = before.refunds.refunded_minor;
        self.shares = refund_moves(&had, back, before.captured());
        self
    }
}

/// The fields of a payment in events: those of the payment answer, with the amount in minor
/// units. Fields without a value are left out; `failureCode` is 0 when not failed.
pub fn payment_fields(payment: &Payment) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("paymentId", json!(payment.reference));
    set("status", json!(payment.status.name()));
    set("amountMinor", json!(payment.amount.minor));
    set("currencyCode", json!(payment.amount.currency));
    set("requiresAction", json!(payment.requires_action()));
    set("failureCode", json!(payment.failure.map_or(0, |failure| failure.code.code())));
    if let Some(category) = payment.failure_category() {
        set("failureCategory", json!(category.name()));
    }
    if let Some(retry) = payment.retry_advice() {
        set("retry", json!(retry.name()));
    }
    if let Some(failure) = payment.failure {
        set("failureDescription", json!(failure.code.description()));
        set("failureStage", json!(failure.stage.name()));
    }
    if let Some(card) = &payment.card {
        set(
            "card",
            json!({
                "brand": card.brand.name(),
                "last4": card.last4,
                "expMonth": card.expiry.month,
                "expYear": card.expiry.year,
            }),
        );
    }
    set("paymentType", json!(payment.method.rail().name()));
    set("paymentMethod", json!(payment.method.name()));
    set("capturedAmountMinor", json!(payment.captured()));
    set("refundedAmountMinor", json!(payment.refunds.refunded_minor));
    if let Some((contract, invoice)) = payment.pays_for.invoice() {
        set("contractId", json!(contract));
        set("invoiceId", json!(invoice));
    }
    if let Some(link) = payment.pays_for.link() {
        set("paymentLinkId", json!(link));
    }
    if let Some((subscription, _)) = payment.pays_for.subscription() {
        set("linkSubscriptionId", json!(subscription));
    }
    set("createdAt", json!(payment.created_at));
    set("updatedAt", json!(payment.updated_at));
    fields
}

pub(super) fn completed_event(payment: &Payment) -> NewEvent {
    NewEvent {
        kind: EventType::PaymentCompleted,
        occurred_at: payment.updated_at,
        payload: Value::Object(payment_fields(payment)),
    }
}

pub(super) fn authorized_event(payment: &Payment) -> NewEvent {
    NewEvent { kind: EventType::PaymentAuthorized, ..completed_event(payment) }
}

/// The event of a refund that went through; `payment` is as it stands after it.
pub(super) fn refunded_event(payment: &Payment, id: RefundId, amount: Money) -> NewEvent {
    let mut fields = payment_fields(payment);
    fields.insert("refundId".to_owned(), json!(id));
    fields.insert("refundedAmountMinor".to_owned(), json!(amount.minor));
    fields.insert("totalRefundedAmountMinor".to_owned(), json!(payment.refunds.refunded_minor));
    fields.insert("partial".to_owned(), json!(amount.minor < payment.captured()));
    NewEvent {
        kind: EventType::PaymentRefunded,
        occurred_at: payment.updated_at,
        payload: Value::Object(fields),
    }
}
