//! One route as a value: where it is, who may call it, what it demands, who serves it and what
//! the API document says about it.

mod declare;
pub(super) mod document;

use std::sync::Arc;

use actors::domain::platform::limits::QuotaKind;
use hyper::Method;

use self::document::Document;
use super::handler::{Answer, Handler, boxed};
use super::request::Call;
use crate::app::App;

/// Bytes of a request body that a route takes unless it says otherwise (billing 8).
pub const BODY_LIMIT: usize = 1024 * 1024;

/// The part of the product a route belongs to (decisions 1); its paths begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// `/billing-api/v1` and `/usage/v1`.
    Billing,
    /// `/payments-api/v1`.
    Payments,
    /// `/backoffice/v1`.
    Backoffice,
    /// Pages that a person opens in a browser.
    Page,
    /// Health, metrics and the API document.
    Operations,
}

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The holder of a seller's secret key.
    SellerKey,
    /// The operator; without an operator's token the route is not there.
    Operator,
    /// Anybody.
    Open,
}

/// What a route demands of `Idempotency-Key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Idempotency {
    /// Nothing; the header is not read.
    None,
    /// 1-128 characters (billing 4).
    Billing,
    /// A UUID (payments 4).
    Payments,
    /// A UUID, demanded before the caller is known (payments 4, `POST /checkout`).
    PaymentsFirst,
}

/// Whether a route demands a key, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    None,
    Key,
    KeyFirst,
}

/// One route. It is declared on the page of routes and read by the router, the door and the
/// API document.
#[derive(Clone)]
pub struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    surface: Option<Surface>,
    access: Option<Access>,
    demands: Demand,
    pub(super) quota: Option<QuotaKind>,
    pub(super) body_limit: usize,
    pub(super) empty_body: bool,
    /// The handler reads the body while it comes.
    pub(super) streamed: bool,
    /// Path parameters that are ids: checked before the handler runs.
    pub(super) ids: Vec<&'static str>,
    pub(super) handler: Handler,
    pub(super) document: Document,
}

impl Route {
    /// A route that reads.
    pub fn get<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self::new(Method::GET, path, boxed(handler))
    }

    /// A route that makes something, or acts.
    pub fn post<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self::new(Method::POST, path, boxed(handler))
    }

    /// A route that sets something to what is sent.
    pub fn put<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self::new(Method::PUT, path, boxed(handler))
    }

    /// A route that changes parts of something.
    pub fn patch<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self::new(Method::PATCH, path, boxed(handler))
    }

    /// A route that takes something away.
    pub fn delete<F, Fut>(path: &'static str, handler: F) -> Self
    where
        F: Fn(Arc<App>, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self::new(Method::DELETE, path, boxed(handler))
    }

    fn new(method: Method, path: &'static str, handler: Handler) -> Self {
        Self {
            method,
            path,
            surface: None,
            access: None,
            demands: Demand::None,
            quota: None,
            body_limit: BODY_LIMIT,
            empty_body: false,
            streamed: false,
            ids: Vec::new(),
            handler,
            document: Document::default(),
        }
    }

    /// The method it answers.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Its path, with parameters in braces.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// The surface it belongs to.
    pub fn surface(&self) -> Surface {
        self.surface.unwrap_or(Surface::Operations)
    }

    /// Who may call it.
    pub fn access(&self) -> Access {
        self.access.unwrap_or(self.surface().access())
    }

    /// What it demands of `Idempotency-Key`.
    pub fn idempotency(&self) -> Idempotency {
        match (self.demands, self.surface()) {
            (Demand::None, _) => Idempotency::None,
            (Demand::KeyFirst, _) => Idempotency::PaymentsFirst,
            (Demand::Key, Surface::Payments) => Idempotency::Payments,
            (Demand::Key, _) => Idempotency::Billing,
        }
    }

    /// The names of the parameters in its path, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }
}

impl Surface {
    /// Who may call its routes unless they say otherwise.
    fn access(self) -> Access {
        match self {
            Self::Billing | Self::Payments => Access::SellerKey,
            Self::Backoffice => Access::Operator,
            Self::Page | Self::Operations => Access::Open,
        }
    }
}
