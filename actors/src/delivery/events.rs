//! Reads events as they are kept: oldest first, in strides.

use storage::{ReadError, Scan, Store};

use crate::domain::ids::SellerId;
use crate::domain::platform::event::{Event, EventSequence};
use crate::link_tokens::LinkTokens;
use crate::tables::EVENTS;

/// Events that one page passes over at most, so that a rare type is found in several.
const SCANNED: usize = 2_000;

/// Bytes of payloads after which a page ends.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug, Default)]
pub struct EventsPage {
    /// Each with its sequence.
    pub events: Vec<(u64, Event)>,
    pub has_more: bool,
    /// Behind which event the next page begins: never ahead of the last one.
    pub next: u64,
}

/// The sequence of a seller's newest event; 0 where there is none. May wait for the disk.
pub fn last_event(store: &Store, seller: SellerId) -> Result<u64, ReadError> {
    let newest = Scan::prefix(&(seller,)).reverse().first();
    let newest = store.scan(EVENTS, newest).next().transpose()?;
    Ok(newest.map_or(0, |((_, sequence), _)| sequence))
}

/// Up to `limit` events of a seller behind the one at `after`, oldest first, of those that `shows`
/// lets through. A page may end before it is full, and says so. May wait for the disk.
pub fn events_page(
    store: &Store,
    links: &LinkTokens,
    seller: SellerId,
    after: u64,
    shows: impl Fn(&Event) -> bool,
    limit: usize,
) -> Result<EventsPage, ReadError> {
    let mut page = EventsPage { next: after, ..EventsPage::default() };
    let mut bytes = 0;
    let scan = Scan::prefix(&(seller,)).after(&(seller, after));
    for (scanned, row) in store.scan(EVENTS, scan).enumerate() {
        let ((_, sequence), event) = row?;
        if page.events.len() == limit || scanned == SCANNED || bytes >= PAGE_BYTES {
            page.has_more = true;
            break;
        }
        page.next = sequence;
        if shows(&event) {
            bytes += event.payload.len();
            page.events.push((sequence, links.with_link(seller, &event).into_owned()));
        }
    }
    // Who is ahead of all events has read some that a restored server does not have: what happens
    // now is numbered anew, behind the last one that it has.
    if page.next == after && !page.has_more {
        page.next = after.min(store.drawn(&EventSequence(seller))?);
    }
    Ok(page)
}
