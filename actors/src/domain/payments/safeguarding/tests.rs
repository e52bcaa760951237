use storage::Record;

use super::*;
use crate::domain::testing::second as at;

#[test]
fn wallets_have_its_currency() {
    for (code, known) in [("EUR", true), ("GBP", true), ("USD", true), ("SEK", false)] {
        assert_eq!(safeguarding_currency(code).is_ok(), known, "{code}");
    }
}

#[test]
fn an_account_keeps_its_day_of_opening_until_the_mode_changes() {
    let sandbox = SafeguardingAccount::of_sandbox(SellerId(3), at(1));
    assert!(sandbox.is_active(Mode::Demo) && !sandbox.is_active(Mode::Live));

    let of = (SellerId(3), Currency::EUR);
    let bank = BankDetails {
        account_name: "Live Ltd, safeguarded".to_owned(),
        iban: "GB82WEST12345698765432".to_owned(),
        bic: Some("DEUTDEFF".to_owned()),
        bank_name: Some("West Bank".to_owned()),
    };
    let terms = SafeguardingTerms { bank, status: SafeguardingStatus::Active };
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
