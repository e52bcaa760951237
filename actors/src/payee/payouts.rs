//! Creating payouts and moving them on.

use std::sync::Arc;

use super::Payees;
use super::payees::seal;
use super::room::{Change, Cx, PayeeRoom};
use super::taken_spans::put_taken_spans;
use super::wallets::Wallets;
use crate::directory::SellerSnapshot;
use crate::domain::ids::{PayeeId, PayoutId, SellerId, WebhookId};
use crate::domain::payments::book::Mover;
use crate::domain::payments::payout::{
    self, Action, Funds, NewPayout, Payout, PayoutChange, PayoutHome, PayoutKey, PayoutOrder,
    PayoutPlaces, PayoutRefusal, payout_event,
};
use crate::domain::payments::vendor;
use crate::domain::platform::event::EventType;
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Decision, Effects, Halt, Once};
use crate::listing::relist;
use crate::secrets::Place;
use crate::tables::{PAYOUT_HOMES, PAYOUT_HOOKS, PAYOUT_KEYS, PAYOUTS, WALLET_PAYOUTS, ids};

#[derive(Clone, Debug)]
pub struct CreatedPayout {
    pub payout: Payout,
    pub secret: Option<String>,
}

impl Payees {
    /// Creates a payout and reserves its money. From a main wallet the payee of the order is
    /// [`OWN`](crate::domain::payments::wallet::OWN). The address of a call-back has been
    /// [checked](Self::check_call_back). Refused as [`PayoutRefusal`] says.
    pub async fn create_payout(
        &self,
        seller: SellerId,
        order: PayoutOrder,
        key: &str,
    ) -> Result<Once<CreatedPayout>, AskError> {
        let (id, key) = ((seller, order.payee), key.to_owned());
        self.rooms.once(id, move |room, cx| room.create_payout(cx, &order, &key)).await
    }

    /// Moves a payout on, by the operator's decision. Refused when there is none, and when it does
    /// not stand so.
    pub async fn move_payout(
        &self,
        seller: SellerId,
        payee: PayeeId,
        id: PayoutId,
        action: Action,
    ) -> Result<Payout, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let payout = cx.get(PAYOUTS, &(seller, id))?;
            let payout = payout.filter(|payout| payout.payee == room.holder());
            let payout = payout.ok_or_else(Refusal::missing)?;
            let (mut effects, mut wallets) = (Effects::new(), Wallets::of(room));
            let moved = room.act(cx, &mut effects, &mut wallets, &payout, &action)?;
            let Some(moved) = moved else { return Ok(Decision::unchanged(payout)) };
            wallets.change(cx, &mut effects);
            Ok(effects.answer(moved))
        };
        self.rooms.command((seller, payee), decide).await
    }
}

impl PayeeRoom {
    fn create_payout(
        &self,
        cx: &Cx,
        order: &PayoutOrder,
        key: &str,
    ) -> Result<Decision<Self, CreatedPayout>, Halt> {
        let row = (self.seller, key.to_owned());
        cx.once(PAYOUT_KEYS, &row)?;
        let seller = cx.seller()?;
        let call_back = order.call_back.as_ref().map(|url| new_call_back(cx, &seller, url));
        let approval = &seller.seller.payout_approval;
        let new = NewPayout {
            id: PayoutId(cx.id(ids::PAYOUT)),
            seller: self.seller,
            mode: seller.seller.mode,
            needs_approval: if self.holder().is_some() { approval.payee } else { approval.own },
            payout_seconds: cx.tools().payout_seconds,
            key: key.to_owned(),
            call_back: call_back.as_ref().map(|(hook, _)| hook.id),
        };
        let funds = Funds {
            payee: self.holder().map(|_| self.payee()).transpose()?,
            wallet: self.wallets.get(&order.wallet),
            method: self.methods.get(&order.method),
            open: self.open.len(),
        };
        let change = payout::create(order, &funds, new, cx.now())?;
        if let Some(payee) = funds.payee {
            vendor::allow(payee, order.wallet, order.amount_minor)?;
        }
        let payout = change.payout.clone();
        let (mut effects, mut wallets) = (Effects::new(), Wallets::of(self));
        effects.claim(PAYOUT_KEYS, &row, &PayoutKey { payout: payout.id, order: order.clone() });
        let home = PayoutHome { seller: self.seller, payee: payout.payee };
        effects.put(PAYOUT_HOMES, &payout.id, &home);
        let places = PayoutPlaces(payout.spans.clone());
        effects.put(WALLET_PAYOUTS, &(self.seller, payout.wallet, payout.id), &places);
        put_taken_spans(&mut effects.rows, &payout);
        change_payout(cx, &mut effects, &mut wallets, &seller, None, change);
        wallets.change(cx, &mut effects);
        let secret = call_back.map(|(hook, secret)| {
            effects.put(PAYOUT_HOOKS, &(self.seller, hook.id), &hook);
            secret
        });
        Ok(effects.answer(CreatedPayout { payout, secret }))
    }

    /// Moves a payout on and calls its own address, if it has one; `None` when that was done
    /// before.
    pub(super) fn act(
        &self,
        cx: &Cx,
        effects: &mut Effects<Self>,
        wallets: &mut Wallets<'_>,
        payout: &Payout,
        action: &Action,
    ) -> Result<Option<Payout>, Refusal> {
        let seller = cx.seller()?;
        let wallet = wallets.get(payout.wallet).ok_or(PayoutRefusal::WalletMissing)?;
        let wait = cx.tools().payout_seconds;
        let Some(change) = payout.act(action, wallet, wait, cx.now())? else { return Ok(None) };
        let after = change.payout.clone();
        change_payout(cx, effects, wallets, &seller, Some(payout), change);
        if let Some(id) = after.call_back
            && let Some(hook) = cx.get(PAYOUT_HOOKS, &(self.seller, id))?
        {
            effects.call_back(&seller, hook, payout_event(&after, EventType::PayoutUpdated));
        }
        Ok(Some(after))
    }
}

fn change_payout(
    cx: &Cx,
    effects: &mut Effects<PayeeRoom>,
    wallets: &mut Wallets<'_>,
    seller: &Arc<SellerSnapshot>,
    before: Option<&Payout>,
    change: PayoutChange,
) {
    let PayoutChange { payout, movement, events } = change;
    relist(&mut effects.rows, payout.seller, before, &payout);
    let before = before.map(|payout| payout.status);
    if let Some(movement) = movement {
        wallets.post(cx, effects, movement, Mover::Payout(payout.id));
    }
    effects.emit(seller, events);
    effects.change(Change::Payout { before, after: Box::new(payout) });
}

fn new_call_back(cx: &Cx, seller: &SellerSnapshot, url: &WebhookUrl) -> (Webhook, String) {
    let secret = secret_of(&cx.entropy().bytes());
    let (id, seller) = (WebhookId(cx.id(ids::WEBHOOK)), seller.seller.id);
    let hook = Webhook {
        id,
        seller,
        url: url.clone(),
        status: WebhookStatus::Active,
        event_types: EventFilter::only(EventType::PayoutUpdated),
        secret: seal(cx, Place::WebhookSecret(seller, id), &secret),
        created_at: cx.now(),
        updated_at: cx.now(),
        ordered: false,
    };
    (hook, secret.to_string())
}
