//! What the collection of an invoice makes of the subscriptions on it. Nobody else says that one
//! is past due, but for a trial that ends without the card that it requires.

use super::change::{Change, Moment};
use super::draft::{Draft, Note};
use super::events::LifecycleEvent;
use super::{Subscription, SubscriptionStatus};
use crate::domain::ids::InvoiceId;

/// The invoice could not be collected: a running subscription is past due, until all such invoices
/// are settled.
pub fn fall_past_due(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    let running = matches!(sub.status, SubscriptionStatus::Active | SubscriptionStatus::PastDue);
    if running && !sub.past_due_for.contains(&invoice) {
        draft.sub.past_due_for.push(invoice);
    }
    if sub.status == SubscriptionStatus::Active {
        draft.sub.status = SubscriptionStatus::PastDue;
        draft.record(LifecycleEvent::PastDue, moment.engine, Note::default());
    }
    draft.finish(sub)
}

/// Nobody waits for the invoice any more. A subscription that was past due for nothing else stays so
/// until the next invoice of its terms is paid.
pub fn written_off(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    draft.sub.past_due_for.retain(|of| *of != invoice);
    draft.finish(sub)
}

/// The invoice is settled, however that came: a subscription that was past due for nothing else is
/// active again.
pub fn recover(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    draft.sub.past_due_for.retain(|of| *of != invoice);
    if sub.status == SubscriptionStatus::PastDue && draft.sub.past_due_for.is_empty() {
        draft.sub.status = SubscriptionStatus::Active;
        draft.record(LifecycleEvent::Recovered, moment.engine, Note::default());
    }
    draft.finish(sub)
}
