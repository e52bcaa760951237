//! Amounts, days and outcomes in words for a buyer.

use actors::domain::money::{Money, major_units};
use actors::domain::payments::card::{CardProblem, CardSummary};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::terminal::Rail;
use actors::domain::time::{Date, Timestamp};

/// A space that no line breaks at.
const NO_BREAK: char = '\u{a0}';

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

/// An amount as people read it: `€1,234.50`, `SEK 99.00`, `−$5.00`.
pub fn amount(money: Money) -> String {
    let digits = major_units(money.minor.saturating_abs(), money.currency).to_string();
    let (whole, cents) = digits.split_once('.').map_or((&*digits, None), |(w, c)| (w, Some(c)));
    let mut text = String::new();
    if money.minor < 0 {
        text.push('−');
    }
    match money.currency.code() {
        "EUR" => text.push('€'),
        "USD" => text.push('$'),
        "GBP" => text.push('£'),
        code => {
            text.push_str(code);
            text.push(NO_BREAK);
        }
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(cents) = cents {
        text.push('.');
        text.push_str(cents);
    }
    text
}

/// A day as people read it: `21 November 2026`.
pub fn day(date: Date) -> String {
    let (year, month, day) = date.parts();
    format!("{day}{NO_BREAK}{} {year}", month_name(month))
}

/// An instant as people read it, by the clock that is the same everywhere:
/// `21 November 2026, 14:05 UTC`.
pub fn instant(at: Timestamp) -> String {
    let minute = at.unix_seconds().rem_euclid(24 * 3600) / 60;
    format!("{}, {:02}:{:02}{NO_BREAK}UTC", day(at.date()), minute / 60, minute % 60)
}

/// A period whose end is the day after its last: `1 Nov – 30 Nov 2026`.
pub fn period(start: Date, end: Date) -> String {
    let last = end.plus_days(-1).max(start);
    let short = |date: Date| {
        let (_, month, day) = date.parts();
        format!("{day}{NO_BREAK}{}", &month_name(month)[..3])
    };
    let (first_year, last_year) = (start.parts().0, last.parts().0);
    if start == last {
        format!("{} {last_year}", short(start))
    } else if first_year == last_year {
        format!("{} – {} {last_year}", short(start), short(last))
    } else {
        format!("{} {first_year} – {} {last_year}", short(start), short(last))
    }
}

/// A card as its holder knows it: `Visa ending in 4242`.
pub fn card(card: &CardSummary) -> String {
    format!("{} ending in {}", card.brand.title(), card.last4)
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::Card => "Card",
        Method::ApplePay => "Apple Pay",
        Method::GooglePay => "Google Pay",
        Method::Bancontact => "Bancontact",
        Method::Multibanco => "Multibanco",
        Method::MbWay => "MB WAY",
        Method::Wero => "Wero",
        Method::Swish => "Swish",
    }
}

/// A telephone number by its last three digits.
pub fn masked_phone(phone: &str) -> String {
    let hidden = phone.chars().count().saturating_sub(3);
    format!("ending in {}", phone.chars().skip(hidden).collect::<String>())
}

/// What to do about a field of the card form.
pub fn card_problem(problem: CardProblem) -> &'static str {
    match problem {
        CardProblem::NumberMissing => "Enter the card number.",
        CardProblem::NumberShape => "The card number should have 12 to 19 digits.",
        CardProblem::NumberChecksum => "Check the card number; a digit seems to be wrong.",
        CardProblem::ExpMonth => "Enter the month of expiry, 01 to 12.",
        CardProblem::ExpYear => "Enter the year of expiry, such as 29.",
        CardProblem::Cvv => "Enter the security code: 3 or 4 digits.",
        CardProblem::HolderLong => "The name may have at most 80 characters.",
        CardProblem::HolderCharacters => {
            "Write the name as on the card, in letters A to Z without accents."
        }
        CardProblem::Country => "Write the country as its two letters, such as DE.",
        CardProblem::ZipLong => "The post code may have at most 16 characters.",
    }
}

