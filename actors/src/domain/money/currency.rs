//! Currencies by their codes: those of ISO 4217, and others that a checkout names.

use std::fmt;

use iso_currency::Currency as Iso;
use minicbor::{Decoder, Encoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use storage::{Key, KeyError, KeyReader, KeyWriter};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Currency(Code);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Code {
    Listed(Iso),
    /// The place among [`CODES`] of a code that ISO 4217 does not have.
    Unlisted(u16),
}

/// The currencies that contracts and payments accept.
pub const ACCEPTED_CURRENCIES: [Currency; 6] = [
    Currency::listed(Iso::EUR),
    Currency::listed(Iso::USD),
    Currency::listed(Iso::GBP),
    Currency::listed(Iso::DKK),
    Currency::listed(Iso::NOK),
    Currency::listed(Iso::SEK),
];

/// The decimals of a currency of which nothing is known, as most have them.
const USUAL_DECIMALS: u32 = 2;

const LETTERS: usize = 26;

/// All codes of three capitals, in order.
static CODES: [[u8; 3]; LETTERS * LETTERS * LETTERS] = codes();

impl Currency {
    pub const EUR: Self = Self::listed(Iso::EUR);

    const fn listed(iso: Iso) -> Self {
        Self(Code::Listed(iso))
    }

    /// Any ISO 4217 code, in capitals.
    pub fn parse(code: &str) -> Option<Self> {
        Iso::from_code(code).map(Self::listed)
    }

    /// One of [`ACCEPTED_CURRENCIES`], in capitals.
    pub fn parse_accepted(code: &str) -> Option<Self> {
        Self::parse(code).filter(|currency| ACCEPTED_CURRENCIES.contains(currency))
    }

    /// Any three capitals. What is no ISO 4217 code counts with two decimals; nobody takes it.
    pub fn parse_any(code: &str) -> Option<Self> {
        let unlisted = || {
            let letters: &[u8; 3] = code.as_bytes().try_into().ok()?;
            let place = CODES.binary_search(letters).ok()?;
            Some(Self(Code::Unlisted(u16::try_from(place).ok()?)))
        };
        Self::parse(code).or_else(unlisted)
    }

    pub fn code(self) -> &'static str {
        match self.0 {
            Code::Listed(iso) => iso.code(),
            Code::Unlisted(place) => {
                std::str::from_utf8(&CODES[usize::from(place)]).unwrap_or_default()
            }
        }
    }

    /// How many decimals the minor unit stands for: 2 for the euro, 0 for the yen.
    pub fn decimals(self) -> u32 {
        match self.0 {
            Code::Listed(iso) => iso.exponent().map_or(0, u32::from),
            Code::Unlisted(_) => USUAL_DECIMALS,
        }
    }
}

const fn codes() -> [[u8; 3]; LETTERS * LETTERS * LETTERS] {
    let mut codes = [[b'A'; 3]; LETTERS * LETTERS * LETTERS];
    let mut place = 0;
    while place < codes.len() {
        codes[place] = [
            b'A' + (place / (LETTERS * LETTERS)) as u8,
            b'A' + (place / LETTERS % LETTERS) as u8,
            b'A' + (place % LETTERS) as u8,
        ];
        place += 1;
    }
    codes
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = String::deserialize(from)?;
        Self::parse(&code).ok_or_else(|| serde::de::Error::custom("expected an ISO 4217 currency"))
    }
}

impl<C> minicbor::Encode<C> for Currency {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(self.code())?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Currency {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        Self::parse_any(d.str()?).ok_or_else(|| minicbor::decode::Error::message("no currency"))
    }
}

impl Key for Currency {
    fn write(&self, out: &mut KeyWriter) {
        self.code().to_owned().write(out);
    }
    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        Self::parse_any(&String::read(from)?).ok_or(KeyError::Invalid("a currency"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_capitals_are_a_code_whether_it_is_listed_or_not() {
        for code in ["EUR", "JPY", "ABC", "AAA", "ZZZ", "QQX"] {
            let currency = Currency::parse_any(code).expect("a code");
            assert_eq!(currency.code(), code);
            assert_eq!(Currency::parse(code).is_some(), ["EUR", "JPY"].contains(&code));
            let row = minicbor::to_vec(currency).expect("encoded");
            assert_eq!(minicbor::decode::<Currency>(&row).expect("decoded"), currency);
        }
        assert_eq!(Currency::parse_any("ABC").map(Currency::decimals), Some(2));
        for text in ["", "EU", "EURO", "eur", "E1R", "ÄB"] {
            assert_eq!(Currency::parse_any(text), None, "{text}");
        }
    }
}
