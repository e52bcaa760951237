//! One attempt: find the webhook as it is now, check where its host lies, sign, post.

use std::net::IpAddr;
use std::sync::Arc;

use super::client::{Answer, EndpointClient, Post};
use super::names::{self, Place, resolve_in};
use super::pool::Pool;
use super::queue::{EndpointKey, Job, Standing};
use super::{Destination, Found};
use crate::domain::platform::delivery::{Outcome, render};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::signature::sign;
use crate::domain::platform::webhook::url::UrlRefusal;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};

/// The errors of deliveries that end with their webhook.
pub(super) const DISABLED: &str = "the webhook is disabled";
pub(super) const DELETED: &str = "the webhook is deleted";

/// The place in which the host of a webhook is resolved, waited for before its attempt begins.
pub(super) async fn place(pool: &Pool, key: EndpointKey, standing: Standing) -> Option<Place> {
    let Found::Destination(found) = (pool.lookup)(key.0, key.1) else { return None };
    let client = client(pool, key, &found.webhook).ok()?;
    names::place(key.0, client.parts(), standing).await
}

/// Makes one attempt; `None` when there is to be none now.
pub(super) async fn attempt(
    pool: &Pool,
    key: EndpointKey,
    job: &Job,
    place: Option<Place>,
) -> Option<Outcome> {
    let destination = match (pool.lookup)(key.0, key.1) {
        Found::Destination(destination) if destination.is_open => destination,
        Found::Gone => return Some(Outcome::Ended(DELETED)),
        Found::Destination(_) | Found::Unknown => return None,
    };
    if destination.webhook.status != WebhookStatus::Active {
        return Some(Outcome::Ended(DISABLED));
    }
    // A vendor may have a link, of which nobody knows the beginning before the server listens.
    if job.event.kind.is_of_vendor() && pool.links.address().is_empty() {
        return None;
    }
    let limit = pool.settings.timeout;
    let sent = send(pool, key, &destination, job, place);
    let outcome = match tokio::time::timeout(limit, sent).await {
        Ok(Ok(answer)) => Outcome::Answered(answer.status().await),
        Ok(Err(reason)) => Outcome::Unanswered(reason),
        Err(_) => Outcome::Unanswered(format!("no answer within {} s", limit.as_secs())),
    };
    Some(outcome)
}

/// Posts to the first of the checked addresses that accepts a connection.
async fn send(
    pool: &Pool,
    key: EndpointKey,
    destination: &Destination,
    job: &Job,
    place: Option<Place>,
) -> Result<Answer, String> {
    let webhook = &destination.webhook;
    let event = pool.links.with_link(key.0, &job.event);
    let body = render(job.delivery.sequence, destination.seller, &event)
        .ok_or_else(|| "the event cannot be read".to_owned())?;
    let client = client(pool, key, webhook)?;
    // One that was registered before the account went live may be reached without.
    if destination.live && !client.parts().https {
        return Err(format!("webhookUrl {}", UrlRefusal::NotHttps));
    }
    let place = match place {
        Some(place) => Some(place),
        // A name may have taken the place of an address meanwhile.
        None => names::place(key.0, client.parts(), Standing::Unknown).await,
    };
    let resolved = resolve_in(place, client.parts()).await?;
    let addresses = checked(pool, resolved, destination)?;
    let secret = pool.secrets.open(webhook.secret_place(), &webhook.secret);
    let secret = secret.map_err(|error| error.to_string())?;
    let mut last = String::new();
    for address in addresses {
        let time = pool.clock.now().unix_seconds();
        let post = Post {
            body: &body,
            signature: &sign(&secret, time, &body),
            timestamp: &time.to_string(),
        };
        match client.post(address, &post).await {
            Ok(answer) => return Ok(answer),
            Err(error) if error.connecting => last = error.reason,
            Err(error) => return Err(error.reason),
        }
    }
    Err(last)
}

fn client(pool: &Pool, key: EndpointKey, webhook: &Webhook) -> Result<Arc<EndpointClient>, String> {
    if let Some(client) = pool.with_queue(key, |queue| queue.client(&webhook.url)) {
        return Ok(client);
    }
    let connections = pool.settings.per_endpoint;
    let client = Arc::new(EndpointClient::new(webhook.url.clone(), &pool.tls, connections)?);
    pool.with_queue(key, |queue| queue.keep_client(client.clone()));
    Ok(client)
}

/// Returns the addresses that the guard admits of those to which the host resolves for this
/// attempt. The connection goes to one of these, whatever the name resolves to a moment later.
fn checked(
    pool: &Pool,
    resolved: Vec<IpAddr>,
    destination: &Destination,
) -> Result<Vec<IpAddr>, String> {
    let mut allowed = Vec::new();
    let mut refusal = None;
    let mode = if destination.live { Mode::Live } else { Mode::Demo };
    for address in resolved {
        let checked = match destination.listed_only {
            true => pool.guard.check_listed(address, mode, &destination.allowlist),
            false => pool.guard.check(address, mode, &destination.allowlist),
        };
        match checked {
            Ok(()) if !allowed.contains(&address) => allowed.push(address),
            Ok(()) => {}
            Err(refused) => refusal = Some(refused.to_string()),
        }
    }
    if allowed.is_empty() {
        return Err(refusal.unwrap_or_else(|| "the host has no address".to_owned()));
    }
    Ok(allowed)
}
