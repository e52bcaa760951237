//! Lines in order, places shared fairly, pauses, parking; workers that are started again.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::*;
use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::health::Health;
use crate::testing::until;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Thing(u64, u64);

impl Line for Thing {
    fn seller(self) -> SellerId {
        SellerId(self.0)
    }
}

/// What was carried out, and what fails: whatever is in `broken`. `gate` lets the rest through.
struct Bench {
    queue: Queue<Thing>,
    carried: Arc<Mutex<Vec<Thing>>>,
    broken: Arc<Mutex<HashSet<Thing>>>,
    gate: Arc<Semaphore>,
    supervisor: Supervisor,
}

const QUICK: Limits = Limits {
    places: 8,
    ready: 100,
    pausing: 10,
    first_pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(4),
    park_after: 3,
    parked_pause: Duration::from_secs(3600),
};

impl Bench {
    async fn open(limits: Limits, open_gate: bool) -> Self {
        let (carried, broken) = (Arc::default(), Arc::<Mutex<HashSet<Thing>>>::default());
        let gate = Arc::new(Semaphore::new(if open_gate { 1_000_000 } else { 0 }));
        let (log, bad, way) = (Arc::clone(&carried), Arc::clone(&broken), Arc::clone(&gate));
        let act: Act<Thing> = Arc::new(move |thing| {
            let (log, bad, way) = (Arc::clone(&log), Arc::clone(&bad), Arc::clone(&way));
            Box::pin(async move {
                let log: &Mutex<Vec<Thing>> = &log;
                log.lock().push(thing);
                way.acquire().await.expect("open").forget();
                if bad.lock().contains(&thing) {
                    assert!(thing.1 != 13, "this is part of a test");
                    return Outcome::Failed("it is broken".to_owned());
                }
                Outcome::Done
            })
        });
        let queue = Queue::new("things", limits, Clock::wall(), act);
        let supervisor = Supervisor::start(Health::default()).expect("started");
        let tended = queue.clone();
        supervisor.run("things", Duration::from_secs(5), move |pulse| {
            let queue = tended.clone();
            async move { queue.tend(&pulse).await }
        });
        Self { queue, carried, broken, gate, supervisor }
    }

    async fn close(self) {
        self.queue.stop();
        self.supervisor.stop().await;
    }

    fn times(&self, thing: Thing) -> usize {
        self.carried.lock().iter().filter(|one| **one == thing).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_carried_out_by_one_at_a_time_and_again_for_what_came_meanwhile() {
    let bench = Bench::open(QUICK, false).await;
    let line = Thing(1, 1);
    assert!(bench.queue.add(line));
    until("the first", || bench.times(line) == 1).await;
    assert!(bench.queue.add(line) && bench.queue.add(line));
    assert_eq!((bench.times(line), bench.queue.level().under_way), (1, 1));
    bench.gate.add_permits(1);
    until("the second", || bench.times(line) == 2).await;
    bench.gate.add_permits(1);
    until("rest", || !bench.queue.knows(line)).await;
    assert_eq!(bench.times(line), 2);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_backlog_of_one_seller_leaves_places_for_others() {
    let bench = Bench::open(QUICK, false).await;
    for thing in 0..50 {
        bench.queue.add(Thing(1, thing));
    }
    // Half of what is free, and a place for each of the others.
    assert_eq!(bench.queue.level().under_way, 4);
    bench.queue.add(Thing(2, 1));
    bench.queue.add(Thing(3, 1));
    assert_eq!(bench.queue.level().under_way, 6);
    until("both", || bench.times(Thing(2, 1)) + bench.times(Thing(3, 1)) == 2).await;
    bench.gate.add_permits(1_000);
    until("all", || bench.carried.lock().len() == 52).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_pauses_without_a_place_is_parked_and_heals() {
    let bench = Bench::open(Limits { places: 1, ..QUICK }, true).await;
    let (bad, good) = (Thing(1, 13), Thing(1, 2));
    bench.broken.lock().insert(bad);
    bench.queue.add(bad);
    bench.queue.add(good);
    until("the good one", || bench.times(good) == 1).await;
    until("parking", || bench.queue.level().parked == 1).await;
    let (line, trouble) = bench.queue.parked(10).remove(0);
    assert_eq!((line, trouble.failures, trouble.reason.as_str()), (bad, 3, "it panicked"));
    assert_eq!(bench.queue.level(), Level { pausing: 1, parked: 1, ..Level::default() });
    bench.broken.lock().clear();
    assert_eq!(bench.queue.retry_parked(), 1);
    until("the bad one", || !bench.queue.knows(bad)).await;
    assert_eq!(bench.queue.level(), Level::default());
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_beyond_the_bounds_is_left_on_the_disk() {
    let bench = Bench::open(Limits { places: 1, ready: 10, ..QUICK }, false).await;
    let added = (0..100).filter(|thing| bench.queue.add(Thing(1, *thing))).count();
    assert_eq!((added, bench.queue.room()), (11, 0));
    bench.broken.lock().extend((0..100).map(|thing| Thing(1, thing)));
    bench.gate.add_permits(1_000);
    until("the pauses", || bench.queue.level().parked == 10).await;
    assert!(bench.queue.has_forgotten(), "ten may pause, the eleventh is forgotten");
    bench.close().await;
}

#[cfg(feature = "faults")]
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_panics_is_started_again_counted_and_told_of() {
    let health = Health::default();
    let supervisor = Supervisor::start(health.clone()).expect("started");
    let rounds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&rounds);
    supervisor.run("loop", Duration::from_secs(5), move |pulse| {
        let counted = Arc::clone(&counted);
        async move {
            loop {
                pulse.beat();
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    until("rounds", || rounds.load(Ordering::Relaxed) > 2).await;
    assert_eq!(health.faults(), []);
    supervisor.break_worker("loop", true);
    until("word of it", || !health.faults().is_empty()).await;
    let (part, reason) = health.faults().remove(0);
    assert_eq!(part, "loop");
    assert!(reason.contains("asked this worker to panic"), "{reason}");
    supervisor.break_worker("loop", false);
    let before = rounds.load(Ordering::Relaxed);
    until("more rounds", || rounds.load(Ordering::Relaxed) > before).await;
    assert_eq!(health.faults(), []);
    assert!(supervisor.figures()[0].restarts > 0);
    supervisor.stop().await;
    let last = rounds.load(Ordering::Relaxed);
    tokio::task::yield_now().await;
    assert_eq!(rounds.load(Ordering::Relaxed), last);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_silent_for_long_counts_as_stuck() {
    let health = Health::default();
    let supervisor = Supervisor::start(health.clone()).expect("started");
    supervisor.run("stuck", Duration::from_millis(20), |pulse| async move {
        pulse.beat();
        std::future::pending().await
    });
    until("word of it", || !health.faults().is_empty()).await;
    let (part, reason) = health.faults().remove(0);
    assert_eq!(part, "stuck");
    assert!(reason.contains("silent"), "{reason}");
    supervisor.stop().await;
}
