//! Every route, tried by strangers: without a key, with a wrong key, with the key of another
//! seller. The list of routes comes from the router; one that nothing here tries fails a test.

mod foreign;
mod keys;
mod malformed;
mod owned;
mod shapes;

use std::collections::BTreeSet;

use accrue::gate::{Access, Idempotency, Route};
use accrue::routes::routes;
use hyper::Method;

use crate::support::{Api, Response, Server, fresh, fresh_uuid};

/// How a stranger tries a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// Without a key: it is public, and this is what a call without any right comes to.
    Public(u16),
    /// Without a key, and with the key of a seller in place of the operator's.
    Operator,
    /// Without a session, and with a key in the place of one.
    Session,
    /// With the key of one seller and the ids of another in the path.
    Path,
    /// With the key of one seller, to see nothing of another.
    List,
    /// The same of a file.
    Export,
    /// With the key of one seller and the ids of another in the body.
    Body,
    /// Without a key alone: neither path nor body names an object, and none is listed.
    NamesNothing,
}

/// Routes that take no key, and the status without a token, a session or a body.
const PUBLIC: &[(&str, u16, &str)] = &[
    ("GET /healthz", 200, "probes of the operator's platform have no key"),
    ("GET /readyz", 200, "as /healthz"),
    ("GET /metrics", 200, "read by Prometheus inside the operator's network"),
    ("GET /openapi.json", 200, "the API document is public"),
    ("GET /openapi-pages.json", 200, "the API document is public"),
    ("GET /docs", 200, "the API document is public"),
    ("GET /docs/{file}", 404, "files of the page /docs"),
    ("GET /assets/{file}", 404, "files of the hosted pages"),
    ("POST /billing-api/v1/sandbox/accounts", 201, "makes the account whose key is asked for"),
    ("POST /usage/v1/webhooks/{token}", 404, "the token and a signature are the right"),
    ("GET /payments-api/v1/checkout/{session_id}/events", 404, "the session id is the right"),
    ("POST /api/v1/login/dashboard", 400, "a password is the right"),
    ("POST /api/v1/login/backoffice", 400, "the operator's token is the right"),
    ("POST /api/v1/logout", 204, "ends the caller's own session, if there is one"),
    ("POST /api/v1/onboarding/start", 400, "makes an account of the caller's own"),
    ("GET /", 200, "says what there is to try"),
    ("GET /start", 303, "leads to /"),
    ("POST /start", 201, "makes the account that is signed in to"),
    ("GET /dashboard", 200, "a page to sign in"),
    ("GET /dashboard/", 303, "leads to /dashboard"),
    ("GET /dashboard/{page}", 404, "a page to sign in, where there is a page"),
    ("GET /dashboard/{page}/{object}", 404, "as /dashboard/{page}"),
    ("GET /dashboard/app/{version}/{file}", 404, "files of the dashboard"),
    ("GET /dashboard/app/{version}/{folder}/{file}", 404, "files of the dashboard"),
    ("GET /dashboard/playground", 303, "leads to the page to sign in"),
    ("GET /dashboard/invite/{token}", 404, "the token is the right"),
    ("POST /dashboard/invite/{token}", 404, "the token is the right"),
    ("GET /checkout/{sessionId}", 404, "the session id is the right"),
    ("POST /checkout/{sessionId}", 404, "the session id is the right"),
    ("GET /checkout/{sessionId}/logo", 404, "the session id is the right"),
    ("GET /pay/{token}", 404, "the signed token is the right"),
    ("POST /pay/{token}", 404, "the signed token is the right"),
    ("GET /scheme/{token}", 404, "the signed token is the right"),
    ("POST /scheme/{token}", 404, "the signed token is the right"),
    ("GET /return/{token}", 404, "the signed token is the right"),
    ("GET /portal/{token}", 404, "the signed token is the right"),
    ("POST /portal/{token}", 404, "the signed token is the right"),
    ("GET /portal/{token}/invoices/{invoiceId}", 404, "the signed token is the right"),
    ("GET /verify/{token}", 404, "the signed token is the right"),
    ("POST /verify/{token}", 404, "the signed token is the right"),
];

