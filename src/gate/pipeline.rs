//! The checks that every request passes, in their fixed order: request id, size, the idempotency
//! header where a route demands it before it knows the caller, the page's origin for what the
//! dashboard changes, authentication, account, rate limit, free space, the account's storage,
//! quota, the idempotency header of all other routes, path ids, encoding of the body, capacity;
//! then the body is read, and the handler goes on with existence, body and state.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::SellerId;
use actors::domain::platform::limits::{AddressKind, Standing};
use bytes::Bytes;
use futures::FutureExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Version};
use tokio_util::task::TaskTracker;

use super::authentication::{Caller, client};
use super::capacity::Admitted;
use super::policy::{Idempotency, Surface, Wants};
use super::{Request, Route, audit, authentication, cookies, idempotency, limits, not_found};
use crate::app::App;
use crate::http::body::{self, Terms};
use crate::http::request::RequestId;
use crate::http::response::{NO_STORE, Payload};
use crate::http::router::{Found, Place};
use crate::http::server::{Patience, Peer, Service};
use crate::http::upload::Upload;
use crate::http::{ApiError, ApiResult, Response, Router};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(super) struct Pipeline {
    pub(super) app: Arc<App>,
    pub(super) router: Arc<Router<App>>,
    pub(super) admitted: Admitted,
    /// Connections and the writes under way: the server ends when they have.
    pub(super) tasks: TaskTracker,
    pub(super) patience: Patience,
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
        peer: Peer,
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
            _ if peer.reserved => (Served::refused(crowded()), "unknown"),
            Found::WrongMethod(allow, route) if self.is_there(route.surface()) => {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                let error = ApiError::new(status, "method not allowed").header(ALLOW, allow);
                let wants = Wants::of(&parts.headers);
                body::throw_away(body, &parts.headers, self.terms(0, parts.version));
                (Served::answered(route.refused(&wants, error)), "wrong method")
            }
            Found::WrongMethod(..) | Found::Nothing => {
                body::throw_away(body, &parts.headers, self.terms(0, parts.version));
                (Served::answered(not_found::answer(&self.router, &parts)), "unknown")
            }
        };
        let Served { mut response, seller, standing } = served;
        response.headers_mut().insert(REQUEST_ID, id.value());
        // A handler that counts more than its request says it itself. Whoever may not do what it
        // asks for is told nothing of the budget, by whichever check or handler it is refused.
        let barred = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&response.status());
        if let Some(standing) = standing
            && !barred
            && !limits::is_stated(response.headers_mut())
        {
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
        peer: Peer,
        parts: Parts,
        body: Incoming,
        id: RequestId,
    ) -> Served {
        let route = self.router.route(&place);
        let settings = &self.app.settings;
        let client = client(peer.address, &parts.headers, &settings.trusted_proxies);
        let wants = Wants::of(&parts.headers);
        let refused = |error| route.refused(&wants, error);
        if peer.reserved && route.surface() != Surface::Operations {
            return Served::answered(refused(crowded()));
        }
        let terms = self.terms(route.body_limit, parts.version);
        let body = match body::announced(body, &parts.headers, &terms).await {
            Ok(body) => body,
            Err(error) => return Served::answered(refused(error)),
        };
        let mut request = Request {
            peer: client,
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            body: Bytes::new(),
            share: None,
            upload: None,
            id,
            now: self.app.clock.now(),
            router: self.router.clone(),
            place,
            context: Caller::default(),
        };
        let (standing, head) = self.check(route, &mut request).await;
        let seller = request.context.seller.as_ref().map(|caller| caller.seller.id);
        let answer = match head {
            Ok(()) => self.go_on(route, request, body, terms).await,
            // Size comes first, also where only the end of the body tells it.
            Err(error) => Err(body::discard(body, terms).await.err().unwrap_or(error)),
        };
        let response = answer.unwrap_or_else(refused);
        let mut response = self.admitted.keep(route, client, response).unwrap_or_else(refused);
        if route.surface() != Surface::Operations {
            // It may hold an address or a token that opens something.
            response.headers_mut().entry(CACHE_CONTROL).or_insert(NO_STORE);
        }
        Served { response, seller, standing }
    }

    fn terms(&self, limit: usize, version: Version) -> Terms {
        let Patience { body: patience, last_call, .. } = self.patience;
        Terms { limit, patience, stop: self.app.stopping(), last_call, version }
    }

    /// Every check that a head alone can pass. What is refused by one of them keeps no body in
    /// memory. Beside the verdict stands what the rate headers say.
    async fn check(
        &self,
        route: &Route,
        request: &mut Request,
    ) -> (Option<Standing>, Result<(), ApiError>) {
        if let Err(error) = self.identify(route, request) {
            return (None, Err(error));
        }
        let (standing, rate) = match &request.context.seller {
            Some(caller) => {
                limits::request(&self.app, route.surface(), &caller.seller, request.now)
            }
            None if matches!(route.surface(), Surface::Page | Surface::Dashboard) => {
                let kind = AddressKind::Page;
                (None, limits::address(&self.app, kind, request.peer, request.now))
            }
            None => (None, Ok(())),
        };
        let verdict = match rate {
            Ok(()) => self.check_write(route, request).await,
            Err(error) => Err(error),
        };
        (standing, verdict)
    }

    fn identify(&self, route: &Route, request: &mut Request) -> Result<(), ApiError> {
        if route.idempotency() == Idempotency::PaymentsFirst {
            idempotency::read(route.idempotency(), &request.headers)?;
        }
        if route.asks_for_origin() {
            cookies::check_origin(&request.headers, &request.uri, self.app.public_url())?;
        }
        request.context = authentication::admit(&self.app, route, request)?;
        Ok(())
    }

    async fn check_write(&self, route: &Route, request: &mut Request) -> Result<(), ApiError> {
        let seller = request.context.seller.as_ref().map(|caller| &caller.seller);
        limits::admit_write(&self.app, route, seller, request.now).await?;
        request.context.key = idempotency::read(route.idempotency(), &request.headers)?;
        self.router.check_ids(&request.place, request.uri.path())?;
        body::check_encoding(&request.headers)?;
        self.admitted.check(route, request.peer, &self.app.store)
    }

    /// Reads the body, unless the handler does, and runs the handler. A body that comes slowly
    /// keeps nobody else from being served: what is read before the handler runs holds none of its
    /// places, and uploads have places of their own.
    async fn go_on(
        &self,
        route: &Route,
        mut request: Request,
        body: Incoming,
        terms: Terms,
    ) -> ApiResult {
        if route.streamed {
            let (seller, peer) = (request.seller_id(), request.peer);
            request.upload = Some(Upload::new(body, terms));
            let place = self.admitted.upload(seller, peer)?;
            return self.handle(route, request, place).await;
        }
        if let Err(refusal) = route.look_at(&self.app, &request) {
            body::throw_away(body, &request.headers, terms);
            return Err(refusal);
        }
        let mut share = self.admitted.body(request.peer);
        request.body = body::read(body, terms, &mut share).await?;
        request.share = Some(share);
        let place = self.admitted.begin(route, &self.app.store)?;
        self.handle(route, request, place).await
    }

    /// Runs the handler. One that may write runs in a task of its own: when its caller goes away,
    /// it still comes to its end, and keeps its place until then.
    async fn handle(
        &self,
        route: &Route,
        request: Request,
        place: impl Send + 'static,
    ) -> ApiResult {
        let act = audit::act(&self.app, route, &request);
        let app = self.app.clone();
        let answer = (route.handler)(self.app.clone(), request);
        let guarded = AssertUnwindSafe(async move {
            let _place = place;
            let answer = answer.await;
            let is_news = match &answer {
                Ok(answer) => audit::is_news(answer.status(), answer.is_replay()),
                Err(error) => audit::is_news(error.status(), false),
            };
            if let Some((seller, act)) = act.filter(|_| is_news)
                && let Err(error) = app.sellers.note_act(seller, act).await
            {
                tracing::error!(seller = seller.0, %error, "the audit log cannot be written");
            }
            answer
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
        Self::answered(error.into())
    }

    fn answered(response: Response) -> Self {
        Self { response, seller: None, standing: None }
    }
}

/// A connection beyond the bounds is there for health and figures only.
fn crowded() -> ApiError {
    ApiError::unavailable("the server has too many connections, try again", 1).closing()
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
