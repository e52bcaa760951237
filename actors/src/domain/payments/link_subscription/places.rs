//! What lists find a subscription by.

use super::LinkSubscription;
use crate::listing::{Facet, Listed, Place};

impl Listed for LinkSubscription {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::LinkSubscriptionStatus, self.status as u64)]
    }
}
