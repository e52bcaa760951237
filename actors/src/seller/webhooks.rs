//! Webhook registrations of a seller.

use ipnet::IpNet;

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{SellerId, WebhookId};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::{
    Fresh, MAX_SANDBOX_WEBHOOKS, MAX_WEBHOOKS, Patch, Registered, Registration, UrlRules, Webhook,
    WebhookStatus, patch, register,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Halt, KeyClaim, Once};
use crate::secrets::Place;
use crate::tables::ids;

/// A webhook as a registration is answered.
#[derive(Clone, Debug)]
pub struct WebhookAnswer {
    pub webhook: Webhook,
    pub secret: Option<String>,
    /// Whether it was made just now.
    pub created: bool,
}

impl Sellers {
    /// Registers a webhook, once for each key. The same address is the same webhook.
    pub async fn register_webhook(
        &self,
        id: SellerId,
        registration: Registration,
        claim: KeyClaim,
    ) -> Result<Once<WebhookAnswer>, AskError> {
        self.rooms.once(id, move |room, cx| room.register_webhook(cx, &registration, &claim)).await
    }

    /// Deletes a webhook for good. What was delivered to it stays listed; what waits ends as failed.
    pub async fn delete_webhook(&self, id: SellerId, webhook: WebhookId) -> Result<(), AskError> {
        let delete = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.webhook(webhook)?;
            let mut effects = room.configuring(cx);
            let deliveries = cx.services().deliveries.clone();
            effects.once_durable(move || deliveries.webhook_ended(id, webhook));
            effects.change(Change::WebhookDeleted(webhook));
            Ok(effects.answer(()))
        };
        self.rooms.command(id, delete).await
    }

    /// Gives a webhook another secret; the old one verifies nothing from now on.
    pub async fn rotate_webhook_secret(
        &self,
        id: SellerId,
        webhook: WebhookId,
    ) -> Result<WebhookAnswer, AskError> {
        self.rooms.command(id, move |room, cx| room.rotate_webhook_secret(cx, webhook)).await
    }

    pub async fn patch_webhook(
        &self,
        id: SellerId,
        webhook: WebhookId,
        change: Patch,
    ) -> Result<Webhook, AskError> {
        self.rooms.command(id, move |room, cx| room.patch_webhook(cx, webhook, &change)).await
    }
}

impl SellerRoom {
    fn register_webhook(
        &self,
        cx: &Context<Self>,
        registration: &Registration,
        claim: &KeyClaim,
    ) -> Result<Decision<Self, WebhookAnswer>, Halt> {
        claim.check(cx, self.id)?;
        let (tools, allowlist) = (cx.tools(), self.networks());
        let rules = self.url_rules(cx, &allowlist)?;
        let plain = secret_of(&cx.entropy().bytes());
        let fresh = || {
            let id = WebhookId(cx.id(ids::WEBHOOK));
            let (place, nonce) = (Place::WebhookSecret(self.id, id), cx.entropy().bytes());
            Fresh { id, secret: tools.secrets.seal(place, plain.as_bytes(), nonce) }
        };
        let mut effects = self.configuring(cx);
        let registered =
            register(self.id, &self.webhooks, registration.clone(), &rules, fresh, cx.now())?;
        let answer = match registered {
            Registered::Created(webhook) => {
                effects.change(Change::Webhook(Box::new(webhook.clone())));
                WebhookAnswer { webhook, secret: Some(plain.to_string()), created: true }
            }
            Registered::Reactivated(webhook) => {
                let place = webhook.secret_place();
                let (webhook, secret) = match tools.secrets.open_text(place, &webhook.secret) {
                    Ok(known) => (webhook, known),
                    // The key that sealed it was lost.
                    Err(_) => {
                        let nonce = cx.entropy().bytes();
                        let secret = tools.secrets.seal(place, plain.as_bytes(), nonce);
                        (webhook.with_secret(secret, cx.now()), plain)
                    }
                };
                effects.change(Change::Webhook(Box::new(webhook.clone())));
                WebhookAnswer { webhook, secret: Some(secret.to_string()), created: false }
            }
            Registered::Unchanged(id) => {
                let webhook = self.webhook(id)?.clone();
                WebhookAnswer { webhook, secret: None, created: false }
            }
        };
        claim.hold(&mut effects, self.id, answer.webhook.id.0);
        Ok(effects.answer(answer))
    }

    fn patch_webhook(
        &self,
        cx: &Context<Self>,
        id: WebhookId,
        change: &Patch,
    ) -> Result<Decision<Self, Webhook>, Refusal> {
        let known = self.webhook(id)?;
        let allowlist = self.networks();
        let rules = self.url_rules(cx, &allowlist)?;
        let patched = patch(known, &self.webhooks, change.clone(), &rules, cx.now())?;
        let Some(patched) = patched.filter(|patched| patched != known) else {
            return Ok(Decision::unchanged(known.clone()));
        };
        let mut effects = self.configuring(cx);
        let (deliveries, seller) = (cx.services().deliveries.clone(), self.id);
        if known.status == WebhookStatus::Active && patched.status == WebhookStatus::Disabled {
            effects.once_durable(move || deliveries.webhook_ended(seller, id));
        } else if known.ordered && !patched.ordered {
            effects.once_durable(move || deliveries.webhook_unordered(seller, id));
        }
        effects.change(Change::Webhook(Box::new(patched.clone())));
        Ok(effects.answer(patched))
    }

    fn rotate_webhook_secret(
        &self,
        cx: &Context<Self>,
        id: WebhookId,
    ) -> Result<Decision<Self, WebhookAnswer>, Refusal> {
        let known = self.webhook(id)?;
        let plain = secret_of(&cx.entropy().bytes());
        let nonce = cx.entropy().bytes();
        let secret = cx.tools().secrets.seal(known.secret_place(), plain.as_bytes(), nonce);
        let webhook = known.clone().with_secret(secret, cx.now());
        let mut effects = self.configuring(cx);
        effects.change(Change::Webhook(Box::new(webhook.clone())));
        let secret = Some(plain.to_string());
        Ok(effects.answer(WebhookAnswer { webhook, secret, created: false }))
    }

    fn networks(&self) -> Vec<IpNet> {
        self.allowlist.iter().map(|entry| entry.cidr).collect()
    }

    fn webhook(&self, id: WebhookId) -> Result<&Webhook, Refusal> {
        self.webhooks.iter().find(|webhook| webhook.id == id).ok_or_else(Refusal::missing)
    }

    fn url_rules<'a>(
        &self,
        cx: &'a Context<Self>,
        allowlist: &'a [IpNet],
    ) -> Result<UrlRules<'a>, Refusal> {
        let account = self.account()?;
        Ok(UrlRules {
            demo: account.mode == Mode::Demo,
            guard: &cx.tools().guard,
            allowlist,
            most: if account.is_sandbox() { MAX_SANDBOX_WEBHOOKS } else { MAX_WEBHOOKS },
        })
    }
}

#[cfg(test)]
mod tests;
