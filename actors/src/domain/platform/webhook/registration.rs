//! Registering a webhook and changing it.

use ipnet::IpNet;

use super::filter::EventFilter;
use super::url::{UrlRefusal, WebhookUrl};
use super::{Webhook, WebhookStatus};
use crate::domain::ids::{SellerId, WebhookId};
use crate::domain::platform::address::{AddressGuard, AddressRefusal};
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;
use crate::secrets::Sealed;

/// The most webhooks that a seller may have, deleted ones not counted.
pub const MAX_WEBHOOKS: usize = 100;

/// The most webhooks that a sandbox account may have.
pub const MAX_SANDBOX_WEBHOOKS: usize = 20;

/// What a webhook's URL is held against.
#[derive(Clone, Copy, Debug)]
pub struct UrlRules<'a> {
    /// Whether the account is a demo account, which may use `http`.
    pub demo: bool,
    pub guard: &'a AddressGuard,
    pub allowlist: &'a [IpNet],
    /// How many webhooks the account may have.
    pub most: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Registration {
    /// `webhookUrl`.
    pub url: Option<String>,
    pub event_types: Option<Vec<String>>,
    pub status: Option<String>,
    pub ordered: Option<bool>,
}

/// The body of a patch: the outer `None` is a field that was not sent, the inner one `null`.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// `webhookUrl`.
    pub url: Option<Option<String>>,
    /// `eventTypes`; replaces the list, and an empty one is the default again.
    pub event_types: Option<Option<Vec<String>>>,
    pub status: Option<Option<String>>,
    pub ordered: Option<Option<bool>>,
}

#[derive(Clone, Debug)]
pub struct Fresh {
    pub id: WebhookId,
    pub secret: Sealed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registered {
    /// A new webhook: write it, answer `201` with the secret.
    Created(Webhook),
    /// A disabled one is active again: write it, answer `200` with the original secret.
    Reactivated(Webhook),
    /// The URL is active already: write nothing, answer `200` without a secret.
    Unchanged(WebhookId),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookRefusal {
    #[error("webhookUrl is required")]
    UrlMissing,
    #[error("webhookUrl {0}")]
    Url(#[from] UrlRefusal),
    #[error("webhookUrl cannot be used: {0}")]
    Address(#[from] AddressRefusal),
    #[error("webhookUrl is registered already")]
    UrlTaken,
    #[error(
        "eventTypes has an unknown event type: {0} (WebhookEventType in /openapi.json has all)"
    )]
    EventType(String),
    #[error("status must be active or disabled")]
    Status,
    #[error("{0} must not be null")]
    Null(&'static str),
    #[error("at most {0} webhooks can be registered")]
    TooMany(usize),
}

/// Decides on a registration. `others` are all webhooks of the seller; `fresh` is drawn on only
/// when a new webhook is made.
pub fn register<'a>(
    seller: SellerId,
    others: impl IntoIterator<Item = &'a Webhook>,
    command: Registration,
    rules: &UrlRules<'_>,
    fresh: impl FnOnce() -> Fresh,
    now: Timestamp,
) -> Result<Registered, WebhookRefusal> {
    let text = command.url.ok_or(WebhookRefusal::UrlMissing)?;
    let url = allowed_url(&text, rules)?;
    let event_types = command.event_types.map(|names| EventFilter::parse(&names)).transpose()?;
    let status = command.status.as_deref().map(status_of).transpose()?;
    let ordered = command.ordered;

    let (mut known, normal) = (0, url.normal());
    for webhook in others {
        known += 1;
        if webhook.url.normal() == normal {
            return Ok(registered_again(webhook, event_types, status, ordered, now));
        }
    }
    if known >= rules.most {
        return Err(WebhookRefusal::TooMany(rules.most));
    }
    let Fresh { id, secret } = fresh();
    Ok(Registered::Created(Webhook {
        id,
        seller,
        url,
        status: status.unwrap_or(WebhookStatus::Active),
        event_types: event_types.unwrap_or_default(),
        secret,
        created_at: now,
        updated_at: now,
        ordered: ordered.unwrap_or(false),
    }))
}

/// Asking for a disabled webhook as `disabled` is no reactivation.
fn registered_again(
    webhook: &Webhook,
    event_types: Option<EventFilter>,
    status: Option<WebhookStatus>,
    ordered: Option<bool>,
    now: Timestamp,
) -> Registered {
    let stays = webhook.status == WebhookStatus::Active || status == Some(WebhookStatus::Disabled);
    if stays {
        return Registered::Unchanged(webhook.id);
    }
    Registered::Reactivated(Webhook {
        status: WebhookStatus::Active,
        event_types: event_types.unwrap_or_else(|| webhook.event_types.clone()),
        ordered: ordered.unwrap_or(webhook.ordered),
        updated_at: now,
        ..webhook.clone()
    })
}

/// Decides on a patch; `None` when it changes nothing. `others` are all webhooks of the seller.
/// When the answer is disabled and `webhook` was active, its waiting deliveries end.
pub fn patch<'a>(
    webhook: &Webhook,
    others: impl IntoIterator<Item = &'a Webhook>,
    command: Patch,
    rules: &UrlRules<'_>,
    now: Timestamp,
) -> Result<Option<Webhook>, WebhookRefusal> {
    let mut next = webhook.clone();
    if let Some(text) = sent("webhookUrl", command.url)? {
        next.url = allowed_url(&text, rules)?;
    }
    if let Some(names) = sent("eventTypes", command.event_types)? {
        next.event_types = EventFilter::parse(&names)?;
    }
    if let Some(status) = sent("status", command.status)? {
        next.status = status_of(&status)?;
    }
    if (webhook.status, next.status) == (WebhookStatus::Disabled, WebhookStatus::Active) {
        // It may have been registered when other rules held, as before the account went live.
        allowed_url(next.url.as_str(), rules)?;
    }
    if let Some(ordered) = sent("ordered", command.ordered)? {
        next.ordered = ordered;
    }
    let normal = next.url.normal();
    if others.into_iter().any(|other| other.id != next.id && other.url.normal() == normal) {
        return Err(WebhookRefusal::UrlTaken);
    }
    if next == *webhook {
        return Ok(None);
    }
    next.updated_at = now;
    Ok(Some(next))
}

fn status_of(name: &str) -> Result<WebhookStatus, WebhookRefusal> {
    WebhookStatus::parse(name).ok_or(WebhookRefusal::Status)
}

fn sent<T>(field: &'static str, value: Option<Option<T>>) -> Result<Option<T>, WebhookRefusal> {
    value.map(|value| value.ok_or(WebhookRefusal::Null(field))).transpose()
}

/// A name is checked at every attempt; an address says already now whether it is reached.
fn allowed_url(text: &str, rules: &UrlRules<'_>) -> Result<WebhookUrl, WebhookRefusal> {
    let url = WebhookUrl::parse(text, rules.demo)?;
    if let Some(address) = url.address() {
        let mode = if rules.demo { Mode::Demo } else { Mode::Live };
        rules.guard.check(address, mode, rules.allowlist)?;
    }
    Ok(url)
}

impl Refuse for WebhookRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::UrlTaken => RefusalKind::Conflict,
            Self::TooMany(_) => RefusalKind::Unprocessable,
            _ => RefusalKind::Invalid,
        }
    }
}
