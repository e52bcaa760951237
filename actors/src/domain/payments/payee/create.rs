use secrecy::SecretString;

use super::{BusinessAddress, KycEntityType, Payee, PayeeChange, Role, TaxId, Verification};
use crate::domain::email::Email;
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

#[derive(Clone, Debug)]
pub struct NewPayee {
    pub display_name: String,
    pub role: Role,
    pub kyc_entity_type: Option<KycEntityType>,
    pub payee_contract_id: Option<String>,
    pub business_name: Option<String>,
    pub business_type: Option<String>,
    pub business_address: Option<BusinessAddress>,
    pub email: Option<Email>,
    pub phone: Option<String>,
    pub tax_id: Option<SecretString>,
}

impl NewPayee {
    pub fn named(display_name: impl Into<String>, role: Role) -> Self {
        Self {
            display_name: display_name.into(),
            role,
            kyc_entity_type: None,
            payee_contract_id: None,
            business_name: None,
            business_type: None,
            business_address: None,
            email: None,
            phone: None,
            tax_id: None,
        }
    }
}

/// Where a payee is made: the seller's mode, and how long a demo verification takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VerificationSetting {
    pub(super) mode: Mode,
    pub(super) verification_seconds: i64,
}

impl Payee {
    /// Makes a payee in an account of this `mode`, where verification begins at once and, in demo
    /// mode, passes after `verification_seconds`. `tax_id` is the sealed number of `new`.
    pub fn create(
        new: NewPayee,
        (seller, id): (SellerId, PayeeId),
        tax_id: Option<TaxId>,
        mode: Mode,
        verification_seconds: i64,
        now: Timestamp,
    ) -> PayeeChange {
        let payee = Self {
            id,
            seller,
            display_name: new.display_name,
            email: new.email,
            verification: Verification::Pending,
            created_at: now,
            role: Some(new.role),
            kyc_entity_type: new.kyc_entity_type,
            payee_contract_id: new.payee_contract_id,
            business_name: new.business_name,
            business_type: new.business_type,
            business_address: new.business_address,
            phone: new.phone,
            tax_id,
            reject_type: None,
            archived_at: None,
            wallets: Some(Vec::new()),
            mode: Some(mode),
            verifies_at: None,
            vendor: None,
            closed_at: None,
        };
        payee.start_verification(&VerificationSetting { mode, verification_seconds }, now)
    }
}