/// Routes of a seller's key through which no object of another can be named or seen.
const NAMES_NOTHING: &[(&str, &str)] = &[
    ("POST /billing-api/v1/customers", "a person"),
    ("POST /billing-api/v1/usage/metrics", "a name of the seller's own"),
    ("POST /usage/v1/metrics", "a name of the seller's own"),
    ("POST /billing-api/v1/usage/webhook-endpoints", "a description"),
    ("POST /usage/v1/webhook-endpoints", "a description"),
    ("GET /billing-api/v1/tax/rates", "rates that are nobody's"),
    ("POST /billing-api/v1/tax/evaluate", "a sale that is not stored"),
    ("POST /billing-api/v1/prices/evaluate", "a price that is not stored"),
    ("POST /billing-api/v1/usage/prices/evaluate", "a price that is not stored"),
    ("POST /usage/v1/prices/evaluate", "a price that is not stored"),
    ("POST /payments-api/v1/webhooks", "a URL"),
    ("POST /payments-api/v1/webhook-allowlist", "a network"),
    ("POST /payments-api/v1/payees", "a person"),
    ("POST /payments-api/v1/payees/setup", "a person and a bank account"),
    ("POST /payments-api/v1/topup-invoices", "an amount"),
    ("POST /payments-api/v1/vendors", "a person"),
    ("GET /billing-api/v1/credits", "sums of the caller's own, without ids"),
    ("GET /payments-api/v1/payment-methods", "methods and countries, without ids"),
];

fn name_of(route: &Route) -> String {
    format!("{} {}", route.method(), route.path())
}

/// How the tests below try this route; `None` when none of them does.
fn attempt(route: &Route) -> Option<Attempt> {
    let name = name_of(route);
    if let Some((_, status, _)) = PUBLIC.iter().find(|(public, _, _)| *public == name) {
        return Some(Attempt::Public(*status));
    }
    if NAMES_NOTHING.iter().any(|(known, _)| *known == name) {
        return Some(Attempt::NamesNothing);
    }
    match route.access() {
        Access::Open => None,
        Access::Operator => Some(Attempt::Operator),
        Access::Session => Some(Attempt::Session),
        Access::SellerKey if route.parameters().next().is_some() => Some(Attempt::Path),
        Access::SellerKey if foreign::LISTS.contains(&name.as_str()) => Some(Attempt::List),
        Access::SellerKey if name == foreign::EXPORT => Some(Attempt::Export),
        Access::SellerKey if foreign::names_in_body(&name) => Some(Attempt::Body),
        Access::SellerKey => None,
    }
}

#[tokio::test]
async fn no_route_is_left_untried() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let paths = document["paths"].as_object().expect("paths");
    let documented = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("a path item").keys();
        let methods = methods.filter(|name| *name != "parameters");
        methods.map(move |method| format!("{} {path}", method.to_ascii_uppercase()))
    });
    let all = routes();
    let tried: BTreeSet<String> =
        all.iter().filter(|route| attempt(route).is_some()).map(name_of).collect();
    let served: BTreeSet<String> = all.iter().map(name_of).chain(documented).collect();
    let untried: Vec<&String> = served.difference(&tried).collect();
    assert_eq!(untried, [""; 0], "list these routes as public, or let a stranger try them");

    let listed = PUBLIC.iter().map(|(name, _, _)| *name);
    let listed = listed.chain(NAMES_NOTHING.iter().map(|(name, _)| *name));
    let listed = listed.chain(foreign::LISTS.iter().copied());
    let gone: Vec<&str> = listed.filter(|name| !served.contains(*name)).collect();
    assert_eq!(gone, [""; 0], "these routes are listed here and served no more");
    server.close().await;
}

/// The path of a route with every parameter filled in by `fill`.
fn path(route: &Route, fill: impl Fn(&str) -> String) -> String {
    let mut path = route.path().to_owned();
    for name in route.parameters() {
        path = path.replace(&format!("{{{name}}}"), &fill(name));
    }
    path
}

async fn call(api: &Api, route: &Route, path: &str) -> Response {
    let body = if route.method() == Method::GET { "" } else { "{}" };
    call_with(api, route, path, body).await
}

async fn call_with(api: &Api, route: &Route, path: &str, body: &str) -> Response {
    let key = match route.idempotency() {
        Idempotency::None | Idempotency::Optional | Idempotency::Billing => fresh("stranger"),
        Idempotency::Payments | Idempotency::PaymentsFirst => fresh_uuid(),
    };
    let headers = [("idempotency-key", key.as_str())];
    api.send(route.method().clone(), path, &headers, body).await
}
