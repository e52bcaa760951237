//! Texts that people write and read: names, descriptions, references.
//!
//! What cannot be seen makes two texts look alike that are not, or one read otherwise than it is
//! stored, so that it is left out; what ends a line or a text is refused.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must not contain control characters")]
pub struct ControlCharacter;

/// `text` of one line, without what cannot be seen.
pub fn line(text: &str) -> Result<Cow<'_, str>, ControlCharacter> {
    clean(text, |_| false)
}

/// `text` that may have several lines and tabs.
pub fn lines(text: &str) -> Result<Cow<'_, str>, ControlCharacter> {
    clean(text, |c| matches!(c, '\n' | '\t'))
}

/// `text` within a document that is kept as it was written, with lines of whatever ending.
pub fn in_document(text: &str) -> Result<Cow<'_, str>, ControlCharacter> {
    clean(text, |c| matches!(c, '\n' | '\r' | '\t'))
}

fn clean(text: &str, is_allowed: fn(char) -> bool) -> Result<Cow<'_, str>, ControlCharacter> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(Cow::Borrowed(text));
    }
    if text.chars().any(|c| is_control(c) && !is_allowed(c)) {
        return Err(ControlCharacter);
    }
    if !text.contains(is_invisible) {
        return Ok(Cow::Borrowed(text));
    }
    Ok(Cow::Owned(text.chars().filter(|&c| !is_invisible(c)).collect()))
}

/// Control characters, and the separators of lines and paragraphs.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Controls of direction and of shaping, and characters without a width. The plain marks of
/// direction (U+200E, U+200F) belong to the spelling of texts that mix scripts.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{061C}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200D}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206F}'
            | '\u{FEFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        let cases = [
            ("Ada Lovelace", "Ada Lovelace"),
            ("Zoë Ångström, 東京", "Zoë Ångström, 東京"),
            ("safe\u{202E}cod.exe", "safecod.exe"),
            ("\u{2066}A\u{2069}\u{200B}B\u{FEFF}C\u{200D}D", "ABCD"),
            ("שלום\u{200F} A\u{200E}", "שלום\u{200F} A\u{200E}"),
            ("\u{200B}", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(line(text).as_deref(), Ok(expected), "{text:?}");
            assert_eq!(lines(text).as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn control_characters_are_refused() {
        for text in ["\0", "a\u{7}b", "a\u{1b}[31m", "a\u{85}", "a\u{7f}", "a\u{2028}b", "a\rb"] {
            assert_eq!(line(text), Err(ControlCharacter), "{text:?}");
            assert_eq!(lines(text), Err(ControlCharacter), "{text:?}");
        }
        for text in ["a\nb", "a\tb"] {
            assert_eq!(line(text), Err(ControlCharacter), "{text:?}");
            assert_eq!(lines(text).as_deref(), Ok(text));
        }
    }
}
