//! The telephone number of an app, as people type it.

/// Digits of an E.164 number, the country's code included.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// The code of the country whose buyers pay with MB WAY.
const HOME: &str = "+351";

/// Digits of a mobile number at home, without the code.
const HOME_DIGITS: usize = 9;

/// The number in E.164: spaces, dots, hyphens and brackets are left out, `00` stands for `+`, and
/// nine digits beginning with 9 are a Portuguese mobile number. `None` when it is none.
pub(super) fn e164(typed: &str) -> Option<String> {
    let kept: String =
        typed.chars().filter(|c| !c.is_whitespace() && !"-.()/".contains(*c)).collect();
    let number = match kept.strip_prefix("00") {
        Some(rest) => format!("+{rest}"),
        None if kept.len() == HOME_DIGITS && kept.starts_with('9') => format!("{HOME}{kept}"),
        None => kept,
    };
    let digits = number.strip_prefix('+')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (plain && DIGITS.contains(&digits.len())).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (typed, read) in [
            ("+351912345678", Some("+351912345678")),
            (" +351 912 345 678 ", Some("+351912345678")),
            ("00351 912-345-678", Some("+351912345678")),
            ("912 345 678", Some("+351912345678")),
            ("(+351) 912.345.678", Some("+351912345678")),
            ("+44 20 7946 0958", Some("+442079460958")),
            ("+12345678", Some("+12345678")),
            ("+1234567", None),
            ("+1234567890123456", None),
            ("812345678", None),
            ("+35191234567x", None),
            ("+0351912345678", None),
            ("+٣٥١٩١٢٣٤٥٦٧٨", None),
            ("", None),
            ("+", None),
            ("é12345678", None),
        ] {
            assert_eq!(e164(typed).as_deref(), read, "{typed}");
        }
    }
}
