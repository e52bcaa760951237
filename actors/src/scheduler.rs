//! Runs what is due: passes at their interval, timers of payments and payees as soon as they are
//! due.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use storage::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::domain::ids::{PayeeId, PaymentId, SellerId};
use crate::kernel::AskError;
use crate::passes::{Pass, Passes, Scope};
use crate::payee::Payees;
use crate::payment::Payments;
use crate::timers::{Due, TimerKind, due};

/// How often due timers of payments and payees are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many of them are carried out at once.
const AT_ONCE: usize = 256;

#[derive(Debug)]
pub struct Scheduler {
    stop: CancellationToken,
}

impl Scheduler {
    /// Starts it. `interval` is how often the passes run.
    pub fn start(
        store: Store,
        clock: Clock,
        passes: Passes,
        payments: Payments,
        payees: Payees,
        interval: Duration,
    ) -> Self {
        let stop = CancellationToken::new();
        let first = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = first.cancelled() => {}
                () = run_passes(passes, interval) => {}
            }
        });
        let timers =
            [(TimerKind::Payment, of_payments(payments)), (TimerKind::Payee, of_payees(payees))];
        for (kind, act) in timers {
            let (stop, store, clock) = (stop.clone(), store.clone(), clock.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = run_timers(store, clock, kind, act) => {}
                }
            });
        }
        Self { stop }
    }

    /// Stops it. What is due stays on disk.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

async fn run_passes(passes: Passes, interval: Duration) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        for pass in Pass::ALL {
            if let Err(error) = passes.run(pass, Scope::Schedule).await {
                tracing::error!(%error, pass = pass.name(), "a pass could not read its timers");
            }
        }
    }
}

type Act = Arc<dyn Fn(Due) -> BoxFuture<'static, Result<(), AskError>> + Send + Sync>;

fn of_payments(payments: Payments) -> Act {
    Arc::new(move |timer| {
        let payments = payments.clone();
        async move { payments.run_timer(timer.seller, PaymentId(timer.object)).await.map(|_| ()) }
            .boxed()
    })
}

fn of_payees(payees: Payees) -> Act {
    Arc::new(move |timer| {
        let payees = payees.clone();
        async move { payees.run_timer(timer.seller, PayeeId(timer.object)).await }.boxed()
    })
}

async fn run_timers(store: Store, clock: Clock, kind: TimerKind, act: Act) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let under_way: Arc<DashSet<(SellerId, u64)>> = Arc::default();
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (reader, now) = (store.clone(), clock.now());
        let found = tokio::task::spawn_blocking(move || due(&reader, kind, now, AT_ONCE * 4));
        let found = match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::error!(%error, ?kind, "timers cannot be read");
                continue;
            }
            Err(_) => continue,
        };
        for timer in found {
            let key = (timer.seller, timer.object);
            if !under_way.insert(key) {
                continue;
            }
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let (act, under_way) = (Arc::clone(&act), Arc::clone(&under_way));
            tokio::spawn(async move {
                match act(timer).await {
                    // Where nothing is due any more the timer is refused.
                    Ok(()) | Err(AskError::Refused(_)) => {}
                    Err(error) => {
                        let (seller, object) = (timer.seller.0, timer.object);
                        tracing::warn!(?kind, seller, object, %error, "a due timer was not carried out; it is tried again");
                    }
                }
                under_way.remove(&key);
                drop(place);
            });
        }
    }
}
