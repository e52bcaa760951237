use storage::Record;

use super::*;
use crate::domain::payments::bank::BankRefusal;
use crate::domain::testing::second as at;

fn whole() -> SafeguardingRequest<'static> {
    SafeguardingRequest {
        account_name: Some("Live Ltd, safeguarded"),
        iban: Some("GB82 WEST 1234 5698 7654 32"),
        bic: Some("deutdeff"),
        bank_name: Some("West Bank"),
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
            SafeguardingRequest { account_name: None, ..whole() },
            SafeguardingRefusal::Required("accountName"),
        ),
        (SafeguardingRequest { iban: None, ..whole() }, bank(BankRefusal::Required("iban"))),
        (
            SafeguardingRequest { iban: Some("GB82WEST12345698765433"), ..whole() },
            bank(BankRefusal::Iban),
        ),
        (SafeguardingRequest { bic: Some("no"), ..whole() }, bank(BankRefusal::Bic("bic"))),
        (SafeguardingRequest { status: Some("open"), ..whole() }, SafeguardingRefusal::Status),
    ] {
        assert_eq!(request.parse(), Err(refusal));
    }
    for (code, known) in [("EUR", true), ("GBP", true), ("USD", true), ("SEK", false)] {
        assert_eq!(safeguarding_currency(code).is_ok(), known, "{code}");
    }
}

#[test]
fn an_account_keeps_its_day_of_opening_until_the_mode_changes() {
    let sandbox = SafeguardingAccount::of_sandbox(SellerId(3), at(1));
    assert!(sandbox.is_active(Mode::Demo) && !sandbox.is_active(Mode::Live));
    assert!(
        SafeguardingRequest {
            iban: Some(&sandbox.bank.iban),
            account_name: Some(&sandbox.bank.account_name),
            ..SafeguardingRequest::default()
        }
        .parse()
        .is_ok()
    );

    let of = (SellerId(3), Currency::EUR);
    let terms = whole().parse().expect("sound");
    let set = |known: &SafeguardingAccount, terms: &SafeguardingTerms, mode, now| {
        SafeguardingAccount::set(Some(known), of, terms.clone(), mode, at(now))
    };
    let changed = set(&sandbox, &terms, Mode::Demo, 2);
    assert_eq!((changed.opened_at, changed.updated_at), (at(1), at(2)));
    assert_eq!(set(&changed, &terms, Mode::Demo, 3), changed);
    let live = set(&changed, &terms, Mode::Live, 4);
    assert_eq!((live.opened_at, live.mode), (at(4), Mode::Live));
    let shut = SafeguardingTerms { status: SafeguardingStatus::Closed, ..terms };
    assert!(!set(&live, &shut, Mode::Live, 5).is_active(Mode::Live));
}

#[test]
fn rows_are_read_back() {
    let account = SafeguardingAccount::of_sandbox(SellerId(3), at(1));
    let read = SafeguardingAccount::decode(SafeguardingAccount::VERSION, &account.encode());
    assert_eq!(read, Ok(account));
}
