//! Reads deliveries: a page of the list, and a single one.

use storage::{ReadError, Scan, Store};

use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::platform::event::EventType;
use crate::tables::DELIVERIES;

/// Which deliveries of a seller to list; what is `None` does not narrow.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    pub webhook: Option<WebhookId>,
    pub event_type: Option<EventType>,
    pub status: Option<DeliveryStatus>,
}

#[derive(Clone, Debug, Default)]
pub struct DeliveriesPage {
    pub deliveries: Vec<Delivery>,
    /// Whether there are older ones than the last of this page.
    pub has_more: bool,
}

/// Up to `limit` deliveries of a seller, newest first, older than `before` when it is given.
/// Reads the seller's rows alone. May wait for the disk.
pub fn deliveries_page(
    store: &Store,
    seller: SellerId,
    filter: &DeliveryFilter,
    before: Option<DeliveryId>,
    limit: usize,
) -> Result<DeliveriesPage, ReadError> {
    let mut scan = Scan::prefix(&(seller,)).reverse();
    if let Some(before) = before {
        scan = scan.after(&(seller, before));
    }
    let mut page = DeliveriesPage::default();
    for row in store.scan(DELIVERIES, scan) {
        let (_, delivery) = row?;
        if !filter.matches(&delivery) {
            continue;
        }
        if page.deliveries.len() == limit {
            page.has_more = true;
            break;
        }
        page.deliveries.push(delivery);
    }
    Ok(page)
}

/// One delivery of a seller. May wait for the disk.
pub fn delivery(
    store: &Store,
    seller: SellerId,
    id: DeliveryId,
) -> Result<Option<Delivery>, ReadError> {
    store.get(DELIVERIES, &(seller, id))
}

impl DeliveryFilter {
    fn matches(&self, delivery: &Delivery) -> bool {
        self.webhook.is_none_or(|webhook| webhook == delivery.webhook)
            && self.event_type.is_none_or(|kind| kind == delivery.event_type)
            && self.status.is_none_or(|status| status == delivery.status)
    }
}
