//! Looking at the texts of a request for a bank account.

use iban::{Iban, IbanLike};
use secrecy::SecretString;

use super::digits::{is_aba, is_bic, number, sort_code};
use super::{BankAccount, BankAccountType, BankRefusal, NumberForm};
use crate::domain::country::Country;
use crate::domain::money::Currency;
use crate::domain::payments::wallet::wallet_currency;

const MAX_NAME: usize = 128;

/// The texts of a request (payments 2.4), before they are looked at. An empty text says nothing.
/// There is deliberately no way to print it.
#[derive(Clone, Copy, Default)]
pub struct AccountRequest<'a> {
    /// `currency`: what is to be paid to it.
    pub currency: Option<&'a str>,
    /// `type`: `bank_account`, the default.
    pub method_type: Option<&'a str>,
    /// `bankAccountType`; by default `iban`.
    pub kind: Option<&'a str>,
    /// `accountName`.
    pub account_name: Option<&'a str>,
    /// `bankName`.
    pub bank_name: Option<&'a str>,
    /// `bankCountry`.
    pub bank_country: Option<&'a str>,
    /// `iban`.
    pub iban: Option<&'a str>,
    /// `accountNumber`.
    pub account_number: Option<&'a str>,
    /// `sortCode`.
    pub sort_code: Option<&'a str>,
    /// `routingNumber`.
    pub routing_number: Option<&'a str>,
    /// `bic`.
    pub bic: Option<&'a str>,
    /// `swift`: another name of `bic`, which wins.
    pub swift: Option<&'a str>,
}

/// The number of an account with what it says of itself.
struct Number {
    form: NumberForm,
    text: String,
    country: Option<Country>,
}

impl AccountRequest<'_> {
    /// Checks everything that can be checked without asking a bank.
    ///
    /// # Errors
    /// The first field at fault.
    pub fn check(&self) -> Result<BankAccount, BankRefusal> {
        let code = given(self.currency).ok_or(BankRefusal::Required("currency"))?;
        let currency = wallet_currency(code).ok_or(BankRefusal::Currency)?;
        if given(self.method_type).is_some_and(|name| name != "bank_account") {
            return Err(BankRefusal::Type);
        }
        let kind = given(self.kind).map_or(Some(BankAccountType::Iban), BankAccountType::parse);
        let kind = kind.ok_or(BankRefusal::Kind)?;
        if !kind.takes(currency) {
            return Err(BankRefusal::CurrencyOfKind { currency, kind });
        }
        let stated = self.country()?;
        let number = self.number(kind)?;
        let local = kind == BankAccountType::UkLocal;
        let sort_code = match given(self.sort_code) {
            Some(text) if local => Some(sort_code(text).ok_or(BankRefusal::SortCode)?),
            None if local => return Err(BankRefusal::Required("sortCode")),
            _ => None,
        };
        let american = kind == BankAccountType::UsLocal;
        let routing_number = match given(self.routing_number) {
            Some(text) if american && is_aba(text) => Some(text.to_owned()),
            Some(_) if american => return Err(BankRefusal::RoutingNumber),
            None if american => return Err(BankRefusal::Required("routingNumber")),
            _ => None,
        };
        Ok(BankAccount {
            currency,
            kind,
            account_name: name("accountName", self.account_name)?,
            bank_name: name("bankName", self.bank_name)?,
            bank_country: bank_country(kind, stated, &number)?,
            form: number.form,
            number: SecretString::from(number.text),
            sort_code,
            routing_number,
            bic: self.bic()?,
        })
    }

    fn country(&self) -> Result<Option<Country>, BankRefusal> {
        let country = given(self.bank_country);
        country.map(|code| Country::parse(code).ok_or(BankRefusal::Country)).transpose()
    }

    fn number(&self, kind: BankAccountType) -> Result<Number, BankRefusal> {
        let iban = given(self.iban);
        let account = given(self.account_number);
        match kind {
            BankAccountType::Iban => parsed(iban.ok_or(BankRefusal::Required("iban"))?),
            BankAccountType::UkLocal => own(account, 8, 8, u8::is_ascii_digit, "8 digits"),
            BankAccountType::UsLocal => own(account, 4, 17, u8::is_ascii_digit, "4 to 17 digits"),
            BankAccountType::Swift => match iban {
                Some(iban) => parsed(iban),
                None => {
                    let form = "1 to 34 letters and digits";
                    own(account, 1, 34, u8::is_ascii_alphanumeric, form)
                }
            },
        }
    }

    fn bic(&self) -> Result<Option<String>, BankRefusal> {
        let (field, text) = match (given(self.bic), given(self.swift)) {
            (Some(bic), _) => ("bic", bic),
            (None, Some(swift)) => ("swift", swift),
            (None, None) => return Ok(None),
        };
        let plain = text.to_ascii_uppercase();
        if is_bic(&plain) { Ok(Some(plain)) } else { Err(BankRefusal::Bic(field)) }
    }
}

impl BankAccountType {
    /// Whether a currency is paid to accounts of this kind (decisions 13).
    pub fn takes(self, currency: Currency) -> bool {
        match self {
            Self::Iban => currency == Currency::EUR || currency.code() == "GBP",
            Self::UkLocal => currency.code() == "GBP",
            Self::UsLocal => currency.code() == "USD",
            Self::Swift => true,
        }
    }
}

fn parsed(text: &str) -> Result<Number, BankRefusal> {
    let plain: String = text.chars().filter(|sign| *sign != ' ').collect();
    let iban: Iban = plain.to_ascii_uppercase().parse().map_err(|_| BankRefusal::Iban)?;
    Ok(Number {
        form: NumberForm::Iban,
        text: iban.electronic_str().to_owned(),
        country: Country::parse(iban.country_code()),
    })
}

fn own(
    text: Option<&str>,
    least: usize,
    most: usize,
    fit: fn(&u8) -> bool,
    form: &'static str,
) -> Result<Number, BankRefusal> {
    let text = text.ok_or(BankRefusal::Required("accountNumber"))?;
    let text = number(text, least, most, fit).ok_or(BankRefusal::AccountNumber(form))?;
    Ok(Number { form: NumberForm::Account, text, country: None })
}

/// An IBAN says itself where it is; a stated country must not say otherwise.
fn bank_country(
    kind: BankAccountType,
    stated: Option<Country>,
    number: &Number,
) -> Result<Option<Country>, BankRefusal> {
    let known = match kind {
        BankAccountType::Iban => number.country,
        BankAccountType::UkLocal => Country::parse("GB"),
        BankAccountType::UsLocal => Country::parse("US"),
        BankAccountType::Swift => None,
    };
    if kind != BankAccountType::Iban && stated.is_none() {
        return Err(BankRefusal::Required("bankCountry"));
    }
    match (stated, known) {
        (Some(stated), Some(known)) if stated != known => {
            Err(BankRefusal::CountryMustBe(known.to_string()))
        }
        _ => Ok(known.or(stated)),
    }
}

fn name(field: &'static str, text: Option<&str>) -> Result<Option<String>, BankRefusal> {
    match given(text) {
        Some(text) if text.chars().count() > MAX_NAME => {
            Err(BankRefusal::TooLong { field, max: MAX_NAME })
        }
        text => Ok(text.map(str::to_owned)),
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
