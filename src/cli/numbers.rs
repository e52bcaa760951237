//! Invoice numbers: `<agreement>-<YYMM><order>`, without gaps within a month.

use std::collections::BTreeMap;

/// The numbers' months and how many numbers each has, or the first thing that is wrong.
pub(crate) fn check<'a>(
    numbers: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, u64>, String> {
    let mut months: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for number in numbers {
        let (month, place) =
            parse(number).ok_or_else(|| format!("{number:?} is no invoice number"))?;
        months.entry(month).or_default().push(place);
    }
    let mut counts = BTreeMap::new();
    for (month, mut places) in months {
        places.sort_unstable();
        for (expected, place) in (0..).zip(&places) {
            if *place > expected {
                return Err(format!("{month}{} is missing", order(expected)));
            }
            if *place < expected {
                return Err(format!("{month}{} was given twice", order(*place)));
            }
        }
        counts.insert(month, places.len() as u64);
    }
    Ok(counts)
}

/// `1000001-2611AAB` as `("1000001-2611", 1)`.
fn parse(number: &str) -> Option<(String, u64)> {
    let (agreement, rest) = number.split_once('-')?;
    let (month, letters) = rest.split_at_checked(4)?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(agreement) || !digits(month) {
        return None;
    }
    Some((format!("{agreement}-{month}"), place(letters)?))
}

/// The place of an order in its month: `AAA` is 0, and `AAAA` follows `ZZZ`.
fn place(letters: &str) -> Option<u64> {
    if !(3..=10).contains(&letters.len()) || !letters.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let shorter: u64 = (3..letters.len()).map(|length| 26_u64.pow(length as u32)).sum();
    Some(shorter + letters.bytes().fold(0, |value, letter| value * 26 + u64::from(letter - b'A')))
}

/// The order at a place: the inverse of [`place`].
fn order(mut place: u64) -> String {
    let mut length = 3;
    while place >= 26_u64.pow(length) {
        place -= 26_u64.pow(length);
        length += 1;
    }
    let letter = |power: u32| char::from(b'A' + (place / 26_u64.pow(power) % 26) as u8);
    (0..length).rev().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_each_other_past_zzz() {
        for (letters, expected) in [
            ("AAA", 0),
            ("AAB", 1),
            ("ABA", 26),
            ("ZZZ", 17_575),
            ("AAAA", 17_576),
            ("AAAB", 17_577),
        ] {
            assert_eq!(place(letters), Some(expected), "{letters}");
            assert_eq!(order(expected), letters);
        }
        assert_eq!(place("AA"), None);
        assert_eq!(place("AaA"), None);
    }

    #[test]
    fn a_gap_and_a_double_are_found() {
        let whole = ["1000001-2611AAB", "1000001-2611AAA", "1000001-2612AAA"];
        let counts = check(whole).expect("no gap");
        assert_eq!(counts.into_values().collect::<Vec<_>>(), [2, 1]);
        let gap = check(["1000001-2611AAA", "1000001-2611AAC"]);
        assert_eq!(gap, Err("1000001-2611AAB is missing".to_owned()));
        let late = check(["1000001-2611AAB"]);
        assert_eq!(late, Err("1000001-2611AAA is missing".to_owned()));
        let twice = check(["1000001-2611AAA", "1000001-2611AAA"]);
        assert_eq!(twice, Err("1000001-2611AAA was given twice".to_owned()));
        assert!(check(["2611AAA"]).is_err());
    }
}
