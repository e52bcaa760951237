//! What the audit log says of a mutation.

use actors::domain::platform::audit::{Act, Actor};
use async_graphql::Error;
use hyper::StatusCode;
use serde_json::{Map, Value};

use super::call::refused;
use super::digits;
use crate::gate::Behalf;
use crate::gate::audit::{changes, is_secret};

/// Writes a mutation down that was carried out, before it is answered.
pub(super) async fn note(
    by: &Behalf,
    mutation: &str,
    arguments: &Map<String, Value>,
    made: &Value,
) -> Result<(), Error> {
    let act = Act {
        actor: Actor::Person(by.person.email.clone()),
        action: mutation.to_owned(),
        object: object(mutation, arguments, made),
        address: Some(by.client.to_string()),
        changes: asked(arguments),
    };
    let noted = by.app.sellers.note_act(by.seller, act).await;
    noted.map_err(|_| refused(StatusCode::INTERNAL_SERVER_ERROR, "the audit log cannot be written"))
}

/// What was asked for. Nothing comes here that the mutation does not know.
fn asked(arguments: &Map<String, Value>) -> Option<String> {
    let json = digits::shown(Value::Object(arguments.clone()).to_string());
    changes(json.as_bytes(), &arguments.keys().cloned().collect())
}

/// What it was done to: what it created, else as the arguments name it, else as it was made.
fn object(mutation: &str, arguments: &Map<String, Value>, made: &Value) -> Option<String> {
    let id_of = |made: &Value| made.get("id").map(|id| id.to_string().trim_matches('"').to_owned());
    // A key is answered beside its secret, also one that takes the place of another.
    if let Some(id) = made.get("apiKey").and_then(id_of) {
        return Some(format!("apiKey {id}"));
    }
    let made = id_of(made);
    if let (Some(noun), Some(id)) = (mutation.strip_prefix("create"), &made) {
        let (first, rest) = noun.split_at_checked(1)?;
        return Some(format!("{}{rest} {id}", first.to_ascii_lowercase()));
    }
    let shown = arguments.iter().filter(|(name, _)| !is_secret(name));
    let named = shown.into_iter().find_map(|(name, value)| {
        let noun = name.strip_suffix("Id").or((name == "id").then_some("id"))?;
        value.as_str().map(|id| format!("{noun} {id}"))
    });
    named.or_else(|| made.map(|id| format!("id {id}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_act_names_its_object_and_no_secret() {
        let Value::Object(arguments) = json!({
            "terminalId": "7", "secretKey": "sk_live_x", "bank": {"iban": "DE1", "bic": "X"},
        }) else {
            unreachable!()
        };
        assert_eq!(
            object("saveTerminal", &arguments, &json!({"id": 3})).as_deref(),
            Some("terminal 7")
        );
        assert_eq!(object("saveTerminal", &Map::new(), &json!({"id": 3})).as_deref(), Some("id 3"));
        let Value::Object(order) = json!({"payoutMethodId": "7", "walletId": "8"}) else {
            unreachable!()
        };
        let made = object("createPayout", &order, &json!({"id": 3}));
        assert_eq!(made.as_deref(), Some("payout 3"), "not what it was made of");
        let Value::Object(settings) = json!({"taxId": "DE136695976", "phone": "1"}) else {
            unreachable!()
        };
        let account = object("updateSettings", &settings, &json!({"id": 3}));
        assert_eq!(account.as_deref(), Some("id 3"), "a tax id is no object");
        let Value::Object(old) = json!({"id": "7"}) else { unreachable!() };
        let made = json!({"apiKey": {"id": 8}, "secret": "sk_test_x"});
        for (mutation, arguments) in [("createApiKey", &Map::new()), ("rotateApiKey", &old)] {
            assert_eq!(object(mutation, arguments, &made).as_deref(), Some("apiKey 8"));
        }
        let shown = json!({
            "terminalId": "7", "secretKey": "hidden", "bank": {"iban": "hidden", "bic": "X"},
        });
        assert_eq!(asked(&arguments), Some(shown.to_string()));
    }
}
