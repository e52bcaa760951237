//! Requests that the server makes to its own routes on behalf of somebody who has a session: they
//! reach the same handlers, and what a write passes at the door it passes here.

use std::net::IpAddr;
use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::platform::person::Person;
use actors::domain::platform::seller::{KeyHash, Scopes};
use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Uri};
use uuid::Uuid;

use super::authentication::Caller;
use super::document::{ABOUT, complete};
use super::policy::Idempotency;
use super::{Request, Route, idempotency, limits};
use crate::app::App;
use crate::http::request::RequestId;
use crate::http::router::{Found, RouteError};
use crate::http::{ApiError, ApiResult, Response, Router};

/// Routes that are reached from within.
pub struct Inside {
    router: Arc<Router<App>>,
}

/// Who asks.
#[derive(Clone)]
pub struct Behalf {
    pub app: Arc<App>,
    pub seller: SellerId,
    pub person: Person,
    pub session: KeyHash,
    pub client: IpAddr,
    pub id: RequestId,
}

impl Behalf {
    pub fn of(app: &Arc<App>, request: &Request) -> Self {
        Self {
            app: Arc::clone(app),
            seller: request.seller_id(),
            person: request.person().clone(),
            session: request.session(),
            client: request.peer,
            id: request.id.clone(),
        }
    }
}

impl Inside {
    pub fn new(routes: Vec<Route>) -> Result<Self, RouteError> {
        let router = Router::new(routes.into_iter().map(complete).collect(), &ABOUT)?;
        Ok(Self { router: Arc::new(router) })
    }

    /// What the API document says of the routes.
    pub fn document(&self) -> Bytes {
        self.router.document()
    }

    /// The answer to a request with a body in JSON. A key that its route demands is `key`, or is
    /// drawn.
    pub async fn ask(
        &self,
        by: &Behalf,
        (method, target): (Method, &str),
        key: Option<Uuid>,
        body: Bytes,
    ) -> Response {
        let Ok(uri) = target.parse::<Uri>() else { return ApiError::missing().into() };
        let json = HeaderValue::from_static("application/json");
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
        let key = key.and_then(|key| HeaderValue::from_str(&key.to_string()).ok());
        headers.extend(key.map(|key| (idempotency::NAME, key)));
        self.answer(by, (method, uri, headers), body).await.unwrap_or_else(Response::from)
    }

    /// The answer to a request as a program sends it, with headers of its own.
    pub async fn carry(&self, by: &Behalf, request: hyper::Request<Bytes>) -> Response {
        let (parts, body) = request.into_parts();
        let head = (parts.method, parts.uri, parts.headers);
        self.answer(by, head, body).await.unwrap_or_else(Response::from)
    }

    async fn answer(
        &self,
        by: &Behalf,
        (method, uri, headers): (Method, Uri, HeaderMap),
        body: Bytes,
    ) -> ApiResult {
        let Found::Route(place) = self.router.find(&method, uri.path()) else {
            return Err(ApiError::missing());
        };
        let (app, route) = (&by.app, self.router.route(&place));
        let seller = app.directory.seller(by.seller)?.ok_or_else(ApiError::missing)?;
        let now = app.clock.now();
        limits::admit_write(app, route, Some(&seller.seller), now).await?;
        self.router.check_ids(&place, uri.path())?;
        if route.streamed {
            return Err(ApiError::internal(&"a body that is read while it comes, from within"));
        }
        let drawn = || app.entropy.uuid().to_string();
        let key = match headers.contains_key(idempotency::NAME) {
            true => idempotency::read(route.idempotency(), &headers)?,
            false => (route.idempotency() != Idempotency::None).then(drawn),
        };
        let request = Request {
            peer: by.client,
            method,
            uri,
            headers,
            body,
            share: None,
            upload: None,
            id: by.id.clone(),
            now,
            router: Arc::clone(&self.router),
            place: place.clone(),
            context: Caller {
                seller: Some(seller),
                api_key: None,
                scopes: Some(Scopes::ALL),
                person: Some(by.person.clone()),
                session: Some(by.session),
                key,
            },
        };
        route.look_at(app, &request)?;
        (route.handler)(Arc::clone(app), request).await
    }
}
