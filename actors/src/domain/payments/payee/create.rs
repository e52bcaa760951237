//! Making a payee (payments 2.4, decisions 7 and 13).

use minicbor::{Decode, Encode};
use secrecy::SecretString;
use serde_json::Value;

use super::{KycEntityType, Payee, PayeeChange, PayeeRefusal, Role, TaxId, Verification};
use crate::domain::email::Email;
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

const MAX_ADDRESS_BYTES: usize = 2_048;

/// The fields of a request, before they are looked at. An empty text says nothing.
#[derive(Clone, Copy, Default)]
pub struct PayeeRequest<'a> {
    /// `displayName`, required, at most 128 characters.
    pub display_name: Option<&'a str>,
    /// `role`, required.
    pub role: Option<&'a str>,
    /// `kycEntityType`.
    pub kyc_entity_type: Option<&'a str>,
    /// `payeeContractId`, at most 128 characters.
    pub payee_contract_id: Option<&'a str>,
    /// `businessName`, at most 255 characters.
    pub business_name: Option<&'a str>,
    /// `businessType`, at most 64 characters.
    pub business_type: Option<&'a str>,
    /// `businessAddress`: a text or an object, at most 2 KiB.
    pub business_address: Option<&'a Value>,
    /// `email`.
    pub email: Option<&'a str>,
    /// `phone`, at most 32 characters.
    pub phone: Option<&'a str>,
    /// `taxId`, at most 64 characters.
    pub tax_id: Option<&'a str>,
}

/// A payee to be made, all of it valid.
#[derive(Clone, Debug)]
pub struct NewPayee {
    /// `displayName`.
    pub display_name: String,
    /// `role`.
    pub role: Role,
    /// `kycEntityType`.
    pub kyc_entity_type: Option<KycEntityType>,
    /// `payeeContractId`.
    pub payee_contract_id: Option<String>,
    /// `businessName`.
    pub business_name: Option<String>,
    /// `businessType`.
    pub business_type: Option<String>,
    /// `businessAddress`.
    pub business_address: Option<BusinessAddress>,
    /// `email`.
    pub email: Option<Email>,
    /// `phone`.
    pub phone: Option<String>,
    /// `taxId`.
    pub tax_id: Option<SecretString>,
}

/// An address as it was sent, in JSON: a text or an object.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct BusinessAddress(#[n(0)] String);

/// Where a payee is made: the seller's mode, and how long a demo verification takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bench {
    pub(super) mode: Mode,
    pub(super) verification_seconds: i64,
}

impl PayeeRequest<'_> {
    /// Looks at every field.
    ///
    /// # Errors
    /// The first at fault.
    pub fn parse(&self) -> Result<NewPayee, PayeeRefusal> {
        let name = text("displayName", self.display_name, 128)?;
        Ok(NewPayee {
            display_name: name.ok_or(PayeeRefusal::Required("displayName"))?,
            role: role(self.role)?.ok_or(PayeeRefusal::Required("role"))?,
            kyc_entity_type: kyc_entity_type(self.kyc_entity_type)?,
            payee_contract_id: text("payeeContractId", self.payee_contract_id, 128)?,
            business_name: text("businessName", self.business_name, 255)?,
            business_type: text("businessType", self.business_type, 64)?,
            business_address: business_address(self.business_address)?,
            email: email(self.email)?,
            phone: text("phone", self.phone, 32)?,
            tax_id: text("taxId", self.tax_id, 64)?.map(SecretString::from),
        })
    }
}

impl BusinessAddress {
    /// The address as it was sent.
    pub fn value(&self) -> Value {
        // Only `business_address` makes these, of a JSON value.
        serde_json::from_str(&self.0).unwrap_or_default()
    }
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
        };
        payee.start_verification(&Bench { mode, verification_seconds }, now)
    }
}

pub(super) fn text(
    field: &'static str,
    text: Option<&str>,
    max: usize,
) -> Result<Option<String>, PayeeRefusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > max {
        return Err(PayeeRefusal::TooLong { field, max });
    }
    if text.chars().any(char::is_control) {
        return Err(PayeeRefusal::NotPlain(field));
    }
    Ok(Some(text.to_owned()))
}

pub(super) fn role(name: Option<&str>) -> Result<Option<Role>, PayeeRefusal> {
    let name = name.filter(|name| !name.is_empty());
    name.map(|name| Role::parse(name).ok_or(PayeeRefusal::Role)).transpose()
}

pub(super) fn kyc_entity_type(name: Option<&str>) -> Result<Option<KycEntityType>, PayeeRefusal> {
    let name = name.filter(|name| !name.is_empty());
    name.map(|name| KycEntityType::parse(name).ok_or(PayeeRefusal::KycEntityType)).transpose()
}

pub(super) fn email(address: Option<&str>) -> Result<Option<Email>, PayeeRefusal> {
    let address = address.filter(|address| !address.is_empty());
    address.map(|address| Email::parse(address).ok_or(PayeeRefusal::Email)).transpose()
}

pub(super) fn business_address(
    address: Option<&Value>,
) -> Result<Option<BusinessAddress>, PayeeRefusal> {
    let address = match address {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
        Some(address @ (Value::String(_) | Value::Object(_))) => address.to_string(),
        Some(_) => return Err(PayeeRefusal::BusinessAddress),
    };
    if address.len() > MAX_ADDRESS_BYTES {
        return Err(PayeeRefusal::TooLong { field: "businessAddress", max: MAX_ADDRESS_BYTES });
    }
    Ok(Some(BusinessAddress(address)))
}
