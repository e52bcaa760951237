//! Durations on the command line: `250ms`, `10s`, `2m`, or plain seconds.

use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Parses a duration of at most a day.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("{text:?} is no duration like 250ms, 10s or 2m, of at most a day");
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let duration = match unit {
        "ms" => Duration::from_millis(number),
        "" | "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number.saturating_mul(60)),
        "h" => Duration::from_secs(number.saturating_mul(3600)),
        _ => return Err(wrong()),
    };
    if duration > LONGEST { Err(wrong()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("10"), Ok(Duration::from_secs(10)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse("24h"), Ok(LONGEST));
        for wrong in ["", "s", "-1s", "1.5s", "25h", "1d", "99999999999999999999"] {
            assert!(parse(wrong).is_err(), "{wrong:?} was taken");
        }
    }
}
