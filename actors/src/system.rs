//! The supervision tree: what starts before what, and stops after it.

mod addressees;
mod rooms;

use std::sync::Arc;
use std::time::Duration;

use storage::{CommitError, ReadError, Store};

use self::addressees::{deliver, lookup};
use crate::backfill;
use crate::background::Background;
use crate::clock::Clock;
use crate::contract::Contracts;
use crate::delivery::{DeliveryPool, DeliverySettings};
use crate::directory::{Directory, DirectorySettings};
use crate::domain::payments::payment::Windows;
use crate::entropy::Entropy;
use crate::health::Health;
use crate::kernel::{RoomSettings, Rooms, Services};
use crate::key_uses::KeyUses;
use crate::limiter::Limiter;
use crate::link_subscription::LinkSubscriptions;
use crate::link_tokens::LinkTokens;
use crate::logos::Logos;
use crate::mail::{Bounces, MailPolicy, MailSettings, Post, Retention};
use crate::outbox::Outbox;
use crate::passes::Passes;
use crate::payee::Payees;
use crate::payment::{Payments, forgetting};
use crate::queue::{Limits, Supervisor, blocking};
use crate::sandboxes::{Keeping, Removal};
use crate::scheduler::Scheduler;
use crate::secrets::{KEY_BYTES, SecretBox};
use crate::seller::Sellers;
use crate::timers::Calendar;

/// What a restored store says before it is resumed.
const HELD: &str = "the store was restored: deliveries, passes, uploads, calls to processors and \
                    the deletion of what is old wait for POST /backoffice/v1/resume";

