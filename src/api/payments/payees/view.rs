//! Payees as they are answered.

use actors::domain::payments::bank::mask;
use actors::domain::payments::payee::Payee;
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A payee.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeeView {
    id: u64,
    display_name: String,
    /// `contractor` or `tax`.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kyc_entity_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payee_contract_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    business_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    business_type: Option<String>,
    /// As it was sent: a text or an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    business_address: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    /// Masked to the last four characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_id: Option<String>,
    verification: VerificationView,
    archived: bool,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// How far the verification of a payee is. Only an approved one is paid out.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VerificationView {
    /// `pending`, `manual_review`, `approved` or `rejected`.
    status: &'static str,
    /// Once rejected: `retry` or `final`.
    #[serde(skip_serializing_if = "Option::is_none")]
    review_reject_type: Option<&'static str>,
}

/// A page of payees.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeeList {
    payees: Vec<PayeeView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// What archiving answers.
#[derive(Serialize, ToSchema)]
pub struct Archived {
    pub(super) archived: bool,
}

impl PayeeView {
    /// `payee` in an account of this mode.
    pub(in crate::api) fn new(payee: &Payee, mode: Mode) -> Self {
        let (verification, reject_type) = payee.verification_in(mode);
        Self {
            id: payee.id.0,
            display_name: payee.display_name.clone(),
            role: payee.role.map(|role| role.name()),
            kyc_entity_type: payee.kyc_entity_type.map(|kind| kind.name()),
            payee_contract_id: payee.payee_contract_id.clone(),
            business_name: payee.business_name.clone(),
            business_type: payee.business_type.clone(),
            business_address: payee.business_address.as_ref().map(|address| address.value()),
            email: payee.email.as_ref().map(|email| email.as_str().to_owned()),
            phone: payee.phone.clone(),
            tax_id: payee.tax_id.as_ref().map(|number| mask(&number.last4)),
            verification: VerificationView {
                status: verification.name(),
                review_reject_type: reject_type.map(|kind| kind.name()),
            },
            archived: payee.is_archived(),
            created_at: payee.created_at,
        }
    }
}

impl PayeeList {
    /// A page that goes on behind `next`.
    pub(super) fn new(payees: Vec<PayeeView>, next: Option<u64>) -> Self {
        Self { payees, has_more: next.is_some(), next_cursor: next, next_before_id: next }
    }
}
