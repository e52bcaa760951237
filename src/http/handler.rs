//! Any `async fn(Arc<S>, Request<S>) -> Result<Response, ApiError>` as one kind of value.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::error::ApiError;
use super::request::Request;
use super::response::Response;
use super::state::State;

pub type ApiResult = Result<Response, ApiError>;

pub(crate) type Handler<S> =
    Arc<dyn Fn(Arc<S>, Request<S>) -> BoxFuture<'static, ApiResult> + Send + Sync>;

pub(super) fn boxed<S, F, Fut>(handler: F) -> Handler<S>
where
    S: State,
    F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ApiResult> + Send + 'static,
{
    Arc::new(move |state, request| handler(state, request).boxed())
}
