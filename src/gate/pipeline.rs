//! The checks that every request passes, in their fixed order: request id, size, authentication,
//! account, rate limit, quota, idempotency header, path ids, capacity; then the handler, which
//! goes on with existence, body and state.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::SellerId;
use actors::domain::platform::limits::{AddressKind, Standing};
use bytes::Bytes;
use futures::FutureExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderName};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::caller::Caller;
use super::policy::{Idempotency, Surface};
use super::{Request, Route, authentication, idempotency, limits};
use crate::app::App;
use crate::http::body::{self, Use};
use crate::http::request::{RequestId, parse_id};
use crate::http::response::Payload;
use crate::http::router::{Found, Place};
use crate::http::server::Service;
use crate::http::upload::Upload;
use crate::http::{ApiError, ApiResult, Response, Router};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(super) struct Pipeline {
    pub(super) app: Arc<App>,
    pub(super) router: Arc<Router<App>>,
    pub(super) in_flight: Arc<Semaphore>,
    /// Batches waiting for the disk, beyond which no more writes are taken.
    pub(super) commit_backlog: usize,
    /// Connections and the writes under way: the server ends when they have.
    pub(super) tasks: TaskTracker,
    pub(super) body_patience: Duration,
}

/// An answer, and what the log and the rate headers say of its request.
struct Served {
    response: Response,
    seller: Option<SellerId>,
    standing: Option<Standing>,
}

impl Service for Pipeline {
    async fn answer(
        &self,
        peer: IpAddr,
        request: hyper::Request<Incoming>,
    ) -> hyper::Response<Payload> {
        let watched = self.app.metrics.begin();
        let id = RequestId::draw(self.app.entropy);
        let (parts, body) = request.into_parts();
        let method = parts.method.clone();
        let (served, pattern) = match self.router.find(&method, parts.uri.path()) {
            Found::Route(place) => {
                let path = self.router.route(&place).path();
                (self.serve(place, peer, parts, body, id.clone()).await, path)
            }
            Found::WrongMethod(allow, route) if self.is_there(route.surface()) => {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                let error = ApiError::new(status, "method not allowed").header(ALLOW, allow);
                (Served::refused(error), "wrong method")
            }
            Found::WrongMethod(..) | Found::Nothing => {
                (Served::refused(ApiError::missing()), "unknown")
            }
        };
        let Served { mut response, seller, standing } = served;
        response.headers_mut().insert(REQUEST_ID, id.value());
        if let Some(standing) = standing {
            limits::state(standing, response.headers_mut());
        }
        let took = watched.end(&method, pattern, response.status());
        log(&id, &method, pattern, &response, took, seller);
        response.into_response(method == Method::HEAD)
    }
}

impl Pipeline {
    /// Without an operator's token the back office is not there, whatever the method.
    fn is_there(&self, surface: Surface) -> bool {
        surface != Surface::Backoffice || self.app.settings.operator_token.is_some()
    }

    async fn serve(
        &self,
        place: Place,
        peer: IpAddr,
        parts: Parts,
        body: Incoming,
        id: RequestId,
    ) -> Served {
        let route = self.router.route(&place);
        let now = self.app.clock.now();
        // The caller is looked up before the body is read, so that a stranger's body is not
        // kept in memory; an answer about the size still comes first.
        let caller = authentication::admit(&self.app, route.access(), &parts.headers, now);
        let purpose = if caller.is_ok() { Use::Keep } else { Use::Count };
        let (body, upload) = match self.read_body(route, body, &parts.headers, purpose).await {
            Ok(read) => read,
            Err(error) => return Served::refused(error),
        };
        let first = route.idempotency() == Idempotency::PaymentsFirst;
        if first && let Err(error) = idempotency::read(route.idempotency(), &parts.headers) {
            return Served::refused(error);
        }
        let caller = match caller {
            Ok(caller) => caller,
            Err(error) => return Served::refused(error),
        };
        let seller = caller.as_ref().map(|caller| caller.seller.id);
        let (standing, rate) = match &caller {
            Some(caller) => limits::request(&self.app, route.surface(), &caller.seller, now),
            None if route.surface() == Surface::Page => {
                (None, limits::address(&self.app, AddressKind::Page, peer, now))
            }
            None => (None, Ok(())),
        };
        let request = Request {
            peer,
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            body,
            upload,
            id,
            now,
            router: self.router.clone(),
            place,
            context: Caller { seller: caller, key: None },
        };
        let answer = match rate {
            Ok(()) => self.go_on(route, request).await,
            Err(error) => Err(error),
        };
        Served { response: answer.unwrap_or_else(Response::from), seller, standing }
    }

    /// The body as a whole, or the beginning of one that its handler is to read.
    async fn read_body(
        &self,
        route: &Route,
        body: Incoming,
        headers: &HeaderMap,
        purpose: Use,
    ) -> Result<(Bytes, Option<Upload>), ApiError> {
        let (limit, patience) = (route.body_limit, self.body_patience);
        if route.streamed && purpose == Use::Keep {
            let body = body::announced(body, headers, limit, patience).await?;
            return Ok((Bytes::new(), Some(Upload::new(body, limit, patience))));
        }
        Ok((body::read(body, headers, limit, patience, purpose).await?, None))
    }

    async fn go_on(&self, route: &Route, mut request: Request) -> ApiResult {
        if let (Some(kind), Some(caller)) = (route.policy.quota, &request.context.seller) {
            limits::write(&self.app, kind, &caller.seller, request.now).await?;
        }
        request.context.key = idempotency::read(route.idempotency(), &request.headers)?;
        for name in &route.ids {
            let part = self.router.parameter(&request.place, request.uri.path(), name);
            parse_id(name, part.unwrap_or_default())?;
        }
        let permit = self.admit(route)?;
        self.handle(route, request, permit).await
    }

    /// Leave to begin, unless the server has its hands full.
    fn admit(&self, route: &Route) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        if route.surface() == Surface::Operations {
            return Ok(None);
        }
        if route.method() != Method::GET && self.app.store.backlog() > self.commit_backlog {
            return Err(ApiError::busy());
        }
        self.in_flight.clone().try_acquire_owned().map(Some).map_err(|_| ApiError::busy())
    }

    /// Runs the handler. One that may write runs in a task of its own: when its caller goes away,
    /// it still comes to its end.
    async fn handle(
        &self,
        route: &Route,
        request: Request,
        permit: Option<OwnedSemaphorePermit>,
    ) -> ApiResult {
        let answer = (route.handler)(self.app.clone(), request);
        let guarded = AssertUnwindSafe(async move {
            let _permit = permit;
            answer.await
        })
        .catch_unwind();
        let outcome = if route.method() == Method::GET {
            guarded.await
        } else {
            self.tasks.spawn(guarded).await.unwrap_or_else(|error| Err(Box::new(error)))
        };
        outcome.unwrap_or_else(|_| Err(ApiError::internal(&"a handler panicked")))
    }
}

impl Served {
    fn refused(error: ApiError) -> Self {
        Self { response: error.into(), seller: None, standing: None }
    }
}

/// A line for each fault of the server; for any other request one, when somebody reads such lines.
fn log(
    id: &RequestId,
    method: &Method,
    route: &str,
    response: &Response,
    took: Duration,
    seller: Option<SellerId>,
) {
    let (status, seller) = (response.status().as_u16(), seller.map(|seller| seller.0));
    if let Some(cause) = response.cause() {
        tracing::error!(request = %id, %method, route, seller, cause, "a request met a fault");
    }
    tracing::debug!(
        target: "accrue::access",
        request = %id,
        %method,
        route,
        status,
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        seller,
        "answered"
    );
}
