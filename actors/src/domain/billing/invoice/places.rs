//! Where lists find an invoice.

use sha2::{Digest, Sha256};

use super::{Invoice, InvoiceFilter, InvoiceStatus, InvoiceType, Origin};
use crate::listing::{Facet, Listed, Place};

/// What an invoice is, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvoiceClass {
    pub status: InvoiceStatus,
    pub origin: Origin,
    pub invoice_type: InvoiceType,
}

impl InvoiceClass {
    /// A byte each, so that every list may grow.
    pub fn number(self) -> u64 {
        let [status, origin, kind] =
            [self.status as u64, self.origin as u64, self.invoice_type as u64];
        (status << 16) | (origin << 8) | kind
    }
}

/// A number that stands for the number of the invoice that another corrects.
pub fn digest_of(number: &str) -> u64 {
    let digest = Sha256::digest(number.as_bytes());
    u64::from_be_bytes(std::array::from_fn(|index| digest[index]))
}

impl Listed for Invoice {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        let Self { status, origin, invoice_type, .. } = *self;
        let class = InvoiceClass { status, origin, invoice_type };
        let corrects = self.corrects.map(|number| digest_of(&number.to_string()));
        let standing =
            [(Facet::InvoiceClass, class.number()), (Facet::InvoiceCustomer, self.customer.0)];
        let corrects = corrects.map(|number| (Facet::InvoiceCorrects, number));
        standing.into_iter().chain(corrects).collect()
    }
}

impl InvoiceFilter {
    /// The classes that it lets through; none where it lets all through.
    pub fn classes(&self) -> Option<impl Iterator<Item = InvoiceClass>> {
        if (self.status, self.origin, self.invoice_type) == (None, None, None) {
            return None;
        }
        let statuses = some_or_all(self.status, InvoiceStatus::ALL);
        let origins = some_or_all(self.origin, Origin::ALL);
        let types = some_or_all(self.invoice_type, InvoiceType::ALL);
        let of_status = move |status| {
            let types = types.clone();
            origins.clone().into_iter().flat_map(move |origin| {
                let class = move |invoice_type| InvoiceClass { status, origin, invoice_type };
                types.clone().into_iter().map(class)
            })
        };
        Some(statuses.into_iter().flat_map(of_status))
    }
}

fn some_or_all<T: Copy>(wanted: Option<T>, all: &[T]) -> Vec<T> {
    wanted.map_or_else(|| all.to_vec(), |one| vec![one])
}
