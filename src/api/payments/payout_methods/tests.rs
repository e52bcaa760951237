//! Tables of bank accounts that are taken and refused.

use actors::domain::ids::{PayoutMethodId, SellerId};
use actors::secrets::{Place, SecretBox};
use secrecy::ExposeSecret;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const IBAN: &str = "DE89370400440532013000";

fn euro() -> MethodBody {
    MethodBody { currency: some("EUR"), iban: some(IBAN), ..MethodBody::default() }
}

fn british() -> MethodBody {
    MethodBody {
        currency: some("GBP"),
        bank_account_type: some("uk_local"),
        bank_country: some("GB"),
        account_number: some("12345678"),
        sort_code: some("20-00-00"),
        ..MethodBody::default()
    }
}

fn american() -> MethodBody {
    MethodBody {
        currency: some("USD"),
        bank_account_type: some("us_local"),
        bank_country: some("US"),
        account_number: some("000123456789"),
        routing_number: some("021000021"),
        ..MethodBody::default()
    }
}

fn abroad() -> MethodBody {
    MethodBody {
        currency: some("USD"),
        bank_account_type: some("swift"),
        bank_country: some("SG"),
        account_number: some("88-12-34 56"),
        bic: some("DBSSSGSG"),
        ..MethodBody::default()
    }
}

fn abroad_by_iban() -> MethodBody {
    MethodBody { iban: some(IBAN), account_number: None, bank_country: some("DE"), ..abroad() }
}

#[test]
fn every_kind_is_taken_and_written_plainly() {
    for (request, kind, number, country, last4) in [
        (euro(), BankAccountType::Iban, IBAN, some("DE"), "3000"),
        (
            MethodBody { iban: some("gb29 nwbk 6016 1331 9268 19"), ..euro() },
            BankAccountType::Iban,
            "GB29NWBK60161331926819",
            some("GB"),
            "6819",
        ),
        (british(), BankAccountType::UkLocal, "12345678", some("GB"), "5678"),
        (american(), BankAccountType::UsLocal, "000123456789", some("US"), "6789"),
        (abroad(), BankAccountType::Swift, "88123456", some("SG"), "3456"),
    ] {
        let account = request.parse().expect("sound");
        assert_eq!((account.kind, account.number.expose_secret()), (kind, number));
        assert_eq!(account.bank_country.map(|known| known.to_string()), country);
        let sealed = SecretBox::new(&[1; 32]);
        let place = Place::AccountNumber(SellerId(1), PayoutMethodId(2));
        let kept = account.destination(|plain| sealed.seal(place, plain.as_bytes(), [2; 24]));
        assert_eq!((kept.last4.as_str(), kept.masked()), (last4, format!("****{last4}")));
        let printed = format!("{account:?} {kept:?}");
        assert!(!printed.contains(number), "{printed}");
        let number_row = storage::cbor_encode(&kept);
        assert!(!number_row.windows(number.len()).any(|part| part == number.as_bytes()));
    }
    assert_eq!(british().parse().expect("sound").sort_code.as_deref(), Some("200000"));
    let by_iban = MethodBody { swift: some("deutdeff500"), bic: None, ..abroad_by_iban() };
    let by_iban = by_iban.parse().expect("sound");
    assert_eq!(by_iban.bank_country.map(|known| known.to_string()), some("DE"));
    assert_eq!((by_iban.form, by_iban.bic.as_deref()), (NumberForm::Iban, Some("DEUTDEFF500")));
}

#[test]
fn every_fault_names_its_field() {
    let long = "n".repeat(129);
    for (request, text) in [
        (MethodBody::default(), "currency is required"),
        (MethodBody { currency: some("SEK"), ..euro() }, "currency must be EUR, GBP or USD"),
        (MethodBody { currency: some("eur"), ..euro() }, "currency must be EUR, GBP or USD"),
        (MethodBody { method_type: some("card"), ..euro() }, "type must be bank_account"),
        (
            MethodBody { bank_account_type: some("sepa"), ..euro() },
            "bankAccountType must be iban, uk_local, us_local or swift",
        ),
        (
            MethodBody { currency: some("USD"), ..euro() },
            "currency USD cannot be paid to bankAccountType iban",
        ),
        (
            MethodBody { currency: some("EUR"), ..british() },
            "currency EUR cannot be paid to bankAccountType uk_local",
        ),
        (
            MethodBody { currency: some("GBP"), ..american() },
            "currency GBP cannot be paid to bankAccountType us_local",
        ),
        (MethodBody { iban: None, ..euro() }, "iban is required"),
        (
            MethodBody { iban: some("DE89370400440532013001"), ..euro() },
            "iban must be a valid IBAN",
        ),
        (MethodBody { iban: some("DE8937040044053201300"), ..euro() }, "iban must be a valid IBAN"),
        (MethodBody { iban: some("XX00123"), ..euro() }, "iban must be a valid IBAN"),
        (MethodBody { bank_country: some("FR"), ..euro() }, "bankCountry must be DE"),
        (
            MethodBody { bank_country: some("Germany"), ..euro() },
            "bankCountry must be an ISO 3166-1 alpha-2 country code",
        ),
        (MethodBody { account_number: None, ..british() }, "accountNumber is required"),
        (MethodBody { sort_code: None, ..british() }, "sortCode is required"),
        (MethodBody { bank_country: None, ..british() }, "bankCountry is required"),
        (MethodBody { bank_country: some("IE"), ..british() }, "bankCountry must be GB"),
        (
            MethodBody { account_number: some("1234567"), ..british() },
            "accountNumber must have 8 digits",
        ),
        (MethodBody { sort_code: some("20-0000"), ..british() }, "sortCode must have 6 digits"),
        (MethodBody { sort_code: some("2000000"), ..british() }, "sortCode must have 6 digits"),
        (MethodBody { routing_number: None, ..american() }, "routingNumber is required"),
        (
            MethodBody { routing_number: some("021000022"), ..american() },
            "routingNumber must be a valid ABA routing number",
        ),
        (
            MethodBody { account_number: some("12A4"), ..american() },
            "accountNumber must have 4 to 17 digits",
        ),
        (MethodBody { account_number: None, ..abroad() }, "accountNumber is required"),
        (MethodBody { bank_country: None, ..abroad() }, "bankCountry is required"),
        (MethodBody { bank_country: None, ..abroad_by_iban() }, "bankCountry is required"),
        (MethodBody { bank_country: some("US"), ..abroad_by_iban() }, "bankCountry must be DE"),
        (MethodBody { bic: some("DBSS"), ..abroad() }, "bic must be a valid BIC"),
        (
            MethodBody { bic: None, swift: some("DBSSXXSG"), ..abroad() },
            "swift must be a valid BIC",
        ),
        (
            MethodBody { account_name: some(&long), ..euro() },
            "accountName must have at most 128 characters",
        ),
        (
            MethodBody { bank_name: some(&long), ..euro() },
            "bankName must have at most 128 characters",
        ),
    ] {
        assert_eq!(request.parse().expect_err(text).to_string(), text);
    }
}
