//! Payees: whom the seller pays, and whether they may be paid out.
//!
//! A payee is verified before it is paid out. In a demo account that happens by itself a little
//! later; a live one waits for the operator. What was verified in demo mode counts for nothing in
//! live mode.

mod archive;
mod create;
mod event;
pub mod fields;
mod patch;
mod refusal;
mod verify;

use storage::CborRecord;

pub use archive::{archive, deletable, reopened};
pub use create::NewPayee;
pub use fields::BusinessAddress;
pub use patch::PayeePatch;
pub use refusal::PayeeRefusal;
pub use verify::Decision;

use crate::domain::email::Email;
use crate::domain::ids::{PayeeId, SellerId, WalletId};
use crate::domain::names::names;
use crate::domain::payments::vendor::Vendor;
use crate::domain::platform::event::NewEvent;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::secrets::Sealed;

names! {
    Verification;
    0 Pending = "pending",
    1 Approved = "approved",
    2 ManualReview = "manual_review",
    3 Rejected = "rejected",
}

names! {
    /// Whether a rejected payee may try again (`reviewRejectType`).
    RejectType;
    /// With better data it may.
    0 Retry = "retry",
    1 Final = "final",
}

names! {
    Role;
    0 Contractor = "contractor",
    1 Tax = "tax",
}

names! {
    /// What is verified (`kycEntityType`).
    KycEntityType;
    0 Individual = "Individual",
}

/// A tax number: sealed, and what answers may show of it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TaxId {
    #[n(0)]
    pub sealed: Sealed,
    /// Its last four characters when it has more than four.
    #[n(1)]
    pub last4: String,
}

/// Someone the seller pays.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Payee {
    #[n(0)]
    pub id: PayeeId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub display_name: String,
    #[n(3)]
    pub email: Option<Email>,
    #[n(4)]
    pub verification: Verification,
    #[n(5)]
    pub created_at: Timestamp,
    #[n(6)]
    pub role: Option<Role>,
    #[n(7)]
    pub kyc_entity_type: Option<KycEntityType>,
    /// The seller's own name for it; unique to the seller.
    #[n(8)]
    pub payee_contract_id: Option<String>,
    #[n(9)]
    pub business_name: Option<String>,
    #[n(10)]
    pub business_type: Option<String>,
    /// Where the firm is, as JSON: a text or an object.
    #[n(11)]
    pub business_address: Option<BusinessAddress>,
    #[n(12)]
    pub phone: Option<String>,
    #[n(13)]
    pub tax_id: Option<TaxId>,
    #[n(14)]
    pub reject_type: Option<RejectType>,
    #[n(15)]
    pub archived_at: Option<Timestamp>,
    /// Its wallets.
    #[n(16)]
    pub wallets: Option<Vec<WalletId>>,
    /// The mode in which its verification was made; absent is demo.
    #[n(17)]
    pub mode: Option<Mode>,
    /// In demo mode, when its verification passes by itself.
    #[n(18)]
    pub verifies_at: Option<Timestamp>,
    #[n(19)]
    pub vendor: Option<Vendor>,
    /// Since when no payment may name it any more, while it is to be archived.
    #[n(20)]
    pub closed_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PayeeChange {
    pub payee: Payee,
    pub events: Vec<NewEvent>,
}

impl Payee {
    /// A payee that is approved from the start, as minted accounts have them.
    pub fn approved(id: PayeeId, seller: SellerId, display_name: &str, now: Timestamp) -> Self {
        Self {
            id,
            seller,
            display_name: display_name.to_owned(),
            email: None,
            verification: Verification::Approved,
            created_at: now,
            role: Some(Role::Contractor),
            kyc_entity_type: None,
            payee_contract_id: None,
            business_name: None,
            business_type: None,
            business_address: None,
            phone: None,
            tax_id: None,
            reject_type: None,
            archived_at: None,
            wallets: None,
            mode: None,
            verifies_at: None,
            vendor: None,
            closed_at: None,
        }
    }

    pub fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// How far its verification is for an account of this mode: what was found in another mode does
    /// not count.
    pub fn verification_in(&self, mode: Mode) -> (Verification, Option<RejectType>) {
        if self.mode.unwrap_or(Mode::Demo) == mode {
            (self.verification, self.reject_type)
        } else {
            (Verification::Pending, None)
        }
    }

    pub fn is_payable(&self, mode: Mode) -> bool {
        !self.is_archived() && self.verification_in(mode).0 == Verification::Approved
    }
}

impl CborRecord for Payee {}

#[cfg(test)]
mod tests;
