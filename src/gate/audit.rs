//! What the audit log says of the operator's writes, and what it never says.

use actors::domain::ids::SellerId;
use actors::domain::platform::audit::Act;
use hyper::Method;
use serde_json::{Map, Value};

use super::policy::Access;
use super::{Request, Route};

/// Fields of which the log says only that they were there.
const SECRET: [&str; 8] = [
    "password",
    "secretKey",
    "secret",
    "token",
    "iban",
    "accountNumber",
    "routingNumber",
    "sortCode",
];

/// What a request of the operator does to an account, if it names one.
pub(super) fn of_operator(route: &Route, request: &Request) -> Option<(SellerId, Act)> {
    if route.access() != Access::Operator || request.method == Method::GET {
        return None;
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let in_path = request.id("sellerAccountId", SellerId).ok();
    let seller = in_path.or_else(|| body["sellerAccountId"].as_u64().map(SellerId))?;
    let changes = body.as_object().map(without_secrets);
    let act = Act {
        actor: "operator".to_owned(),
        action: format!("{} {}", request.method, route.path()),
        object: Some(request.uri.path().to_owned()),
        address: Some(request.peer.to_string()),
        changes: changes.map(|changes| Value::Object(changes).to_string()),
    };
    Some((seller, act))
}

/// The fields of a request without what nobody may read.
pub(crate) fn without_secrets(fields: &Map<String, Value>) -> Map<String, Value> {
    let shown = fields.iter().map(|(name, value)| {
        let value = match value {
            _ if SECRET.contains(&name.as_str()) => Value::String("hidden".to_owned()),
            Value::Object(inner) => Value::Object(without_secrets(inner)),
            value => value.clone(),
        };
        (name.clone(), value)
    });
    shown.collect()
}
