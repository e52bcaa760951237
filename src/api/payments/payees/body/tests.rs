//! The fields of a payee, as they are sent.

use secrecy::ExposeSecret;
use serde_json::json;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn request() -> PayeeBody {
    PayeeBody { display_name: some("Ada"), role: some("contractor"), ..PayeeBody::default() }
}

#[test]
fn every_field_is_checked() {
    let long = "ä".repeat(300);
    let cut = |count: usize| Some(long[..count * 2].to_owned());
    let raw = |value| serde_json::value::to_raw_value(&value).expect("JSON");
    let number = raw(json!(7));
    let large = raw(json!({ "street": "s".repeat(2_048) }));
    for (request, text) in [
        (PayeeBody { display_name: None, ..request() }, "displayName is required"),
        (PayeeBody { display_name: some(" "), ..request() }, "displayName is required"),
        (
            PayeeBody { display_name: cut(129), ..request() },
            "displayName must have at most 128 characters",
        ),
        (PayeeBody { display_name: some("A\nB"), ..request() }, "displayName must be plain text"),
        (PayeeBody { role: None, ..request() }, "role is required"),
        (PayeeBody { role: some("boss"), ..request() }, "role must be contractor or tax"),
        (
            PayeeBody { kyc_entity_type: some("Company"), ..request() },
            "kycEntityType must be Individual",
        ),
        (
            PayeeBody { payee_contract_id: cut(129), ..request() },
            "payeeContractId must have at most 128 characters",
        ),
        (
            PayeeBody { business_name: cut(256), ..request() },
            "businessName must have at most 255 characters",
        ),
        (
            PayeeBody { business_type: cut(65), ..request() },
            "businessType must have at most 64 characters",
        ),
        (
            PayeeBody { business_address: Some(number), ..request() },
            "businessAddress must be a text or an object",
        ),
        (
            PayeeBody { business_address: Some(large), ..request() },
            "businessAddress must have at most 2048 characters",
        ),
        (PayeeBody { email: some("ada"), ..request() }, "email must be a plain e-mail address"),
        (PayeeBody { phone: cut(33), ..request() }, "phone must have at most 32 characters"),
        (PayeeBody { tax_id: cut(65), ..request() }, "taxId must have at most 64 characters"),
    ] {
        assert_eq!(request.parse().expect_err(text).to_string(), text);
    }
    let address = raw(json!({"city": "Bergen"}));
    let full = PayeeBody {
        kyc_entity_type: some("Individual"),
        business_address: Some(address.clone()),
        email: some("ada@example.com"),
        tax_id: some("12345678901"),
        ..request()
    };
    let full = full.parse().expect("valid");
    assert_eq!(full.business_address.as_ref().map(|kept| kept.json()), Some(address.get()));
    assert_eq!(full.tax_id.as_ref().map(ExposeSecret::expose_secret), Some("12345678901"));
    assert!(!format!("{:?}", full.tax_id).contains("12345678901"));
}

#[test]
fn what_every_payee_has_cannot_be_taken_away() {
    for (patch, text) in [
        (
            PatchPayeeBody { display_name: Some(None), ..PatchPayeeBody::default() },
            "displayName must not be null",
        ),
        (
            PatchPayeeBody { display_name: Some(some(" ")), ..PatchPayeeBody::default() },
            "displayName is required",
        ),
        (PatchPayeeBody { role: Some(None), ..PatchPayeeBody::default() }, "role must not be null"),
        (PatchPayeeBody { role: Some(some("")), ..PatchPayeeBody::default() }, "role is required"),
        (
            PatchPayeeBody { role: Some(some("boss")), ..PatchPayeeBody::default() },
            "role must be contractor or tax",
        ),
    ] {
        assert_eq!(patch.parse().expect_err(text).to_string(), text);
    }
}
