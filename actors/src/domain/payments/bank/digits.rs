use crate::domain::country::Country;

/// Whether `text` is an ABA routing number: nine digits whose weighted sum is a multiple of ten,
/// in a range that is given out.
pub(super) fn is_aba(text: &str) -> bool {
    if text.len() != 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let digit = |at: usize| u32::from(text.as_bytes()[at] - b'0');
    let sum: u32 = [3, 7, 1].iter().cycle().zip(0..9).map(|(weight, at)| weight * digit(at)).sum();
    // The first two digits name a Federal Reserve district, with 20 or 60 added for thrifts and
    // electronic traffic; 80 are traveller's cheques.
    let district = digit(0) * 10 + digit(1);
    sum.is_multiple_of(10) && matches!(district, 1..=12 | 21..=32 | 61..=72 | 80)
}

/// Whether `text` is written as a BIC (ISO 9362): four letters or digits of the business party,
/// an ISO 3166-1 country, two letters or digits, and for a branch three more.
pub(super) fn is_bic(text: &str) -> bool {
    let bytes = text.as_bytes();
    let plain =
        |part: &[u8]| part.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if !matches!(bytes.len(), 8 | 11) || !plain(bytes) {
        return false;
    }
    // Kosovo has no official ISO code yet and is given BICs under XK.
    let country = &text[4..6];
    country == "XK" || Country::parse(country).is_some()
}

/// The six digits of a sort code that is written plainly, or in pairs with dashes or blanks.
pub(super) fn sort_code(text: &str) -> Option<String> {
    let pairs = |sign: char| {
        let parts: Vec<&str> = text.split(sign).collect();
        (parts.len() == 3 && parts.iter().all(|part| part.len() == 2)).then(|| parts.concat())
    };
    let plain = match text.len() {
        6 => Some(text.to_owned()),
        _ => pairs('-').or_else(|| pairs(' ')),
    };
    plain.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `text` without blanks and dashes between its characters, if what is left has between `least`
/// and `most` characters that are all `fit`.
pub(super) fn number(
    text: &str,
    least: usize,
    most: usize,
    fit: fn(&u8) -> bool,
) -> Option<String> {
    let plain: String = text.chars().filter(|sign| !matches!(sign, ' ' | '-')).collect();
    let plain = plain.to_ascii_uppercase();
    let fits = (least..=most).contains(&plain.len()) && plain.as_bytes().iter().all(fit);
    fits.then_some(plain)
}
