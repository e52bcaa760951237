//! What lists find objects by. An object says its places; whoever writes it writes the difference
//! to the places it had, in the same batch. A list with filters then reads the places that they
//! name, and nothing of what they leave out.

use storage::Batch;

use crate::domain::ids::SellerId;
use crate::tables::PLACES;

/// What places are about. The numbers are on disk and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    PaymentStatus = 1,
    PayoutStatus = 2,
    /// Status, origin and type of an invoice in one, so that it takes one row.
    InvoiceClass = 3,
    InvoiceCustomer = 4,
    /// Invoices that correct another, by a digest of its number.
    InvoiceCorrects = 5,
    PaymentLinkStatus = 30,
    LinkSubscriptionStatus = 32,
    /// Drafts that are open, under 0.
    OpenDraft = 41,
    OpenDraftOfContract = 42,
}

/// A value by which an object is found.
pub type Place = (Facet, u64);

pub trait Listed {
    fn id(&self) -> u64;

    /// Each of them once.
    fn places(&self) -> Vec<Place>;
}

/// Makes the places of an object those that it has now.
pub fn relist<T: Listed>(rows: &mut Batch, seller: SellerId, before: Option<&T>, after: &T) {
    let (was, is) = (before.map(T::places).unwrap_or_default(), after.places());
    let row = |(facet, value): &Place| (seller, *facet as u8, *value, after.id());
    for gone in was.iter().filter(|place| !is.contains(place)) {
        rows.delete(PLACES, &row(gone));
    }
    for new in is.iter().filter(|place| !was.contains(place)) {
        rows.put_new(PLACES, &row(new), &());
    }
}
