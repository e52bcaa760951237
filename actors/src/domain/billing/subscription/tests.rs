//! Tests of the rules of subscriptions, and what they share.

mod actions;
mod cancels;
mod creation;
mod jumps;
mod lifecycle;
mod money;
mod plans;
mod records;
mod schedules;

use super::*;
use crate::domain::ids::InvoiceId;
use crate::domain::platform::event::NewEvent;

/// A day by its text.
pub(super) fn day(text: &str) -> Date {
    Date::parse(text).expect("a date")
}

/// Noon of a day, by both clocks.
pub(super) fn at(text: &str) -> Moment {
    on(day(text))
}

/// Noon of a day, by both clocks.
pub(super) fn on(date: Date) -> Moment {
    let noon = date.start().plus_seconds(12 * 3600);
    Moment { now: noon, engine: noon }
}

/// A contract in euro without a saved card or stored credits.
pub(super) fn facts() -> Facts {
    Facts {
        currency: Currency::EUR,
        contract_closed: false,
        card_saved: false,
        credits_on: false,
        default_tax_rate: TaxRate::ZERO,
    }
}

/// 31.00 a month from `start` on.
pub(super) fn monthly(start: &str) -> NewSubscription {
    NewSubscription {
        frequency: Frequency::Monthly,
        price_minor: 3_100,
        currency: Currency::EUR,
        start_date: day(start),
        quantity: None,
        description: None,
        end_date: None,
        trial_days: None,
        trial_end: None,
        trial_end_behavior: None,
        require_payment_method: false,
        tax_rate: None,
        collection_method: None,
    }
}

/// What creating `new` at `moment` does.
pub(super) fn try_create(
    new: NewSubscription,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    create(SubscriptionId(7), ContractId(3), CustomerId(5), new, &facts(), moment)
}

/// The subscription that `new` makes on its first day.
pub(super) fn begun(new: NewSubscription) -> Subscription {
    let moment = on(new.start_date);
    try_create(new, moment).expect("a subscription").subscription
}

/// `sub` after time has passed up to `until`.
pub(super) fn passed(sub: &Subscription, until: &str) -> Subscription {
    advance(sub, at(until), &facts()).change.subscription
}

/// `sub` with its oldest unbilled term on an invoice.
pub(super) fn billed(mut sub: Subscription) -> Subscription {
    let (start, amount) = {
        let term = sub.terms.iter().find(|term| term.billed_by.is_none()).expect("a term");
        (term.start, term.amount().expect("an amount"))
    };
    sub.mark_billed(start, InvoiceId(1), amount).expect("a billed term");
    sub
}

/// The names of events without their common beginning.
pub(super) fn names(events: &[NewEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.name().trim_start_matches("BillingSubscription")).collect()
}
