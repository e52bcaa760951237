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
    if let Some(link) = shown.action {
        verification["actionUrl"] = json!(link.url);
        verification["actionExpiresAt"] = json!(link.expires_at);
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
