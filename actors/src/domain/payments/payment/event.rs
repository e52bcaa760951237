//! A payment as events carry it (payments 2.2 and 6.2, decisions 7).

use serde_json::{Map, Value, json};

use super::Payment;
use crate::domain::ids::RefundId;
use crate::domain::money::Money;
use crate::domain::platform::event::{EventType, NewEvent};

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
    if let Some(failure) = payment.failure {
        set("retry", json!(failure.code.retry().name()));
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
    set("createdAt", json!(payment.created_at));
    set("updatedAt", json!(payment.updated_at));
    fields
}

/// The event of a payment that entered a terminal status.
pub(super) fn completed_event(payment: &Payment) -> NewEvent {
    NewEvent {
        kind: EventType::PaymentCompleted,
        occurred_at: payment.updated_at,
        payload: Value::Object(payment_fields(payment)),
    }
}

/// The event of a payment that waits for its capture.
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
