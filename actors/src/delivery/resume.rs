//! The start: what an earlier run has left to do.

use std::sync::Arc;

use storage::{ReadError, Scan};

use super::fetch::readable;
use super::pool::Pool;
use super::stage::Written;
use super::{Found, lines};
use crate::domain::ids::SellerId;
use crate::queue::blocking;
use crate::tables::{EVENTS, EXPANDED, OPEN_DELIVERIES};

/// Finds every endpoint with open rows, with one read for each endpoint, and every seller with
/// events that are not expanded.
pub(super) async fn run(pool: Arc<Pool>) {
    let finder = pool.clone();
    let (endpoints, feeds) =
        blocking(move || (find_endpoints(&finder), find_events(&finder))).await;
    tracing::debug!(endpoints, sellers = feeds.len(), "deliveries of an earlier run go on");
    // Rows can be read shortly before they are durable.
    pool.store.barrier().await;
    for (seller, last) in feeds {
        pool.feeds.notify(seller, Written { first: last, last, heard: true });
    }
    pool.wake.notify_one();
}

fn find_endpoints(pool: &Pool) -> usize {
    let mut count = 0;
    let mut scan = Scan::all();
    while let Some((seller, webhook, due, _)) =
        pool.store.scan(OPEN_DELIVERIES, scan.first()).find_map(readable)
    {
        let key = (seller, webhook);
        pool.with_queue(key, |queue| queue.note_on_disk(due));
        let unordered = matches!(
            (pool.lookup)(seller, webhook),
            Found::Destination(found) if !found.webhook.ordered
        );
        if unordered && lines::has_lines(pool, key) {
            pool.dissolve_lines(key);
        }
        count += 1;
        scan = Scan::all().after(&key);
    }
    count
}

/// The last event of each seller whose cursor is behind it.
fn find_events(pool: &Pool) -> Vec<(SellerId, u64)> {
    let mut behind = Vec::new();
    let mut scan = Scan::all();
    let key = |row: Result<((SellerId, u64), _), ReadError>| row.map(|(key, _)| key);
    while let Some(first) = pool.store.scan(EVENTS, scan.first()).map(key).find_map(logged) {
        let (seller, _) = first;
        let newest = pool.store.scan(EVENTS, Scan::prefix(&(seller,)).reverse().first());
        let last = newest.map(key).find_map(logged).map_or(0, |(_, last)| last);
        let cursor = logged(pool.store.get(EXPANDED, &seller)).flatten().unwrap_or(0);
        if cursor < last {
            behind.push((seller, last));
        }
        scan = Scan::all().after(&(seller,));
    }
    behind
}

fn logged<T>(read: Result<T, ReadError>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(%error, "the row of an event cannot be read")).ok()
}
