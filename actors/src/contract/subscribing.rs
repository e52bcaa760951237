//! Making subscriptions and acting on them.

use super::command::{Answer, SubscriptionAction};
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::subscription::{
    NewSubscription, Subscription, advance, cancel, change_plan, create, end_trial, pause, resume,
};
use crate::domain::ids::SubscriptionId;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::Once;
use crate::room::{Desk, Refused};
use crate::tables::{SUBSCRIPTION_HOMES, SUBSCRIPTION_KEYS, ids};

use super::record::SubscriptionKey;

impl ContractRoom {
    pub(super) fn subscribe(
        &mut self,
        desk: &Desk<Self>,
        new: NewSubscription,
        key: String,
        reply: Answer<Once<Subscription>>,
    ) {
        let Some(contract) = &self.contract else { return reply.send(Err(Refusal::missing())) };
        let row = (self.seller, key.clone());
        let read = || desk.store().contains(SUBSCRIPTION_KEYS, &row);
        let known = &self.subscription_keys;
        let Some(reply) = known.unless_there(desk, &key, read, Once::Before, reply) else {
            return;
        };
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let facts = Self::facts(contract, write.snapshot.seller.default_tax_rate);
        let id = SubscriptionId(desk.next_id(ids::SUBSCRIPTION));
        let moment = self.subscription_moment(write.now);
        let change = match create(id, self.id, contract.customer, new, &facts, moment) {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let made = change.subscription.clone();
        write.batch.put(SUBSCRIPTION_HOMES, &(self.seller, id), &self.id.0);
        let claim = SubscriptionKey { contract: self.id, subscription: id };
        write.batch.claim(SUBSCRIPTION_KEYS, &row, &claim);
        self.subscription_keys.note(desk, key, ());
        write.subscription(self, desk, change);
        write.finish(self, desk, reply, move |result| match result {
            Ok(_) => Ok(Once::Made(made)),
            // Another contract's room was first with this key.
            Err(Refused::Claimed(_)) => Ok(Once::Before),
            Err(refused) => Err(unexpected(refused)),
        });
    }

    pub(super) fn act(
        &mut self,
        desk: &Desk<Self>,
        id: SubscriptionId,
        action: &SubscriptionAction,
        reply: Answer<Subscription>,
    ) {
        let (Some(contract), Some(known)) = (&self.contract, self.subscriptions.get(&id)) else {
            return reply.send(Err(Refusal::missing()));
        };
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let facts = Self::facts(contract, write.snapshot.seller.default_tax_rate);
        let moment = self.subscription_moment(write.now);
        // An action meets the subscription as of today, whenever the last pass was.
        let brought = write
            .snapshot
            .switch(Switch::LifecycleCron)
            .then(|| advance(known, moment, &facts).change)
            .filter(|change| !change.is_empty());
        let today = brought.as_ref().map_or(known, |change| &change.subscription);
        let decided = match action {
            SubscriptionAction::Cancel(request) => cancel(today, request, &facts, moment),
            SubscriptionAction::Pause(request) => pause(today, *request, moment),
            SubscriptionAction::Resume => resume(today, moment),
            SubscriptionAction::EndTrial => end_trial(today, &facts, moment),
            SubscriptionAction::ChangePlan(request) => change_plan(today, request, moment),
        };
        let change = match decided {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let answer = change.subscription.clone();
        for change in
            [brought, Some(change)].into_iter().flatten().filter(|change| !change.is_empty())
        {
            write.subscription(self, desk, change);
        }
        write.finish(self, desk, reply, move |result| result.map(|_| answer).map_err(unexpected));
    }
}
