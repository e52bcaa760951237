//! Sums over digits that countries check their ids with.

use crate::domain::time::Date;

/// The digits of a text that is nothing else.
pub(super) fn digits(text: &str) -> Option<Vec<u64>> {
    text.bytes().map(|byte| byte.is_ascii_digit().then(|| u64::from(byte - b'0'))).collect()
}

/// So many digits, and nothing else.
pub(super) fn exactly(count: usize, text: &str) -> Option<Vec<u64>> {
    digits(text).filter(|digits| digits.len() == count)
}

/// The digits with their weights, as far as both reach.
pub(super) fn weighted(digits: &[u64], weights: &[u64]) -> u64 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

pub(super) fn number(digits: &[u64]) -> u64 {
    digits.iter().fold(0, |number, digit| number * 10 + digit)
}

/// The sum of Luhn: every second digit from the right doubled, digits summed, modulo 10.
pub(super) fn luhn(digits: &[u64]) -> u64 {
    let doubled = |(place, digit): (usize, &u64)| match place % 2 {
        0 => *digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u64>() % 10
}

/// Whether the last digit checks the others by ISO 7064, modulus 11,10.
pub(super) fn is_mod_11_10(digits: &[u64]) -> bool {
    let step = |check, digit: &u64| {
        let carried: u64 = if check == 0 { 10 } else { check };
        (carried * 2 % 11 + digit) % 10
    };
    digits.iter().fold(5, step) == 1
}

pub(super) fn is_day(year: u64, month: u64, day: u64) -> bool {
    let year = i32::try_from(year).ok();
    let parts = year.zip(u32::try_from(month).ok()).zip(u32::try_from(day).ok());
    parts.is_some_and(|((year, month), day)| Date::new(year, month, day).is_some())
}
