use actors::domain::money::AMOUNT_LIMIT;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn every_field_of_a_request_is_looked_at() {
    let whole = || TopupBody {
        currency: some("EUR"),
        amount_minor: Some(500),
        due_at: some("2026-11-21T00:00:00+01:00"),
    };
    let parsed = whole().parse().expect("sound");
    assert_eq!(
        (parsed.amount.minor, parsed.due_at),
        (500, Timestamp::parse("2026-11-20T23:00:00Z"))
    );
    for (request, refusal) in [
        (TopupBody { currency: None, ..whole() }, TopupRefusal::Required("currency")),
        (TopupBody { currency: some(" "), ..whole() }, TopupRefusal::Required("currency")),
        (TopupBody { currency: some("Euro"), ..whole() }, TopupRefusal::UnknownCurrency),
        (TopupBody { amount_minor: None, ..whole() }, TopupRefusal::Required("amountMinor")),
        (TopupBody { amount_minor: Some(0), ..whole() }, TopupRefusal::NotPositive),
        (TopupBody { amount_minor: Some(-1), ..whole() }, TopupRefusal::NotPositive),
        (TopupBody { amount_minor: Some(AMOUNT_LIMIT + 1), ..whole() }, TopupRefusal::TooLarge),
        (TopupBody { due_at: some("tomorrow"), ..whole() }, TopupRefusal::DueAt),
    ] {
        assert_eq!(request.parse(), Err(refusal));
    }
}
