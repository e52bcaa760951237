//! The form and the check digits of each member's ids, without their prefix.

mod people;

use super::digits::{digits, exactly, is_mod_11_10, luhn, number, weighted};

/// Whether `id` is one of the member with this code.
pub(super) fn is_of(code: &str, id: &str) -> bool {
    let found = match code {
        "AT" => austria(id),
        "BE" => belgium(id),
        "BG" => bulgaria(id),
        "CY" => cyprus(id),
        "CZ" => czechia(id),
        "DE" => exactly(9, id).map(|all| all[0] != 0 && is_mod_11_10(&all)),
        "DK" => sum(id, &[2, 7, 6, 5, 4, 3, 2, 1], 11).map(|fits| fits && !id.starts_with('0')),
        "EE" => sum(id, &[3, 7, 1, 3, 7, 1, 3, 7, 1], 10),
        "ES" => spain(id),
        "FI" => sum(id, &[7, 9, 10, 5, 8, 4, 2, 1], 11),
        "FR" => france(id),
        "GR" => greece(id),
        "HR" => exactly(11, id).map(|all| is_mod_11_10(&all)),
        "HU" => sum(id, &[9, 7, 3, 1, 9, 7, 3, 1], 10),
        "IE" => ireland(id),
        "IT" => italy(id),
        "LT" => lithuania(id),
        "LU" => exactly(8, id).map(|all| number(&all[..6]) % 89 == number(&all[6..])),
        "LV" => latvia(id),
        "MT" => sum(id, &[3, 4, 6, 7, 8, 9, 10, 1], 37).map(|fits| fits && !id.starts_with('0')),
        "NL" => netherlands(id),
        "PL" => {
            exactly(10, id).map(|all| weighted(&all, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == all[9])
        }
        "PT" => exactly(9, id).map(|all| {
            let check = 11 - weighted(&all, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            all[0] != 0 && check % 11 % 10 == all[8]
        }),
        "RO" => romania(id),
        "SE" => exactly(12, id).map(|all| id.ends_with("01") && luhn(&all[..10]) == 0),
        "SI" => exactly(8, id).map(|all| {
            let check = 11 - weighted(&all, &[8, 7, 6, 5, 4, 3, 2]) % 11;
            all[0] != 0 && (if check == 10 { 0 } else { check }) == all[7]
        }),
        "SK" => slovakia(id),
        _ => None,
    };
    found.unwrap_or(false)
}

/// Whether the digits, as many as there are weights, sum up to a multiple of `modulus`.
fn sum(id: &str, weights: &[u64], modulus: u64) -> Option<bool> {
    exactly(weights.len(), id).map(|all| weighted(&all, weights).is_multiple_of(modulus))
}

fn austria(id: &str) -> Option<bool> {
    let all = exactly(8, id.strip_prefix('U')?)?;
    Some((16 - luhn(&all[..7])) % 10 == all[7])
}

fn belgium(id: &str) -> Option<bool> {
    // Nine digits are those of before 2005.
    let all = exactly(10, &format!("{id:0>10}")).filter(|_| id.len() >= 9)?;
    let (base, check) = (number(&all[..8]), number(&all[8..]));
    Some(all[0] <= 1 && number(&all) > 0 && (base + check).is_multiple_of(97))
}

fn bulgaria(id: &str) -> Option<bool> {
    if let Some(all) = exactly(9, id) {
        let first = weighted(&all, &[1, 2, 3, 4, 5, 6, 7, 8]) % 11;
        let second = weighted(&all, &[3, 4, 5, 6, 7, 8, 9, 10]) % 11;
        let check = if first == 10 { second } else { first };
        return Some(check % 10 == all[8]);
    }
    let all = exactly(10, id)?;
    let of_foreigner = weighted(&all, &[21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10 == all[9];
    let other = (11 - weighted(&all, &[4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11 == all[9];
    Some(people::is_bulgarian(&all) || of_foreigner || other)
}

fn cyprus(id: &str) -> Option<bool> {
    /// What the digits in odd places count.
    const ODD: [u64; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let (last, body) = (id.chars().last()?, id.get(..8)?);
    let all = exactly(8, body).filter(|_| id.len() == 9 && !id.starts_with("12"))?;
    let worth = |(place, digit): (usize, &u64)| match place % 2 {
        0 => ODD.get(usize::try_from(*digit).unwrap_or(10)).copied().unwrap_or(0),
        _ => *digit,
    };
    let check = all.iter().enumerate().map(worth).sum::<u64>() % 26;
    Some(char::from(b'A' + u8::try_from(check).ok()?) == last)
}

fn czechia(id: &str) -> Option<bool> {
    let all = digits(id)?;
    Some(match all.len() {
        8 => {
            let check = (11 - weighted(&all, &[8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
            all[0] != 9 && (if check == 0 { 1 } else { check }) % 10 == all[7]
        }
        9 if all[0] == 6 => {
            let check = weighted(&all[1..], &[8, 7, 6, 5, 4, 3, 2]) % 11;
            // 8 less what is left of 10 less the check, modulo 11, so that nothing is below 0.
            let left = (21 - check) % 11;
            (18 - left) % 10 == all[8]
        }
        9 | 10 => people::is_czech(&all),
        _ => false,
    })
}

fn spain(id: &str) -> Option<bool> {
    let (first, last) = (id.chars().next()?, id.chars().last()?);
    let middle = exactly(7, id.get(1..8)?).filter(|_| id.len() == 9)?;
    Some(match first {
        'K' | 'L' | 'M' => people::spanish_letter(number(&middle)) == last,
        '0'..='9' => people::spanish_letter(number(&digits(id.get(..8)?)?)) == last,
        'X' | 'Y' | 'Z' => {
            let leading = u64::from(first as u32 - 'X' as u32) * 10_000_000;
            people::spanish_letter(leading + number(&middle)) == last
        }
        _ if "ABCDEFGHJNPQRSUVW".contains(first) => {
            let shifted: Vec<_> = middle.iter().copied().chain([0]).collect();
            let check = (10 - luhn(&shifted)) % 10;
            let letter = "JABCDEFGHI".chars().nth(usize::try_from(check).ok()?)?;
            last == letter || last.to_digit(10).map(u64::from) == Some(check)
        }
        _ => false,
    })
}

fn france(id: &str) -> Option<bool> {
    /// Letters that could be read as digits are left out.
    const KEYS: &str = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    let siren = exactly(9, id.get(2..)?)?;
    // Numbers of Monaco begin with three zeros, and are checked by the key alone.
    if siren[..3] != [0, 0, 0] && luhn(&siren) != 0 {
        return Some(false);
    }
    let key = |place| {
        let found = id.chars().nth(place).and_then(|c| KEYS.find(c))?;
        u64::try_from(found).ok()
    };
    let (first, second) = (key(0)?, key(1)?);
    if first < 10 && second < 10 {
        return Some(first * 10 + second == (number(&siren) * 100 + 12) % 97);
    }
    let check = if first < 10 { first * 24 + second - 10 } else { first * 34 + second - 100 };
    Some((number(&siren) + 1 + check / 11) % 11 == check % 11)
}

fn greece(id: &str) -> Option<bool> {
    let all = exactly(9, &format!("{id:0>9}")).filter(|_| id.len() >= 8)?;
    let check = weighted(&all, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11;
    Some(check % 10 == all[8])
}

fn ireland(id: &str) -> Option<bool> {
    const LETTERS: &str = "WABCDEFGHIJKLMNOPQRSTUV";
    let worth = |c: char| LETTERS.find(c).and_then(|found| u64::try_from(found).ok());
    if !(8..=9).contains(&id.len()) {
        return None;
    }
    let (second, check) = (id.chars().nth(1)?, worth(id.chars().nth(7)?)?);
    let more = id.chars().nth(8).map_or(Some(0), worth)?;
    let all = if second.is_ascii_digit() {
        exactly(7, id.get(..7)?)?
    } else if second.is_ascii_uppercase() || "+*".contains(second) {
        // The old form: the first digit counts as the last one.
        let body = exactly(5, id.get(2..7)?)?;
        let first = exactly(1, id.get(..1)?)?;
        [vec![0], body, first].concat()
    } else {
        return None;
    };
    let more = if second.is_ascii_digit() { more } else { 0 };
    Some((weighted(&all, &[8, 7, 6, 5, 4, 3, 2]) + 9 * more) % 23 == check)
}

fn italy(id: &str) -> Option<bool> {
    let all = exactly(11, id)?;
    let province = number(&all[7..10]);
    let known = (1..=100).contains(&province) || [120, 121, 888, 999].contains(&province);
    Some(number(&all[..7]) > 0 && known && luhn(&all) == 0)
}

fn lithuania(id: &str) -> Option<bool> {
    let all = digits(id).filter(|all| [9, 12].contains(&all.len()))?;
    let (check, body) = all.split_last()?;
    let from = |first: u64| {
        let weight = |place: usize| (u64::try_from(place).unwrap_or(0) + first) % 9 + 1;
        body.iter().enumerate().map(|(place, digit)| weight(place) * digit).sum::<u64>() % 11
    };
    let found = if from(0) == 10 { from(2) } else { from(0) };
    Some(all[all.len() - 2] == 1 && found % 10 == *check)
}

fn latvia(id: &str) -> Option<bool> {
    let all = exactly(11, id)?;
    if all[0] > 3 {
        return Some(weighted(&all, &[9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 == 3);
    }
    Some(people::is_latvian(&all))
}

fn netherlands(id: &str) -> Option<bool> {
    let (body, tail) = id.split_once('B').filter(|(body, _)| (1..=9).contains(&body.len()))?;
    let (all, tail) = (exactly(9, &format!("{body:0>9}"))?, exactly(2, tail)?);
    if number(&all) == 0 || number(&tail) == 0 {
        return Some(false);
    }
    let by_person = weighted(&all, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 == all[8];
    // ISO 7064, modulus 97: letters count from 10 for A, and NL and B are part of the number.
    let whole = [vec![2, 3, 2, 1], all, vec![1, 1], tail].concat();
    let rest = whole.iter().fold(0, |rest, digit| (rest * 10 + digit) % 97);
    Some(by_person || rest == 1)
}

fn romania(id: &str) -> Option<bool> {
    let all = digits(id).filter(|all| all.first().is_some_and(|first| *first != 0))?;
    match all.len() {
        2..=10 => {
            let padded = exactly(10, &format!("{id:0>10}"))?;
            let check = 10 * weighted(&padded, &[7, 5, 3, 2, 1, 7, 5, 3, 2]) % 11;
            Some(check % 10 == padded[9])
        }
        13 => Some(people::is_romanian(&all)),
        _ => None,
    }
}

fn slovakia(id: &str) -> Option<bool> {
    let all = exactly(10, id)?;
    let of_company = all[0] != 0 && [2, 3, 4, 7, 8, 9].contains(&all[2]);
    Some(people::is_czech(&all) || of_company && number(&all).is_multiple_of(11))
}
