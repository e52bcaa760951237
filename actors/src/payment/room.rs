//! The memory of a payment room, and how a change of its payment becomes rows, events, messages
//! and the next call to the provider.

use std::collections::BTreeMap;
use std::time::Duration;

use storage::{Batch, ReadError, View};

use super::forgetting::take_away;
use super::open_at::keep_open_at;
use super::{PaymentTools, timers_of};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::messages::{Envelope, PayeeMessage, ShareNotice};
use crate::domain::money::Money;
use crate::domain::payments::payee::PayeeRefusal;
use crate::domain::payments::payment::{
    self, Payment, PaymentRefusal, ProviderCall, Refund, RefundMove, SpentKey,
};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::split::{Plan, ShareMoves};
use crate::domain::platform::event::ObjectKind;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{Context, Decision, Effects, Halt, KeyClaim, Room};
use crate::listing::relist;
use crate::tables::{
    CLOSED_PAYEES, LINK_DECLINES, OPEN_LINK_PAYMENTS, OPEN_PAYMENTS, OPEN_SHARES, PAYMENTS,
    POST_KEYS, REFUNDS, SUBSCRIPTION_DECLINES, TERM_PAYMENTS,
};
use crate::timers::TimerKind;

#[derive(Debug)]
pub struct PaymentRoom {
    pub(super) seller: SellerId,
    pub(super) id: PaymentId,
    /// Absent until the payment is begun.
    payment: Option<Payment>,
    /// The key of the provider call that this process makes: its answer will come.
    pub(super) asking: Option<String>,
}

#[derive(Debug)]
pub enum Change {
    Payment(Box<Payment>),
    /// The call that is under way; of no concern to the disk, where every call is written down.
    Asking(Option<String>),
}

/// A payment as a command left it, and the provider call that whoever gave the command now makes.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) payment: Payment,
    pub(super) call: Option<ProviderCall>,
}

impl Room for PaymentRoom {
    type Id = (SellerId, PaymentId);
    type Change = Change;
    type Tools = PaymentTools;
    const WORKER: &'static str = "rest of payments";
    const KIND: &'static str = "payment";
    const TELLS_OF: ObjectKind = ObjectKind::Payment;
    const STAYS: Duration = Duration::from_millis(500);
    const IS_ONE_ROW: bool = true;

    fn seller((seller, _): Self::Id) -> SellerId {
        seller
    }

    fn object((_, id): Self::Id) -> u64 {
        id.0
    }

    fn load((seller, id): Self::Id, store: &View, _: &PaymentTools) -> Result<Self, ReadError> {
        Ok(Self { seller, id, payment: store.get(PAYMENTS, &(seller, id))?, asking: None })
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        match change {
            Change::Payment(payment) => self.put_payment(*payment, rows),
            Change::Asking(key) => self.asking = key,
        }
    }

    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        self.payment.as_ref().map(timers_of).unwrap_or_default()
    }

    /// Not while a call is under way: a successor would take it for one whose answer is lost.
    fn rests(&self) -> bool {
        self.asking.is_none()
    }
}

impl PaymentRoom {
    /// The payment; refused as missing where none was begun.
    pub(super) fn payment(&self) -> Result<&Payment, Refusal> {
        self.payment.as_ref().ok_or_else(Refusal::missing)
    }

    pub(super) fn change(
        &self,
        cx: &Context<Self>,
        rule: impl FnOnce(&Payment) -> Result<payment::Change, PaymentRefusal>,
    ) -> Result<Decision<Self, Step>, Refusal> {
        let change = rule(self.payment()?)?;
        let (effects, step) = self.effects(cx, change)?;
        Ok(effects.answer(step))
    }

    /// Changes the payment by a rule, once for the key of the request, which then stands for
    /// `object`. The key is spent also where the rule finds nothing left to do.
    pub(super) fn change_once(
        &self,
        cx: &Context<Self>,
        spend: &KeyClaim,
        object: u64,
        rule: impl FnOnce(&Payment) -> Result<Option<payment::Change>, PaymentRefusal>,
    ) -> Result<Decision<Self, Step>, Halt> {
        spend.check(cx, self.seller)?;
        let payment = self.payment()?;
        let (mut effects, step) = match rule(payment)? {
            Some(change) => self.effects(cx, change)?,
            None => (Effects::new(), Step { payment: payment.clone(), call: None }),
        };
        spend.hold(&mut effects, self.seller, object);
        Ok(effects.answer(step))
    }

