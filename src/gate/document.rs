//! What the pipeline adds to the API document: keys, tokens, limits, and what it refuses.

use hyper::Method;

use super::cookies::SessionCookie;
use super::policy::{Access, Idempotency, Surface};
use super::{Route, idempotency, limits};
use crate::docs;
use crate::http::openapi::{About, Scheme};
use crate::http::route::document::{Answered, Part, TEXT, Value};

const HTML: &str = "text/html";

const SELLER_KEY: &str = "sellerKey";
const OPERATOR_TOKEN: &str = "operatorToken";
const SESSION: &str = "session";

pub(super) const ABOUT: About = About {
    title: "Accrue",
    description: docs::BEGIN,
    parts: docs::PARTS,
    schemes: &[
        (
            SELLER_KEY,
            Scheme::Bearer("A secret key of a seller account, with the scope that a route needs."),
        ),
        (OPERATOR_TOKEN, Scheme::Bearer("The operator's token, from the settings.")),
        (
            SESSION,
            Scheme::Cookie(
                SessionCookie::Dashboard.name(),
                "The session of a person who signed in to the dashboard.",
            ),
        ),
    ],
};

#[cfg(test)]
pub(crate) fn render(routes: Vec<Route>) -> bytes::Bytes {
    let routes: Vec<Route> = routes.into_iter().map(complete).collect();
    crate::http::openapi::render(routes.iter(), &ABOUT)
}

pub(super) fn complete(mut route: Route) -> Route {
    route.terse = route.surface() == Surface::Payments;
    let access = route.access();
    let refusals = refused_by_the_pipeline(&route);
    if route.refuses_in_words() {
        let words =
            |(status, answer): &(u16, Answered)| (*status, Answered::other(HTML, answer.about));
        route.document.defaults.extend(refusals.iter().map(words));
    }
    route.document.defaults.extend(refusals);
    route.document.security = match access {
        Access::Open => None,
        Access::SellerKey => Some(SELLER_KEY),
        Access::Operator => Some(OPERATOR_TOKEN),
        Access::Session => Some(SESSION),
    };
    let is_limited =
        matches!(route.surface(), Surface::Billing | Surface::Payments | Surface::Dashboard);
    if is_limited && matches!(access, Access::SellerKey | Access::Session) {
        route.document.shared_headers = limits::STATED;
    }
    if access == Access::Session {
        // The same, beside what a handler forbids.
        let about = "A page of another origin has caused it.";
        route.document.answers.push((403, Answered::error(about)));
        route.document.answers.push((403, Answered::other(TEXT, "The account is not active.")));
    }
    if access == Access::SellerKey {
        let scopes: Vec<_> = route.scopes().map(|scope| format!("`{scope}`")).collect();
        let about = format!("The key lacks the scope {}.", scopes.join(" or "));
        route.document.answers.push((403, Answered::error(about.leak())));
        // The state of the account is told in plain text, where the rest is JSON.
        route.document.answers.push((403, Answered::other(TEXT, "The account is not active.")));
    }
    let billing = Value::Pattern { max: idempotency::MAX_CHARS, pattern: idempotency::PATTERN };
    let key = match route.idempotency() {
        Idempotency::None => return route,
        Idempotency::Optional => {
            let about = "Names what is asked for: sent again, it is not done again.";
            return route.asks(Part::OptionalHeader, "Idempotency-Key", billing, about);
        }
        Idempotency::Billing => billing,
        Idempotency::Payments | Idempotency::PaymentsFirst => Value::Uuid,
    };
    let replayed = (200, "Idempotent-Replayed", "`true`: this write had been made before.");
    route.document.headers.push(replayed);
    let about = "Names this write: the same key makes one object, whatever happens.";
    route.asks(Part::Header, "Idempotency-Key", key, about)
}

fn refused_by_the_pipeline(route: &Route) -> Vec<(u16, Answered)> {
    let mut answers = vec![(500, Answered::error("A fault of the server; safe to retry."))];
    if route.surface() == Surface::Operations {
        return answers;
    }
    let document = &route.document;
    answers.push((503, Answered::error("Not now; try again after `Retry-After`.")));
    let keyed = route.idempotency() != Idempotency::None;
    if keyed || document.body.is_some() || !document.asks.is_empty() {
        answers.push((400, Answered::error("A value of the request is wrong.")));
    }
    if !route.ids.is_empty() {
        answers.push((404, Answered::error("Unknown, or another seller's.")));
    }
    // A body that a write does not ask for is read all the same.
    if document.body.is_some() || *route.method() != Method::GET {
        answers.push((408, Answered::error("The body did not come in time.")));
        answers.push((413, Answered::error("The body is too large.")));
        answers.push((415, Answered::error("The body is compressed, which is not taken.")));
    }
    if route.access() == Access::SellerKey {
        answers.push((401, Answered::other(TEXT, "Missing or invalid key.")));
        if *route.method() != Method::GET {
            answers.push((507, Answered::error("The sandbox account keeps as much as it may.")));
        }
    }
    if route.access() == Access::Operator {
        answers.push((429, Answered::error("Too many wrong tokens; see `Retry-After`.")));
        answers.push((401, Answered::other(TEXT, "Missing or wrong token.")));
        answers.push((404, Answered::error("Unknown, or there is no operator's token.")));
    }
    if route.access() == Access::Session {
        answers.push((401, Answered::other(TEXT, "No session, or one that is over.")));
    }
    let by_cookie = route.access() == Access::Operator && *route.method() != Method::GET;
    if route.asks_for_origin() || by_cookie {
        answers.push((403, Answered::error("A page of another origin has caused it.")));
    }
    let by_address = matches!(route.surface(), Surface::Page | Surface::Dashboard);
    if route.access() == Access::SellerKey || by_address {
        answers.push((429, Answered::error("Too many requests; see `Retry-After`.")));
    }
    answers
}
