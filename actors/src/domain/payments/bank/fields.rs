//! What the fields of a bank account may hold, as far as digits can tell. An empty text says
//! nothing.

use iban::{Iban, IbanLike};

use super::digits::{self, is_aba, is_bic};
use super::{BankAccountType, BankRefusal, NumberForm};
use crate::domain::country::Country;
use crate::domain::money::Currency;

const MAX_NAME: usize = 128;

pub struct AccountNumber {
    pub form: NumberForm,
    pub text: String,
    pub country: Option<Country>,
}

impl BankAccountType {
    pub fn takes(self, currency: Currency) -> bool {
        match self {
            Self::Iban => currency == Currency::EUR || currency.code() == "GBP",
            Self::UkLocal => currency.code() == "GBP",
            Self::UsLocal => currency.code() == "USD",
            Self::Swift => true,
        }
    }

    pub fn number(
        self,
        iban: Option<&str>,
        account: Option<&str>,
    ) -> Result<AccountNumber, BankRefusal> {
        match (self, given(iban)) {
            (Self::Iban, iban) => AccountNumber::iban(iban),
            (Self::UkLocal, _) => own(account, 8, 8, u8::is_ascii_digit, "8 digits"),
            (Self::UsLocal, _) => own(account, 4, 17, u8::is_ascii_digit, "4 to 17 digits"),
            (Self::Swift, iban @ Some(_)) => AccountNumber::iban(iban),
            (Self::Swift, None) => {
                own(account, 1, 34, u8::is_ascii_alphanumeric, "1 to 34 letters and digits")
            }
        }
    }

    pub fn sort_code(self, text: Option<&str>) -> Result<Option<String>, BankRefusal> {
        if self != Self::UkLocal {
            return Ok(None);
        }
        let text = given(text).ok_or(BankRefusal::Required("sortCode"))?;
        digits::sort_code(text).map(Some).ok_or(BankRefusal::SortCode)
    }

    pub fn routing_number(self, text: Option<&str>) -> Result<Option<String>, BankRefusal> {
        if self != Self::UsLocal {
            return Ok(None);
        }
        let text = given(text).ok_or(BankRefusal::Required("routingNumber"))?;
        if is_aba(text) { Ok(Some(text.to_owned())) } else { Err(BankRefusal::RoutingNumber) }
    }

    /// Where the bank is. An IBAN says so itself; a stated country must not say otherwise.
    pub fn bank_country(
        self,
        stated: Option<Country>,
        number: &AccountNumber,
    ) -> Result<Option<Country>, BankRefusal> {
        let known = match self {
            Self::Iban | Self::Swift => number.country,
            Self::UkLocal => Country::parse("GB"),
            Self::UsLocal => Country::parse("US"),
        };
        if self != Self::Iban && stated.is_none() {
            return Err(BankRefusal::Required("bankCountry"));
        }
        match (stated, known) {
            (Some(stated), Some(known)) if stated != known => {
                Err(BankRefusal::CountryMustBe(known.to_string()))
            }
            _ => Ok(known.or(stated)),
        }
    }
}

impl AccountNumber {
    pub fn iban(text: Option<&str>) -> Result<Self, BankRefusal> {
        let text = given(text).ok_or(BankRefusal::Required("iban"))?;
        let plain: String = text.chars().filter(|sign| *sign != ' ').collect();
        let iban: Iban = plain.to_ascii_uppercase().parse().map_err(|_| BankRefusal::Iban)?;
        Ok(Self {
            form: NumberForm::Iban,
            text: iban.electronic_str().to_owned(),
            country: Country::parse(iban.country_code()),
        })
    }
}

fn own(
    text: Option<&str>,
    least: usize,
    most: usize,
    fit: fn(&u8) -> bool,
    form: &'static str,
) -> Result<AccountNumber, BankRefusal> {
    let text = given(text).ok_or(BankRefusal::Required("accountNumber"))?;
    let text = digits::number(text, least, most, fit).ok_or(BankRefusal::AccountNumber(form))?;
    Ok(AccountNumber { form: NumberForm::Account, text, country: None })
}
pub fn country(code: Option<&str>) -> Result<Option<Country>, BankRefusal> {
    given(code).map(|code| Country::parse(code).ok_or(BankRefusal::Country)).transpose()
}

/// The name of an account or a bank, at most 128 characters.
pub fn name(field: &'static str, text: Option<&str>) -> Result<Option<String>, BankRefusal> {
    match given(text) {
        Some(text) if text.chars().count() > MAX_NAME => {
            Err(BankRefusal::TooLong { field, max: MAX_NAME })
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// The bank's BIC, sent as `bic`, which wins, or as `swift`.
pub fn bic(bic: Option<&str>, swift: Option<&str>) -> Result<Option<String>, BankRefusal> {
    let (field, text) = match (given(bic), given(swift)) {
        (Some(bic), _) => ("bic", bic),
        (None, Some(swift)) => ("swift", swift),
        (None, None) => return Ok(None),
    };
    let plain = text.to_ascii_uppercase();
    if is_bic(&plain) { Ok(Some(plain)) } else { Err(BankRefusal::Bic(field)) }
}

pub fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
