//! Rows of subscriptions by payment link.

use actors::tables::*;
use actors::timers::TimerKind;

use super::{Case, Folder, MISSING, UNWANTED};

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    Case("how many terms of a subscription are paid",
        |f| f.change(LINK_SUBSCRIPTIONS, |_| true, |one| one.terms_paid += 1),
        &[("paid terms of a link subscription", "link subscriptions")]),
    Case("the day of a subscription's next charge",
        |f| f.change(LINK_SUBSCRIPTIONS, |_| true, |one| one.next_on = one.next_on.map(|day| day.plus_days(1))),
        &[("next charge on the first day of a term", "link subscriptions"),
          (MISSING, "timers"), (UNWANTED, "timers")]),
    Case("the card of a subscription",
        |f| f.change(LINK_SUBSCRIPTIONS, |_| true, |one| one.card = None),
        &[("card of a link subscription", "link subscriptions")]),
    Case("the page of a subscription", |f| f.lose(LINK_SUBSCRIPTION_PAGES),
        &[("number of link subscriptions", "SellerId")]),
    Case("the charge of a term", |f| f.lose(LINK_SUBSCRIPTION_CHARGES),
        &[("paid terms of a link subscription", "link subscriptions"),
          ("payment of a term that is counted or goes back", "payments")]),
    Case("the payment that a term is held by", |f| f.lose(TERM_PAYMENTS),
        &[(MISSING, "payments of terms")]),
    Case("a payment of a subscription", |f| f.lose(SUBSCRIPTION_PAYMENTS),
        &[(MISSING, "payments of subscriptions")]),
    Case("a card that was declined at a subscription", |f| f.lose(SUBSCRIPTION_DECLINES),
        &[(MISSING, "declines at subscriptions")]),
    Case("the timer of a subscription", lose_its_timer,
        &[(MISSING, "timers")]),
];

fn lose_its_timer(f: &mut Folder) {
    let kind = TimerKind::LinkSubscription as u8;
    if let Some((key, ())) = f.first(TIMERS, |key, ()| key.0 == kind) {
        f.delete(TIMERS, key);
    }
}
