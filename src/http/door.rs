//! The checks that every request passes, in their fixed order (decisions 1): request id, size,
//! authentication, account, rate limit, idempotency header, path ids; then the handler, which
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
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::body::{self, Use};
use super::error::Problem;
use super::handler::Answer;
use super::payload::Payload;
use super::request::{Call, RequestId, parse_id};
use super::response::Reply;
use super::route::{Idempotency, Route, Surface};
use super::router::{Found, Place, Router};
use super::upload::Upload;
use super::{auth, idempotency, limits};
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What all connections of a server share.
pub(super) struct Door {
    pub(super) app: Arc<App>,
    pub(super) router: Arc<Router>,
    pub(super) in_flight: Arc<Semaphore>,
    /// Batches waiting for the disk, beyond which no more writes are taken.
    pub(super) commit_backlog: usize,
    /// Connections and the writes under way: the server ends when they have.
    pub(super) tasks: TaskTracker,
    /// How long a request body may take.
    pub(super) body_patience: Duration,
}

/// An answer, and what the log and the rate headers tell of its request.
struct Served {
    reply: Reply,
    seller: Option<SellerId>,
    standing: Option<Standing>,
}

impl Door {
    /// Answers one request.
    pub(super) async fn answer(
        &self,
        peer: IpAddr,
        request: Request<Incoming>,
    ) -> Response<Payload> {
        let watched = self.app.metrics.begin();
        let id = RequestId::draw(self.app.entropy);
        let (parts, body) = request.into_parts();
        let method = parts.method.clone();
        let found = self.router.find(&method, parts.uri.path());
        let (served, pattern) = match found {
            Found::Route(place) => {
                let path = self.router.route(&place).path;
                (self.serve(place, peer, parts, body, id.clone()).await, path)
            }
            Found::WrongMethod(allow, surface) if self.is_there(surface) => {
                let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
                    .header(ALLOW, allow);
                (Served::refused(problem), "wrong method")
            }
            Found::WrongMethod(..) | Found::Nothing => {
                (Served::refused(Problem::missing()), "unknown")
            }
        };
        let Served { mut reply, seller, standing } = served;
        reply.headers_mut().insert(REQUEST_ID, id.value());
        if let Some(standing) = standing {
            limits::tell(standing, reply.headers_mut());
        }
        let took = watched.end(&method, pattern, reply.status());
        log(&id, &method, pattern, reply.status(), took, seller);
        reply.into_response(method == Method::HEAD)
    }

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
        let caller = auth::admit(&self.app, route.access(), &parts.headers, now);
        let purpose = if caller.is_ok() { Use::Keep } else { Use::Count };
        let (body, upload) = match self.take_in(route, body, &parts.headers, purpose).await {
            Ok(taken) => taken,
            Err(problem) => return Served::refused(problem),
        };
        let first = route.idempotency() == Idempotency::PaymentsFirst;
        if first && let Err(problem) = idempotency::read(route.idempotency(), &parts.headers) {
            return Served::refused(problem);
        }
        let caller = match caller {
            Ok(caller) => caller,
            Err(problem) => return Served::refused(problem),
        };
        let seller = caller.as_ref().map(|caller| caller.seller.id);
        let (standing, rate) = match &caller {
            Some(caller) => limits::request(&self.app, route.surface(), &caller.seller, now),
            None if route.surface() == Surface::Page => {
                (None, limits::address(&self.app, AddressKind::Page, peer, now))
            }
            None => (None, Ok(())),
        };
        let call = Call {
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
            caller,
            key: None,
        };
        let answer = match rate {
            Ok(()) => self.go_on(route, call).await,
            Err(problem) => Err(problem),
        };
        Served { reply: answer.unwrap_or_else(Reply::from), seller, standing }
    }

    /// The body as a whole, or the beginning of one that its handler is to read.
    async fn take_in(
        &self,
        route: &Route,
        body: Incoming,
        headers: &HeaderMap,
        purpose: Use,
    ) -> Result<(Bytes, Option<Upload>), Problem> {
        let (limit, patience) = (route.body_limit, self.body_patience);
        if route.streamed && purpose == Use::Keep {
            let body = body::announced(body, headers, limit, patience).await?;
            return Ok((Bytes::new(), Some(Upload::new(body, limit, patience))));
        }
        Ok((body::read(body, headers, limit, patience, purpose).await?, None))
    }

    /// What is left once the caller is known and within its rate.
    async fn go_on(&self, route: &Route, mut call: Call) -> Answer {
        if let (Some(kind), Some(caller)) = (route.quota, &call.caller) {
            limits::write(&self.app, kind, &caller.seller, call.now).await?;
        }
        call.key = idempotency::read(route.idempotency(), &call.headers)?;
        for name in &route.ids {
            let part = self.router.parameter(&call.place, call.uri.path(), name);
            parse_id(name, part.unwrap_or_default())?;
        }
        let permit = self.take_on(route)?;
        self.handle(route, call, permit).await
    }

    /// Leave to begin, unless the server has its hands full.
    fn take_on(&self, route: &Route) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        if route.surface() == Surface::Operations {
            return Ok(None);
        }
        if route.method != Method::GET && self.app.store.backlog() > self.commit_backlog {
            return Err(Problem::busy());
        }
        self.in_flight.clone().try_acquire_owned().map(Some).map_err(|_| Problem::busy())
    }

    /// Runs the handler. One that may write runs apart from the connection: when its caller
    /// goes away, it still comes to its end.
    async fn handle(
        &self,
        route: &Route,
        call: Call,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Answer {
        let answer = (route.handler)(self.app.clone(), call);
        let guarded = AssertUnwindSafe(async move {
            let _permit = permit;
            answer.await
        })
        .catch_unwind();
        let outcome = if route.method == Method::GET {
            guarded.await
        } else {
            self.tasks.spawn(guarded).await.unwrap_or_else(|error| Err(Box::new(error)))
        };
        outcome.unwrap_or_else(|_| Err(Problem::internal(&"a handler panicked")))
    }
}

impl Served {
    fn refused(problem: Problem) -> Self {
        Self { reply: problem.into(), seller: None, standing: None }
    }
}

/// One line for a request, when somebody reads such lines.
fn log(
    id: &RequestId,
    method: &Method,
    route: &str,
    status: StatusCode,
    took: Duration,
    seller: Option<SellerId>,
) {
    tracing::debug!(
        target: "accrue::access",
        request = %id,
        %method,
        route,
        status = status.as_u16(),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        seller = seller.map(|seller| seller.0),
        "answered"
    );
}
