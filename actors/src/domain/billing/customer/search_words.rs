//! What a customer is found by while somebody types.

use std::collections::BTreeSet;

use super::Customer;

/// Words of a name by which it is found, and the letters of what stands from one of them on.
const MOST_WORDS: usize = 4;
const MOST_LETTERS: usize = 64;

/// A text as it is compared: in lower case, with single blanks.
pub fn folded(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ");
    text.chars().take(MOST_LETTERS).collect()
}

impl Customer {
    /// What its name and that of its company read from each of their words on.
    pub fn words(&self) -> BTreeSet<String> {
        let names = [&self.name, &self.company_name];
        let mut found = BTreeSet::new();
        for name in names.into_iter().flatten() {
            let words: Vec<&str> = name.split_whitespace().collect();
            let beginnings = 0..words.len().min(MOST_WORDS);
            found.extend(beginnings.map(|from| folded(&words[from..].join(" "))));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::email::Email;
    use crate::domain::ids::{CustomerId, SellerId};
    use crate::domain::time::Timestamp;

    fn words(name: Option<&str>, company: Option<&str>) -> Vec<String> {
        let customer = Customer {
            id: CustomerId(1),
            seller: SellerId(1),
            email: Email::parse("ada@example.com").expect("an address"),
            customer_ref: None,
            name: name.map(str::to_owned),
            phone: None,
            company_name: company.map(str::to_owned),
            company_country: None,
            tax_id: None,
            currency: None,
            customer_type: None,
            created_at: Timestamp::from_micros(0),
        };
        customer.words().into_iter().collect()
    }

    #[test]
    fn a_name_is_found_from_each_of_its_words_on() {
        assert_eq!(words(Some("Ada  LOVELACE"), None), ["ada lovelace", "lovelace"]);
        assert_eq!(words(Some("Ada"), Some("Byron & Ada")), ["& ada", "ada", "byron & ada"]);
        assert_eq!(words(Some("  "), None), [""; 0]);
        assert_eq!(words(Some("Å B C D E F"), None).len(), MOST_WORDS);
        assert_eq!(words(Some(&"ü".repeat(100)), None), ["ü".repeat(MOST_LETTERS)]);
    }
}
