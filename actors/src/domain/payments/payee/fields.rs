//! What the fields of a payee may hold. An empty text says nothing.

use minicbor::{Decode, Encode};
use serde_json::value::RawValue;

use super::{KycEntityType, PayeeRefusal, Role};
use crate::domain::email::Email;
use crate::domain::json::{self, JsonFault, Numbers};

const MAX_ADDRESS_BYTES: usize = 2_048;

/// How many bytes it may be sent as.
const MAX_SENT_BYTES: usize = 4 * MAX_ADDRESS_BYTES;

/// The most levels of objects and lists within one another in an address.
const MAX_ADDRESS_LEVELS: usize = 32;

/// A text and how long it may be, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextField {
    name: &'static str,
    max: usize,
}

impl TextField {
    pub const DISPLAY_NAME: Self = Self { name: "displayName", max: 128 };
    pub const PAYEE_CONTRACT_ID: Self = Self { name: "payeeContractId", max: 128 };
    pub const BUSINESS_NAME: Self = Self { name: "businessName", max: 255 };
    pub const BUSINESS_TYPE: Self = Self { name: "businessType", max: 64 };
    pub const PHONE: Self = Self { name: "phone", max: 32 };
    pub const TAX_ID: Self = Self { name: "taxId", max: 64 };

    pub fn parse(self, text: Option<&str>) -> Result<Option<String>, PayeeRefusal> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        if text.chars().count() > self.max {
            return Err(PayeeRefusal::TooLong { field: self.name, max: self.max });
        }
        if text.chars().any(char::is_control) {
            return Err(PayeeRefusal::NotPlain(self.name));
        }
        Ok(Some(text.to_owned()))
    }
}

/// An address as it was sent, in JSON: a text or an object, its numbers digit for digit, without
/// what cannot be seen.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct BusinessAddress(#[n(0)] String);

impl BusinessAddress {
    /// At most 2 KiB of JSON, without the blanks between its members.
    pub fn parse(address: Option<&RawValue>) -> Result<Option<Self>, PayeeRefusal> {
        let Some(address) = address.filter(|address| address.get() != "null") else {
            return Ok(None);
        };
        let too_long = PayeeRefusal::TooLong { field: "businessAddress", max: MAX_ADDRESS_BYTES };
        if address.get().len() > MAX_SENT_BYTES {
            return Err(too_long);
        }
        let seen = json::seen(address).map_err(|fault| match fault {
            JsonFault::Control => PayeeRefusal::NotPlain("businessAddress"),
            _ => PayeeRefusal::BusinessAddress,
        })?;
        let written = json::canonical(&seen, Numbers::AsWritten, MAX_ADDRESS_LEVELS)
            .map_err(|_| PayeeRefusal::BusinessAddress)?;
        if let Ok(text) = serde_json::from_str::<String>(&written) {
            if text.trim().is_empty() {
                return Ok(None);
            }
        } else if !written.starts_with('{') {
            return Err(PayeeRefusal::BusinessAddress);
        }
        if written.len() > MAX_ADDRESS_BYTES {
            return Err(too_long);
        }
        Ok(Some(Self(written)))
    }

    pub fn json(&self) -> &str {
        &self.0
    }
}
pub fn role(name: Option<&str>) -> Result<Option<Role>, PayeeRefusal> {
    let name = name.filter(|name| !name.is_empty());
    name.map(|name| Role::parse(name).ok_or(PayeeRefusal::Role)).transpose()
}
pub fn kyc_entity_type(name: Option<&str>) -> Result<Option<KycEntityType>, PayeeRefusal> {
    let name = name.filter(|name| !name.is_empty());
    name.map(|name| KycEntityType::parse(name).ok_or(PayeeRefusal::KycEntityType)).transpose()
}
pub fn email(address: Option<&str>) -> Result<Option<Email>, PayeeRefusal> {
    let address = address.filter(|address| !address.is_empty());
    address.map(|address| Email::parse(address).ok_or(PayeeRefusal::Email)).transpose()
}
