//! Carries out the timers of payments, payees, mails, payment links and their subscriptions as soon
//! as they are due.
//!
//! For each kind a worker looks which sellers have something due, reads their rows and hands them
//! to a queue. A timer that brings nothing about is not carried out again and again: its row is
//! deleted where its room does not want it, else it pauses longer each time.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use storage::{ReadError, Store};

use crate::clock::Clock;
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::link_subscription::LinkSubscriptions;
use crate::mail::Post;
use crate::payee::Payees;
use crate::payment::Payments;
use crate::queue::{Act, Limits, Outcome, Pulse, Queue, Supervisor, Trouble};
use crate::seller::Sellers;
use crate::timers::{Calendar, Due, Listed, TimerKind, due_of};

/// How often due timers are looked for, and how often while there are some: few at a time leave
/// whoever waits for an answer room between them.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOK_EVERY_BUSY: Duration = Duration::from_millis(20);
/// How many of a seller are read at once. While more wait for a place it is not looked for others;
/// then each seller is given its share of the room for them.
const PAGE: usize = 1_024;
/// How long a worker may be silent: a look waits for the disk only.
const PATIENCE: Duration = Duration::from_secs(15);
/// When a seller is looked at again whose timers were due and are being carried out.
const LOOK_AGAIN_MILLIS: i64 = 1_000;

const LIMITS: Limits = Limits {
    places: 64,
    ready: 4_096,
    pausing: 65_536,
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(300),
    park_after: 8,
    parked_pause: Duration::from_secs(600),
};

/// Those of payments wait for the disk alone, and there may be as many as there are payments: more
/// at once would only take turns from who waits for an answer.
const LIMITS_OF_PAYMENTS: Limits = Limits { places: 32, ..LIMITS };

#[derive(Clone, Debug)]
pub struct Scheduler {
    queues: Vec<(TimerKind, Queue<Due>)>,
}

struct Worker {
    kind: TimerKind,
    store: Store,
    clock: Clock,
    calendar: Calendar,
    queue: Queue<Due>,
}

impl Scheduler {
    pub(crate) fn start(
        supervisor: &Supervisor,
        (store, clock, calendar): (&Store, &Clock, &Calendar),
        payments: &Payments,
        payees: &Payees,
        (sellers, subscriptions): (&Sellers, &LinkSubscriptions),
        post: &Post,
    ) -> Self {
        let of_subscription = |kind| carry_subscription(subscriptions.clone(), kind);
        let (charge, trial) = (TimerKind::LinkSubscription, TimerKind::LinkTrial);
        let of_payment = |kind| carry_payment(payments.clone(), kind);
        let carried = [
            ("payment timers", TimerKind::Payment, of_payment(TimerKind::Payment)),
            ("provider calls", TimerKind::ProviderCall, of_payment(TimerKind::ProviderCall)),
            ("payee timers", TimerKind::Payee, carry_payee(payees.clone())),
            ("mails", TimerKind::Mail, post.of_contracts()),
            ("mails of links", TimerKind::LinkMail, post.of_sellers(TimerKind::LinkMail)),
            ("invitations", TimerKind::InviteMail, post.of_sellers(TimerKind::InviteMail)),
            ("mails of subscriptions", TimerKind::SubscriptionMail, post.of_subscriptions()),
            ("payment links", TimerKind::LinkExpiry, carry_link(sellers.clone())),
            ("link subscriptions", charge, of_subscription(charge)),
            ("trials of link subscriptions", trial, of_subscription(trial)),
        ];
        let mut queues = Vec::new();
        for (name, kind, act) in carried {
            let limits = if kind == TimerKind::Payment { LIMITS_OF_PAYMENTS } else { LIMITS };
            let queue = Queue::new(name, limits, clock.clone(), act);
            let worker = Arc::new(Worker {
                kind,
                store: store.clone(),
                clock: clock.clone(),
                calendar: calendar.clone(),
                queue: queue.clone(),
            });
            supervisor.run(name, PATIENCE, move |pulse| Arc::clone(&worker).look(pulse));
            queues.push((kind, queue));
        }
        Self { queues }
    }

    /// Timers that failed too often, at most `limit` of each kind.
    pub fn parked(&self, limit: usize) -> Vec<(TimerKind, Due, Trouble)> {
        let parked = |(kind, queue): &(TimerKind, Queue<Due>)| {
            let kind = *kind;
            queue.parked(limit).into_iter().map(move |(timer, trouble)| (kind, timer, trouble))
        };
        self.queues.iter().flat_map(parked).collect()
    }

    pub fn queues(&self) -> impl Iterator<Item = &Queue<Due>> {
        self.queues.iter().map(|(_, queue)| queue)
    }

    /// Carries out nothing more. What is due stays on disk.
    pub fn stop(&self) {
        self.queues().for_each(Queue::stop);
    }
}

