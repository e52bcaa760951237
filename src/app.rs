//! What handlers are given: the parts of the running program.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use actors::background::Background;
use actors::clock::Clock;
use actors::contract::Contracts;
use actors::delivery::{DeliveryPool, DeliverySettings};
use actors::directory::Directory;
use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::mail::MailRetries;
use actors::domain::ids::SellerId;
use actors::domain::payments::payment::Windows;
use actors::domain::platform::address::AddressGuard;
use actors::domain::platform::delivery::RetryDelays;
use actors::domain::platform::idempotency_key::BodyKey;
use actors::entropy::Entropy;
use actors::health::Health;
use actors::intake::{Intake, ReadRow};
use actors::kernel::RoomSettings;
use actors::key_uses::KeyUses;
use actors::limiter::Limiter;
use actors::link_subscription::LinkSubscriptions;
use actors::link_tokens::LinkTokens;
use actors::logos::Logos;
use actors::mail::MailSettings;
use actors::passes::Passes;
use actors::passwords::Passwords;
use actors::payee::Payees;
use actors::payment::Payments;
use actors::sandboxes::Keeping;
use actors::secrets::{KEY_BYTES, SecretBox};
use actors::seller::Sellers;
use actors::system::{System, SystemSettings};
use storage::{ReadError, Store};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::config::Settings;
use crate::dashboard::events::LiveStreams;
use crate::dashboard::fill::Fills;
use crate::dashboard::own::overview::Overviews;
use crate::http::budget::Budget;
use crate::http::{self, ApiError};
use crate::metrics::Metrics;
use crate::signed_link::TokenKey;

/// How long a processor may take before its answer counts as lost.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(20);

pub struct App {
    pub settings: Settings,
    pub clock: Clock,
    pub entropy: Entropy,
    pub store: Store,
    /// Sellers as of their last durable change.
    pub directory: Directory,
    pub key_uses: KeyUses,
    pub passwords: Passwords,
    pub limiter: Limiter,
    pub metrics: Metrics,
    /// Memory for answers that are large, until they are taken.
    pub(crate) answers: Arc<Budget<IpAddr>>,
    pub health: Health,
    pub background: Background,
    pub sellers: Sellers,
    pub contracts: Contracts,
    pub payments: Payments,
    pub payees: Payees,
    pub link_subscriptions: LinkSubscriptions,
    pub deliveries: DeliveryPool,
    pub intake: Intake,
    pub logos: Logos,
    /// What people follow live on the dashboard.
    pub live: LiveStreams,
    /// How the businesses of sellers stood lately.
    pub overviews: Overviews,
    /// Demo accounts that are being filled.
    pub fills: Fills,
    /// The one verification that may be under way.
    pub verifying: Arc<Semaphore>,
    /// Makes the tokens of links that are handed out.
    pub links: LinkTokens,
    pub secrets: SecretBox,
    pub passes: Passes,
    /// One backup at a time.
    pub backups: Arc<Semaphore>,
    /// What sandbox accounts keep.
    pub keeping: Keeping,
    /// Signs the tokens in the addresses of hosted pages.
    pub page_key: Arc<TokenKey>,
    /// What is kept of bodies under idempotency keys is made with it.
    pub body_key: BodyKey,
    stopping: CancellationToken,
}

