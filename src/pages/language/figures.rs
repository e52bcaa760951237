//! Amounts and days as a language writes them.

use actors::domain::money::{Money, major_units};
use actors::domain::time::{Date, Timestamp};

use super::{Words, fill};

impl Words {
    /// An amount as people read it: `€1,234.50`, `1.234,50 €`, `SEK 99.00`.
    pub fn money(&self, money: Money) -> String {
        let digits = major_units(money.minor.saturating_abs(), money.currency).to_string();
        let number = self.number(&digits);
        let sign = if money.minor < 0 { "−" } else { "" };
        let code = money.currency.code();
        let own = self.own_currency.split_once(' ').filter(|(own, _)| *own == code);
        let symbol = own.map(|(_, symbol)| symbol).or(match code {
            "EUR" => Some("€"),
            "USD" => Some("$"),
            "GBP" => Some("£"),
            _ => None,
        });
        let written = match symbol {
            Some(symbol) => fill(self.with_symbol, &[("symbol", symbol), ("number", &number)]),
            None => fill(self.with_code, &[("code", code), ("number", &number)]),
        };
        format!("{sign}{written}")
    }

    /// A decimal text as people read it, with all of its digits: `1,234.5`, `1.234,5`.
    pub fn number(&self, plain: &str) -> String {
        let (sign, plain) = plain.strip_prefix('-').map_or(("", plain), |plain| ("−", plain));
        match plain.split_once('.') {
            Some((whole, part)) => format!("{sign}{}{}{part}", self.grouped(whole), self.decimal),
            None => format!("{sign}{}", self.grouped(plain)),
        }
    }

    /// Sets thousands apart, where there are as many digits as the language asks for.
    fn grouped(&self, whole: &str) -> String {
        let from = self.group_from.parse().unwrap_or(4);
        if whole.len() < from {
            return whole.to_owned();
        }
        let mut number = String::new();
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place).is_multiple_of(3) {
                number.push_str(self.group);
            }
            number.push(digit);
        }
        number
    }

    /// A day as people read it: `21 November 2026`.
    pub fn date(&self, date: Date) -> String {
        self.dated(self.day, self.months, date)
    }

    /// An instant as people read it, by the clock that is the same everywhere:
    /// `21 November 2026, 14:05 UTC`.
    pub fn moment(&self, at: Timestamp) -> String {
        let minute = at.unix_seconds().rem_euclid(24 * 3600) / 60;
        let time = format!("{:02}:{:02}", minute / 60, minute % 60);
        fill(self.instant, &[("day", &self.date(at.date())), ("time", &time)])
    }

    /// A period whose end is the day after its last: `1 Nov – 30 Nov 2026`.
    pub fn period(&self, start: Date, end: Date) -> String {
        let last = end.plus_days(-1).max(start);
        let whole = |date| self.dated(self.day_short_year, self.months_short, date);
        if start == last {
            return whole(start);
        }
        let first = match start.parts().0 == last.parts().0 {
            true => self.dated(self.day_short, self.months_short, start),
            false => whole(start),
        };
        format!("{first} – {}", whole(last))
    }

    fn dated(&self, form: &str, months: &str, date: Date) -> String {
        let (year, month, day) = date.parts();
        let place = usize::try_from(month).unwrap_or(1).saturating_sub(1);
        let month = months.split(' ').nth(place).unwrap_or_default();
        let (day, year) = (day.to_string(), year.to_string());
        fill(form, &[("day", &day), ("month", month), ("year", &year)])
    }
}
