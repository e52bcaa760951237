//! The events of stored credit as webhooks carry them; `at` is wall time.

use serde_json::json;

use super::CreditType;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

pub fn credit_applied(
    contract: ContractId,
    invoice: InvoiceId,
    (amount_minor, balance_minor): (i64, i64),
    currency: Currency,
    at: Timestamp,
) -> NewEvent {
    let payload = json!({
        "contractId": contract,
        "invoiceId": invoice,
        "amountMinor": amount_minor,
        "currency": currency,
        "balanceMinor": balance_minor,
    });
    NewEvent { kind: EventType::CreditApplied, occurred_at: at, payload }
}

pub fn credit_depleted(
    contract: ContractId,
    credit_type: CreditType,
    currency: Currency,
    at: Timestamp,
) -> NewEvent {
    let payload = json!({
        "contractId": contract,
        "currency": currency,
        "creditType": credit_type,
    });
    NewEvent { kind: EventType::CreditDepleted, occurred_at: at, payload }
}
