//! API keys.

use std::sync::Arc;

use actors::domain::ids::{ApiKeyId, SellerId};
use actors::domain::platform::seller::{ApiKey, ApiKeyEntry, Mode, NewApiKey, Scope};
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::key_uses::ListedKey;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::idempotency_key::{self, Done};
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response, blocking};

const ENDPOINT: &str = "keys";

/// A key, without its secret.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApiKeyView {
    id: u64,
    name: String,
    /// As they were given; who may write may read the same.
    scopes: Vec<Scope>,
    /// The last four characters.
    last4: String,
    /// The one mode of the account in which it is let in.
    mode: Mode,
    created_at: Timestamp,
    /// A crash of the server may forget its last minute.
    last_used_at: Option<Timestamp>,
    /// From when on it is refused.
    expires_at: Option<Timestamp>,
}

impl Listed for ApiKeyView {
    const LIST: &'static str = "ApiKeyList";
    const ITEMS: &'static str = "apiKeys";
    const CURSOR: Option<&'static str> = None;
}

/// A key with its secret, which is shown here and never again.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct KeySecretView {
    api_key: ApiKeyView,
    /// Not shown where the key was made before, by the same request.
    secret: Option<String>,
}

/// The account and the key that is its first from now on.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuthorizationView {
    id: u64,
    authorization_token: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewKeyBody {
    #[schema(max_length = 64)]
    name: String,
    scopes: Vec<Scope>,
    expires_at: Option<Timestamp>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RotateBody {
    /// For how long the old key goes on; 0 ends it at once.
    #[schema(maximum = 168)]
    overlap_hours: u32,
}

impl From<ListedKey> for ApiKeyView {
    fn from(listed: ListedKey) -> Self {
        let ListedKey { entry, last_used_at } = listed;
        Self {
            id: entry.id.0,
            name: entry.name,
            scopes: entry.scopes.stated(),
            last4: entry.last4,
            mode: entry.mode,
            created_at: entry.created_at,
            last_used_at,
            expires_at: entry.expires_at,
        }
    }
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (uses, seller) = (app.key_uses.clone(), request.seller_id());
    let keys = blocking(move || uses.list(seller)).await?;
    let keys = keys.into_iter().map(ApiKeyView::from).collect();
    Ok(Response::ok(&List::<ApiKeyView>::whole(keys)))
}

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let NewKeyBody { name, scopes, expires_at } = request.json()?;
    let new = NewApiKey::parse(&name, &scopes, expires_at).map_err(Refusal::from)?;
    let seller = request.seller_id();
    let create = |claim| app.sellers.create_key(seller, new, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, create).await? {
        Done::Now(made) => return Ok(Response::created(&with_secret(made)).unstored()),
        Done::Before(key) => ApiKeyId(key),
    };
    let uses = app.key_uses.clone();
    let keys = blocking(move || uses.list(seller)).await?;
    let known = keys.into_iter().find(|listed| listed.entry.id == before);
    let api_key = known.ok_or_else(ApiError::missing)?.into();
    Ok(Response::replayed(&KeySecretView { api_key, secret: None }).unstored())
}

async fn rotate(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("id", ApiKeyId)?;
    let RotateBody { overlap_hours } = request.json()?;
    let made = app.sellers.rotate_key(request.seller_id(), id, overlap_hours).await?;
    Ok(Response::created(&with_secret(made)).unstored())
}

async fn revoke(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, id) = (request.seller_id(), request.id("id", ApiKeyId)?);
    let listed = app.key_uses.list(seller)?;
    let used = listed.into_iter().find(|listed| listed.entry.id == id);
    let entry = app.sellers.revoke_key(seller, id).await?;
    let last_used_at = used.and_then(|listed| listed.last_used_at);
    Ok(Response::ok(&ApiKeyView::from(ListedKey { entry, last_used_at })))
}

async fn regenerate(app: Arc<App>, request: Request) -> ApiResult {
    let seller = request.seller_id();
    if request.id("merchantId", SellerId)? != seller {
        return Err(ApiError::missing());
    }
    let (_, key) = app.sellers.regenerate_first_key(seller).await?;
    let authorization_token = key.reveal().to_owned();
    Ok(Response::ok(&AuthorizationView { id: seller.0, authorization_token }).unstored())
}

fn with_secret((entry, key): (ApiKeyEntry, ApiKey)) -> KeySecretView {
    let api_key = ListedKey { entry, last_used_at: None }.into();
    KeySecretView { api_key, secret: Some(key.reveal().to_owned()) }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/keys", list)
            .summary("The keys of the account")
            .answer::<List<ApiKeyView>>(200, "All of them, oldest first."),
        Route::post("/keys", create)
            .idempotent()
            .summary("Make a key; its secret is shown once")
            .body::<NewKeyBody>()
            .answer::<KeySecretView>(201, "The key with its secret."),
        Route::post("/keys/{id}/rotate", rotate)
            .summary("Make a key like an old one, which goes on for some hours")
            .path_id("id")
            .body::<RotateBody>()
            .answer::<KeySecretView>(201, "The new key with its secret."),
        Route::delete("/keys/{id}", revoke)
            .summary("Refuse a key from now on")
            .path_id("id")
            .answer::<ApiKeyView>(200, "As the key was."),
        Route::post("/sellers/{merchantId}/token", regenerate)
            .summary("Replace the account's first key, which is refused from now on")
            .path_id("merchantId")
            .answer::<AuthorizationView>(200, "The account with the new key."),
    ]
}
