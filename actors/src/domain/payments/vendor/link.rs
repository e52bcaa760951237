use super::allowance::with;
use super::{Vendor, VendorRefusal, VendorStatus};
use crate::domain::payments::payee::Payee;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

pub const LINK_SECONDS: i64 = 7 * 24 * 3_600;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct VerificationLink {
    #[n(0)]
    pub url: String,
    #[n(1)]
    pub expires_at: Timestamp,
}

/// The payee after `link` was issued to it; earlier links go on being good.
pub fn issue_link(
    payee: &Payee,
    link: VerificationLink,
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
    Ok(with(payee, Vendor { link: Some(link), ..vendor.clone() }))
}
