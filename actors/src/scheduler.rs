//! Rings the timers: passes at their interval, payments as soon as theirs are due.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashSet;
use storage::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::domain::ids::{PaymentId, SellerId};
use crate::passes::{Pass, Passes, Scope};
use crate::payment::Payments;
use crate::timers::{TimerKind, due};

/// How often due payment timers are looked for.
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
        interval: Duration,
    ) -> Self {
        let stop = CancellationToken::new();
        let (first, second) = (stop.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = first.cancelled() => {}
                () = run_passes(passes, interval) => {}
            }
        });
        tokio::spawn(async move {
            tokio::select! {
                () = second.cancelled() => {}
                () = ring_payments(store, clock, payments) => {}
            }
        });
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

async fn ring_payments(store: Store, clock: Clock, payments: Payments) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let ringing: Arc<DashSet<(SellerId, u64)>> = Arc::default();
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (reader, now) = (store.clone(), clock.now());
        let found =
            tokio::task::spawn_blocking(move || due(&reader, TimerKind::Payment, now, AT_ONCE * 4));
        let found = match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::error!(%error, "payment timers cannot be read");
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
            let (payments, ringing) = (payments.clone(), Arc::clone(&ringing));
            tokio::spawn(async move {
                let asked = payments.timer_rang(timer.seller, PaymentId(timer.object)).await;
                if let Err(error) = asked {
                    tracing::warn!(payment = timer.object, %error, "a payment's timer went by");
                }
                ringing.remove(&key);
                drop(place);
            });
        }
    }
}
