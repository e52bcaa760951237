//! Bodies of `application/x-www-form-urlencoded`. They may hold a card: their memory is wiped.

use bytes::Bytes;
use zeroize::Zeroizing;

/// Room for a card with its address, so that no copy is left behind by growing.
const ROOM: usize = 4096;

pub(super) struct Form(Zeroizing<String>);

impl Form {
    pub(super) fn new() -> Self {
        Self(Zeroizing::new(String::with_capacity(ROOM)))
    }

    #[must_use]
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        encode(name, &mut self.0);
        self.0.push('=');
        encode(value, &mut self.0);
        self
    }

    #[must_use]
    pub(super) fn maybe(self, name: &str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self.0)
    }
}

pub(super) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    encode(text, &mut encoded);
    encoded
}

fn encode(text: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_escaped_and_empty_ones_left_out() {
        let form = Form::new()
            .with("card[number]", "4242")
            .with("name", "Zoë & Söhne=+ %")
            .maybe("line2", None)
            .maybe("state", Some(""))
            .maybe("city", Some("a_b-c.d~e"));
        let expected = "card%5Bnumber%5D=4242&name=Zo%C3%AB%20%26%20S%C3%B6hne%3D%2B%20%25\
                        &city=a_b-c.d~e";
        assert_eq!(form.into_bytes(), expected.as_bytes());
        assert_eq!(segment("pi_1/../x?y"), "pi_1%2F..%2Fx%3Fy");
    }
}
