//! What the audit log says of the operator's writes and of some by keys, and what it never says.

use actors::domain::ids::SellerId;
use actors::domain::platform::audit::{Act, Actor};
use hyper::{Method, StatusCode};
use serde_json::{Map, Value};

use super::policy::Access;
use super::{Request, Route};
use crate::app::App;

/// The name under which requests of the operator name an account.
pub(super) const ACCOUNT: &str = "sellerAccountId";

/// Fields of which the log says only that they were there.
const SECRET: [&str; 9] = [
    "password",
    "secretKey",
    "secret",
    "token",
    "iban",
    "accountNumber",
    "routingNumber",
    "sortCode",
    // Of a payee it is sealed at rest.
    "taxId",
];

/// What a request does to an account that its audit log tells: one of the operator that is about
/// an account, or one with a key on a route that is audited.
pub(super) fn act(app: &App, route: &Route, request: &Request) -> Option<(SellerId, Act)> {
    if route.method() == Method::GET {
        return None;
    }
    let (seller, actor) = match route.access() {
        Access::Operator => (route.account(app, request)?, Actor::Operator),
        Access::SellerKey if route.is_audited() => {
            (request.seller_id(), Actor::Key(request.context.api_key?))
        }
        _ => return None,
    };
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let changes = body.as_object().map(without_secrets);
    let act = Act {
        actor,
        action: format!("{} {}", request.method, route.path()),
        object: Some(request.uri.path().to_owned()),
        address: Some(request.peer.to_string()),
        changes: changes.map(|changes| Value::Object(changes).to_string()),
    };
    Some((seller, act))
}

/// The account that a body names.
pub(super) fn named_in_body(request: &Request) -> Option<SellerId> {
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    body[ACCOUNT].as_u64().map(SellerId)
}

/// Whether something was done, or may have been: a processor was asked, or a room, and what became
/// of it is not known. A replay tells of what is in the log already, a repetition is one of such.
pub(crate) fn is_news(status: StatusCode, is_replay: bool) -> bool {
    let in_doubt = [StatusCode::BAD_GATEWAY, StatusCode::INTERNAL_SERVER_ERROR].contains(&status);
    in_doubt || status.is_success() && !is_replay
}

pub(crate) fn is_secret(name: &str) -> bool {
    SECRET.contains(&name)
}

/// The fields of a request without what nobody may read.
pub(crate) fn without_secrets(fields: &Map<String, Value>) -> Map<String, Value> {
    let shown = fields.iter().map(|(name, value)| {
        let value = match value {
            _ if is_secret(name) => Value::String("hidden".to_owned()),
            Value::Object(inner) => Value::Object(without_secrets(inner)),
            value => value.clone(),
        };
        (name.clone(), value)
    });
    shown.collect()
}
