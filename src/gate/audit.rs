//! What the audit log says of the operator's writes and of some by keys, and what it never says.

mod changes;

use actors::domain::ids::SellerId;
use actors::domain::platform::audit::{Act, Actor};
use hyper::{Method, StatusCode};
use serde::Deserialize;

pub(crate) use self::changes::{changes, is_secret};
use super::policy::Access;
use super::{Request, Route};
use crate::app::App;

/// The name under which requests of the operator name an account.
pub(super) const ACCOUNT: &str = "sellerAccountId";

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
    let act = Act {
        actor,
        action: format!("{} {}", request.method, route.path()),
        object: Some(request.uri.path().to_owned()),
        address: Some(request.peer.to_string()),
        changes: changes(&request.body, &route.fields()),
    };
    Some((seller, act))
}

/// The account that a body names, read as the handler reads it: what else is there is passed over.
pub(super) fn named_in_body(request: &Request) -> Option<SellerId> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "sellerAccountId")]
        account: Option<u64>,
    }
    let named: Named = serde_json::from_slice(&request.body).ok()?;
    named.account.map(SellerId)
}

/// Whether something was done, or may have been: a processor was asked, or a room, and what became
/// of it is not known. A replay tells of what is in the log already, a repetition is one of such.
pub(crate) fn is_news(status: StatusCode, is_replay: bool) -> bool {
    let in_doubt = [StatusCode::BAD_GATEWAY, StatusCode::INTERNAL_SERVER_ERROR].contains(&status);
    in_doubt || status.is_success() && !is_replay
}
