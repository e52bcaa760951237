//! The pool of a queue: tasks that carry out lines, as many as there are places and work.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::lines::Lines;
use super::worker::{BEAT, Pulse};
use super::{Level, Limits, Line, Outcome, Trouble};
use crate::clock::Clock;

/// Carries out some of a line's work.
pub type Act<L> = Arc<dyn Fn(L) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A queue of lines with work. Clones are the same queue.
pub struct Queue<L: Line>(Arc<Inner<L>>);

struct Inner<L: Line> {
    name: &'static str,
    lines: Mutex<Lines<L>>,
    act: Act<L>,
    clock: Clock,
    runtime: Handle,
    /// A line began to pause.
    changed: Notify,
    /// A line was left on the disk because too many pause.
    forgot: AtomicBool,
    stop: CancellationToken,
}

impl<L: Line> Clone for Queue<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L: Line> Queue<L> {
    /// An empty queue on this runtime. Pauses end while somebody [tends](Self::tend) it.
    pub fn new(name: &'static str, limits: Limits, clock: Clock, act: Act<L>) -> Self {
        Self(Arc::new(Inner {
            name,
            lines: Mutex::new(Lines::new(limits)),
            act,
            clock,
            runtime: Handle::current(),
            changed: Notify::new(),
            forgot: AtomicBool::new(false),
            stop: CancellationToken::new(),
        }))
    }

    /// Notes that a line has work, from any thread; false where it is left on the disk, for
    /// whoever looks there.
    pub fn add(&self, line: L) -> bool {
        let mut lines = self.0.lines.lock();
        let added = lines.add(line);
        self.start(&mut lines);
        added
    }

    /// Adds a line unless it is known already; false where there is no room for it.
    pub fn add_new(&self, line: L) -> bool {
        let mut lines = self.0.lines.lock();
        if lines.knows(line) {
            return true;
        }
        let added = lines.add(line);
        self.start(&mut lines);
        added
    }

    /// Whether the line has work that waits, is carried out or pauses.
    pub fn knows(&self, line: L) -> bool {
        self.0.lines.lock().knows(line)
    }

    /// How many more lines may wait for a place.
    pub fn room(&self) -> usize {
        self.0.lines.lock().room()
    }

    pub fn level(&self) -> Level {
        self.0.lines.lock().level()
    }

    /// Whether a line that failed was left on the disk since the last call, for whoever looks there.
    pub fn has_forgotten(&self) -> bool {
        self.0.forgot.swap(false, Ordering::AcqRel)
    }

    /// How often the line failed since it was last carried out.
    pub fn failures(&self, line: L) -> u32 {
        self.0.lines.lock().trouble(line).map_or(0, |trouble| trouble.failures)
    }

    /// The lines that failed too often, at most `limit`.
    pub fn parked(&self, limit: usize) -> Vec<(L, Trouble)> {
        let lines = self.0.lines.lock();
        lines.parked().take(limit).map(|(line, trouble)| (line, trouble.clone())).collect()
    }

    /// Tries the lines again now that failed too often; how many those are.
    pub fn retry_parked(&self) -> usize {
        let mut lines = self.0.lines.lock();
        let parked: Vec<L> = lines.parked().map(|(line, _)| line).collect();
        parked.iter().for_each(|line| lines.resume(*line));
        self.start(&mut lines);
        parked.len()
    }

    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Ends the pauses that are over.
    pub fn wake(&self) {
        let mut lines = self.0.lines.lock();
        lines.wake(Instant::now());
        self.start(&mut lines);
    }

    /// Ends pauses when they are over. Runs until the queue stops.
    pub async fn tend(&self, pulse: &Pulse) {
        while !self.0.stop.is_cancelled() {
            pulse.beat();
            self.wake();
            let rest = Instant::now() + BEAT;
            let until = self.0.lines.lock().next_wake().map_or(rest, |wake| wake.min(rest));
            tokio::select! {
                () = tokio::time::sleep_until(until) => {}
                () = self.0.changed.notified() => {}
            }
        }
    }

    /// Carries out nothing more; what is under way goes on to its end.
    pub fn stop(&self) {
        self.0.stop.cancel();
        self.0.changed.notify_one();
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stop.is_cancelled()
    }

    /// Starts a task for each line that gets a place.
    fn start(&self, lines: &mut Lines<L>) {
        if self.0.stop.is_cancelled() {
            return;
        }
        while let Some(line) = lines.next() {
            let queue = self.clone();
            self.0.runtime.spawn(async move { queue.work(line).await });
        }
    }

    /// Carries out a line, and then whichever gets its place.
    async fn work(self, first: L) {
        let mut next = Some(first);
        while let Some(line) = next {
            let acted = AssertUnwindSafe((self.0.act)(line)).catch_unwind().await;
            let outcome = acted.unwrap_or_else(|_| Outcome::Failed("it panicked".to_owned()));
            next = self.rest(line, outcome);
        }
    }

    fn rest(&self, line: L, outcome: Outcome) -> Option<L> {
        if let Outcome::Failed(reason) = &outcome {
            let seller = line.seller().0;
            tracing::warn!(queue = self.0.name, seller, ?line, reason, "it is tried again later");
        }
        let failed = matches!(outcome, Outcome::Failed(_));
        let mut lines = self.0.lines.lock();
        if !lines.done(line, outcome, (Instant::now(), self.0.clock.now())) {
            self.0.forgot.store(true, Ordering::Release);
        }
        let next = if self.0.stop.is_cancelled() { None } else { lines.next() };
        // A place that is given back may be one that several sellers were kept from.
        self.start(&mut lines);
        drop(lines);
        if failed {
            self.0.changed.notify_one();
        }
        next
    }
}

impl<L: Line> fmt::Debug for Queue<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("name", &self.0.name)
            .field("level", &self.level())
            .finish_non_exhaustive()
    }
}
