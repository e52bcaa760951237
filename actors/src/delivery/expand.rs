//! The expander: makes the deliveries of events, behind the commits that cause them.
//!
//! Sellers take turns, and a turn is bounded: one whose events have a hundred webhooks each keeps
//! nobody waiting. What finds a place in memory is attempted at once; what finds none, and what
//! has to wait for its turn in a line, goes to the disk and is fetched from there.

use std::collections::HashMap;
use std::sync::Arc;

use storage::{ReadError, Scan};

use super::Found;
use super::feed::Turn;
use super::pool::Pool;
use super::queue::{EndpointKey, Job};
use super::record::Entry;
use crate::domain::ids::WebhookId;
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::event::Event;
use crate::queue::blocking;
use crate::tables::{DELIVERIES, EVENTS, EXPANDED};

/// Sellers whose events are read at once.
const TURNS: usize = 32;

/// Events and deliveries of one turn.
const EVENTS_A_TURN: usize = 256;
const DELIVERIES_A_TURN: usize = 512;

/// What a turn has made of the events that it read.
struct Made {
    turn: Turn,
    /// The last event that was read.
    reached: u64,
    jobs: Vec<Job>,
}

pub(super) async fn run(pool: Arc<Pool>) {
    pool.feeds.begin();
    while !pool.stopping.is_cancelled() {
        let turns = pool.feeds.take_turns(TURNS);
        if turns.is_empty() {
            tokio::select! {
                () = pool.feeds.wake.notified() => {}
                () = pool.stopping.cancelled() => return,
            }
            continue;
        }
        let reader = Arc::clone(&pool);
        let read = move || turns.into_iter().map(|turn| (turn, make(&reader, turn))).collect();
        let made: Vec<(Turn, Result<Made, ReadError>)> = blocking(read).await;
        for (turn, made) in made {
            match made {
                Ok(made) => hand_over(&pool, made).await,
                Err(ReadError::Closed) => return,
                Err(error) => {
                    tracing::error!(%error, seller = %turn.seller, "events cannot be read");
                    pool.feeds.postponed(turn.seller);
                    tokio::time::sleep(super::POLL).await;
                }
            }
        }
    }
}

/// Reads the events of a turn and makes their deliveries. May wait for the disk.
fn make(pool: &Pool, turn: Turn) -> Result<Made, ReadError> {
    let seller = turn.seller;
    let expanded = match turn.expanded {
        Some(expanded) => expanded,
        None => {
            let cursor = pool.store.get(EXPANDED, &seller)?.unwrap_or(0);
            pool.feeds.begin_at(seller, cursor);
            cursor
        }
    };
    let mut made = Made { turn, reached: expanded, jobs: Vec::new() };
    let scan =
        Scan::prefix(&(seller,)).after(&(seller, expanded)).until(&(seller, turn.durable + 1));
    for (count, row) in pool.store.scan(EVENTS, scan).enumerate() {
        if count == EVENTS_A_TURN || made.jobs.len() >= DELIVERIES_A_TURN {
            return Ok(made);
        }
        match row {
            Ok(((_, sequence), event)) => {
                made.add(pool, sequence, event)?;
                made.reached = sequence;
            }
            Err(ReadError::Closed) => return Err(ReadError::Closed),
            // Others must not wait for it.
            Err(error) => tracing::error!(%error, %seller, "an event cannot be read"),
        }
    }
    made.reached = turn.durable.max(expanded);
    Ok(made)
}

impl Made {
    fn add(&mut self, pool: &Pool, sequence: u64, event: Event) -> Result<(), ReadError> {
        let event = Arc::new(event);
        for place in 0..event.webhooks.len() {
            let first = Delivery::first(self.turn.seller, sequence, &event, place);
            let Some(delivery) = first else { continue };
            if sequence <= self.turn.doubtful
                && pool.store.contains(DELIVERIES, &(delivery.seller, delivery.id))?
            {
                continue;
            }
            self.jobs.push(Job { delivery, event: Arc::clone(&event) });
        }
        Ok(())
    }
}

async fn hand_over(pool: &Arc<Pool>, made: Made) {
    let Made { turn, reached, jobs } = made;
    let mut touched: Vec<EndpointKey> = Vec::new();
    let mut ordered: HashMap<WebhookId, bool> = HashMap::new();
    for mut job in jobs {
        let key = (turn.seller, job.delivery.webhook);
        let in_line = *ordered.entry(key.1).or_insert_with(|| keeps_order(pool, key));
        pool.feeds.hold(turn.seller, job.delivery.sequence);
        if in_line {
            job.delivery.line = Some(job.event.object);
        } else {
            let Some(refused) = pool.admit(key, job) else {
                if !touched.contains(&key) {
                    touched.push(key);
                }
                continue;
            };
            job = refused;
        }
        if pool.entries_in.send(Entry::New(job.delivery)).await.is_err() {
            return;
        }
    }
    pool.feeds.expanded(turn.seller, reached);
    pool.to_write.notify_one();
    for key in touched {
        pool.start_workers(key);
    }
}

fn keeps_order(pool: &Pool, key: EndpointKey) -> bool {
    match (pool.lookup)(key.0, key.1) {
        Found::Destination(destination) => destination.webhook.ordered,
        Found::Gone | Found::Unknown => false,
    }
}
