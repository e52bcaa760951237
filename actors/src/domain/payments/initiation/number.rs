//! Amounts as JSON numbers, which are never turned into floating point.

use crate::domain::money::Currency;
use crate::domain::payments::amount::{AmountRefusal, positive};

/// Digits of the largest amount that a number of minor units can have.
const MAX_DIGITS: usize = 18;

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

fn length(characters: usize) -> i64 {
    i64::try_from(characters).unwrap_or(i64::MAX)
}
