//! Ids in paths and queries.

use actors::domain::ids::ID_LIMIT;

use crate::http::error::ApiError;

/// `text` as an id: a positive integer below 2^53 in digits only.
pub(crate) fn parse(name: &str, text: &str) -> Result<u64, ApiError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .filter(|id| (1..ID_LIMIT).contains(id))
        .ok_or_else(|| ApiError::invalid(format!("{name} must be a positive integer")))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_positive_integers_below_2_to_the_53_are_ids() {
        assert_eq!(parse("id", "1").ok(), Some(1));
        assert_eq!(parse("id", "9007199254740991").ok(), Some(9_007_199_254_740_991));
        for text in ["", "0", "-1", "+1", "1.0", "abc", "9007199254740992", "99999999999999999999"]
        {
            let problem = parse("contractId", text).expect_err("no id");
            assert_eq!(problem.to_string(), "400 contractId must be a positive integer", "{text}");
        }
    }
}
