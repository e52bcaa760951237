use super::allowance::with;
use super::{Vendor, VendorRefusal, VendorStatus};
use crate::domain::payments::payee::Payee;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

pub const LINK_SECONDS: i64 = 7 * 24 * 3_600;

/// The payee after a link that is good until then was issued to it; earlier links go on being
/// good.
pub fn issue_link(
    payee: &Payee,
    until: Timestamp,
    mode: Mode,
    now: Timestamp,
) -> Result<Payee, VendorRefusal> {
    let vendor = payee.vendor.as_ref().ok_or(VendorRefusal::NoVendor)?;
    if payee.is_archived() {
        return Err(VendorRefusal::Archived);
    }
    match vendor.capabilities(payee, mode, now).status {
        VendorStatus::Required | VendorStatus::InProgress | VendorStatus::PendingReview => {}
        status @ (VendorStatus::Complete | VendorStatus::Blocked) => {
            return Err(VendorRefusal::NothingToVerify(status));
        }
    }
    Ok(with(payee, Vendor { link_until: Some(until), ..vendor.clone() }))
}
