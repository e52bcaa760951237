//! That a demo account was filled with a story, once.

use super::seller::{Mode, Seller};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DemoFill {
    #[n(0)]
    pub begun_at: Timestamp,
    /// None while it goes on, or where the process ended before it did.
    #[n(1)]
    pub ended_at: Option<Timestamp>,
    #[n(2)]
    pub failed: bool,
}

impl storage::CborRecord for DemoFill {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillRefusal {
    #[error("only a demo account can be filled")]
    NotDemo,
    #[error("the account was filled before")]
    Before,
}

impl Refuse for FillRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::NotDemo => RefusalKind::Unprocessable,
            Self::Before => RefusalKind::Conflict,
        }
    }
}

/// Begins to fill an account.
pub fn begin(
    account: &Seller,
    before: Option<&DemoFill>,
    now: Timestamp,
) -> Result<DemoFill, FillRefusal> {
    if account.mode != Mode::Demo {
        return Err(FillRefusal::NotDemo);
    }
    if before.is_some() {
        return Err(FillRefusal::Before);
    }
    Ok(DemoFill { begun_at: now, ended_at: None, failed: false })
}