/// What to do about a payment that failed: a title and a sentence.
pub fn failure(code: FailureCode) -> (&'static str, &'static str) {
    match code {
        FailureCode::CardExpired => {
            ("This card has expired", "Nothing was charged. Please use another card.")
        }
        FailureCode::Declined => (
            "Your bank declined the payment",
            "Nothing was charged. Use another card, or ask your bank for the reason.",
        ),
        FailureCode::RiskRejected
        | FailureCode::ComplianceDeclined
        | FailureCode::ComplianceReview => (
            "This payment could not be accepted",
            "Nothing was charged. Use another card, or contact the seller.",
        ),
        FailureCode::ProviderError | FailureCode::ProviderTimeout | FailureCode::Interrupted => {
            ("The bank could not be reached", "Nothing was charged. Please try again in a moment.")
        }
        FailureCode::AddressMismatch => (
            "Your bank could not match the billing address",
            "Nothing was charged. Use another card, or contact the seller.",
        ),
        FailureCode::AuthenticationRequired => (
            "Your bank wants you to confirm the payment",
            "Nothing was charged. Please try again and confirm it with your bank.",
        ),
        FailureCode::SettlementFailed => (
            "The payment did not go through after all",
            "Your bank took it back. Please pay again or contact the seller.",
        ),
        FailureCode::InvalidRequest
        | FailureCode::NoTerminal
        | FailureCode::RefundTooEarly
        | FailureCode::CaptureFailed
        | FailureCode::DepositUnconfirmed => {
            ("The payment did not go through", "Nothing was charged. Please contact the seller.")
        }
    }
}

/// The same of a payment with this method, where another may be chosen.
pub fn failure_with(method: Method, code: FailureCode) -> (&'static str, &'static str) {
    match (method.rail(), code) {
        (Rail::Apm, FailureCode::Declined) => (
            "The payment was not approved",
            "Nothing was charged. You can try again, or pay in another way.",
        ),
        (Rail::Apm, FailureCode::DepositUnconfirmed) => {
            ("The reference was not paid in time", "Please pay again or contact the seller.")
        }
        _ => failure(code),
    }
}

fn month_name(month: u32) -> &'static str {
    usize::try_from(month).ok().and_then(|m| MONTHS.get(m - 1)).copied().unwrap_or("January")
}

#[cfg(test)]
mod tests {
    use actors::domain::money::Currency;

    use super::*;

    #[test]
    fn amounts_are_grouped_and_signed() {
        for (minor, code, text) in [
            (0, "EUR", "€0.00"),
            (5, "USD", "$0.05"),
            (99_999, "GBP", "£999.99"),
            (100_000, "EUR", "€1,000.00"),
            (123_456_789, "EUR", "€1,234,567.89"),
            (-1250, "USD", "−$12.50"),
            (9900, "SEK", "SEK\u{a0}99.00"),
            (1500, "JPY", "JPY\u{a0}1,500"),
        ] {
            let money = Money::new(minor, Currency::parse(code).expect("a currency"));
            assert_eq!(amount(money.expect("money")), text);
        }
    }

    #[test]
    fn telephones_are_known_by_their_end() {
        assert_eq!(masked_phone("+351912345678"), "ending in 678");
        assert_eq!(masked_phone("+1"), "ending in +1");
    }

    #[test]
    fn days_and_periods_read_well() {
        let date = |text| Date::parse(text).expect("a day");
        assert_eq!(day(date("2026-11-01")), "1\u{a0}November 2026");
        let at = Timestamp::parse("2026-11-01T09:05:59Z").expect("an instant");
        assert_eq!(instant(at), "1\u{a0}November 2026, 09:05\u{a0}UTC");
        for (start, end, text) in [
            ("2026-11-01", "2026-12-01", "1 Nov – 30 Nov 2026"),
            ("2026-12-15", "2027-01-15", "15 Dec 2026 – 14 Jan 2027"),
            ("2026-11-01", "2026-11-02", "1 Nov 2026"),
            ("2026-11-01", "2026-11-01", "1 Nov 2026"),
        ] {
            assert_eq!(period(date(start), date(end)).replace('\u{a0}', " "), text);
        }
    }
}
