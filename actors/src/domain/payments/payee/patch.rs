//! Changing a payee (decisions 7 and 13): a field that is left out stays, `null` takes one away
//! that a payee can do without, and who is called or taxed otherwise is verified anew.

use secrecy::SecretString;
use serde_json::Value;

use super::create::{Bench, business_address, email, kyc_entity_type, role, text};
use super::{BusinessAddress, KycEntityType, Payee, PayeeChange, PayeeRefusal, Role, TaxId};
use crate::domain::email::Email;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// A field of a patch: the outer `None` was not sent, the inner one is `null`.
type Sent<T> = Option<Option<T>>;

/// The fields of a patch, before they are looked at.
#[derive(Clone, Copy, Default)]
pub struct PayeePatchRequest<'a> {
    /// `displayName`.
    pub display_name: Sent<&'a str>,
    /// `role`.
    pub role: Sent<&'a str>,
    /// `kycEntityType`.
    pub kyc_entity_type: Sent<&'a str>,
    /// `payeeContractId`.
    pub payee_contract_id: Sent<&'a str>,
    /// `businessName`.
    pub business_name: Sent<&'a str>,
    /// `businessType`.
    pub business_type: Sent<&'a str>,
    /// `businessAddress`.
    pub business_address: Sent<&'a Value>,
    /// `email`.
    pub email: Sent<&'a str>,
    /// `phone`.
    pub phone: Sent<&'a str>,
    /// `taxId`.
    pub tax_id: Sent<&'a str>,
}

/// What is to change, all of it valid.
#[derive(Clone, Debug, Default)]
pub struct PayeePatch {
    /// `displayName`.
    pub display_name: Option<String>,
    /// `role`.
    pub role: Option<Role>,
    /// `kycEntityType`.
    pub kyc_entity_type: Sent<KycEntityType>,
    /// `payeeContractId`.
    pub payee_contract_id: Sent<String>,
    /// `businessName`.
    pub business_name: Sent<String>,
    /// `businessType`.
    pub business_type: Sent<String>,
    /// `businessAddress`.
    pub business_address: Sent<BusinessAddress>,
    /// `email`.
    pub email: Sent<Email>,
    /// `phone`.
    pub phone: Sent<String>,
    /// `taxId`.
    pub tax_id: Sent<SecretString>,
}

impl PayeePatchRequest<'_> {
    /// Looks at every field.
    ///
    /// # Errors
    /// The first at fault.
    pub fn parse(&self) -> Result<PayeePatch, PayeeRefusal> {
        let plain =
            |field, sent: Sent<&str>, max| sent.map(|given| text(field, given, max)).transpose();
        Ok(PayeePatch {
            display_name: kept("displayName", plain("displayName", self.display_name, 128)?)?,
            role: kept("role", self.role.map(role).transpose()?)?,
            kyc_entity_type: self.kyc_entity_type.map(kyc_entity_type).transpose()?,
            payee_contract_id: plain("payeeContractId", self.payee_contract_id, 128)?,
            business_name: plain("businessName", self.business_name, 255)?,
            business_type: plain("businessType", self.business_type, 64)?,
            business_address: self.business_address.map(business_address).transpose()?,
            email: self.email.map(email).transpose()?,
            phone: plain("phone", self.phone, 32)?,
            tax_id: plain("taxId", self.tax_id, 64)?.map(|number| number.map(SecretString::from)),
        })
    }
}

impl Payee {
    /// Applies a patch. `tax_id` is what the patch's becomes: absent when the number is not sent
    /// or is the one that is known.
    ///
    /// # Errors
    /// [`PayeeRefusal::Archived`].
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
        if who(&payee) == who(self) {
            return Ok(PayeeChange { payee, events: Vec::new() });
        }
        Ok(payee.start_verification(&Bench { mode, verification_seconds }, now))
    }
}

/// A field that every payee has.
fn kept<T>(field: &'static str, sent: Sent<T>) -> Result<Option<T>, PayeeRefusal> {
    sent.map(|value| value.ok_or(PayeeRefusal::Null(field))).transpose()
}
