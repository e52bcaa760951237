//! What lists find a link by.

use super::PaymentLink;
use crate::listing::{Facet, Listed, Place};

impl Listed for PaymentLink {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PaymentLinkStatus, self.status as u64)]
    }
}
