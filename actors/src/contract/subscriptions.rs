//! Making subscriptions and acting on them.

use std::sync::Arc;

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractKey, ContractRoom, Decision};
use crate::domain::billing::subscription::{
    Cancel, NewSubscription, Pause, PlanChange, Subscription, SubscriptionKey, cancel, change_plan,
    create, end_trial, pause, resume,
};
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
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

/// Who acts on a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Seller,
    /// Whom the timeline names.
    Buyer,
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
            let (facts, moment) = (changes.facts(of), changes.moment);
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

    /// Acts on a subscription. What is due of it by the contract's day is done before, by itself:
    /// it stays whatever becomes of the action.
    pub async fn change_subscription(
        &self,
        seller: SellerId,
        contract: ContractId,
        id: SubscriptionId,
        action: SubscriptionAction,
    ) -> Result<Subscription, AskError> {
        self.act_by(By::Seller, (seller, contract), id, action).await
    }

    /// The same where the buyer asks for it: the timeline says so.
    pub async fn change_subscription_for_buyer(
        &self,
        seller: SellerId,
        contract: ContractId,
        id: SubscriptionId,
        action: SubscriptionAction,
    ) -> Result<Subscription, AskError> {
        self.act_by(By::Buyer, (seller, contract), id, action).await
    }

    async fn act_by(
        &self,
        by: By,
        contract: ContractKey,
        id: SubscriptionId,
        action: SubscriptionAction,
    ) -> Result<Subscription, AskError> {
        let action = Arc::new(action);
        loop {
            let action = Arc::clone(&action);
            let act = move |room: &ContractRoom, cx: &Context| room.act(cx, id, &action, by);
            if let Some(after) = self.rooms.command(contract, act).await? {
                return Ok(after);
            }
        }
    }
}

impl ContractRoom {
    /// Acts on a subscription; none where it was only brought on to the contract's day, and is to
    /// be acted on again.
    pub(super) fn act(
        &self,
        cx: &Context,
        id: SubscriptionId,
        action: &SubscriptionAction,
        by: By,
    ) -> Result<Decision<Option<Subscription>>, Refusal> {
        let today = self.subscriptions.get(&id).ok_or_else(Refusal::missing)?;
        let mut changes = Changes::begin(self, cx)?;
        if changes.bring_to_today(today) {
            return Ok(changes.finish().answer(None));
        }
        let (facts, moment) = (changes.facts(self.contract()?), changes.moment);
        let terms = || moment.of_terms(self.clock.as_ref(), today.created_at);
        let open = || self.prorations.of(id);
        let change = match action {
            SubscriptionAction::Cancel(request) => cancel(today, request, &open(), &facts, terms()),
            SubscriptionAction::Pause(request) => pause(today, *request, moment),
            SubscriptionAction::Resume => resume(today, &open(), moment),
            SubscriptionAction::EndTrial => end_trial(today, &facts, moment),
            SubscriptionAction::ChangePlan(request) => change_plan(today, request, terms()),
        }?;
        let after = change.subscription.clone();
        if let Some(lot) = &change.proration_lot {
            changes.give_days_back(&after, lot)?;
        }
        if !change.is_empty() {
            changes.subscription(match by {
                By::Seller => change,
                By::Buyer => change.by_buyer(today, moment),
            });
        }
        Ok(changes.finish().answer(Some(after)))
    }
}
