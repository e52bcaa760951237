//! What time brings to a subscription: its card is charged, and its trial ends.

use super::{LinkSubscriptionRoom, LinkSubscriptions};
use crate::domain::ids::LinkSubscriptionId;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::payment::SubscriptionCharge;
use crate::timers::Due;

/// When a charge is ordered again that could not begin: another payment of the term is under way, or
/// the processor is left alone.
const LATER_SECONDS: i64 = 60;
/// When a subscription is looked at again whose seller charges nobody at the moment.
const MUCH_LATER_SECONDS: i64 = 3_600;

type Decided<T> = Result<Decision<LinkSubscriptionRoom, T>, Refusal>;

impl LinkSubscriptions {
    /// Does what is due of a subscription; refused when nothing is, which is no fault.
    pub(crate) async fn run_timer(&self, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, LinkSubscriptionId(timer.object));
        let due =
            |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| room.fall_due(cx);
        let Some(order) = self.rooms.command_in_passing(id, due).await? else { return Ok(true) };
        let charge = order.charge;
        let begun = self.payments.charge_subscription(order).await;
        let payment = match begun {
            Ok(payment) => Some(payment.id),
            Err(why @ (AskError::Refused(_) | AskError::Busy)) => {
                let (seller, subscription) = (timer.seller.0, timer.object);
                tracing::info!(seller, subscription, %why, "a charge has to wait");
                None
            }
            Err(error) => return Err(error),
        };
        let note = move |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            let known = room.subscription()?;
            let change = match payment {
                Some(payment) => known.charge_begun(charge, payment),
                None => {
                    let later = cx.now().plus_seconds(LATER_SECONDS);
                    known.due_at().map(|_| known.put_off(later))
                }
            };
            let mut effects = Effects::new();
            if let Some(change) = change {
                room.keep(cx, change, &mut effects)?;
            }
            Ok(effects.answer(true))
        };
        self.rooms.command_in_passing(id, note).await
    }

    /// Tells that a trial ends; refused when it is too early, which is no fault.
    pub(crate) async fn tell_trial_end(&self, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, LinkSubscriptionId(timer.object));
        let tell = |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            let change = room.subscription()?.tell_trial_end(cx.now())?;
            let mut effects = Effects::new();
            room.keep(cx, change, &mut effects)?;
            Ok(effects.answer(true))
        };
        self.rooms.command_in_passing(id, tell).await
    }
}

impl LinkSubscriptionRoom {
    /// The charge that is to be made, if one is. Nobody is charged for a seller whose account is
    /// not open, or for whom it is switched off.
    fn fall_due(&self, cx: &Context<Self>) -> Decided<Option<SubscriptionCharge>> {
        let (known, seller) = (self.subscription()?, cx.seller()?);
        let (change, charge) = known.fall_due(seller.seller.mode, cx.now())?;
        let mut effects = Effects::new();
        let charges = seller.switch(Switch::LinkRecurringBilling);
        if !charges || !seller.seller.is_open(cx.now()) {
            self.keep(cx, known.put_off(cx.now().plus_seconds(MUCH_LATER_SECONDS)), &mut effects)?;
            return Ok(effects.answer(None));
        }
        let after = self.keep(cx, change, &mut effects)?;
        let order = charge.zip(after.card.clone());
        let order =
            order.map(|(charge, card)| SubscriptionCharge { subscription: after, charge, card });
        Ok(effects.answer(order))
    }
}
