//! What the fields of a payee may hold. An empty text says nothing.

use minicbor::{Decode, Encode};
use serde_json::Value;

use super::{KycEntityType, PayeeRefusal, Role};
use crate::domain::email::Email;

const MAX_ADDRESS_BYTES: usize = 2_048;

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

/// An address as it was sent, in JSON: a text or an object.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct BusinessAddress(#[n(0)] String);

impl BusinessAddress {
    /// At most 2 KiB of JSON.
    pub fn parse(address: Option<&Value>) -> Result<Option<Self>, PayeeRefusal> {
        let address = match address {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(address @ (Value::String(_) | Value::Object(_))) => address.to_string(),
            Some(_) => return Err(PayeeRefusal::BusinessAddress),
        };
        if address.len() > MAX_ADDRESS_BYTES {
            return Err(PayeeRefusal::TooLong { field: "businessAddress", max: MAX_ADDRESS_BYTES });
        }
        Ok(Some(Self(address)))
    }

    pub fn value(&self) -> Value {
        // Only `parse` makes these, of a JSON value.
        serde_json::from_str(&self.0).unwrap_or_default()
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
