//! A payout as events and call-backs carry it: the fields of its answer, money in minor units. Of
//! the account only what answers show.

use serde_json::{Map, Value, json};

use super::Payout;
use crate::domain::payments::bank::Destination;
use crate::domain::platform::event::{EventType, NewEvent};

pub fn payout_event(payout: &Payout, kind: EventType) -> NewEvent {
    let payload = Value::Object(payout_fields(payout));
    NewEvent { kind, occurred_at: payout.updated_at, payload }
}

/// The fields of a payout in events. Fields without a value are left out.
pub fn payout_fields(payout: &Payout) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_owned(), value);
        }
    };
    set("id", json!(payout.id));
    set("payoutId", json!(payout.id));
    set("walletId", json!(payout.wallet));
    set("payeeId", json!(payout.payee));
    set("payoutMethodId", json!(payout.method));
    set("amountMinor", json!(payout.amount_minor));
    set("currencyCode", json!(payout.currency));
    set("status", json!(payout.status));
    set("approvalStatus", json!(payout.approval));
    set("destination", destination_fields(&payout.destination));
    set("providerReference", json!(payout.provider_reference));
    set("failureCode", json!(payout.failure_code));
    set("mode", json!(payout.mode));
    set("createdAt", json!(payout.created_at));
    set("completedAt", json!(payout.completed_at));
    fields
}

fn destination_fields(destination: &Destination) -> Value {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_owned(), value);
        }
    };
    set("bankAccountType", json!(destination.kind));
    set("accountName", json!(destination.account_name));
    set("bankName", json!(destination.bank_name));
    set("bankCountry", json!(destination.bank_country));
    set(destination.form.name(), json!(destination.masked()));
    set("sortCode", json!(destination.sort_code));
    set("routingNumber", json!(destination.routing_number));
    set("bic", json!(destination.bic));
    Value::Object(fields)
}
