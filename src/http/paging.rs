//! Paging of lists, with the cursor under both of its names.

use actors::query::Paging;

use super::error::ApiError;
use super::query;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

/// Reads `limit`, `cursor` and the cursor's `original` name from a query.
pub(super) fn read(text: &str, original: &str) -> Result<Paging, ApiError> {
    let limit = match query::value(text, "limit")? {
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
    let Some(value) = query::value(text, name)? else { return Ok(None) };
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
            assert_eq!(read(query, "afterId").ok(), expected, "{query}");
        }
    }

    #[test]
    fn a_refusal_names_the_parameter() {
        let text = |query| read(query, "beforeId").expect_err("a refusal").text().to_owned();
        assert_eq!(text("limit=0"), "limit must be an integer from 1 to 100");
        assert_eq!(text("beforeId=x"), "beforeId must be a non-negative integer");
        assert_eq!(text("cursor=1&beforeId=2"), "cursor and beforeId must not differ");
    }
}
