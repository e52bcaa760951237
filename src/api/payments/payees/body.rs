//! What is said of a payee.

use actors::domain::payments::payee::{PayeePatchRequest, PayeeRequest};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::ToSchema;

/// A payee to be made.
#[derive(Deserialize, ToSchema)]
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
    /// A text or an object, at most 2 KiB.
    #[schema(value_type = Option<Object>)]
    business_address: Option<Value>,
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
    #[schema(value_type = Option<String>, max_length = 128)]
    display_name: Option<Option<String>>,
    /// `contractor` or `tax`.
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
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
    /// A text or an object, at most 2 KiB.
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<Object>)]
    business_address: Option<Option<Value>>,
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
    /// Its fields, to be looked at.
    pub(super) fn request(&self) -> PayeeRequest<'_> {
        PayeeRequest {
            display_name: self.display_name.as_deref(),
            role: self.role.as_deref(),
            kyc_entity_type: self.kyc_entity_type.as_deref(),
            payee_contract_id: self.payee_contract_id.as_deref(),
            business_name: self.business_name.as_deref(),
            business_type: self.business_type.as_deref(),
            business_address: self.business_address.as_ref(),
            email: self.email.as_deref(),
            phone: self.phone.as_deref(),
            tax_id: self.tax_id.as_deref(),
        }
    }
}

impl PatchPayeeBody {
    /// Its fields, to be looked at.
    pub(super) fn request(&self) -> PayeePatchRequest<'_> {
        PayeePatchRequest {
            display_name: text(&self.display_name),
            role: text(&self.role),
            kyc_entity_type: text(&self.kyc_entity_type),
            payee_contract_id: text(&self.payee_contract_id),
            business_name: text(&self.business_name),
            business_type: text(&self.business_type),
            business_address: self.business_address.as_ref().map(Option::as_ref),
            email: text(&self.email),
            phone: text(&self.phone),
            tax_id: text(&self.tax_id),
        }
    }
}

fn text(field: &Option<Option<String>>) -> Option<Option<&str>> {
    field.as_ref().map(Option::as_deref)
}

/// Tells a field that is `null` from one that is absent.
fn stated<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(from).map(Some)
}