fn carry_payment(payments: Payments, kind: TimerKind) -> Act<Due> {
    Arc::new(move |timer| {
        let payments = payments.clone();
        async move {
            let done = match kind {
                TimerKind::ProviderCall => payments.ask_if_lost(timer).await,
                _ => payments.run_timer(timer).await,
            };
            outcome(done, || payments.mend_timer(kind, timer)).await
        }
        .boxed()
    })
}

fn carry_payee(payees: Payees) -> Act<Due> {
    Arc::new(move |timer| {
        let payees = payees.clone();
        async move {
            let done = payees.run_timer(timer.seller, PayeeId(timer.object)).await;
            outcome(done, || payees.mend_timer(timer)).await
        }
        .boxed()
    })
}

fn carry_link(sellers: Sellers) -> Act<Due> {
    Arc::new(move |timer| {
        let sellers = sellers.clone();
        async move {
            let done = sellers.expire_payment_link(timer).await;
            outcome(done, || async { Ok(false) }).await
        }
        .boxed()
    })
}

fn carry_subscription(subscriptions: LinkSubscriptions, kind: TimerKind) -> Act<Due> {
    Arc::new(move |timer| {
        let subscriptions = subscriptions.clone();
        async move {
            let done = match kind {
                TimerKind::LinkTrial => subscriptions.tell_trial_end(timer).await,
                _ => subscriptions.run_timer(timer).await,
            };
            outcome(done, || subscriptions.mend_timer(kind, timer)).await
        }
        .boxed()
    })
}

/// How a timer went that has `done` something, or not: then its row is deleted where it is stale.
async fn outcome<F>(done: Result<bool, AskError>, mend: impl FnOnce() -> F) -> Outcome
where
    F: Future<Output = Result<bool, AskError>>,
{
    let nothing = match done {
        Ok(true) => return Outcome::Done,
        Ok(false) => "nothing was due".to_owned(),
        Err(AskError::Refused(Refusal { text, .. })) => text.to_string(),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match mend().await {
        Ok(true) => Outcome::Done,
        Ok(false) => Outcome::Failed(nothing),
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

struct Looked {
    /// Those that may have something due.
    sellers: usize,
    /// Whether there was room for all that is due.
    all: bool,
}

impl Worker {
    async fn look(self: Arc<Self>, pulse: Pulse) {
        // What an earlier process asked a provider nobody waits for any more: it is asked at once.
        let mut lost = self.kind == TimerKind::ProviderCall;
        while !self.queue.is_stopped() {
            pulse.beat();
            // What is left of the disk is for what is under way, and a held store rests.
            if self.store.rests() {
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            }
            self.queue.wake();
            if self.queue.level().ready >= PAGE {
                tokio::time::sleep(LOOK_EVERY_BUSY).await;
                continue;
            }
            let until = if lost { Timestamp::MAX } else { self.clock.now() };
            let worker = Arc::clone(&self);
            let pause = match tokio::task::spawn_blocking(move || worker.look_once(until)).await {
                Ok(Ok(Looked { sellers, all })) => {
                    lost &= !all;
                    if sellers > 0 { LOOK_EVERY_BUSY } else { LOOK_EVERY }
                }
                Ok(Err(error)) => {
                    tracing::error!(%error, kind = ?self.kind, "timers cannot be read");
                    LOOK_EVERY
                }
                // The supervisor is to know.
                Err(error) => panic!("{error}"),
            };
            tokio::time::sleep(pause).await;
        }
    }

    fn look_once(&self, until: Timestamp) -> Result<Looked, ReadError> {
        let mut looked = Looked { sellers: 0, all: true };
        let due = self.calendar.due(&self.store, self.kind, until)?;
        let share = (self.queue.room() / due.len().max(1)).clamp(1, PAGE);
        for (seller, listed) in due {
            looked.sellers += 1;
            looked.all &= self.look_at((seller, listed), until, share)?;
        }
        Ok(looked)
    }

    /// Adds at most so many; false where there was no room for all that is due.
    fn look_at(
        &self,
        (seller, listed): (SellerId, Listed),
        until: Timestamp,
        most: usize,
    ) -> Result<bool, ReadError> {
        let (mut after, mut found, mut added) = (None, false, 0);
        loop {
            let page = due_of(&self.store, (self.kind, seller), until, after, PAGE)?;
            for timer in &page.due {
                if self.queue.knows(*timer) {
                    continue;
                }
                if added == most || !self.queue.add(*timer) {
                    return Ok(false);
                }
                added += 1;
            }
            found |= !page.due.is_empty();
            after = page.due.last().copied();
            if page.goes_on {
                continue;
            }
            // What is under way is looked for once more: its row must be gone by then.
            let again = found.then(|| self.clock.now().plus_millis(LOOK_AGAIN_MILLIS));
            let next = again.into_iter().chain(page.next).min();
            self.calendar.settle(self.kind, seller, listed, next);
            return Ok(true);
        }
    }
}
