//! An invoice is charged to a saved card.

use super::pay::{asks_for_money, is_open};
use crate::domain::billing::collection::Collection;
use crate::domain::billing::invoice::{Change, CollectionMethod, Invoice};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::SavedCharge;
use crate::domain::time::Date;

/// The day, of the contract's clock, on which its collection goes on; none while an attempt is
/// being made, and once nothing is to be collected any more.
pub fn collect_at(invoice: &Invoice) -> Option<Date> {
    let collection = invoice.collection.as_ref().filter(|_| asks_for_money(invoice))?;
    collection.due_on()
}

/// The collection of an invoice that goes out; a transfer is the customer's to make.
pub(in crate::domain::billing::invoice) fn collection_of(
    invoice: &Invoice,
    moment: Moment,
) -> Option<Collection> {
    let by_link = invoice.collection_method == CollectionMethod::PaymentLink;
    (by_link && !invoice.is_credit_note()).then(|| Collection::from(moment.today()))
}

/// Takes a step of the collection that no buyer hears of.
pub fn collect(invoice: &Invoice, step: impl FnOnce(Collection) -> Collection) -> Option<Change> {
    let before = invoice.collection.clone()?;
    let after = step(before.clone());
    let changed = after != before;
    changed.then(|| Change::of(Invoice { collection: Some(after), ..invoice.clone() }))
}

/// Takes note of the payment that makes an attempt, whose end will be told. One that is not under
/// way is `None`, and so in what follows.
pub fn charge_begun(invoice: &Invoice, charge: SavedCharge, payment: PaymentId) -> Option<Change> {
    is_under_way(invoice, charge.attempt)?;
    collect(invoice, |before| Collection { payment: Some(payment), ..before })
}

/// An attempt has paid: its money is counted beside this.
pub fn charged(
    invoice: &Invoice,
    attempt: u32,
    amount_minor: i64,
    moment: Moment,
) -> Option<Change> {
    is_under_way(invoice, attempt)?;
    let mut change =
        collect(invoice, |before| Collection { under_way: None, payment: None, ..before })?;
    change.enter_why(
        TimelineKind::CardCharged,
        amount_minor,
        &format!("attempt {attempt}"),
        moment,
    );
    Some(change)
}

/// An attempt has failed. Where that is its end, the collection has given up.
pub fn charge_failed(
    invoice: &Invoice,
    charge: SavedCharge,
    failure: Option<FailureCode>,
    moment: Moment,
) -> Option<Change> {
    is_under_way(invoice, charge.attempt)?;
    let today = moment.today();
    let mut change = collect(invoice, |before| before.failed(charge.card, failure, today))?;
    let why = failure.map_or_else(
        || "given up".to_owned(),
        |code| format!("{} {}", code.code(), code.retry().name()),
    );
    let collection = change.invoice.collection.as_ref();
    let next = match collection.and_then(|collection| collection.next_on) {
        Some(day) if is_open(invoice) => format!("; next on {day}"),
        _ => String::new(),
    };
    let told = format!("attempt {}: {why}{next}", charge.attempt);
    change.enter_why(TimelineKind::CardChargeFailed, invoice.outstanding_minor, &told, moment);
    Some(change)
}

/// A charge that had paid was taken back: it is not made again.
pub fn charge_reversed(invoice: &Invoice) -> Option<Change> {
    collect(invoice, Collection::given_up)
}

fn is_under_way(invoice: &Invoice, attempt: u32) -> Option<()> {
    let under_way = invoice.collection.as_ref()?.under_way?;
    (under_way.attempt == attempt).then_some(())
}
