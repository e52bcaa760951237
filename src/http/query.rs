//! The query of a request: each name at most once, values that decode.

use std::borrow::Cow;

use actors::domain::text;

use super::error::ApiError;

/// What a byte sequence that is not UTF-8 decodes to.
const UNDECODABLE: char = '\u{FFFD}';

/// The value of `name` in `query`, read as texts of bodies are; `None` when it is not there.
///
/// # Errors
/// `400` when the name is repeated or its value is not text of one line.
pub(super) fn value<'q>(query: &'q str, name: &str) -> Result<Option<Cow<'q, str>>, ApiError> {
    let mut values = form_urlencoded::parse(query.as_bytes())
        .filter_map(|(found, value)| (found == name).then_some(value));
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(ApiError::invalid(format!("{name} must be given once")));
    }
    if value.contains(UNDECODABLE) {
        return Err(ApiError::invalid(format!("{name} is malformed")));
    }
    match text::line(&value) {
        Ok(Cow::Borrowed(_)) => Ok(Some(value)),
        Ok(Cow::Owned(text)) => Ok(Some(Cow::Owned(text))),
        Err(control) => Err(ApiError::invalid(format!("{name} {control}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_name_and_bytes_that_are_no_text_are_refused() {
        assert_eq!(value("a=1&b=x%20y", "b").expect("one").as_deref(), Some("x y"));
        assert_eq!(value("a=1", "b").expect("none"), None);
        assert_eq!(value("a=1&a=1", "a").unwrap_err().text(), "a must be given once");
        assert_eq!(value("a=%FF", "a").unwrap_err().text(), "a is malformed");
        let control = value("a=x%0Ay", "a").unwrap_err();
        assert_eq!(control.text(), "a must not contain control characters");
        assert_eq!(value("a=x%E2%80%8By", "a").expect("one").as_deref(), Some("xy"));
    }
}
