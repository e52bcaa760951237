//! Making subscriptions and acting on them.

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom};
use crate::domain::billing::subscription::{
    Cancel, NewSubscription, Pause, PlanChange, Subscription, SubscriptionKey, advance, cancel,
    change_plan, create, end_trial, pause, resume,
};
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::tables::{SUBSCRIPTION_HOMES, SUBSCRIPTION_KEYS, ids};

#[derive(Clone, Debug)]
pub enum SubscriptionAction {
    Cancel(Cancel),
    Pause(Pause),
    Resume,
    EndTrial,
    ChangePlan(PlanChange),
}

impl Contracts {
    /// Makes a subscription, once for each key.
    pub async fn create_subscription(
        &self,
        seller: SellerId,
        contract: ContractId,
        new: NewSubscription,
        key: String,
    ) -> Result<Once<Subscription>, AskError> {
        let make = move |room: &ContractRoom, cx: &Context| {
            let of = room.contract()?;
            let row = (seller, key.clone());
            cx.once(SUBSCRIPTION_KEYS, &row)?;
            let mut changes = Changes::begin(room, cx)?;
            let (facts, moment) = changes.facts(of);
            let id = SubscriptionId(cx.id(ids::SUBSCRIPTION));
            let change = create(id, contract, of.customer, new.clone(), &facts, moment)?;
            let made = change.subscription.clone();
            let claim = SubscriptionKey { contract, subscription: id };
            changes.effects.claim(SUBSCRIPTION_KEYS, &row, &claim);
            changes.effects.put(SUBSCRIPTION_HOMES, &(seller, id), &contract);
            changes.subscription(change);
            Ok(changes.finish().answer(made))
        };
        self.rooms.once((seller, contract), make).await
    }

    /// Acts on a subscription, which is brought to the contract's day first.
    pub async fn change_subscription(
        &self,
        seller: SellerId,
        contract: ContractId,
        id: SubscriptionId,
        action: SubscriptionAction,
    ) -> Result<Subscription, AskError> {
        let change = move |room: &ContractRoom, cx: &Context| {
            let known = room.subscriptions.get(&id).ok_or_else(Refusal::missing)?;
            let mut changes = Changes::begin(room, cx)?;
            let (facts, moment) = changes.facts(room.contract()?);
            // An action meets the subscription as of today, whenever the last pass was.
            let brought = changes
                .seller
                .switch(Switch::LifecycleCron)
                .then(|| advance(known, moment, &facts).change)
                .filter(|change| !change.is_empty());
            let today = brought.as_ref().map_or(known, |change| &change.subscription);
            let open = room.prorations.of(id);
            let change = match &action {
                SubscriptionAction::Cancel(request) => {
                    cancel(today, request, &open, &facts, moment)
                }
                SubscriptionAction::Pause(request) => pause(today, *request, moment),
                SubscriptionAction::Resume => resume(today, &open, moment),
                SubscriptionAction::EndTrial => end_trial(today, &facts, moment),
                SubscriptionAction::ChangePlan(request) => change_plan(today, request, moment),
            }?;
            let after = change.subscription.clone();
            let made = brought.into_iter().chain([change]).filter(|change| !change.is_empty());
            made.for_each(|change| changes.subscription(change));
            Ok(changes.finish().answer(after))
        };
        self.rooms.command((seller, contract), change).await
    }
}
