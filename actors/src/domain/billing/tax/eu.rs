//! Which countries are members of the European Union.

use crate::domain::country::Country;

/// The members, two capitals each, in order.
const MEMBERS: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT",
    "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

pub fn is_in_eu(country: Country) -> bool {
    MEMBERS.binary_search(&country.code()).is_ok()
}
