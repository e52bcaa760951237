//! One route as a value: where it is, who serves it, what the program demands of it, and what the
//! API document says about it.

mod declare;
pub(crate) mod document;
mod fields;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::Method;

use self::document::Document;
pub(crate) use self::fields::Fields;
use super::State;
use super::error::ApiError;
use super::request::Request;
use super::response::Response;

pub type ApiResult = Result<Response, ApiError>;

/// Any `async fn(Arc<S>, Request<S>) -> ApiResult` as one kind of value.
pub(crate) type Handler<S> =
    Arc<dyn Fn(Arc<S>, Request<S>) -> BoxFuture<'static, ApiResult> + Send + Sync>;

/// Whether a body is asked for, by the head alone.
pub(crate) type Look<S> = fn(&S, &Request<S>) -> Result<(), ApiError>;

/// Bytes of a request body that a route takes unless it says otherwise.
pub const BODY_LIMIT: usize = 1024 * 1024;

pub struct Route<S: State> {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(crate) policy: S::Policy,
    pub(crate) body_limit: usize,
    pub(super) empty_body: bool,
    /// The handler reads the body while it comes.
    pub(crate) streamed: bool,
    /// What is asked of the head before its body is read.
    pub(super) look: Option<Look<S>>,
    /// A body that does not parse is refused without saying why.
    pub(crate) terse: bool,
    /// Path parameters that are ids: checked before the handler runs.
    pub(crate) ids: Vec<&'static str>,
    pub(crate) handler: Handler<S>,
    pub(crate) document: Document,
}

impl<S: State> Route<S> {
    pub fn get<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ApiResult> + Send + 'static,
    {
        Self::new(Method::GET, path, boxed(handler))
    }

    pub fn post<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ApiResult> + Send + 'static,
    {
        Self::new(Method::POST, path, boxed(handler))
    }

    pub fn put<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ApiResult> + Send + 'static,
    {
        Self::new(Method::PUT, path, boxed(handler))
    }

    pub fn patch<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ApiResult> + Send + 'static,
    {
        Self::new(Method::PATCH, path, boxed(handler))
    }

    pub fn delete<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ApiResult> + Send + 'static,
    {
        Self::new(Method::DELETE, path, boxed(handler))
    }

    fn new(method: Method, path: &'static str, handler: Handler<S>) -> Self {
        Self {
            method,
            path,
            policy: S::Policy::default(),
            body_limit: BODY_LIMIT,
            empty_body: false,
            streamed: false,
            look: None,
            terse: false,
            ids: Vec::new(),
            handler,
            document: Document::default(),
        }
    }

    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Its path, with parameters in braces.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Goes on if the body of `request` is to be read.
    pub(crate) fn look_at(&self, state: &S, request: &Request<S>) -> Result<(), ApiError> {
        self.look.map_or(Ok(()), |look| look(state, request))
    }

    /// The fields of its body that it knows.
    pub(crate) fn fields(&self) -> Fields {
        self.document.body.as_ref().map(|body| Fields::of(body.shape)).unwrap_or_default()
    }

    /// Whether it is for browsers, and no operation of the API.
    pub fn is_page(&self) -> bool {
        self.document.is_page
    }

    pub fn parameters(&self) -> impl Iterator<Item = &'static str> + use<S> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }
}

fn boxed<S, F, Fut>(handler: F) -> Handler<S>
where
    S: State,
    F: Fn(Arc<S>, Request<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ApiResult> + Send + 'static,
{
    Arc::new(move |state, request| handler(state, request).boxed())
}

/// Derived, it would ask for a state that can be cloned.
impl<S: State> Clone for Route<S> {
    fn clone(&self) -> Self {
        Self {
            method: self.method.clone(),
            path: self.path,
            policy: self.policy.clone(),
            ids: self.ids.clone(),
            handler: Arc::clone(&self.handler),
            document: self.document.clone(),
            ..*self
        }
    }
}
