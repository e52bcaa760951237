//! Amounts as requests state them in major units.

use crate::domain::money::{AMOUNT_LIMIT, Currency};

/// Digits of the largest amount that a number of minor units can have.
const MAX_DIGITS: usize = 18;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountRefusal {
    #[error("amount must be a decimal string such as 12.50")]
    Malformed,
    #[error("amount has more decimals than {0} has")]
    Decimals(Currency),
    #[error("amount must be greater than 0")]
    NotPositive,
    #[error("amount must be at most {AMOUNT_LIMIT} minor units")]
    TooLarge,
}

/// The minor units of an amount written in major units: digits, and after a dot no more digits
/// than the currency has decimals. No sign, no blanks, no exponent.
pub fn minor_of(text: &str, currency: Currency) -> Result<i64, AmountRefusal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return Err(AmountRefusal::Malformed),
        None => (unsigned, ""),
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return Err(AmountRefusal::Malformed);
    }
    if unsigned.len() < text.len() {
        return Err(AmountRefusal::NotPositive);
    }
    let decimals = usize::try_from(currency.decimals()).unwrap_or(0);
    if fraction.len() > decimals {
        return Err(AmountRefusal::Decimals(currency));
    }
    let minor = format!("{whole}{fraction:0<decimals$}");
    let minor = minor.trim_start_matches('0');
    if minor.is_empty() {
        return Err(AmountRefusal::NotPositive);
    }
    positive(minor.parse().map_err(|_| AmountRefusal::TooLarge)?)
}

/// The minor units of an amount in major units, from the text of a JSON number. It is read by its
/// value: `10.5`, `10.500` and `105e-1` are one amount, `10.505` has too many decimals.
pub fn minor_of_number(text: &str, currency: Currency) -> Result<i64, AmountRefusal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AmountRefusal::Malformed);
    }
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() || unsigned.len() < text.len() {
        return Err(AmountRefusal::NotPositive);
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    // The value is `digits` followed by so many zeros, in minor units.
    let beyond = match exponent.parse::<i64>() {
        Ok(exponent) => exponent
            .saturating_add(length(zeros))
            .saturating_sub(length(fraction.len()))
            .saturating_add(i64::from(currency.decimals())),
        Err(_) if exponent.starts_with('-') => i64::MIN,
        Err(_) => i64::MAX,
    };
    if beyond < 0 {
        return Err(AmountRefusal::Decimals(currency));
    }
    let beyond = usize::try_from(beyond).unwrap_or(usize::MAX);
    if digits.len().saturating_add(beyond) > MAX_DIGITS {
        return Err(AmountRefusal::TooLarge);
    }
    let minor = format!("{digits}{}", "0".repeat(beyond));
    positive(minor.parse().map_err(|_| AmountRefusal::TooLarge)?)
}

pub fn positive(minor: i64) -> Result<i64, AmountRefusal> {
    match minor {
        ..=0 => Err(AmountRefusal::NotPositive),
        1..=AMOUNT_LIMIT => Ok(minor),
        _ => Err(AmountRefusal::TooLarge),
    }
}

fn length(characters: usize) -> i64 {
    i64::try_from(characters).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_units_are_read_exactly() {
        let long = "9".repeat(40);
        for (text, expected) in [
            ("12.50", Ok(1_250)),
            ("12.5", Ok(1_250)),
            ("12", Ok(1_200)),
            ("0.01", Ok(1)),
            ("007.10", Ok(710)),
            ("10000000000000.00", Ok(AMOUNT_LIMIT)),
            ("10000000000000.01", Err(AmountRefusal::TooLarge)),
            (&long, Err(AmountRefusal::TooLarge)),
            ("0", Err(AmountRefusal::NotPositive)),
            ("0.00", Err(AmountRefusal::NotPositive)),
            ("-1", Err(AmountRefusal::NotPositive)),
            ("1.005", Err(AmountRefusal::Decimals(Currency::EUR))),
            ("1.500", Err(AmountRefusal::Decimals(Currency::EUR))),
            ("", Err(AmountRefusal::Malformed)),
            (".5", Err(AmountRefusal::Malformed)),
            ("5.", Err(AmountRefusal::Malformed)),
            ("1e3", Err(AmountRefusal::Malformed)),
            ("+1", Err(AmountRefusal::Malformed)),
            ("--1", Err(AmountRefusal::Malformed)),
            (" 1", Err(AmountRefusal::Malformed)),
            ("1,00", Err(AmountRefusal::Malformed)),
            ("1.2.3", Err(AmountRefusal::Malformed)),
            ("١", Err(AmountRefusal::Malformed)),
        ] {
            assert_eq!(minor_of(text, Currency::EUR), expected, "{text}");
        }
        let yen = Currency::parse("JPY").expect("a currency");
        assert_eq!(minor_of("5", yen), Ok(5));
        assert_eq!(minor_of("5.0", yen), Err(AmountRefusal::Decimals(yen)));
    }
}
