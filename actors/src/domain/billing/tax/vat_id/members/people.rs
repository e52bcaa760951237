//! The numbers of people, which some members use as VAT ids too: most carry a day of birth.

use super::super::digits::{is_day, number, weighted};

/// What the last letter of a Spanish number is.
pub(super) fn spanish_letter(body: u64) -> char {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    usize::try_from(body % 23).ok().and_then(|at| LETTERS.get(at)).map_or('?', |c| char::from(*c))
}

/// Ten digits; months above 40 are of this century, above 20 of the one before the last.
pub(super) fn is_bulgarian(all: &[u64]) -> bool {
    let (year, month, day) = (number(&all[..2]), number(&all[2..4]), number(&all[4..6]));
    let (century, month) = match month {
        41.. => (2000, month - 40),
        21.. => (1800, month - 20),
        _ => (1900, month),
    };
    let check = weighted(all, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
    is_day(century + year, month, day) && check == all[9]
}

/// Nine digits until 1953, ten since; women have 50 added to their month, and 20 is added where a
/// day has more people than numbers. Slovak ones are alike.
pub(super) fn is_czech(all: &[u64]) -> bool {
    let (year, month, day) = (number(&all[..2]), number(&all[2..4]), number(&all[4..6]));
    let short = all.len() == 9;
    let year = match (short, year) {
        (true, 54..=79) => return false,
        (true, 80..) => 1800 + year,
        (false, ..54) => 2000 + year,
        _ => 1900 + year,
    };
    let checked = short || number(&all[..9]) % 11 % 10 == all[9];
    is_day(year, month % 50 % 20, day) && checked
}

/// Eleven digits: a day of birth, or 32 and nothing that tells of it.
pub(super) fn is_latvian(all: &[u64]) -> bool {
    let (day, month, year) = (number(&all[..2]), number(&all[2..4]), number(&all[4..6]));
    let born = is_day(1800 + 100 * all[6] + year, month, day);
    let check = (1 + weighted(all, &[10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11 % 10;
    (day == 32 || born) && check == all[10]
}

/// Thirteen digits: sex and century, day of birth, county.
pub(super) fn is_romanian(all: &[u64]) -> bool {
    let century = match all[0] {
        3 | 4 => 1800,
        5 | 6 => 2000,
        _ => 1900,
    };
    let (year, month, day) = (number(&all[1..3]), number(&all[3..5]), number(&all[5..7]));
    let county = number(&all[7..9]);
    let known = matches!(county, 1..=48 | 51 | 52 | 70 | 80..=83);
    let check = weighted(all, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if check == 10 { 1 } else { check };
    is_day(century + year, month, day) && known && check == all[12]
}
