//! What handlers are given: the parts of the running program.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actors::clock::Clock;
use actors::contract::Contracts;
use actors::delivery::{DeliveryPool, DeliverySettings};
use actors::directory::Directory;
use actors::domain::payments::payment::Windows;
use actors::domain::platform::address::AddressGuard;
use actors::domain::platform::delivery::RetryDelays;
use actors::entropy::Entropy;
use actors::intake::Intake;
use actors::kernel::RoomSettings;
use actors::limiter::Limiter;
use actors::logos::Logos;
use actors::passes::Passes;
use actors::payee::Payees;
use actors::payment::Payments;
use actors::secrets::{KEY_BYTES, SecretBox};
use actors::seller::Sellers;
use actors::system::{System, SystemSettings};
use anyhow::Context as _;
use storage::{Options, Store};
use tokio_util::sync::CancellationToken;

use crate::api::billing::usage::csv;
use crate::config::Settings;
use crate::http::server;
use crate::metrics::Metrics;
use crate::pages::{Purpose, TokenKey};

/// How long a processor may take before its answer counts as lost.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(20);

/// The parts of the running program.
pub struct App {
    /// The settings.
    pub settings: Settings,
    /// The time.
    pub clock: Clock,
    /// The source of random bytes.
    pub entropy: Entropy,
    /// The committed rows.
    pub store: Store,
    /// Sellers as of their last durable change.
    pub directory: Directory,
    /// The limits.
    pub limiter: Limiter,
    /// The figures.
    pub metrics: Metrics,
    /// Seller rooms.
    pub sellers: Sellers,
    /// Contract rooms.
    pub contracts: Contracts,
    /// Payment rooms.
    pub payments: Payments,
    /// Payee rooms.
    pub payees: Payees,
    /// Webhook deliveries.
    pub deliveries: DeliveryPool,
    /// Uploads of events.
    pub intake: Intake,
    /// Logos of hosted pages.
    pub logos: Logos,
    /// Opens secrets at rest.
    pub secrets: SecretBox,
    /// Passes.
    pub passes: Passes,
    /// Signs the tokens in the addresses of hosted pages.
    pub page_key: Arc<TokenKey>,
    /// Known at last when the port is.
    public_url: OnceLock<String>,
    stopping: CancellationToken,
}

impl App {
    /// The parts of `system`; `secret` is the key that others are derived from.
    pub fn new(
        settings: Settings,
        clock: Clock,
        system: &Arc<System>,
        secret: &[u8; KEY_BYTES],
    ) -> Self {
        let counted = Arc::clone(system);
        let intake = Intake::start(
            system.store.clone(),
            clock.clone(),
            system.sellers.clone(),
            system.contracts.clone(),
            Arc::new(csv::read_row),
        );
        let guard = AddressGuard::new(settings.webhooks.private_cidrs.clone());
        Self {
            logos: Logos::new(system.store.clone(), clock.clone(), guard),
            settings,
            clock,
            entropy: Entropy,
            store: system.store.clone(),
            directory: system.directory.clone(),
            limiter: system.limiter.clone(),
            metrics: Metrics::new(system.store.clone(), move || counted.rooms_alive()),
            sellers: system.sellers.clone(),
            contracts: system.contracts.clone(),
            payments: system.payments.clone(),
            payees: system.payees.clone(),
            deliveries: system.deliveries.clone(),
            intake,
            secrets: SecretBox::new(secret),
            passes: system.passes.clone(),
            page_key: Arc::new(TokenKey::derive(secret)),
            public_url: OnceLock::new(),
            stopping: CancellationToken::new(),
        }
    }

    /// What addresses in answers, mails and pages begin with, without a slash at its end.
    pub fn public_url(&self) -> &str {
        self.public_url.get().map_or("", String::as_str)
    }

    /// Whether requests are taken.
    pub fn is_ready(&self) -> bool {
        !self.stopping.is_cancelled()
    }

    /// Cancelled when the program is told to end: answers that would go on then stop.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }
}

/// A server that runs until it is shut down.
pub struct Running {
    app: Arc<App>,
    system: Arc<System>,
    server: server::Running,
}

/// Opens the store, starts the rooms and serves them.
///
/// # Errors
/// When the data folder, the key of secrets, the rooms or the address cannot be had; the text
/// says what to do.
pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Running> {
    let folder = settings.data.clone();
    let store = tokio::task::spawn_blocking(move || Store::open(&folder, Options::default()))
        .await
        .context("the store's thread ended")??;
    let secrets = settings.secret_key(Entropy)?;
    let system =
        System::start(store, clock.clone(), secrets.reveal(), system_settings(&settings)).await?;
    let system = Arc::new(system);
    let listener = server::bind(settings.listen)?;
    let app = Arc::new(App::new(settings, clock, &system, secrets.reveal()));
    let server = server::Server::start(Arc::clone(&app), listener)?;
    let url = app.public_url.get_or_init(|| app.settings.public_url(server.addr())).clone();
    let (key, clock) = (Arc::clone(&app.page_key), app.clock.clone());
    app.payments.set_return_address(Box::new(move |seller, payment| {
        let token = key.sign(Purpose::Return, seller, payment, clock.now());
        format!("{url}/return/{token}")
    }));
    Ok(Running { app, system, server })
}

impl Running {
    /// The address that is listened on.
    pub fn addr(&self) -> std::net::SocketAddr {
        self.server.addr()
    }

    /// The parts of the running program.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Answers the requests under way, takes no more, and stops everything in order.
    pub async fn shutdown(self) {
        self.app.stopping.cancel();
        self.server.shutdown().await;
        self.app.intake.stop().await;
        self.system.stop().await;
    }
}

/// The part of the settings that the rooms go by.
pub fn system_settings(settings: &Settings) -> SystemSettings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    let retry = settings.webhooks.retry_seconds.map(RetryDelays);
    SystemSettings {
        demo: settings.demo,
        rooms: RoomSettings {
            idle: seconds(settings.actors.idle_seconds),
            ..RoomSettings::default()
        },
        deliveries: DeliverySettings {
            timeout: seconds(settings.webhooks.timeout_seconds),
            retry_live: retry.unwrap_or(RetryDelays::LIVE),
            retry_demo: retry.unwrap_or(RetryDelays::DEMO),
            private_cidrs: settings.webhooks.private_cidrs.clone(),
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
    }
}
