//! Usage of subscriptions that the lifecycle has not brought on to the day.

use super::books::per_unit;
use super::workshop::{Workshop, event};
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::subscription::{Cancel, CancelMode, NewSubscription, Pause};
use crate::domain::billing::usage::UsageLine;
use crate::domain::platform::switches::Switch;
use crate::passes::Pass;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_metered_before_a_pause_or_cancel_is_billed_however_far_the_lifecycle_is() {
    let pause = SubscriptionAction::Pause(Pause::default());
    let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let now = SubscriptionAction::Cancel(now);
    let with_the_period = SubscriptionAction::Cancel(Cancel::default());
    // Days to the first one of the subscription, whether a test clock stands, and what is done.
    for (ahead, stands, action) in [
        (0, false, &pause),
        (0, true, &pause),
        (0, true, &now),
        (0, true, &with_the_period),
        (5, false, &now),
        (5, true, &with_the_period),
    ] {
        let shop = Workshop::open().await;
        shop.register("calls", "sum", None).await;
        let contract = shop.house.contract("c").await;
        let (seller, day) = (shop.house.seller.id, shop.house.start().date());
        let first = day.plus_days(ahead);
        let contracts = &shop.house.system.contracts;
        let new = NewSubscription::monthly(&first.to_string(), 0);
        let made = contracts.create_subscription(seller, contract, new, "s".to_owned()).await;
        let Ok(Once::Made(made)) = made else { panic!("made") };
        shop.price(contract, "calls", first, per_unit("0.10")).await;
        if stands {
            shop.house.advance(contract, day.plus_days(1).start()).await.expect("advanced");
        } else {
            shop.switch(Switch::LifecycleCron, false).await;
        }
        shop.noon(first.plus_months(2).plus_days(9));
        let one = event(contract, "calls", "70", shop.house.start(), "1", None);
        let told = shop.record(contract, vec![one]).await;
        assert!(told[0].as_ref().is_ok_and(|told| told.metered), "{action:?}");
        let acted = contracts.change_subscription(seller, contract, made.id, action.clone()).await;
        acted.expect("acted");
        assert_eq!(shop.used(contract, "calls").await, "70", "{action:?}");
        shop.noon(first.plus_months(3));
        shop.pass(Pass::UsageClose).await;
        let amounts: Vec<_> = shop.lines(contract).iter().map(UsageLine::amount_minor).collect();
        assert_eq!(amounts, [0, 0, 700], "{action:?}");
    }
}
