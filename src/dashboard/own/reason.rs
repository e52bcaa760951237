//! Why somebody does what cannot be taken back.

use serde::Deserialize;
use utoipa::ToSchema;

const LONGEST: usize = 512;

/// 1 to 512 characters, not all of them blank.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, min_length = 1, max_length = 512)]
pub(super) struct Reason(pub(super) String);

impl TryFrom<String> for Reason {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.trim().is_empty() || text.chars().count() > LONGEST {
            false => Ok(Self(text)),
            true => Err(format!("must have 1 to {LONGEST} characters")),
        }
    }
}
