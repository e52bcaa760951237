//! Tests of the rules of subscriptions, and what they share.

mod actions;
mod cancels;
mod collection;
mod creation;
mod cuts;
mod jumps;
mod lifecycle;
mod money;
mod plans;
mod records;
mod schedules;

use super::*;
use crate::domain::billing::tax::TaxTreatment;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;
use crate::domain::platform::event::NewEvent;
use crate::domain::testing::{FACTS, day, noon};

/// Noon of a day, by both clocks.
pub(super) fn at(text: &str) -> Moment {
    noon(day(text))
}

/// 31.00 a month from `start` on.
pub(super) fn monthly(start: &str) -> NewSubscription {
    NewSubscription::monthly(start, 3_100)
}

/// What creating `new` at `moment` does.
pub(super) fn try_create(
    new: NewSubscription,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    create(SubscriptionId(7), ContractId(3), CustomerId(5), new, &FACTS, moment)
}

/// The subscription that `new` makes on its first day.
pub(super) fn begun(new: NewSubscription) -> Subscription {
    let moment = noon(new.start_date);
    try_create(new, moment).expect("a subscription").subscription
}

/// `sub` after time has passed up to `until`.
pub(super) fn passed(sub: &Subscription, until: &str) -> Subscription {
    advance(sub, at(until), &FACTS).change.subscription
}

/// `sub` with its oldest unbilled term on an invoice.
pub(super) fn billed(mut sub: Subscription) -> Subscription {
    let (start, amount) = {
        let term = sub.terms.iter().find(|term| term.billed_by.is_none()).expect("a term");
        (term.start, term.amount().expect("an amount"))
    };
    sub.mark_billed(start, InvoiceId(1), amount, TaxTreatment::of_rate(rate()))
        .expect("a billed term");
    sub
}

/// Cancels a subscription of which no prorations are open.
pub(super) fn cancel(
    sub: &Subscription,
    request: &Cancel,
    facts: &Facts,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    super::cancel(sub, request, &Prorations::new(), facts, moment)
}

/// Resumes a subscription of which no prorations are open.
pub(super) fn resume(sub: &Subscription, moment: Moment) -> Result<Change, SubscriptionRefusal> {
    super::resume(sub, &Prorations::new(), moment)
}

/// The names of events without their common beginning.
pub(super) fn names(events: &[NewEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.name().trim_start_matches("BillingSubscription")).collect()
}

/// What terms are taxed at when they are billed.
fn rate() -> TaxRate {
    TaxRate::parse("21").expect("a rate")
}
