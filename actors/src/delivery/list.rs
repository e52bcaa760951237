//! Reads deliveries: a page of the list, and a single one.
//!
//! Filters are answered from the index: it keeps deliveries by webhook, status and type, so what
//! a filter lets through is some ranges of it, each in order, which are merged.

use std::collections::BinaryHeap;

use storage::{ReadError, Scan, Store, View};

use super::rows::CALL_BACKS;
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::platform::event::EventType;
use crate::tables::{DELIVERIES, DELIVERY_INDEX};

/// Deliveries that one page passes over at most: those that have moved on while it was read, and
/// call-backs, which the index does not tell apart.
const PASSED_OVER: usize = 2_000;

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
    /// Behind which the next page begins, if there are older ones.
    pub next: Option<DeliveryId>,
}

/// Deliveries of one webhook, status and type, which the index has together.
pub(super) type IndexRange = (SellerId, WebhookId, u8, String);

/// Up to `limit` deliveries of a seller, newest first, older than `before` when it is given. May
/// wait for the disk.
pub fn deliveries_page(
    store: &Store,
    seller: SellerId,
    filter: &DeliveryFilter,
    before: Option<DeliveryId>,
    limit: usize,
) -> Result<DeliveriesPage, ReadError> {
    if filter.is_empty() {
        let mut scan = Scan::prefix(&(seller,)).reverse();
        if let Some(before) = before {
            scan = scan.after(&(seller, before));
        }
        let all = store.scan(DELIVERIES, scan);
        return page(all.map(|row| row.map(|((_, id), delivery)| (id, Some(delivery)))), limit);
    }
    match filter.status {
        Some(_) => filtered(store, seller, filter, before, limit),
        // One that is delivered meanwhile moves from one range to another.
        None => store.at_one_moment(|rows| filtered(rows, seller, filter, before, limit)),
    }
}

fn filtered(
    store: &View,
    seller: SellerId,
    filter: &DeliveryFilter,
    before: Option<DeliveryId>,
    limit: usize,
) -> Result<DeliveriesPage, ReadError> {
    let found = Merged::open(store, ranges(store, seller, filter)?, before)?;
    let rows = found.map(|id| {
        let id = id?;
        let delivery = store.get(DELIVERIES, &(seller, id))?;
        Ok((id, delivery.filter(|delivery| filter.matches(delivery))))
    });
    page(rows, limit)
}

fn page(
    rows: impl Iterator<Item = Result<(DeliveryId, Option<Delivery>), ReadError>>,
    limit: usize,
) -> Result<DeliveriesPage, ReadError> {
    let mut page = DeliveriesPage::default();
    let (mut last, mut passed_over) = (None, 0);
    for row in rows {
        let (id, delivery) = row?;
        if page.deliveries.len() == limit || passed_over == PASSED_OVER {
            page.next = last;
            break;
        }
        last = Some(id);
        match delivery {
            Some(delivery) => page.deliveries.push(delivery),
            None => passed_over += 1,
        }
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

/// The ranges of the index that a filter lets through, with one read for each that there is.
pub(super) fn ranges(
    store: &View,
    seller: SellerId,
    filter: &DeliveryFilter,
) -> Result<Vec<IndexRange>, ReadError> {
    let Some(webhook) = filter.webhook else {
        return ranges_within(store, Scan::prefix(&(seller,)), filter);
    };
    let own = ranges_within(store, Scan::prefix(&(seller, webhook)), filter)?;
    if own.is_empty() {
        return ranges_within(store, Scan::prefix(&(seller, CALL_BACKS)), filter);
    }
    Ok(own)
}

fn ranges_within(
    store: &View,
    within: Scan,
    filter: &DeliveryFilter,
) -> Result<Vec<IndexRange>, ReadError> {
    let status = filter.status.map(|status| status as u8);
    let kind = filter.event_type.map(EventType::name);
    let mut ranges = Vec::new();
    let mut scan = within.clone();
    while let Some(row) = store.scan(DELIVERY_INDEX, scan.first()).next() {
        let ((seller, webhook, of_status, of_kind, _), ()) = row?;
        let range = (seller, webhook, of_status, of_kind);
        scan = within.clone().after(&range);
        if status.is_none_or(|status| status == range.2) && kind.is_none_or(|kind| kind == range.3)
        {
            ranges.push(range);
        }
    }
    Ok(ranges)
}

/// The ids of several ranges, newest first.
struct Merged<I> {
    ranges: Vec<I>,
    /// The next id of each range that has one.
    heads: BinaryHeap<(DeliveryId, usize)>,
}

impl Merged<()> {
    fn open(
        store: &View,
        ranges: Vec<IndexRange>,
        before: Option<DeliveryId>,
    ) -> Result<Merged<impl Iterator<Item = Result<DeliveryId, ReadError>> + use<>>, ReadError>
    {
        let mut merged = Merged { ranges: Vec::new(), heads: BinaryHeap::new() };
        for range in ranges {
            let mut scan = Scan::prefix(&range).reverse();
            if let Some(before) = before {
                let (seller, webhook, status, kind) = range;
                scan = scan.after(&(seller, webhook, status, kind, before));
            }
            let ids = store.scan(DELIVERY_INDEX, scan);
            merged.ranges.push(ids.map(|row| row.map(|((.., id), ())| id)));
            merged.turn(merged.ranges.len() - 1)?;
        }
        Ok(merged)
    }
}

impl<I: Iterator<Item = Result<DeliveryId, ReadError>>> Merged<I> {
    fn turn(&mut self, range: usize) -> Result<(), ReadError> {
        if let Some(id) = self.ranges[range].next() {
            self.heads.push((id?, range));
        }
        Ok(())
    }
}

impl<I: Iterator<Item = Result<DeliveryId, ReadError>>> Iterator for Merged<I> {
    type Item = Result<DeliveryId, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (id, range) = self.heads.pop()?;
        Some(self.turn(range).map(|()| id))
    }
}

impl DeliveryFilter {
    fn is_empty(&self) -> bool {
        self.webhook.is_none() && self.event_type.is_none() && self.status.is_none()
    }

    fn matches(&self, delivery: &Delivery) -> bool {
        self.webhook.is_none_or(|webhook| webhook == delivery.webhook)
            && self.event_type.is_none_or(|kind| kind == delivery.event_type)
            && self.status.is_none_or(|status| status == delivery.status)
    }
}
