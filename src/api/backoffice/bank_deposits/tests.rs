use actors::domain::money::Money;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn every_field_of_a_deposit_is_looked_at() {
    let whole = || DepositBody {
        amount_minor: Some(5),
        currency: some("EUR"),
        reference: some(" T1 "),
        ..DepositBody::default()
    };
    let amount = Money::new(5, Currency::EUR).expect("money");
    assert_eq!(whole().parse(), Ok(NewDeposit { amount, reference: "T1".to_owned() }));
    let long = "x".repeat(141);
    for (request, refusal) in [
        (DepositBody { amount_minor: None, ..whole() }, TopupRefusal::Required("amountMinor")),
        (DepositBody { amount_minor: Some(0), ..whole() }, TopupRefusal::NotPositive),
        (DepositBody { currency: None, ..whole() }, TopupRefusal::Required("currency")),
        (DepositBody { currency: some("EU"), ..whole() }, TopupRefusal::UnknownCurrency),
        (DepositBody { reference: None, ..whole() }, TopupRefusal::Required("reference")),
        (DepositBody { reference: some(" "), ..whole() }, TopupRefusal::Reference),
        (DepositBody { reference: some(&long), ..whole() }, TopupRefusal::Reference),
        (DepositBody { reference: some("a\nb"), ..whole() }, TopupRefusal::Reference),
    ] {
        assert_eq!(request.parse(), Err(refusal));
    }
}
