//! A payee's verification as events carry it. The tax number is in none of them.

use serde_json::{Map, Value, json};

use super::Payee;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

pub(super) fn verification_event(payee: &Payee, kind: EventType, now: Timestamp) -> NewEvent {
    let mut payload = Map::new();
    let mut set = |name: &str, value: Value| payload.insert(name.to_owned(), value);
    set("payeeId", json!(payee.id));
    set("displayName", json!(payee.display_name));
    if let Some(id) = &payee.payee_contract_id {
        set("payeeContractId", json!(id));
    }
    if let Some(role) = payee.role {
        set("role", json!(role));
    }
    let mut verification = json!({ "status": payee.verification });
    if let Some(kind) = payee.reject_type {
        verification["reviewRejectType"] = json!(kind);
        set("reviewRejectType", json!(kind));
    }
    set("verification", verification);
    NewEvent { kind, occurred_at: now, payload: Value::Object(payload) }
}
