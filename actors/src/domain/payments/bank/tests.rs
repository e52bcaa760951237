//! Tables of bank accounts that are taken and refused.

use secrecy::ExposeSecret;

use super::*;

const IBAN: &str = "DE89370400440532013000";

fn euro() -> AccountRequest<'static> {
    AccountRequest { currency: Some("EUR"), iban: Some(IBAN), ..AccountRequest::default() }
}

fn british() -> AccountRequest<'static> {
    AccountRequest {
        currency: Some("GBP"),
        kind: Some("uk_local"),
        bank_country: Some("GB"),
        account_number: Some("12345678"),
        sort_code: Some("20-00-00"),
        ..AccountRequest::default()
    }
}

fn american() -> AccountRequest<'static> {
    AccountRequest {
        currency: Some("USD"),
        kind: Some("us_local"),
        bank_country: Some("US"),
        account_number: Some("000123456789"),
        routing_number: Some("021000021"),
        ..AccountRequest::default()
    }
}

fn abroad() -> AccountRequest<'static> {
    AccountRequest {
        currency: Some("USD"),
        kind: Some("swift"),
        bank_country: Some("SG"),
        account_number: Some("88-12-34 56"),
        bic: Some("DBSSSGSG"),
        ..AccountRequest::default()
    }
}

#[test]
fn every_kind_is_taken_and_written_plainly() {
    for (request, kind, number, country, last4) in [
        (euro(), BankAccountType::Iban, IBAN, Some("DE"), "3000"),
        (
            AccountRequest { iban: Some("gb29 nwbk 6016 1331 9268 19"), ..euro() },
            BankAccountType::Iban,
            "GB29NWBK60161331926819",
            Some("GB"),
            "6819",
        ),
        (british(), BankAccountType::UkLocal, "12345678", Some("GB"), "5678"),
        (american(), BankAccountType::UsLocal, "000123456789", Some("US"), "6789"),
        (abroad(), BankAccountType::Swift, "88123456", Some("SG"), "3456"),
    ] {
        let account = request.check().expect("sound");
        assert_eq!((account.kind, account.number.expose_secret()), (kind, number));
        assert_eq!(account.bank_country.map(|known| known.to_string()).as_deref(), country);
        let sealed = crate::secrets::SecretBox::new(&[1; 32]);
        let kept = account.destination(|plain| sealed.seal(plain.as_bytes(), [2; 24]));
        assert_eq!((kept.last4.as_str(), kept.masked()), (last4, format!("****{last4}")));
        let printed = format!("{account:?} {kept:?}");
        assert!(!printed.contains(number), "{printed}");
        let number_row = minicbor::to_vec(&kept).expect("a row");
        assert!(!number_row.windows(number.len()).any(|part| part == number.as_bytes()));
    }
    assert_eq!(british().check().expect("sound").sort_code.as_deref(), Some("200000"));
    let by_iban = AccountRequest {
        iban: Some(IBAN),
        account_number: None,
        bank_country: Some("DE"),
        swift: Some("deutdeff500"),
        bic: None,
        ..abroad()
    };
    let by_iban = by_iban.check().expect("sound");
    assert_eq!((by_iban.form, by_iban.bic.as_deref()), (NumberForm::Iban, Some("DEUTDEFF500")));
}

