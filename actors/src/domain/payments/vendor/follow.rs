//! How the verification of a vendor and that of its payee follow each other, and what is told of
//! it.

use super::allowance::with;
use super::event::vendor_event;
use super::{Vendor, VendorRefusal, VendorStatus};
use crate::domain::payments::payee::{Decision, Payee, PayeeChange, RejectType, Verification};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// Takes a change of a payee over to the vendor that it is, and adds what is told of the vendor.
/// The change of a payee that is no vendor stays as it is. `before` is absent for a new one.
#[must_use]
pub fn follow(
    before: Option<&Payee>,
    change: PayeeChange,
    mode: Mode,
    now: Timestamp,
) -> PayeeChange {
    if change.payee.vendor.is_none() {
        return change;
    }
    let mut change = match before {
        Some(before) => followed(before, change, mode, now),
        None => change,
    };
    change.events.extend(vendor_events(before, &change.payee, mode, now));
    change
}

fn followed(before: &Payee, change: PayeeChange, mode: Mode, now: Timestamp) -> PayeeChange {
    let PayeeChange { payee, events } = change;
    let (Some(was), Some(vendor)) = (&before.vendor, &payee.vendor) else {
        return PayeeChange { payee, events };
    };
    if (was.status, was.mode) != (vendor.status, vendor.mode) {
        // A rule of vendors has said how it stands.
        return PayeeChange { payee, events };
    }
    let standing = was.capabilities(before, mode, now).status;
    let found = payee.verification_in(mode);
    let waits = matches!(standing, VendorStatus::Required | VendorStatus::Blocked);
    if found.0 == Verification::Pending && waits {
        // Other data begins nothing before the vendor has answered its link, and lifts no block.
        let payee = Payee {
            verification: before.verification,
            reject_type: before.reject_type,
            mode: before.mode,
            verifies_at: None,
            ..payee
        };
        return PayeeChange { payee, events: Vec::new() };
    }
    if found == before.verification_in(mode) {
        return PayeeChange { payee, events };
    }
    let status = match found {
        (Verification::Approved, _) => VendorStatus::Complete,
        (Verification::ManualReview, _) => VendorStatus::PendingReview,
        (Verification::Rejected, Some(RejectType::Final)) => VendorStatus::Blocked,
        (Verification::Rejected, _) => VendorStatus::Required,
        (Verification::Pending, _) => VendorStatus::InProgress,
    };
    let vendor = Vendor { status, mode, ..vendor.clone() };
    PayeeChange { payee: with(&payee, vendor), events }
}

fn vendor_events(
    before: Option<&Payee>,
    payee: &Payee,
    mode: Mode,
    now: Timestamp,
) -> Vec<NewEvent> {
    let Some(vendor) = &payee.vendor else { return Vec::new() };
    let shown = vendor.capabilities(payee, mode, now);
    let old = before.and_then(|before| Some((before.vendor.as_ref()?, before)));
    let old = old.map(|(vendor, before)| (vendor, vendor.capabilities(before, mode, now)));
    let mut kinds = Vec::new();
    let linked = old.is_some_and(|(known, _)| known.link_until != vendor.link_until);
    if old.is_none_or(|(_, was)| was.status != shown.status)
        || (linked && shown.status == VendorStatus::Required)
    {
        kinds.push(match shown.status {
            VendorStatus::Required => EventType::MarketplaceVendorVerificationRequired,
            VendorStatus::InProgress => EventType::MarketplaceVendorVerificationInProgress,
            VendorStatus::PendingReview => EventType::MarketplaceVendorVerificationPendingReview,
            VendorStatus::Complete => EventType::MarketplaceVendorVerificationComplete,
            VendorStatus::Blocked => EventType::MarketplaceVendorBlocked,
        });
    }
    if shown.payouts_enabled && old.is_none_or(|(_, was)| !was.payouts_enabled) {
        kinds.push(EventType::MarketplaceVendorActivated);
    }
    if old.is_some_and(|(known, _)| known.allowance != vendor.allowance) {
        kinds.push(EventType::MarketplaceVendorPayoutAllowanceChanged);
    }
    let event = |kind| vendor_event((payee, vendor), &shown, kind, now);
    kinds.into_iter().map(event).collect()
}

/// The vendor has answered its link: its verification begins, and in demo mode passes by itself
/// `verification_seconds` later. `None` when that has happened before.
pub fn submit(
    payee: &Payee,
    mode: Mode,
    verification_seconds: i64,
    now: Timestamp,
) -> Result<Option<PayeeChange>, VendorRefusal> {
    let vendor = payee.vendor.as_ref().ok_or(VendorRefusal::NoVendor)?;
    if payee.is_archived() {
        return Err(VendorRefusal::Archived);
    }
    match vendor.capabilities(payee, mode, now).status {
        VendorStatus::Required => Ok(Some(begun(payee, vendor, mode, verification_seconds, now))),
        VendorStatus::InProgress | VendorStatus::PendingReview => Ok(None),
        status @ (VendorStatus::Complete | VendorStatus::Blocked) => {
            Err(VendorRefusal::NothingToVerify(status))
        }
    }
}

/// Takes the operator's word on how far a vendor's verification is; `None` when it has been taken
/// before.
pub fn decide(
    payee: &Payee,
    status: VendorStatus,
    mode: Mode,
    now: Timestamp,
) -> Result<Option<PayeeChange>, VendorRefusal> {
    let vendor = payee.vendor.as_ref().ok_or(VendorRefusal::NoVendor)?;
    if vendor.capabilities(payee, mode, now).status == status && !payee.is_archived() {
        return Ok(None);
    }
    let decision = match status {
        VendorStatus::Required => Decision::RejectedRetry,
        VendorStatus::PendingReview => Decision::ManualReview,
        VendorStatus::Complete => Decision::Approved,
        VendorStatus::Blocked => Decision::RejectedFinal,
        VendorStatus::InProgress if payee.is_archived() => return Err(VendorRefusal::Archived),
        VendorStatus::InProgress => {
            // The operator looks at it: it does not pass by itself.
            let change = begun(payee, vendor, mode, 0, now);
            let payee = Payee { verifies_at: None, ..change.payee };
            return Ok(Some(PayeeChange { payee, ..change }));
        }
    };
    let decided = payee.decide(decision, mode, now)?;
    Ok(decided.map(|change| {
        let known = change.payee.vendor.clone();
        let vendor = known.map(|vendor| Vendor { status, mode, ..vendor });
        PayeeChange { payee: Payee { vendor, ..change.payee }, ..change }
    }))
}

fn begun(
    payee: &Payee,
    vendor: &Vendor,
    mode: Mode,
    verification_seconds: i64,
    now: Timestamp,
) -> PayeeChange {
    let started = with(payee, Vendor { status: VendorStatus::InProgress, mode, ..vendor.clone() });
    started.verify_anew(mode, verification_seconds, now)
}
