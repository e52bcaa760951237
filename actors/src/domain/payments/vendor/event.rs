use serde_json::{Value, json};

use super::{Capabilities, Vendor};
use crate::domain::payments::payee::Payee;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

pub(super) fn vendor_event(
    (payee, vendor): (&Payee, &Vendor),
    shown: &Capabilities<'_>,
    kind: EventType,
    now: Timestamp,
) -> NewEvent {
    NewEvent { kind, occurred_at: now, payload: payload(payee, vendor, shown) }
}

fn payload(payee: &Payee, vendor: &Vendor, shown: &Capabilities<'_>) -> Value {
    let mut verification = json!({ "status": shown.status });
    // `actionUrl` comes in when the event is told: whoever reads the folder is not to have it.
    if let Some(until) = shown.action_until {
        verification["actionExpiresAt"] = json!(until);
    }
    let mut allowance = json!({
        "enforcement": shown.allowance.enforcement,
        "unlimited": shown.allowance.is_unlimited(),
    });
    if let Some(limit) = shown.allowance.limit_minor {
        allowance["limitMinor"] = json!(limit);
    }
    json!({
        "vendorId": vendor.id,
        "payeeId": payee.id,
        "displayName": payee.display_name,
        "payoutsEnabled": shown.payouts_enabled,
        "verification": verification,
        "payoutAllowance": allowance,
    })
}