#[derive(Clone, Debug)]
pub struct SystemSettings {
    /// Switches that nobody touched are on.
    pub demo: bool,
    pub rooms: RoomSettings,
    pub deliveries: DeliverySettings,
    pub pass_interval: Duration,
    pub windows: Windows,
    /// How long the verification of a demo payee takes, in seconds.
    pub verification_seconds: i64,
    /// How long a demo payout is under way, in seconds.
    pub payout_seconds: i64,
    pub provider_timeout: Duration,
    /// How many dead letters a seller may have parked.
    pub max_letters: u64,
    /// How long usage periods wait for late arrivals, of sellers that say nothing themselves.
    pub usage_grace_minutes: u32,
    /// How many bytes a sandbox account may keep; 0 turns it off.
    pub sandbox_bytes: u64,
    /// Days after its end that a sandbox account is removed.
    pub sandbox_keep_days: u32,
    pub mail: MailSettings,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the rooms cannot be started: {0}")]
    Rooms(#[from] ractor::SpawnErr),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Everything that runs behind the door.
pub struct System {
    pub store: Store,
    pub directory: Directory,
    pub key_uses: KeyUses,
    pub limiter: Limiter,
    pub deliveries: DeliveryPool,
    pub sellers: Sellers,
    pub contracts: Contracts,
    pub payments: Payments,
    pub payees: Payees,
    pub link_subscriptions: LinkSubscriptions,
    pub passes: Passes,
    /// What sandbox accounts keep.
    pub keeping: Keeping,
    pub links: LinkTokens,
    pub logos: Logos,
    pub health: Health,
    pub background: Background,
}

impl System {
    /// Starts everything over an open store: first what others lean on, last what acts by itself.
    /// Must be called on a tokio runtime.
    pub async fn start(
        store: Store,
        clock: Clock,
        secrets: &[u8; KEY_BYTES],
        settings: SystemSettings,
    ) -> Result<Self, StartError> {
        let health = Health::default();
        watch(&store, &health);
        if store.is_held() {
            tracing::warn!(epoch = store.epoch(), "{HELD}");
        }
        let of_sellers = DirectorySettings {
            demo_server: settings.demo,
            usage_grace_minutes: settings.usage_grace_minutes,
        };
        let directory = Directory::new(store.clone(), of_sellers);
        let supervisor = Supervisor::start(health.clone())?;
        let key_uses = KeyUses::new(store.clone(), directory.clone());
        key_uses.start(&supervisor);
        let from_before = store.clone();
        blocking(move || backfill::run(&from_before)).await?;
        let limiter = Limiter::open(store.clone(), clock.clone(), &supervisor);
        let services = services((&store, &clock), secrets, &settings, directory, &supervisor);

        let payments = rooms::payments(&services, secrets, &settings).await?;
        let of_rooms = settings.rooms;
        let contracts = Contracts::start(services.clone(), payments.clone(), of_rooms).await?;
        let link_subscriptions = Rooms::start(services.clone(), (), of_rooms).await?;
        let link_subscriptions = LinkSubscriptions::new(link_subscriptions, payments.clone());
        let payees = rooms::payees(&services, secrets, &settings).await?;
        let guard = settings.deliveries.guard.clone();
        let logos = Logos::new(store.clone(), clock.clone(), guard);
        logos.start(&supervisor);
        let sellers = rooms::sellers(&services, secrets, &settings).await?;

        let Services { directory, deliveries, outbox, calendar, keeping, links, .. } = services;
        let sandbox_days = settings.sandbox_keep_days;
        let removal = Removal::new(store.clone(), clock.clone(), sellers.clone(), sandbox_days);
        removal.start(&supervisor);
        outbox.start(
            store.clone(),
            clock.clone(),
            Limits::default(),
            &supervisor,
            deliver(
                contracts.clone(),
                payees.clone(),
                payments.clone(),
                sellers.clone(),
                link_subscriptions.clone(),
            ),
        );
        let passes = Passes::new(
            store.clone(),
            clock.clone(),
            directory.clone(),
            calendar.clone(),
            contracts.clone(),
            payments.clone(),
        );
        passes.start(&supervisor, settings.pass_interval);
        let post = Post {
            contracts: contracts.clone(),
            sellers: sellers.clone(),
            subscriptions: link_subscriptions.clone(),
            links: links.clone(),
            clock: clock.clone(),
            carrier: settings.mail.carrier,
            bounces: Bounces::default(),
        };
        let scheduler = Scheduler::start(
            &supervisor,
            (&store, &clock, &calendar),
            &payments,
            &payees,
            (&sellers, &link_subscriptions),
            &post,
        );
        let keep_days = settings.deliveries.keep_days;
        let retention = Retention { store: store.clone(), clock: clock.clone(), keep_days };
        retention.start(&supervisor);
        let cards = forgetting::start(&payments, clock.clone(), &supervisor);
        let background = Background {
            store: store.clone(),
            supervisor,
            outbox,
            scheduler,
            payments: payments.clone(),
            deliveries: deliveries.clone(),
            cards,
            uploads: Arc::default(),
        };
        Ok(Self {
            store,
            directory,
            key_uses,
            limiter,
            deliveries,
            sellers,
            contracts,
            payments,
            payees,
            link_subscriptions,
            passes,
            keeping,
            links,
            logos,
            health,
            background,
        })
    }

    pub fn rooms_alive(&self) -> usize {
        let of_sellers = self.sellers.alive() + self.contracts.alive() + self.payees.alive();
        of_sellers + self.payments.alive() + self.link_subscriptions.alive()
    }

    /// Stops everything in reverse: first what acts by itself, then the rooms, then the disk.
    pub async fn stop(&self) {
        self.passes.stop();
        self.background.scheduler.stop();
        self.background.outbox.stop();
        self.background.cards.stop();
        self.link_subscriptions.stop().await;
        self.payments.stop().await;
        self.payees.stop().await;
        self.contracts.stop().await;
        self.sellers.stop().await;
        self.deliveries.stop().await;
        self.background.supervisor.stop().await;
        self.limiter.close().await;
        self.key_uses.write().await;
        let store = self.store.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || store.close()).await {
            tracing::error!(%error, "the store could not be closed in order");
        }
    }
}

/// Lets the health of the program tell how its store fares.
fn watch(store: &Store, health: &Health) {
    let committer = store.clone();
    health.add("store", move || committer.fault().map_or(Ok(()), Err));
    let disk = store.free_space();
    health.add("disk", move || match disk.is_low() {
        true => Err(format!("only {} MiB are free", disk.bytes() >> 20)),
        false => Ok(()),
    });
    let archived = store.clone();
    health.add("archive", move || archived.archive_fault().map_or(Ok(()), Err));
    let restored = store.clone();
    health.add("restore", move || match restored.is_held() {
        true => Err(HELD.to_owned()),
        false => Ok(()),
    });
}

/// What all rooms lean on.
fn services(
    (store, clock): (&Store, &Clock),
    secrets: &[u8; KEY_BYTES],
    settings: &SystemSettings,
    directory: Directory,
    supervisor: &Supervisor,
) -> Services {
    let links = LinkTokens::new(secrets);
    let deliveries = DeliveryPool::start(
        store.clone(),
        clock.clone(),
        Entropy,
        settings.deliveries.clone(),
        lookup(directory.clone(), store.clone(), clock.clone()),
        (SecretBox::new(secrets), links.clone()),
        supervisor,
    );
    Services {
        store: store.clone(),
        clock: clock.clone(),
        directory,
        deliveries,
        outbox: Outbox::new(),
        calendar: Calendar::default(),
        supervisor: supervisor.clone(),
        keeping: Keeping::new(store.clone(), clock.clone(), settings.sandbox_bytes),
        links,
        mail: MailPolicy { posts: settings.mail.carrier.is_some(), retries: settings.mail.retries },
    }
}
