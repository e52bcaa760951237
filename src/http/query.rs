//! The query of a request: each name at most once, values that decode; and the paging of lists,
//! with the cursor under both of its names.

use std::borrow::Cow;

use actors::domain::text;
use actors::query::Paging;

use super::error::ApiError;

/// What a byte sequence that is not UTF-8 decodes to.
const UNDECODABLE: char = '\u{FFFD}';

/// How many items a page of a list has.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

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

/// Reads `limit`, `cursor` and the cursor's `original` name from a query.
pub(super) fn paging(text: &str, original: &str) -> Result<Paging, ApiError> {
    let limit = match value(text, "limit")? {
        None => DEFAULT_LIMIT,
        Some(limit) => number(&limit)
            .and_then(|limit| usize::try_from(limit).ok())
            .filter(|limit| (1..=MAX_LIMIT).contains(limit))
            .ok_or_else(|| ApiError::invalid("limit must be an integer from 1 to 100"))?,
    };
    let cursor = match (cursor(text, "cursor")?, cursor(text, original)?) {
        (Some(one), Some(other)) if one != other => {
            return Err(ApiError::invalid(format!("cursor and {original} must not differ")));
        }
        (one, other) => one.or(other),
    };
    Ok(Paging { limit, cursor: cursor.filter(|&id| id > 0) })
}

fn cursor(text: &str, name: &str) -> Result<Option<u64>, ApiError> {
    let Some(value) = value(text, name)? else { return Ok(None) };
    match number(&value) {
        Some(id) => Ok(Some(id)),
        None => Err(ApiError::invalid(format!("{name} must be a non-negative integer"))),
    }
}

/// Digits and nothing else: no sign, no blanks.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
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

    #[test]
    fn pages_are_read_or_refused() {
        let page = |limit, cursor| Some(Paging { limit, cursor });
        let cases = [
            ("", page(20, None)),
            ("limit=1", page(1, None)),
            ("limit=100&cursor=7", page(100, Some(7))),
            ("afterId=7", page(20, Some(7))),
            ("cursor=7&afterId=7", page(20, Some(7))),
            ("cursor=0", page(20, None)),
            ("cursor=0&afterId=0", page(20, None)),
            ("limit=0", None),
            ("limit=101", None),
            ("limit=ten", None),
            ("limit=", None),
            ("limit=+5", None),
            ("limit=5&limit=5", None),
            ("cursor=-1", None),
            ("cursor=1.0", None),
            ("cursor=", None),
            ("cursor=99999999999999999999", None),
            ("cursor=7&afterId=8", None),
            ("cursor=0&afterId=8", None),
            ("cursor=8&afterId=0", None),
            ("cursor=7&cursor=7", None),
        ];
        for (query, expected) in cases {
            assert_eq!(paging(query, "afterId").ok(), expected, "{query}");
        }
    }

    #[test]
    fn a_refusal_names_the_parameter() {
        let text = |query| paging(query, "beforeId").expect_err("a refusal").text().to_owned();
        assert_eq!(text("limit=0"), "limit must be an integer from 1 to 100");
        assert_eq!(text("beforeId=x"), "beforeId must be a non-negative integer");
        assert_eq!(text("cursor=1&beforeId=2"), "cursor and beforeId must not differ");
    }
}
