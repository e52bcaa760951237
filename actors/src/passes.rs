//! Passes: what time brings to contracts and live payments, found by their timers and handed to
//! their rooms. Each pass is carried out by a worker of its own.

mod carry;
mod due;
mod pass;

use std::time::Duration;

use futures::StreamExt;
use storage::{ReadError, Scan, Store};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use self::carry::Carried;
use self::due::DueOf;
pub use self::pass::{Pass, Scope};
use crate::clock::Clock;
use crate::contract::Contracts;
use crate::directory::Directory;
use crate::domain::ids::SellerId;
use crate::domain::platform::switches::{Switch, Switches, effective};
use crate::domain::time::Timestamp;
use crate::payment::Payments;
use crate::queue::{BEAT, Pulse, Supervisor, read_blocking};
use crate::tables::SWITCHES;
use crate::timers::Calendar;

/// How many objects a pass asks at once.
const AT_ONCE: usize = 256;
/// How long a pass may be silent: somebody answers, or is given up, within this time.
const PATIENCE: Duration = Duration::from_secs(120);

pub type Counts = Vec<(&'static str, u64)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassReport {
    pub pass: Pass,
    pub pass_disabled: bool,
    pub counts: Counts,
    /// Objects that gave no answer; their timers are still there.
    pub unanswered: u64,
}

#[derive(Clone)]
pub struct Passes {
    store: Store,
    clock: Clock,
    directory: Directory,
    calendar: Calendar,
    contracts: Contracts,
    payments: Payments,
    stop: CancellationToken,
}

impl Passes {
    pub fn new(
        store: Store,
        clock: Clock,
        directory: Directory,
        calendar: Calendar,
        contracts: Contracts,
        payments: Payments,
    ) -> Self {
        let stop = CancellationToken::new();
        Self { store, clock, directory, calendar, contracts, payments, stop }
    }

    /// Lets every pass run each `interval`, beside the others.
    pub fn start(&self, supervisor: &Supervisor, interval: Duration) {
        for pass in Pass::ALL {
            let passes = self.clone();
            supervisor.run(pass.name(), PATIENCE, move |pulse| {
                let passes = passes.clone();
                async move {
                    tokio::select! {
                        () = passes.stop.cancelled() => {}
                        () = passes.repeat(pass, interval, &pulse) => {}
                    }
                }
            });
        }
    }

    /// Ends the scheduled runs where they are. What is due stays on disk.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    async fn repeat(&self, pass: Pass, interval: Duration, pulse: &Pulse) {
        loop {
            self.rest(&|| pulse.beat()).await;
            let began = Instant::now();
            if let Err(error) = self.carry_out(pass, Scope::Schedule, || pulse.beat()).await {
                tracing::error!(%error, pass = pass.name(), "a pass could not read its timers");
            }
            pulse.rest(interval.saturating_sub(began.elapsed())).await;
        }
    }

    /// While the disk is nearly full what is left of it is for what is under way; and a restored
    /// store does nothing by itself before the operator says so.
    async fn rest(&self, beat: &impl Fn()) {
        while self.store.rests() {
            beat();
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Runs a pass once: every contract that has something due is asked once.
    pub async fn run(&self, pass: Pass, scope: Scope) -> Result<PassReport, ReadError> {
        self.carry_out(pass, scope, || {}).await
    }

    /// A usage period that is over waits for late arrivals before it closes, as long as its seller
    /// says.
    fn until_of(
        &self,
        pass: Pass,
        seller: SellerId,
        until: Timestamp,
    ) -> Result<Timestamp, ReadError> {
        if pass != Pass::UsageClose {
            return Ok(until);
        }
        let known = self.directory.seller(seller)?;
        Ok(known.map_or(until, |seller| seller.usage_ended_by(until)))
    }

    /// Whether a switch is off for everybody: neither on for all nor for one.
    async fn is_off(&self, switch: Switch) -> Result<bool, ReadError> {
        let (directory, store) = (self.directory.clone(), self.store.clone());
        let read = move || {
            let (global, demo) = (directory.global_switches()?, directory.is_demo_server());
            let is_on = |own: &Switches| effective(&global, own, demo, switch);
            if is_on(&Switches::default()) {
                return Ok(false);
            }
            for row in store.scan(SWITCHES, Scan::all()) {
                match row {
                    Ok((_, own)) if is_on(&own) => return Ok(false),
                    Err(error) if error.concerns_all() => return Err(error),
                    // What one account has turned says nothing of the others.
                    Ok(_) | Err(_) => {}
                }
            }
            Ok(true)
        };
        read_blocking(read).await
    }

    async fn carry_out(
        &self,
        pass: Pass,
        scope: Scope,
        beat: impl Fn(),
    ) -> Result<PassReport, ReadError> {
        let mut due = DueOf::default();
        for kind in pass.timers(scope) {
            let until = pass.until(*kind, scope, self.clock.now());
            let (store, calendar, kind) = (self.store.clone(), self.calendar.clone(), *kind);
            let listed = read_blocking(move || calendar.due(&store, kind, until)).await?;
            for (seller, listed) in listed {
                // Nothing is read for a seller whose pass is off.
                let serves = self.serves(pass, kind, seller);
                match serves.and_then(|it| Ok((it, self.until_of(pass, seller, until)?))) {
                    Ok((true, until)) => due.add((kind, seller), until, listed),
                    Ok((false, _)) => {}
                    Err(error) if error.concerns_all() => return Err(error),
                    // One account that cannot be read keeps the pass from no other.
                    Err(error) => {
                        tracing::error!(%error, %seller, pass = pass.name(), "a pass cannot read an account");
                    }
                }
            }
        }
        let pass_disabled = match pass.switch() {
            Some(switch) if due.is_empty() => self.is_off(switch).await?,
            _ => false,
        };

        let mut all = Carried::none(pass);
        {
            let store = &self.store;
            let found = due.timers(store).map(|found| async move {
                match found {
                    Ok((kind, timer)) => Ok(self.ask(pass, kind, timer).await),
                    Err(error) => Err(error),
                }
            });
            let mut asked = std::pin::pin!(found.buffer_unordered(AT_ONCE));
            loop {
                self.rest(&beat).await;
                // One object may take its time; the pass itself is well as long as it looks.
                match timeout(BEAT, asked.next()).await {
                    Ok(Some(carried)) => all.add(carried?),
                    Ok(None) => break,
                    Err(_) => {}
                }
                beat();
            }
        }
        let (store, calendar) = (self.store.clone(), self.calendar.clone());
        read_blocking(move || due.settle(&store, &calendar)).await?;
        let Carried { counts, unanswered, .. } = all;
        Ok(PassReport { pass, pass_disabled, counts, unanswered })
    }
}
