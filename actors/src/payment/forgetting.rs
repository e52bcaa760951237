//! Cards that are saved no more: their processor is told to forget them. What is left to be told
//! is a row, put with the removal, so that nobody who removes a card waits for a processor.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use storage::{Batch, ReadError, Scan, Store};
use tokio::time::Instant;

use super::Payments;
use super::calls::Ended;
use crate::clock::Clock;
use crate::connector::Forgotten;
use crate::domain::ids::{SavedCardId, SellerId};
use crate::domain::payments::saved_card::SavedCard;
use crate::kernel::{Effects, Room};
use crate::queue::{Act, BEAT, Limits, Line, Outcome, Pulse, Queue, Supervisor, blocking};
use crate::tables::{CARDS_TO_FORGET, SAVED_CARDS, TERMINALS};

/// How long a worker may be silent.
const PATIENCE: Duration = Duration::from_secs(15);

/// Processors that are told at once.
const AT_ONCE: usize = 8;

/// The first pause after a failure, which doubles up to the longest. It is never given up.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);

/// How many cards one look finds.
const FOUND: usize = 1_000;

/// How much longer than a look takes the next one waits: it takes a step for each shard in use.
const RESTS: u32 = 200;

pub(crate) type CardLine = (SellerId, SavedCardId);

impl Line for CardLine {
    fn seller(self) -> SellerId {
        self.0
    }
}

/// Takes a saved card away, also at its processor.
pub(crate) fn take_away<R: Room>(effects: &mut Effects<R>, seller: SellerId, card: &SavedCard) {
    if let Some(customer) = card.customer {
        effects.delete(SAVED_CARDS, &(seller, customer, card.id));
    }
    if card.is_kept_outside() {
        effects.put(CARDS_TO_FORGET, &(seller, card.id), card);
    }
}

/// Starts to tell processors which cards they are to forget, also those that an earlier run left.
pub(crate) fn start(payments: &Payments, clock: Clock, supervisor: &Supervisor) -> Queue<CardLine> {
    let limits = Limits {
        places: AT_ONCE,
        first_pause: FIRST_PAUSE,
        longest_pause: LONGEST_PAUSE,
        park_after: u32::MAX,
        ..Limits::default()
    };
    let queue = Queue::new("cards to forget", limits, clock, act(payments.clone()));
    let tended = queue.clone();
    supervisor.run("cards to forget", PATIENCE, move |pulse| {
        let queue = tended.clone();
        async move { queue.tend(&pulse).await }
    });
    let (found, store) = (queue.clone(), payments.store().clone());
    supervisor
        .run("removed cards", PATIENCE, move |pulse| look(found.clone(), store.clone(), pulse));
    queue
}

fn act(payments: Payments) -> Act<CardLine> {
    Arc::new(move |line| {
        let payments = payments.clone();
        let told = async move {
            match payments.forget_card(line).await {
                Ok(()) => Outcome::Done,
                Err(reason) => Outcome::Failed(reason),
            }
        };
        told.boxed()
    })
}

/// Looks for cards on the disk, some at a time and round and round, unless processors are left
/// alone.
async fn look(queue: Queue<CardLine>, store: Store, pulse: Pulse) {
    let mut from = Scan::all();
    while !queue.is_stopped() {
        pulse.beat();
        let begun = Instant::now();
        if !store.is_held() {
            let (read, scan) = (store.clone(), from.clone());
            from = match blocking(move || cards(&read, scan)).await {
                Ok(found) => {
                    for line in &found {
                        // Where there is no room for it, it is found again.
                        let _ = queue.add_new(*line);
                    }
                    let last = found.last().filter(|_| found.len() == FOUND);
                    last.map_or_else(Scan::all, |last| Scan::all().after(last))
                }
                Err(error) => {
                    tracing::error!(%error, "cards to forget cannot be read");
                    Scan::all()
                }
            };
        }
        tokio::time::sleep(BEAT.max(begun.elapsed() * RESTS).min(PATIENCE / 2)).await;
    }
}

fn cards(store: &Store, scan: Scan) -> Result<Vec<CardLine>, ReadError> {
    store.scan(CARDS_TO_FORGET, scan).keys().take(FOUND).collect()
}

impl Payments {
    /// Has the processor forget a card. An error says why it is to be asked again.
    async fn forget_card(&self, (seller, id): CardLine) -> Result<(), String> {
        let text = |error: ReadError| error.to_string();
        let Some(card) = self.store().get(CARDS_TO_FORGET, &(seller, id)).map_err(text)? else {
            return Ok(());
        };
        let terminal = card.terminal.map(|id| self.store().get(TERMINALS, &(seller, id)));
        match terminal.transpose().map_err(text)?.flatten() {
            Some(terminal) => {
                let tools = self.tools();
                let processor =
                    tools.processors.of(&terminal).map_err(|error| error.to_string())?;
                let card = tools.processors.open_card(seller, &card);
                let asked = processor.forget(card.map_err(|error| error.to_string())?);
                let key = (seller, Some(terminal.id));
                match tools.calls.make(key, tools.provider_timeout, asked, |_| false).await {
                    Ended::Answered(Forgotten::Gone) => {}
                    Ended::Answered(Forgotten::Unknown) => {
                        return Err("the processor may still keep the card".to_owned());
                    }
                    Ended::TimedOut | Ended::NotMade => {
                        return Err("the processor does not answer".to_owned());
                    }
                }
            }
            None => {
                let (seller, card) = (seller.0, id.0);
                tracing::warn!(
                    seller,
                    card,
                    "no terminal leads to the processor of a removed card"
                );
            }
        }
        let mut batch = Batch::new();
        batch.delete(CARDS_TO_FORGET, &(seller, id));
        self.store().write(batch).await.map(drop).map_err(|error| error.to_string())
    }
}
