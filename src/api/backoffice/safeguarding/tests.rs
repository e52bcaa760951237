use actors::domain::payments::bank::BankRefusal;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn whole() -> SafeguardingBody {
    SafeguardingBody {
        account_name: some("Live Ltd, safeguarded"),
        iban: some("GB82 WEST 1234 5698 7654 32"),
        bic: some("deutdeff"),
        bank_name: some("West Bank"),
        status: None,
    }
}

#[test]
fn every_field_is_looked_at() {
    let terms = whole().parse().expect("sound");
    assert_eq!(terms.status, SafeguardingStatus::Active);
    assert_eq!(terms.bank.iban, "GB82WEST12345698765432");
    assert_eq!(terms.bank.bic.as_deref(), Some("DEUTDEFF"));
    let bank = SafeguardingRefusal::Bank;
    for (request, refusal) in [
        (
            SafeguardingBody { account_name: None, ..whole() },
            SafeguardingRefusal::Required("accountName"),
        ),
        (SafeguardingBody { iban: None, ..whole() }, bank(BankRefusal::Required("iban"))),
        (
            SafeguardingBody { iban: some("GB82WEST12345698765433"), ..whole() },
            bank(BankRefusal::Iban),
        ),
        (SafeguardingBody { bic: some("no"), ..whole() }, bank(BankRefusal::Bic("bic"))),
        (SafeguardingBody { status: some("open"), ..whole() }, SafeguardingRefusal::Status),
    ] {
        assert_eq!(request.parse(), Err(refusal));
    }
}

#[test]
fn the_sandbox_account_is_sound() {
    let sandbox = SafeguardingAccount::of_sandbox(SellerId(3), Timestamp::from_micros(0));
    let body = SafeguardingBody {
        iban: Some(sandbox.bank.iban),
        account_name: Some(sandbox.bank.account_name),
        ..SafeguardingBody::default()
    };
    assert!(body.parse().is_ok());
}
