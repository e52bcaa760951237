//! Where lists find a payment.

use super::Payment;
use crate::listing::{Facet, Listed, Place};

impl Listed for Payment {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PaymentStatus, self.status as u64)]
    }
}
