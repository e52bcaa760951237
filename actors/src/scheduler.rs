//! Rings the timers: passes at their interval, payments and payees as soon as theirs are due.

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
use crate::passes::{Pass, Passes, Scope};
use crate::payee::Payees;
use crate::payment::Payments;
use crate::room::AskError;
use crate::timers::{Due, TimerKind, due};

/// How often due timers of payments and payees are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many of them are rung at once.
const AT_ONCE: usize = 256;

/// The scheduler; it runs until it is stopped.
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
        let bells =
            [(TimerKind::Payment, ring_payment(payments)), (TimerKind::Payee, ring_payee(payees))];
        for (kind, bell) in bells {
            let (stop, store, clock) = (stop.clone(), store.clone(), clock.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = ring(store, clock, kind, bell) => {}
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

/// Tells an object that its time has come.
type Bell = Arc<dyn Fn(Due) -> BoxFuture<'static, Result<(), AskError>> + Send + Sync>;

fn ring_payment(payments: Payments) -> Bell {
    Arc::new(move |timer| {
        let payments = payments.clone();
        async move { payments.run_timer(timer.seller, PaymentId(timer.object)).await.map(|_| ()) }
            .boxed()
    })
}

fn ring_payee(payees: Payees) -> Bell {
    Arc::new(move |timer| {
        let payees = payees.clone();
        async move { payees.timer_rang(timer.seller, PayeeId(timer.object)).await.map(|_| ()) }
            .boxed()
    })
}

async fn ring(store: Store, clock: Clock, kind: TimerKind, bell: Bell) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let ringing: Arc<DashSet<(SellerId, u64)>> = Arc::default();
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
            if !ringing.insert(key) {
                continue;
            }
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let (bell, ringing) = (Arc::clone(&bell), Arc::clone(&ringing));
            tokio::spawn(async move {
                if let Err(error) = bell(timer).await {
                    tracing::warn!(object = timer.object, ?kind, %error, "a timer went by");
                }
                ringing.remove(&key);
                drop(place);
            });
        }
    }
}
