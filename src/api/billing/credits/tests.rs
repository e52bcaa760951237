use actors::domain::billing::credit::{CreditRefusal, CreditType};
use actors::domain::ids::CustomerId;
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;

use super::CreditGrantBody;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn whole() -> CreditGrantBody {
    CreditGrantBody {
        credit_type: some("promotional"),
        amount_minor: Some(500),
        currency: some("EUR"),
        expires_at: None,
        reason: some("welcome"),
        seller_customer_id: None,
    }
}

#[test]
fn neither_case_nor_blanks_make_a_difference() {
    let plain = whole().parse(CustomerId(7)).expect("a grant");
    assert_eq!((plain.credit_type, plain.customer), (CreditType::Promotional, CustomerId(7)));
    assert_eq!(plain.currency, Currency::EUR);
    let loud = CreditGrantBody {
        credit_type: some("PROMOTIONAL"),
        currency: some("eur"),
        reason: some("  welcome "),
        ..whole()
    };
    assert_eq!(loud.parse(CustomerId(7)), Ok(plain));
}

#[test]
fn every_field_of_a_grant_is_looked_at() {
    let long = "x".repeat(513);
    for (body, refusal) in [
        (CreditGrantBody { credit_type: None, ..whole() }, CreditRefusal::Required("creditType")),
        (CreditGrantBody { credit_type: some("cash"), ..whole() }, CreditRefusal::TypeUnknown),
        (
            CreditGrantBody { credit_type: some("proration"), ..whole() },
            CreditRefusal::TypeNotGranted,
        ),
        (CreditGrantBody { amount_minor: None, ..whole() }, CreditRefusal::Required("amountMinor")),
        (CreditGrantBody { amount_minor: Some(0), ..whole() }, CreditRefusal::AmountRange),
        (
            CreditGrantBody { amount_minor: Some(1_000_000_000_001), ..whole() },
            CreditRefusal::AmountRange,
        ),
        (CreditGrantBody { currency: None, ..whole() }, CreditRefusal::Required("currency")),
        (CreditGrantBody { currency: some("EU"), ..whole() }, CreditRefusal::CurrencyUnknown),
        (CreditGrantBody { expires_at: some("soon"), ..whole() }, CreditRefusal::ExpiryMalformed),
        (CreditGrantBody { reason: None, ..whole() }, CreditRefusal::Required("reason")),
        (CreditGrantBody { reason: some("  "), ..whole() }, CreditRefusal::Required("reason")),
        (CreditGrantBody { reason: some(&long), ..whole() }, CreditRefusal::ReasonTooLong(512)),
    ] {
        assert_eq!(body.parse(CustomerId(7)), Err(refusal));
    }
    for (kind, paid_for) in
        [("purchased", CreditType::Purchased), ("enterprise", CreditType::Enterprise)]
    {
        let body = CreditGrantBody {
            credit_type: some(kind),
            expires_at: some("2030-01-01T00:00:00Z"),
            ..whole()
        };
        assert_eq!(body.parse(CustomerId(7)), Err(CreditRefusal::ExpiryNotAccepted(paid_for)));
    }
    let gift = CreditGrantBody { expires_at: some("2030-01-01T00:00:00Z"), ..whole() };
    let expires_at = gift.parse(CustomerId(7)).expect("a grant").expires_at;
    assert_eq!(expires_at, Timestamp::parse("2030-01-01T00:00:00Z"));
}
