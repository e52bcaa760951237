//! The resources sellers and the operator work with: one file each, with its bodies, its thin
//! handlers and its views. A handler turns a request into domain values, asks a room or reads
//! committed rows, and shows what came of it.

pub mod backoffice;
pub mod billing;
pub mod payments;

use actors::domain::refusal::Refusal;
use actors::query;
use actors::room::AskError;

use crate::http::{Paging, Problem};

/// What a room answered, or the problem that stands for its silence.
///
/// # Errors
/// The refusal as its status; `503` when the room's queue is full and nothing was done; `500`
/// when the room gave no answer.
pub fn settled<T>(asked: Result<Result<T, Refusal>, AskError>) -> Result<T, Problem> {
    match asked {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(refusal)) => Err(refusal.into()),
        Err(AskError::Busy) => Err(Problem::busy()),
        Err(AskError::Unanswered) => Err(Problem::unanswered()),
    }
}

/// The page that a list was asked for, as queries take it.
pub fn page(paging: Paging) -> query::Paging {
    query::Paging { limit: paging.limit, cursor: paging.cursor }
}
