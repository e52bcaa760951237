//! Making payouts and moving them on.

use super::command::{Answer, Paid};
use super::making::seal;
use super::room::{PayeeRoom, unreadable};
use super::write::{Write, refused};
use crate::domain::ids::{PayoutId, WebhookId};
use crate::domain::payments::payout::{
    self, Action, Funds, NewPayout, Payout, PayoutKey, PayoutOrder, PayoutRefusal,
};
use crate::domain::payments::vendor;
use crate::domain::platform::event::EventType;
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Refused};
use crate::tables::{PAYOUT_KEYS, PAYOUTS, WEBHOOK_IDS, ids};

impl PayeeRoom {
    pub(super) fn pay(
        &mut self,
        desk: &Desk<Self>,
        order: &PayoutOrder,
        key: String,
        reply: Answer<Paid>,
    ) {
        let row = (self.seller, key.clone());
        let read = || desk.store().contains(PAYOUT_KEYS, &row);
        let before = self.payout_keys.unless_there(desk, &key, read, Paid::Before, reply);
        let Some(reply) = before else { return };
        match self.paid(desk, order, &key) {
            Ok((mut write, payout, secret)) => {
                let made = PayoutKey { payout: payout.id, order: order.clone() };
                // Other payees' rooms may be spending the same key.
                write.batch.claim(PAYOUT_KEYS, &row, &made);
                self.payout_keys.note(desk, key, ());
                let paid = Paid::Made { payout: Box::new(payout), secret };
                write.finish(self, desk, reply, |result| match result {
                    Ok(_) => Ok(paid),
                    Err(Refused::Claimed(claimed)) if claimed.tag == PAYOUT_KEYS.tag() => {
                        Ok(Paid::Before)
                    }
                    Err(other) => Err(refused(other)),
                });
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn paid(
        &mut self,
        desk: &Desk<Self>,
        order: &PayoutOrder,
        key: &str,
    ) -> Result<(Write, Payout, Option<String>), Refusal> {
        let mut write = Write::new(self, desk)?;
        let call_back = order.call_back.as_ref().map(|url| new_hook(desk, url, &write));
        let new = NewPayout {
            id: PayoutId(desk.next_id(ids::PAYOUT)),
            seller: self.seller,
            mode: write.mode(),
            needs_approval: match self.holder() {
                Some(_) => write.snapshot.seller.payout_approval.payee,
                None => write.snapshot.seller.payout_approval.own,
            },
            payout_seconds: desk.tools().payout_seconds,
            key: key.to_owned(),
            call_back: call_back.as_ref().map(|(hook, _)| hook.id),
        };
        let funds = Funds {
            payee: match self.holder() {
                Some(_) => Some(self.payee()?),
                None => None,
            },
            wallet: self.wallets.get(&order.wallet),
            method: self.methods.get(&order.method),
            open: self.open.len(),
        };
        let change = payout::create(order, &funds, new, write.now)?;
        if let Some(payee) = funds.payee {
            vendor::allow(payee, order.wallet, order.amount_minor)?;
        }
        let made = change.payout.clone();
        write.first_payout(self, &made);
        write.payout(self, desk, change);
        let secret = call_back.map(|(hook, secret)| {
            write.hook(self, desk, hook);
            secret
        });
        Ok((write, made, secret))
    }

    pub(super) fn move_payout(
        &mut self,
        desk: &Desk<Self>,
        id: PayoutId,
        action: &Action,
        reply: Answer<Payout>,
    ) {
        match self.moved(desk, id, action) {
            Ok((write, payout)) => {
                write.finish(self, desk, reply, |result| result.map(|_| payout).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn moved(
        &mut self,
        desk: &Desk<Self>,
        id: PayoutId,
        action: &Action,
    ) -> Result<(Write, Payout), Refusal> {
        let read = || desk.store().get(PAYOUTS, &(self.seller, id));
        let payout = self.payouts.get(&id, read).map_err(|error| unreadable(&error))?;
        let payout = payout.filter(|payout| payout.payee == self.holder());
        let payout = payout.ok_or_else(Refusal::missing)?;
        let mut write = Write::new(self, desk)?;
        let moved = self.act(desk, &mut write, &payout, action)?;
        Ok((write, moved.unwrap_or(payout)))
    }

    /// Moves a payout on; `None` when that was done before. Nothing is changed on an error.
    pub(super) fn act(
        &mut self,
        desk: &Desk<Self>,
        write: &mut Write,
        payout: &Payout,
        action: &Action,
    ) -> Result<Option<Payout>, Refusal> {
        let wallet = self.wallets.get(&payout.wallet).ok_or(PayoutRefusal::WalletMissing)?;
        let wait = desk.tools().payout_seconds;
        let Some(change) = payout.act(action, wallet, wait, write.now)? else { return Ok(None) };
        let after = change.payout.clone();
        write.call_back(self, desk, &after)?;
        write.payout(self, desk, change);
        Ok(Some(after))
    }
}

/// A call-back in the form of a webhook that hears of its payout alone, and its secret.
fn new_hook(desk: &Desk<PayeeRoom>, url: &WebhookUrl, write: &Write) -> (Webhook, String) {
    let secret = secret_of(&desk.entropy().bytes());
    let hook = Webhook {
        id: WebhookId(desk.next_id(WEBHOOK_IDS)),
        seller: write.snapshot.seller.id,
        url: url.clone(),
        status: WebhookStatus::Active,
        event_types: EventFilter::only(EventType::PayoutUpdated),
        secret: seal(desk, &secret),
        created_at: write.now,
        updated_at: write.now,
    };
    (hook, secret.to_string())
}