    pub(super) fn effects(
        &self,
        cx: &Context<Self>,
        change: payment::Change,
    ) -> Result<(Effects<Self>, Step), Refusal> {
        let snapshot = cx.seller()?;
        let payment::Change {
            payment,
            events,
            message,
            shares,
            refund,
            refund_moved,
            freed,
            saved,
            unwanted,
        } = change;
        let mut effects = Effects::new();
        let moved = refund_moved.map(|moved| self.moved_refund(cx, moved)).transpose()?;
        for refund in refund.into_iter().chain(moved) {
            effects.put(REFUNDS, &(self.seller, self.id, refund.id), &refund);
        }
        if let Some(SpentKey { endpoint, key }) = freed {
            effects.delete(POST_KEYS, &(self.seller, endpoint, key));
        }
        effects.emit(&snapshot, events);
        if let Some(card) = saved {
            self.save_card(cx, &payment, &card, &mut effects)?;
        }
        if let Some(card) = unwanted {
            take_away(&mut effects, self.seller, &card);
        }
        if let Some(message) = message {
            effects.send(message);
        }
        for message in share_messages(&payment, shares) {
            effects.send(message);
        }
        let call = self.call_to_make(&payment);
        if call.is_some() || payment.asking().is_none() {
            effects.change(Change::Asking(call.as_ref().map(|call| call.key.clone())));
        }
        self.name_payees(cx, &payment, &mut effects)?;
        effects.change(Change::Payment(Box::new(payment.clone())));
        let (watchers, seller, id) = (cx.tools().watchers.clone(), self.seller, self.id);
        effects.once_durable(move || watchers.notify(&(seller, id)));
        Ok((effects, Step { payment, call }))
    }

    /// The call that the payment has written down now; one that stood there before is, or was,
    /// made by somebody else.
    fn call_to_make(&self, payment: &Payment) -> Option<ProviderCall> {
        let before = self.payment.as_ref().and_then(Payment::asking);
        payment.asking().filter(|call| Some(*call) != before).cloned()
    }

    /// Keeps the payees that the payment names from being archived while it may yet bring them
    /// money. Refused when one of them is closed by now.
    fn name_payees(
        &self,
        cx: &Context<Self>,
        after: &Payment,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let named = self.payment.as_ref().is_some_and(Payment::may_bring_shares);
        if named == after.may_bring_shares() {
            return Ok(());
        }
        for line in after.split.iter().flat_map(Plan::lines) {
            let row = (self.seller, line.payee, self.id);
            if named {
                effects.delete(OPEN_SHARES, &row);
                continue;
            }
            let payee = (self.seller, line.payee);
            if cx.contains(CLOSED_PAYEES, &payee)? {
                return Err(PayeeRefusal::Archived.into());
            }
            effects.rows.require_absent(CLOSED_PAYEES, &payee);
            effects.rows.put_new(OPEN_SHARES, &row, &());
        }
        Ok(())
    }

    fn moved_refund(&self, cx: &Context<Self>, moved: RefundMove) -> Result<Refund, Refusal> {
        let known = cx.get(REFUNDS, &(self.seller, self.id, moved.id))?;
        let known = known.ok_or_else(Refusal::fault)?;
        Ok(Refund {
            status: moved.status,
            failure: moved.failure,
            processor_token: moved.token.or(known.processor_token),
            updated_at: cx.now(),
            ..known
        })
    }

    /// Puts the payment and its place among those of its status. Once it is lost, another may be
    /// begun for its invoice, its link or its term.
    fn put_payment(&mut self, payment: Payment, rows: &mut Batch) {
        let (seller, id) = (self.seller, self.id);
        let before = self.payment.as_ref().map(|before| before.status);
        rows.put(PAYMENTS, &(seller, id), &payment);
        relist(rows, seller, self.payment.as_ref(), &payment);
        keep_open_at(rows, self.payment.as_ref(), &payment);
        if payment.status.is_lost() && before.is_none_or(|before| !before.is_lost()) {
            if before.is_some() {
                if let Some((_, invoice)) = payment.pays_for.invoice() {
                    rows.delete(OPEN_PAYMENTS, &(seller, invoice));
                }
                if let Some(link) = payment.pays_for.link_alone() {
                    rows.delete(OPEN_LINK_PAYMENTS, &(seller, link));
                }
                if let Some((subscription, term)) = payment.pays_for.subscription() {
                    rows.delete(TERM_PAYMENTS, &(seller, subscription, term));
                }
            }
            if let Some(subscription) = payment.declined_at_subscription() {
                let declined = (seller, subscription, payment.updated_at, id);
                rows.put_new(SUBSCRIPTION_DECLINES, &declined, &());
            }
            if let Some(link) = payment.declined_at() {
                rows.put_new(LINK_DECLINES, &(seller, link, payment.updated_at, id), &());
            }
        }
        self.payment = Some(payment);
    }
}

fn share_messages(payment: &Payment, shares: ShareMoves) -> impl Iterator<Item = Envelope> {
    let mode = if payment.demo { Mode::Demo } else { Mode::Live };
    let notice = ShareNotice {
        what: ShareMove::Settled,
        payment: payment.id,
        reference: payment.reference.clone(),
        amount: payment.amount,
        at: payment.updated_at,
        mode,
    };
    let seller = payment.seller;
    shares.into_iter().map(move |(payee, what, minor)| {
        let amount = Money { minor, ..notice.amount };
        let notice = ShareNotice { what, amount, ..notice.clone() };
        Envelope::to_payee(seller, payee, PayeeMessage::ShareMoved(notice))
    })
}