#[test]
fn every_fault_names_its_field() {
    let long = "n".repeat(129);
    for (request, text) in [
        (AccountRequest::default(), "currency is required"),
        (AccountRequest { currency: Some("SEK"), ..euro() }, "currency must be EUR, GBP or USD"),
        (AccountRequest { currency: Some("eur"), ..euro() }, "currency must be EUR, GBP or USD"),
        (AccountRequest { method_type: Some("card"), ..euro() }, "type must be bank_account"),
        (
            AccountRequest { kind: Some("sepa"), ..euro() },
            "bankAccountType must be iban, uk_local, us_local or swift",
        ),
        (
            AccountRequest { currency: Some("USD"), ..euro() },
            "currency USD cannot be paid to bankAccountType iban",
        ),
        (
            AccountRequest { currency: Some("EUR"), ..british() },
            "currency EUR cannot be paid to bankAccountType uk_local",
        ),
        (
            AccountRequest { currency: Some("GBP"), ..american() },
            "currency GBP cannot be paid to bankAccountType us_local",
        ),
        (AccountRequest { iban: None, ..euro() }, "iban is required"),
        (
            AccountRequest { iban: Some("DE89370400440532013001"), ..euro() },
            "iban must be a valid IBAN",
        ),
        (
            AccountRequest { iban: Some("DE8937040044053201300"), ..euro() },
            "iban must be a valid IBAN",
        ),
        (AccountRequest { iban: Some("XX00123"), ..euro() }, "iban must be a valid IBAN"),
        (AccountRequest { bank_country: Some("FR"), ..euro() }, "bankCountry must be DE"),
        (
            AccountRequest { bank_country: Some("Germany"), ..euro() },
            "bankCountry must be an ISO 3166-1 alpha-2 country code",
        ),
        (AccountRequest { account_number: None, ..british() }, "accountNumber is required"),
        (AccountRequest { sort_code: None, ..british() }, "sortCode is required"),
        (AccountRequest { bank_country: None, ..british() }, "bankCountry is required"),
        (AccountRequest { bank_country: Some("IE"), ..british() }, "bankCountry must be GB"),
        (
            AccountRequest { account_number: Some("1234567"), ..british() },
            "accountNumber must have 8 digits",
        ),
        (AccountRequest { sort_code: Some("20-0000"), ..british() }, "sortCode must have 6 digits"),
        (AccountRequest { sort_code: Some("2000000"), ..british() }, "sortCode must have 6 digits"),
        (AccountRequest { routing_number: None, ..american() }, "routingNumber is required"),
        (
            AccountRequest { routing_number: Some("021000022"), ..american() },
            "routingNumber must be a valid ABA routing number",
        ),
        (
            AccountRequest { account_number: Some("12A4"), ..american() },
            "accountNumber must have 4 to 17 digits",
        ),
        (AccountRequest { account_number: None, ..abroad() }, "accountNumber is required"),
        (AccountRequest { bank_country: None, ..abroad() }, "bankCountry is required"),
        (AccountRequest { bic: Some("DBSS"), ..abroad() }, "bic must be a valid BIC"),
        (
            AccountRequest { bic: None, swift: Some("DBSSXXSG"), ..abroad() },
            "swift must be a valid BIC",
        ),
        (
            AccountRequest { account_name: Some(&long), ..euro() },
            "accountName must have at most 128 characters",
        ),
        (
            AccountRequest { bank_name: Some(&long), ..euro() },
            "bankName must have at most 128 characters",
        ),
    ] {
        assert_eq!(request.check().expect_err(text).to_string(), text);
    }
}

#[test]
fn bank_identifiers_are_recognised_by_their_digits() {
    for (text, expected) in [
        ("021000021", true),
        ("011401533", true),
        ("091000019", true),
        ("021000020", false),
        ("02100002", false),
        ("0210000210", false),
        ("02100002a", false),
        ("000000000", false),
        ("500000005", false),
    ] {
        assert_eq!(is_aba(text), expected, "{text}");
    }
    for (text, expected) in [
        ("DEUTDEFF", true),
        ("DEUTDEFF500", true),
        ("NWBKGB2L", true),
        ("XKPRXKPR", true),
        ("DEUTDEF", false),
        ("DEUTDEFF50", false),
        ("DEUTUKFF", false),
        ("deutdeff", false),
        ("DEUT-EFF", false),
        ("ÄEUTDEF", false),
    ] {
        assert_eq!(is_bic(text), expected, "{text}");
    }
}

#[test]
fn a_short_number_is_hidden_whole() {
    assert_eq!(mask(&last_four("1234")), "****");
    assert_eq!(mask(&last_four("12345")), "****2345");
}
