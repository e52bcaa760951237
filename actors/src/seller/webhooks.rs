//! Webhook registrations of a seller.

use ipnet::IpNet;

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{SellerId, WebhookId};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::{
    Fresh, Patch, Registered, Registration, UrlRules, Webhook, WebhookStatus, patch, register,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Halt, Once};
use crate::key_claim::KeyClaim;
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
        let rules = UrlRules { demo: self.is_demo()?, guard: &tools.guard, allowlist: &allowlist };
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
                let secret = tools.secrets.open_text(webhook.secret_place(), &webhook.secret);
                let secret = secret.map_err(|_| Refusal::fault())?.to_string();
                effects.change(Change::Webhook(Box::new(webhook.clone())));
                WebhookAnswer { webhook, secret: Some(secret), created: false }
            }
            Registered::Unchanged => {
                let url = registration.url.as_deref().unwrap_or_default();
                let known = self.webhooks.iter().find(|webhook| webhook.url.as_str() == url);
                let webhook = known.cloned().ok_or_else(Refusal::missing)?;
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
        let known = self.webhooks.iter().find(|webhook| webhook.id == id);
        let known = known.ok_or_else(Refusal::missing)?;
        let allowlist = self.networks();
        let guard = &cx.tools().guard;
        let rules = UrlRules { demo: self.is_demo()?, guard, allowlist: &allowlist };
        let patched = patch(known, &self.webhooks, change.clone(), &rules, cx.now())?;
        let Some(patched) = patched.filter(|patched| patched != known) else {
            return Ok(Decision::unchanged(known.clone()));
        };
        let mut effects = self.configuring(cx);
        if known.status == WebhookStatus::Active && patched.status == WebhookStatus::Disabled {
            let (deliveries, seller) = (cx.services().deliveries.clone(), self.id);
            effects.once_durable(move || deliveries.webhook_disabled(seller, id));
        }
        effects.change(Change::Webhook(Box::new(patched.clone())));
        Ok(effects.answer(patched))
    }

    fn networks(&self) -> Vec<IpNet> {
        self.allowlist.iter().map(|entry| entry.cidr).collect()
    }

    fn is_demo(&self) -> Result<bool, Refusal> {
        Ok(self.account()?.mode == Mode::Demo)
    }
}
