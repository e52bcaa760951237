//! What is said of a payee.

use actors::domain::payments::payee::fields::{self, TextField};
use actors::domain::payments::payee::{BusinessAddress, NewPayee, PayeePatch, PayeeRefusal};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use crate::api::wire::{stated, text_or_object};

/// A payee to be made.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeeBody {
    #[schema(required, max_length = 128)]
    display_name: Option<String>,
    /// `contractor` or `tax`.
    #[schema(required)]
    role: Option<String>,
    /// Only `Individual`.
    kyc_entity_type: Option<String>,
    /// Your own name for the payee; no two of your payees have the same.
    #[schema(max_length = 128)]
    payee_contract_id: Option<String>,
    #[schema(max_length = 255)]
    business_name: Option<String>,
    #[schema(max_length = 64)]
    business_type: Option<String>,
    #[schema(schema_with = business_address)]
    business_address: Option<Box<RawValue>>,
    #[schema(max_length = 254)]
    email: Option<String>,
    #[schema(max_length = 32)]
    phone: Option<String>,
    /// Kept sealed; answers show its last four characters.
    #[schema(max_length = 64)]
    tax_id: Option<String>,
}

/// What is to change of a payee. An absent field stays; `null` takes one away that a payee can do
/// without.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub struct PatchPayeeBody {
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = String, max_length = 128)]
    display_name: Option<Option<String>>,
    /// `contractor` or `tax`.
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = String)]
    role: Option<Option<String>>,
    /// Only `Individual`.
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    kyc_entity_type: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 128)]
    payee_contract_id: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 255)]
    business_name: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 64)]
    business_type: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(schema_with = business_address)]
    business_address: Option<Option<Box<RawValue>>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 254)]
    email: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 32)]
    phone: Option<Option<String>>,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 64)]
    tax_id: Option<Option<String>>,
}

impl PayeeBody {
    /// The first field at fault is the answer.
    pub(super) fn parse(&self) -> Result<NewPayee, PayeeRefusal> {
        let name = TextField::DISPLAY_NAME.parse(self.display_name.as_deref())?;
        let role = fields::role(self.role.as_deref());
        let kyc_entity_type = self.kyc_entity_type.as_deref();
        let payee_contract_id = self.payee_contract_id.as_deref();
        Ok(NewPayee {
            display_name: name.ok_or(PayeeRefusal::Required("displayName"))?,
            role: role?.ok_or(PayeeRefusal::Required("role"))?,
            kyc_entity_type: fields::kyc_entity_type(kyc_entity_type)?,
            payee_contract_id: TextField::PAYEE_CONTRACT_ID.parse(payee_contract_id)?,
            business_name: TextField::BUSINESS_NAME.parse(self.business_name.as_deref())?,
            business_type: TextField::BUSINESS_TYPE.parse(self.business_type.as_deref())?,
            business_address: BusinessAddress::parse(self.business_address.as_deref())?,
            email: fields::email(self.email.as_deref())?,
            phone: TextField::PHONE.parse(self.phone.as_deref())?,
            tax_id: TextField::TAX_ID.parse(self.tax_id.as_deref())?.map(SecretString::from),
        })
    }
}

impl PatchPayeeBody {
    /// The first field at fault is the answer.
    pub(super) fn parse(&self) -> Result<PayeePatch, PayeeRefusal> {
        let name = text(TextField::DISPLAY_NAME, &self.display_name)?;
        Ok(PayeePatch {
            display_name: kept("displayName", &self.display_name, name)?,
            role: kept("role", &self.role, named(fields::role, &self.role)?)?,
            kyc_entity_type: named(fields::kyc_entity_type, &self.kyc_entity_type)?,
            payee_contract_id: text(TextField::PAYEE_CONTRACT_ID, &self.payee_contract_id)?,
            business_name: text(TextField::BUSINESS_NAME, &self.business_name)?,
            business_type: text(TextField::BUSINESS_TYPE, &self.business_type)?,
            business_address: match &self.business_address {
                Some(address) => Some(BusinessAddress::parse(address.as_deref())?),
                None => None,
            },
            email: named(fields::email, &self.email)?,
            phone: text(TextField::PHONE, &self.phone)?,
            tax_id: text(TextField::TAX_ID, &self.tax_id)?.map(|it| it.map(SecretString::from)),
        })
    }
}

/// A field of a patch: the outer `None` was not sent, the inner one is `null`.
type Sent<T> = Option<Option<T>>;

fn text(field: TextField, sent: &Sent<String>) -> Result<Sent<String>, PayeeRefusal> {
    sent.as_ref().map(|text| field.parse(text.as_deref())).transpose()
}

fn named<T>(
    parse: impl FnOnce(Option<&str>) -> Result<Option<T>, PayeeRefusal>,
    sent: &Sent<String>,
) -> Result<Sent<T>, PayeeRefusal> {
    sent.as_ref().map(|name| parse(name.as_deref())).transpose()
}

/// The value of a field that every payee has, which was sent like this.
fn kept<T>(
    field: &'static str,
    sent: &Sent<String>,
    value: Sent<T>,
) -> Result<Option<T>, PayeeRefusal> {
    let refusal = match sent {
        Some(None) => PayeeRefusal::Null(field),
        // It is empty.
        _ => PayeeRefusal::Required(field),
    };
    value.map(|value| value.ok_or(refusal)).transpose()
}

/// A business address, for the API document.
pub(super) fn business_address() -> Object {
    text_or_object("A text or an object, at most 2 KiB.")
}

#[cfg(test)]
mod tests;
