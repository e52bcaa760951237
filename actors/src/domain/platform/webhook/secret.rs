use data_encoding::BASE64URL_NOPAD;
use zeroize::Zeroizing;

/// What each secret starts with, so that a leaked one is found by what it looks like.
pub const PREFIX: &str = "whsec_";

/// The secret made of these random bytes: [`PREFIX`] and 43 characters. The key of signatures is
/// the bytes of the whole text.
pub fn secret_of(random: &[u8; 32]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + 43));
    text.push_str(PREFIX);
    BASE64URL_NOPAD.encode_append(random, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_its_prefix_and_43_characters() {
        let secret = secret_of(&[0xA5; 32]);
        assert_eq!(secret.len(), 49);
        assert_eq!(secret.as_str(), "whsec_paWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaU");
    }
}
