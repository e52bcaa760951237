//! Which countries are members of the European Union.

use crate::domain::country::Country;

/// The members by code, in order, with their names in English.
const MEMBERS: [(&str, &str); 27] = [
    ("AT", "Austria"),
    ("BE", "Belgium"),
    ("BG", "Bulgaria"),
    ("CY", "Cyprus"),
    ("CZ", "Czechia"),
    ("DE", "Germany"),
    ("DK", "Denmark"),
    ("EE", "Estonia"),
    ("ES", "Spain"),
    ("FI", "Finland"),
    ("FR", "France"),
    ("GR", "Greece"),
    ("HR", "Croatia"),
    ("HU", "Hungary"),
    ("IE", "Ireland"),
    ("IT", "Italy"),
    ("LT", "Lithuania"),
    ("LU", "Luxembourg"),
    ("LV", "Latvia"),
    ("MT", "Malta"),
    ("NL", "Netherlands"),
    ("PL", "Poland"),
    ("PT", "Portugal"),
    ("RO", "Romania"),
    ("SE", "Sweden"),
    ("SI", "Slovenia"),
    ("SK", "Slovakia"),
];

/// Other ways in which members are written.
const OTHER_NAMES: [(&str, &str); 3] =
    [("EL", "GR"), ("Czech Republic", "CZ"), ("The Netherlands", "NL")];

pub fn is_in_eu(country: Country) -> bool {
    MEMBERS.binary_search_by_key(&country.code(), |(code, _)| code).is_ok()
}

/// The member that a text names: its code or its English name, in whatever capitals.
pub fn eu_country(text: &str) -> Option<Country> {
    let text = text.trim();
    let other = OTHER_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    let text = other.map_or(text, |(_, code)| code);
    let named = |(code, name): &&(&str, &str)| {
        code.eq_ignore_ascii_case(text) || name.eq_ignore_ascii_case(text)
    };
    MEMBERS.iter().find(named).and_then(|(code, _)| Country::parse(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_known_by_code_and_name() {
        for (text, code) in [
            ("DE", Some("DE")),
            ("de", Some("DE")),
            (" Germany ", Some("DE")),
            ("EL", Some("GR")),
            ("the netherlands", Some("NL")),
            ("GB", None),
            ("Switzerland", None),
            ("", None),
            ("Deutschland", None),
        ] {
            assert_eq!(eu_country(text).as_ref().map(Country::code), code, "{text}");
        }
        let members: Vec<_> = Country::all().filter(|country| is_in_eu(*country)).collect();
        assert_eq!(members.len(), 27);
    }
}
