//! VAT ids of the countries of the European Union: whether one has the form of its country and
//! right check digits. That says nothing of whether anybody holds it.

mod digits;
mod members;
#[cfg(test)]
mod tests;

use super::is_in_eu;
use crate::domain::country::Country;

/// How Greece begins its ids.
const GREEK_PREFIX: &str = "EL";

/// Whether `id` is a VAT id of `country`, a member of the Union; its own prefix may be left out,
/// and spaces, dots, dashes, slashes and colons do not count.
pub fn is_vat_id_of(country: Country, id: &str) -> bool {
    if !is_in_eu(country) {
        return false;
    }
    let bare: String =
        id.chars().filter(|c| !" .-/:".contains(*c)).map(|c| c.to_ascii_uppercase()).collect();
    if !bare.is_ascii() {
        return false;
    }
    let prefixes = [country.code(), if country.code() == "GR" { GREEK_PREFIX } else { "" }];
    let without = prefixes.into_iter().filter(|prefix| !prefix.is_empty());
    // Spanish ids begin with letters too, but never with two.
    let number = without.fold(bare.as_str(), |id, prefix| id.strip_prefix(prefix).unwrap_or(id));
    members::is_of(country.code(), number)
}
