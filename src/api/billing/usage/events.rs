//! Recording usage events, one or many at a time.

mod batch;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

pub use super::event::EventBody;
pub use batch::{BATCH_LIMIT, EventBatchBody, ingest_batch};
pub use view::{BatchItemView, BatchView, IngestView};

use super::event;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn ingest(app: Arc<App>, call: Call) -> Answer {
    let (contract, event) = event::from_body(&call.body)?;
    let asked = app.contracts.record_usage(call.seller_id(), contract, vec![event]).await;
    let outcome = asked?.pop().ok_or_else(Problem::unanswered)?;
    let ingested = outcome?;
    let view = IngestView::from(&ingested);
    Ok(if ingested.duplicate { Reply::ok(&view) } else { Reply::created(&view) })
}
