//! Amounts, quantities and dates in English.

use actors::domain::money::{Currency, major_units};
use actors::domain::time::Date;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Major units without their currency: `-1,234.50`.
pub(super) fn amount(minor: i64, currency: Currency) -> String {
    grouped(&major_units(minor, currency).to_string())
}

/// The same with it: `EUR 1,234.50`.
pub(super) fn price(minor: i64, currency: Currency) -> String {
    format!("{currency} {}", amount(minor, currency))
}

/// A decimal in plain notation with its thousands apart.
pub(super) fn grouped(decimal: &str) -> String {
    let (sign, digits) = match decimal.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", decimal),
    };
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(a, b)| (a, Some(b)));
    let mut text = String::with_capacity(decimal.len() * 2);
    text.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// `6 December 2026`.
pub(super) fn day(date: Date) -> String {
    let (year, month, day) = date.parts();
    format!("{day} {} {year}", month_name(month))
}

/// A period that ends before its last date, as the days it has: `1 – 30 November 2026`.
pub(super) fn period(start: Date, end: Date) -> String {
    let last = end.plus_days(-1);
    let ((year, month, day), (last_year, last_month, last_day)) = (start.parts(), last.parts());
    if last <= start {
        return self::day(start);
    }
    let last_text = self::day(last);
    if year != last_year {
        return format!("{} – {last_text}", self::day(start));
    }
    if month != last_month {
        return format!("{day} {} – {last_text}", month_name(month));
    }
    format!("{day} – {last_day} {} {last_year}", month_name(month))
}

fn month_name(month: u32) -> &'static str {
    let place = month.saturating_sub(1) as usize;
    MONTHS.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_decimals_of_their_currency_and_groups_of_three() {
        let yen = Currency::parse("JPY").expect("a currency");
        for (minor, currency, expected) in [
            (0, Currency::EUR, "0.00"),
            (5, Currency::EUR, "0.05"),
            (123_450, Currency::EUR, "1,234.50"),
            (-99, Currency::EUR, "-0.99"),
            (-100_000, Currency::EUR, "-1,000.00"),
            (1_000_000_000_000_000, Currency::EUR, "10,000,000,000,000.00"),
            (1_234, yen, "1,234"),
        ] {
            assert_eq!(amount(minor, currency), expected);
        }
        assert_eq!(price(100, Currency::EUR), "EUR 1.00");
        assert_eq!(grouped("1234567.000001"), "1,234,567.000001");
    }

    #[test]
    fn a_period_is_said_by_the_days_it_has() {
        let date = |text: &str| Date::parse(text).expect("a date");
        for (start, end, expected) in [
            ("2026-11-01", "2026-12-01", "1 – 30 November 2026"),
            ("2026-11-30", "2026-12-31", "30 November – 30 December 2026"),
            ("2026-12-15", "2027-01-15", "15 December 2026 – 14 January 2027"),
            ("2026-11-05", "2026-11-06", "5 November 2026"),
            ("2026-11-05", "2026-11-05", "5 November 2026"),
        ] {
            assert_eq!(period(date(start), date(end)), expected);
        }
    }
}
