//! Webhook registrations and the allowlist of a seller.

use ipnet::IpNet;
use storage::Batch;

use super::account::unexpected;
use super::handle::{SpendKey, Spent, WebhookAnswer};
use super::room::SellerRoom;
use crate::domain::ids::{AllowlistId, WebhookId};
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::allowlist::{Allowed, AllowlistEntry, NewEntry, allow};
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::{
    Fresh, Patch, Registered, Registration, UrlRules, Webhook, WebhookStatus, patch, register,
};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Reply};
use crate::tables::{ALLOWLIST, ALLOWLIST_IDS, POST_KEYS, WEBHOOK_IDS, WEBHOOKS};

impl SellerRoom {
    pub(super) fn register_webhook(
        &mut self,
        desk: &Desk<Self>,
        registration: Registration,
        spend: SpendKey,
        reply: Reply<Result<Spent<WebhookAnswer>, Refusal>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let Some(demo) = self.is_demo() else { return reply.send(Err(Refusal::missing())) };
        let url = registration.url.clone().unwrap_or_default();
        let (tools, now) = (desk.tools(), desk.now());
        let allowlist = self.networks();
        let rules = UrlRules { demo, guard: &tools.guard, allowlist: &allowlist };
        let plain = secret_of(&desk.entropy().bytes());
        let fresh = || Fresh {
            id: WebhookId(desk.next_id(WEBHOOK_IDS)),
            secret: tools.secrets.seal(plain.as_bytes(), desk.entropy().bytes()),
        };
        let answer = match register(self.id, &self.webhooks, registration, &rules, fresh, now) {
            Ok(Registered::Created(webhook)) => {
                WebhookAnswer { webhook, secret: Some(plain.to_string()), created: true }
            }
            Ok(Registered::Reactivated(webhook)) => {
                let Ok(secret) = tools.secrets.open_text(&webhook.secret) else {
                    return reply.send(Err(Refusal::fault()));
                };
                let secret = Some(secret.to_string());
                WebhookAnswer { webhook, secret, created: false }
            }
            Ok(Registered::Unchanged) => {
                let known = self.webhooks.iter().find(|webhook| webhook.url.as_str() == url);
                let Some(webhook) = known.cloned() else {
                    return reply.send(Err(Refusal::missing()));
                };
                WebhookAnswer { webhook, secret: None, created: false }
            }
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let mut batch = self.put_webhook(&answer.webhook);
        self.put_spent(desk, &mut batch, spend, answer.webhook.id.0);
        self.commit_config(desk, batch, reply, Spent::Made(answer));
    }

    pub(super) fn patch_webhook(
        &mut self,
        desk: &Desk<Self>,
        id: WebhookId,
        command: Patch,
        reply: Reply<Result<Webhook, Refusal>>,
    ) {
        let known = self.webhooks.iter().find(|webhook| webhook.id == id);
        let (Some(known), Some(demo)) = (known, self.is_demo()) else {
            return reply.send(Err(Refusal::missing()));
        };
        let allowlist = self.networks();
        let rules = UrlRules { demo, guard: &desk.tools().guard, allowlist: &allowlist };
        let patched = match patch(known, &self.webhooks, command, &rules, desk.now()) {
            Ok(patched) => patched.unwrap_or_else(|| known.clone()),
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let ends =
            known.status == WebhookStatus::Active && patched.status == WebhookStatus::Disabled;
        let batch = self.put_webhook(&patched);
        let (directory, deliveries) =
            (desk.tools().directory.clone(), desk.tools().deliveries.clone());
        let seller = self.id;
        desk.commit(batch, reply, move |result| {
            directory.forget(seller);
            if ends && result.is_ok() {
                deliveries.webhook_disabled(seller, id);
            }
            result.map(|_| patched).map_err(unexpected)
        });
    }

    pub(super) fn allow(
        &mut self,
        desk: &Desk<Self>,
        entry: NewEntry,
        spend: SpendKey,
        reply: Reply<Result<Spent<(AllowlistEntry, bool)>, Refusal>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let id = || AllowlistId(desk.next_id(ALLOWLIST_IDS));
        let allowed = allow(self.id, &self.allowlist, entry, id, desk.now());
        let mut batch = Batch::new();
        let answer = match allowed {
            Ok(Allowed::Created(entry)) => {
                batch.put(ALLOWLIST, &(self.id, entry.id), &entry);
                self.allowlist.push(entry.clone());
                (entry, true)
            }
            Ok(Allowed::Existing(entry)) => (entry, false),
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        self.put_spent(desk, &mut batch, spend, answer.0.id.0);
        self.commit_config(desk, batch, reply, Spent::Made(answer));
    }

    pub(super) fn spend(
        &mut self,
        desk: &Desk<Self>,
        spend: SpendKey,
        reply: Reply<Result<Spent<()>, Refusal>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let object = spend.request.object;
        let mut batch = Batch::new();
        self.put_spent(desk, &mut batch, spend, object);
        desk.commit(batch, reply, |result| result.map(|_| Spent::Made(())).map_err(unexpected));
    }

    /// Hands the port back unless the key was spent before; that is answered here, behind the
    /// commit that spends it.
    pub(super) fn unless_spent<T: Send + 'static>(
        &self,
        desk: &Desk<Self>,
        spend: &SpendKey,
        reply: Reply<Result<Spent<T>, Refusal>>,
    ) -> Option<Reply<Result<Spent<T>, Refusal>>> {
        let row = (self.id, spend.endpoint.to_owned(), spend.key.clone());
        let key = (spend.endpoint, spend.key.clone());
        let read = || desk.store().contains(POST_KEYS, &row);
        self.spent.unless_there(desk, &key, read, Spent::Before, reply)
    }

    pub(super) fn put_spent(
        &mut self,
        desk: &Desk<Self>,
        batch: &mut Batch,
        spend: SpendKey,
        object: u64,
    ) {
        let row = (self.id, spend.endpoint.to_owned(), spend.key.clone());
        batch.put(POST_KEYS, &row, &spend.request.made(object));
        self.spent.note(desk, (spend.endpoint, spend.key), ());
    }

    pub(super) fn disallow(
        &mut self,
        desk: &Desk<Self>,
        id: AllowlistId,
        reply: Reply<Result<(), Refusal>>,
    ) {
        let before = self.allowlist.len();
        self.allowlist.retain(|entry| entry.id != id);
        if self.allowlist.len() == before {
            return reply.send(Err(Refusal::missing()));
        }
        let mut batch = Batch::new();
        batch.delete(ALLOWLIST, &(self.id, id));
        self.commit_config(desk, batch, reply, ());
    }

    /// Commits a change that the directory keeps, and answers with `answer`.
    pub(super) fn commit_config<T: Send + 'static>(
        &self,
        desk: &Desk<Self>,
        batch: Batch,
        reply: Reply<Result<T, Refusal>>,
        answer: T,
    ) {
        let (directory, seller) = (desk.tools().directory.clone(), self.id);
        desk.commit(batch, reply, move |result| {
            directory.forget(seller);
            result.map(|_| answer).map_err(unexpected)
        });
    }

    fn put_webhook(&mut self, webhook: &Webhook) -> Batch {
        let mut batch = Batch::new();
        match self.webhooks.iter_mut().find(|known| known.id == webhook.id) {
            Some(known) if known == webhook => return batch,
            Some(known) => known.clone_from(webhook),
            None => self.webhooks.push(webhook.clone()),
        }
        batch.put(WEBHOOKS, &(self.id, webhook.id), webhook);
        batch
    }

    fn networks(&self) -> Vec<IpNet> {
        self.allowlist.iter().map(|entry| entry.cidr).collect()
    }

    /// Whether the account is a demo account; `None` when there is no account.
    fn is_demo(&self) -> Option<bool> {
        self.seller.as_ref().map(|seller| seller.mode == Mode::Demo)
    }
}
