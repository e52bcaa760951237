//! The memory of the room, and how a change of its subscription becomes rows and events.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, View};

use super::timers_of;
use crate::domain::billing::mail::Mail;
use crate::domain::ids::{LinkSubscriptionId, SellerId};
use crate::domain::payments::link_subscription::{LinkSubscription, LinkSubscriptionChange};
use crate::domain::platform::event::ObjectKind;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{Context, Effects, Room};
use crate::listing::relist;
use crate::payment::forgetting::take_away;
use crate::tables::{LINK_SUBSCRIPTIONS, MAILS};
use crate::timers::TimerKind;

#[derive(Debug)]
pub struct LinkSubscriptionRoom {
    pub(super) seller: SellerId,
    pub(super) id: LinkSubscriptionId,
    /// Absent until it is made.
    subscription: Option<LinkSubscription>,
    /// The one mail about it.
    pub(super) mail: Option<Mail>,
}

#[derive(Debug)]
pub enum Change {
    Subscription(Box<LinkSubscription>),
    Mail(Box<Mail>),
}

impl Room for LinkSubscriptionRoom {
    type Id = (SellerId, LinkSubscriptionId);
    type Change = Change;
    type Tools = ();
    const WORKER: &'static str = "rest of link subscriptions";
    const KIND: &'static str = "link subscription";
    const TELLS_OF: ObjectKind = ObjectKind::LinkSubscription;

    fn seller((seller, _): Self::Id) -> SellerId {
        seller
    }

    fn object((_, id): Self::Id) -> u64 {
        id.0
    }

    fn load((seller, id): Self::Id, store: &View, (): &()) -> Result<Self, ReadError> {
        let subscription = store.get(LINK_SUBSCRIPTIONS, &(seller, id))?;
        let mail = match subscription.as_ref().and_then(|of| of.mail) {
            Some(mail) => store.get(MAILS, &(seller, mail))?,
            None => None,
        };
        Ok(Self { seller, id, subscription, mail })
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        match change {
            Change::Subscription(after) => {
                rows.put(LINK_SUBSCRIPTIONS, &(self.seller, self.id), &after);
                relist(rows, self.seller, self.subscription.as_ref(), &*after);
                self.subscription = Some(*after);
            }
            Change::Mail(mail) => {
                rows.put(MAILS, &(self.seller, mail.id), &mail);
                self.mail = Some(*mail);
            }
        }
    }

    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        let mail = self.mail.as_ref();
        self.subscription.as_ref().map(|of| timers_of(of, mail)).unwrap_or_default()
    }

    fn is_known(&self) -> bool {
        self.subscription.is_some()
    }
}

impl LinkSubscriptionRoom {
    /// The subscription; refused as missing where none was made.
    pub(super) fn subscription(&self) -> Result<&LinkSubscription, Refusal> {
        self.subscription.as_ref().ok_or_else(Refusal::missing)
    }

    /// Makes the subscription what a rule has made of it, and tells of it. The processor forgets a
    /// card that it charges no more.
    pub(super) fn keep(
        &self,
        cx: &Context<Self>,
        change: LinkSubscriptionChange,
        effects: &mut Effects<Self>,
    ) -> Result<LinkSubscription, Refusal> {
        let LinkSubscriptionChange { subscription, events } = change;
        effects.emit(&cx.seller()?, events);
        let before = self.subscription.as_ref().and_then(|before| before.card.as_ref());
        let kept = subscription.card.as_ref().map(|card| card.id);
        if let Some(gone) = before.filter(|before| Some(before.id) != kept) {
            take_away(effects, self.seller, gone);
        }
        effects.change(Change::Subscription(Box::new(subscription.clone())));
        Ok(subscription)
    }
}
