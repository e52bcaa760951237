//! Any `async fn(Arc<App>, Call) -> Result<Reply, Problem>` as one kind of value.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::error::Problem;
use super::request::Call;
use super::response::Reply;
use crate::app::App;

/// What a handler ends in.
pub type Answer = Result<Reply, Problem>;

/// A handler behind one pointer.
pub(super) type Handler = Arc<dyn Fn(Arc<App>, Call) -> BoxFuture<'static, Answer> + Send + Sync>;

/// Puts `handler` behind one pointer.
pub(super) fn boxed<F, Fut>(handler: F) -> Handler
where
    F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    Arc::new(move |app, call| handler(app, call).boxed())
}