impl App {
    /// The parts of `system`; `secret` is the key that others are derived from, and `read_row`
    /// reads a row of an upload of events.
    pub fn new(
        settings: Settings,
        clock: Clock,
        system: &Arc<System>,
        secret: &[u8; KEY_BYTES],
        read_row: ReadRow,
    ) -> Self {
        let counted = Arc::clone(system);
        let max_letters = u64::from(settings.limits.dead_letters);
        let intake = Intake::start(system, clock.clone(), read_row, max_letters);
        Self {
            logos: system.logos.clone(),
            live: LiveStreams::default(),
            overviews: Overviews::default(),
            fills: Fills::default(),
            answers: Budget::in_quarters((settings.limits.answer_mib as usize) << 20),
            settings,
            clock,
            entropy: Entropy,
            store: system.store.clone(),
            directory: system.directory.clone(),
            key_uses: system.key_uses.clone(),
            passwords: Passwords::default(),
            limiter: system.limiter.clone(),
            metrics: Metrics::new(system.store.clone(), system.background.clone(), move || {
                counted.rooms_alive()
            }),
            health: system.health.clone(),
            background: system.background.clone(),
            sellers: system.sellers.clone(),
            contracts: system.contracts.clone(),
            payments: system.payments.clone(),
            payees: system.payees.clone(),
            link_subscriptions: system.link_subscriptions.clone(),
            deliveries: system.deliveries.clone(),
            intake,
            secrets: SecretBox::new(secret),
            passes: system.passes.clone(),
            backups: Arc::new(Semaphore::new(1)),
            keeping: system.keeping.clone(),
            verifying: Arc::new(Semaphore::new(1)),
            links: system.links.clone(),
            page_key: Arc::new(TokenKey::derive(secret)),
            body_key: BodyKey::derive(secret),
            stopping: CancellationToken::new(),
        }
    }

    /// Reads many rows on a thread that may wait for the disk.
    pub async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.store.clone();
        http::blocking(move || read(&store)).await
    }

    /// What addresses in answers, mails and pages begin with, without a slash at its end.
    pub fn public_url(&self) -> &str {
        self.links.address()
    }

    /// Why requests are not taken, or not carried out as they should be.
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let stopping = self.stopping.is_cancelled();
        let stopping = stopping.then(|| ("server", "it is stopping".to_owned()));
        stopping.into_iter().chain(self.health.faults()).collect()
    }

    /// The page of an invoice's payment link, if it was sent with one.
    pub fn payment_url(&self, seller: SellerId, invoice: &Invoice) -> Option<String> {
        let token = self.links.of_invoice(seller, invoice)?;
        Some(format!("{}/pay/{token}", self.public_url()))
    }

    /// The server listens on `addr`: says what addresses begin with from now on.
    pub(crate) fn listens_on(&self, addr: SocketAddr) -> &str {
        self.links.listen_at(&self.settings.public_url(addr))
    }

    pub(crate) fn begin_stopping(&self) {
        self.stopping.cancel();
    }

    /// Cancelled when the program is told to end: answers that have no end of their own stop then.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }
}

/// Sellers' addresses lead to this machine only while it is somebody's own for trying things out:
/// a server with a public address has others behind it.
fn guard(settings: &Settings) -> AddressGuard {
    AddressGuard::new(settings.webhooks.private_cidrs.clone())
        .loopback_for_demo(settings.demo && settings.public_url.is_none())
}

/// All but the way to a mail server.
pub fn system_settings(settings: &Settings) -> SystemSettings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    let retry = settings.webhooks.retry_seconds.map(RetryDelays);
    SystemSettings {
        demo: settings.demo,
        rooms: RoomSettings {
            idle: seconds(settings.actors.idle_seconds),
            most: settings.actors.rooms as usize,
            ..RoomSettings::default()
        },
        deliveries: DeliverySettings {
            timeout: seconds(settings.webhooks.timeout_seconds),
            retry_live: retry.unwrap_or(RetryDelays::LIVE),
            retry_demo: retry.unwrap_or(RetryDelays::DEMO),
            guard: guard(settings),
            keep_days: settings.events.keep_days,
            ..DeliverySettings::default()
        },
        pass_interval: seconds(settings.passes.interval_seconds),
        windows: Windows {
            settle: i64::from(settings.payments.settle_seconds),
            refund: i64::from(settings.payments.refund_seconds),
            app: i64::from(settings.payments.mbway_seconds),
            voucher: i64::from(settings.payments.voucher_seconds),
        },
        verification_seconds: i64::from(settings.payments.verification_seconds),
        payout_seconds: i64::from(settings.payments.payout_seconds),
        provider_timeout: PROVIDER_TIMEOUT,
        max_letters: u64::from(settings.limits.dead_letters),
        usage_grace_minutes: settings.usage.grace_minutes,
        sandbox_bytes: u64::from(settings.limits.sandbox_mib) << 20,
        sandbox_keep_days: settings.sandbox.keep_days,
        mail: MailSettings { carrier: None, retries: MailRetries(settings.mail_retries) },
    }
}
