use actors::domain::payments::bank::mask;
use actors::domain::payments::payee::{KycEntityType, Payee, RejectType, Role, Verification};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::body::business_address;
use crate::api::wire::{List, Listed};

/// A payee.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeeView {
    id: u64,
    display_name: String,
    role: Option<Role>,
    kyc_entity_type: Option<KycEntityType>,
    payee_contract_id: Option<String>,
    business_name: Option<String>,
    business_type: Option<String>,
    /// As it was sent.
    #[schema(schema_with = business_address)]
    business_address: Option<Box<RawValue>>,
    email: Option<String>,
    phone: Option<String>,
    /// Masked to the last four characters.
    tax_id: Option<String>,
    verification: VerificationView,
    archived: bool,
    created_at: Timestamp,
}

/// How far the verification of a payee is. Only an approved one is paid out.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerificationView {
    status: Verification,
    /// Once rejected: `retry` or `final`.
    review_reject_type: Option<RejectType>,
}

pub type PayeeList = List<PayeeView>;

impl Listed for PayeeView {
    const LIST: &'static str = "PayeeList";
    const ITEMS: &'static str = "payees";
}

/// What archiving answers.
#[derive(Serialize, ToSchema)]
pub struct Archived {
    pub(super) archived: bool,
}

impl PayeeView {
    pub(in crate::api) fn new(payee: &Payee, mode: Mode) -> Self {
        let (verification, reject_type) = payee.verification_in(mode);
        Self {
            id: payee.id.0,
            display_name: payee.display_name.clone(),
            role: payee.role,
            kyc_entity_type: payee.kyc_entity_type,
            payee_contract_id: payee.payee_contract_id.clone(),
            business_name: payee.business_name.clone(),
            business_type: payee.business_type.clone(),
            business_address: payee
                .business_address
                .as_ref()
                .and_then(|address| RawValue::from_string(address.json().to_owned()).ok()),
            email: payee.email.as_ref().map(|email| email.as_str().to_owned()),
            phone: payee.phone.clone(),
            tax_id: payee.tax_id.as_ref().map(|number| mask(&number.last4)),
            verification: VerificationView {
                status: verification,
                review_reject_type: reject_type,
            },
            archived: payee.is_archived(),
            created_at: payee.created_at,
        }
    }
}
