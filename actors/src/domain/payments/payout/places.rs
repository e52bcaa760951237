//! Where lists find a payout; those of its wallet are found by what it took there.

use super::Payout;
use crate::listing::{Facet, Listed, Place};

impl Listed for Payout {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PayoutStatus, self.status as u64)]
    }
}
