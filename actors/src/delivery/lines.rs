//! Lines: what goes to a webhook that keeps order, by object. The first of a line is due or under
//! way, or waits for its next attempt; the others are held back until those before them have
//! ended.
//!
//! Only the recorder adds to lines and takes from them, so that of two neighbours one always sees
//! the other.

use std::collections::{BTreeMap, BTreeSet};

use storage::{Batch, ReadError, Scan};

use super::claims::Claims;
use super::pool::Pool;
use super::queue::EndpointKey;
use super::rows::{self, Place, line_key};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, DELIVERY_LINES};

/// Held deliveries that are let go of in one batch.
const STRIDE: usize = 128;

type LineKey = (SellerId, WebhookId, u8, u64);

/// What a group does to the lines that it touches.
#[derive(Default)]
pub(super) struct Turns {
    /// By line, the sequences that leave it and those that come into it.
    lines: BTreeMap<LineKey, (BTreeSet<u64>, BTreeSet<u64>)>,
}

impl Turns {
    pub(super) fn add(&mut self, batch: &mut Batch, delivery: &Delivery) {
        if let Some(key) = line_key(delivery) {
            batch.put_new(DELIVERY_LINES, &key, &delivery.id);
            self.line(key).1.insert(delivery.sequence);
        }
    }

    pub(super) fn end(&mut self, batch: &mut Batch, delivery: &Delivery) {
        if let Some(key) = line_key(delivery)
            && delivery.status != DeliveryStatus::Pending
        {
            batch.delete(DELIVERY_LINES, &key);
            self.line(key).0.insert(delivery.sequence);
        }
    }

    fn line(
        &mut self,
        (seller, webhook, kind, object, _): (SellerId, WebhookId, u8, u64, u64),
    ) -> &mut (BTreeSet<u64>, BTreeSet<u64>) {
        self.lines.entry((seller, webhook, kind, object)).or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Finds the first of each line. Answers the newcomers that are not, and those of the disk
    /// whose turn it is now; these are claimed. May wait for the disk.
    pub(super) fn resolve(&self, pool: &Pool) -> Result<Resolved, ReadError> {
        let (mut resolved, mut claims) = (Resolved::default(), Claims::of(pool));
        for (line, (gone, come)) in &self.lines {
            match resolved.add(pool, line, gone, come) {
                Ok(None) => {}
                Ok(Some(id)) => claims.note((line.0, line.1), id, None),
                Err(error @ (ReadError::Failed(_) | ReadError::Closed)) => return Err(error),
                // Others must not wait for it.
                Err(error) => {
                    let (seller, webhook, ..) = line;
                    tracing::error!(%error, %seller, %webhook, "a webhook delivery that waits for its turn cannot be read");
                }
            }
        }
        claims.keep();
        Ok(resolved)
    }
}

#[derive(Default)]
pub(super) struct Resolved {
    pub(super) held: BTreeSet<(EndpointKey, u64)>,
    pub(super) released: Vec<Delivery>,
}

impl Resolved {
    /// Looks at one line; answers the delivery that was claimed.
    fn add(
        &mut self,
        pool: &Pool,
        line: &LineKey,
        gone: &BTreeSet<u64>,
        come: &BTreeSet<u64>,
    ) -> Result<Option<DeliveryId>, ReadError> {
        let first = first_of(pool, line, gone)?;
        let newcomers = if first.is_some() { 0 } else { 1 };
        let key = (line.0, line.1);
        self.held.extend(come.iter().skip(newcomers).map(|sequence| (key, *sequence)));
        let Some(id) = first else { return Ok(None) };
        let claimed = claim_held(pool, key, id)?;
        let found = claimed.is_some().then_some(id);
        self.released.extend(claimed);
        Ok(found)
    }
}

/// The first delivery of a line on disk, those in `gone` not counted.
fn first_of(
    pool: &Pool,
    line: &LineKey,
    gone: &BTreeSet<u64>,
) -> Result<Option<DeliveryId>, ReadError> {
    for row in pool.store.scan(DELIVERY_LINES, Scan::prefix(line).first()) {
        let ((.., sequence), id) = row?;
        if !gone.contains(&sequence) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Claims a delivery that is held back; `None` for one that is not.
fn claim_held(
    pool: &Pool,
    key: EndpointKey,
    id: DeliveryId,
) -> Result<Option<Delivery>, ReadError> {
    let read = || pool.store.get(DELIVERIES, &(key.0, id));
    let held = |delivery: &Delivery| delivery.is_held_back();
    if !read()?.as_ref().is_some_and(held) || !pool.claim(key, id) {
        return Ok(None);
    }
    // Nobody else writes a claimed row: what is read now stays true.
    let found = read().map(|found| found.filter(held));
    if !matches!(found, Ok(Some(_))) {
        pool.with_queue(key, |queue| queue.release(id, None));
    }
    found
}

/// Puts a delivery whose turn it is.
pub(super) fn release(batch: &mut Batch, delivery: &mut Delivery, now: Timestamp) {
    let before = Place::of(delivery);
    delivery.next_attempt_at = Some(now);
    rows::put(batch, Some(before), delivery);
}

/// Whether anything is held in the lines of a webhook.
pub(super) fn has_lines(pool: &Pool, key: EndpointKey) -> bool {
    pool.store.scan(DELIVERY_LINES, Scan::prefix(&key).first()).next().is_some()
}

/// Takes some deliveries of a webhook out of its lines. Answers those that were held back and are
/// due now, claimed, and whether there are more. May wait for the disk.
pub(super) fn dissolve(
    pool: &Pool,
    batch: &mut Batch,
    key: EndpointKey,
    now: Timestamp,
) -> Result<(Vec<Delivery>, bool), ReadError> {
    let (mut released, mut claims) = (Vec::new(), Claims::of(pool));
    for (count, row) in pool.store.scan(DELIVERY_LINES, Scan::prefix(&key)).enumerate() {
        if count == STRIDE {
            claims.keep();
            return Ok((released, true));
        }
        let (line, id) = row?;
        batch.delete(DELIVERY_LINES, &line);
        if let Some(mut delivery) = claim_held(pool, key, id)? {
            claims.note(key, id, None);
            delivery.line = None;
            release(batch, &mut delivery, now);
            released.push(delivery);
        }
    }
    claims.keep();
    Ok((released, false))
}
