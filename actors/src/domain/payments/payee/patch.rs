//! Changing a payee: a field that is left out stays, `null` takes one away that a payee can do
//! without, and another name, business name or tax number starts verification again, unless the
//! payee was rejected for good.

use secrecy::SecretString;

use super::create::VerificationSetting;
use super::{
    BusinessAddress, KycEntityType, Payee, PayeeChange, PayeeRefusal, RejectType, Role, TaxId,
    Verification,
};
use crate::domain::email::Email;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// A field of a patch: the outer `None` was not sent, the inner one is `null`.
type Sent<T> = Option<Option<T>>;

#[derive(Clone, Debug, Default)]
pub struct PayeePatch {
    pub display_name: Option<String>,
    pub role: Option<Role>,
    pub kyc_entity_type: Sent<KycEntityType>,
    pub payee_contract_id: Sent<String>,
    pub business_name: Sent<String>,
    pub business_type: Sent<String>,
    pub business_address: Sent<BusinessAddress>,
    pub email: Sent<Email>,
    pub phone: Sent<String>,
    pub tax_id: Sent<SecretString>,
}

impl Payee {
    /// Applies a patch. `tax_id` is what the patch's becomes: absent when the number is not sent
    /// or is the one that is known.
    pub fn patched(
        &self,
        patch: PayeePatch,
        tax_id: Sent<TaxId>,
        mode: Mode,
        verification_seconds: i64,
        now: Timestamp,
    ) -> Result<PayeeChange, PayeeRefusal> {
        if self.is_archived() {
            return Err(PayeeRefusal::Archived);
        }
        let known = self.clone();
        let payee = Self {
            display_name: patch.display_name.unwrap_or(known.display_name),
            role: patch.role.or(known.role),
            kyc_entity_type: patch.kyc_entity_type.unwrap_or(known.kyc_entity_type),
            payee_contract_id: patch.payee_contract_id.unwrap_or(known.payee_contract_id),
            business_name: patch.business_name.unwrap_or(known.business_name),
            business_type: patch.business_type.unwrap_or(known.business_type),
            business_address: patch.business_address.unwrap_or(known.business_address),
            email: patch.email.unwrap_or(known.email),
            phone: patch.phone.unwrap_or(known.phone),
            tax_id: tax_id.unwrap_or(known.tax_id),
            ..self.clone()
        };
        let who = |payee: &Self| {
            (payee.display_name.clone(), payee.business_name.clone(), payee.tax_id.clone())
        };
        let rejected_for_good =
            self.verification_in(mode) == (Verification::Rejected, Some(RejectType::Final));
        if who(&payee) == who(self) || rejected_for_good {
            return Ok(PayeeChange { payee, events: Vec::new() });
        }
        Ok(payee.start_verification(&VerificationSetting { mode, verification_seconds }, now))
    }
}
