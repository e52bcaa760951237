//! The program as a whole: its store, its rooms and the server in front of them.

use std::net::SocketAddr;
use std::sync::Arc;

use actors::clock::Clock;
use actors::entropy::Entropy;
use actors::system::System;
use actors::tables::shard_of;
use anyhow::Context as _;
use storage::{IndexOptions, Options, Store};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::api::billing::usage::csv;
use crate::app::{App, system_settings};
use crate::config::{Settings, StoreSettings};
use crate::gate::{Capacity, Server};
use crate::http::server;
use crate::mail;
use crate::memory;
use crate::open_files;
use crate::operations::{FIGURES_PATH, figures as figures_alone};
use crate::routes::routes;
use crate::secrets;
use crate::signed_link::Purpose;

/// What the store takes of the memory unless told: an eighth for rows, a thirty-second for
/// filters, and enough of each on a small machine.
const CACHE_PART: u64 = 8;
const FILTER_PART: u64 = 32;
const LEAST_SHARE_MIB: u64 = 64;

/// Connections to the figures where these have an address of their own.
const FIGURES_CONNECTIONS: usize = 32;

/// Where the program is reached, all of it taken before anything acts by itself.
struct Doors {
    capacity: Capacity,
    tls: Option<TlsAcceptor>,
    listener: TcpListener,
    figures: Option<TcpListener>,
}

pub struct Running {
    app: Arc<App>,
    system: Arc<System>,
    server: server::Running,
    /// Where the figures are, if that is an address of their own.
    figures: Option<server::Running>,
}

/// Opens the store, starts the rooms and serves them. What acts by itself begins once nothing of
/// the settings can refuse the start any more, and is stopped in order where something else does.
pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Running> {
    let capacity = Capacity::with_connections(open_files::for_connections()?);
    let tls = server::acceptor(&settings.tls)?;
    let listen = server::reserve(settings.listen)?;
    let figures = settings.metrics_listen.map(server::reserve).transpose()?;
    let open = move || {
        let store = Store::open(&settings.data, store_options(&settings.store))?;
        let secrets = secrets::key_of(&store, &settings, Entropy)?;
        anyhow::Ok((store, settings, secrets))
    };
    let opened = tokio::task::spawn_blocking(open).await;
    let (store, settings, secrets) = opened.context("the store's thread ended")??;
    let mut of_system = system_settings(&settings);
    of_system.mail.carrier = settings.smtp.as_ref().map(mail::carrier).transpose()?;
    let figures = figures.map(server::Reserved::listen).transpose()?;
    let doors = Doors { capacity, tls, listener: listen.listen()?, figures };
    let system = System::start(store, clock.clone(), secrets.reveal(), of_system).await?;
    let system = Arc::new(system);
    let read_row = Arc::new(csv::read_row);
    let app = Arc::new(App::new(settings, clock, &system, secrets.reveal(), read_row));
    match serve(&app, doors) {
        Ok((server, figures)) => Ok(Running { app, system, server, figures }),
        Err(error) => {
            app.intake.stop().await;
            system.stop().await;
            Err(error)
        }
    }
}

/// Lets callers in: the server, and that of the figures if these have an address of their own.
fn serve(
    app: &Arc<App>,
    doors: Doors,
) -> anyhow::Result<(server::Running, Option<server::Running>)> {
    let Doors { capacity, tls, listener, figures } = doors;
    app.limiter.recall_mints(app.settings.limits.sandbox_per_hour)?;
    let url = app.listens_on(listener.local_addr()?).to_owned();
    let (key, clock) = (Arc::clone(&app.page_key), app.clock.clone());
    app.payments.set_return_address(Box::new(move |seller, payment| {
        let token = key.sign(Purpose::Return, seller, payment, clock.now());
        format!("{url}/return/{token}")
    }));
    let mut all = routes();
    if figures.is_some() {
        all.retain(|route| route.path() != FIGURES_PATH);
    }
    let server = Server::new(Arc::clone(app), all).capacity(capacity).tls(tls).serve(listener)?;
    let alone = |listener: TcpListener| {
        let few = Capacity::with_connections(FIGURES_CONNECTIONS);
        Server::new(Arc::clone(app), figures_alone()).capacity(few).serve(listener)
    };
    let figures = figures.map(alone).transpose()?;
    if let Some(figures) = &figures {
        tracing::info!(address = %figures.addr(), "the figures have an address of their own");
    }
    Ok((server, figures))
}

pub(crate) fn store_options(settings: &StoreSettings) -> Options {
    const MIB: u64 = 1024 * 1024;
    let memory = memory::mib();
    let bytes = |given: Option<u32>, part: u64| {
        given.map_or((memory / part).max(LEAST_SHARE_MIB), u64::from) * MIB
    };
    let filter_bytes = bytes(settings.filter_mib, FILTER_PART);
    Options {
        cache_bytes: bytes(settings.cache_mib, CACHE_PART),
        journal_bytes: u64::from(settings.journal_mib) * MIB,
        clock: || Clock::wall().now().micros().unsigned_abs(),
        archive: settings.archive.clone(),
        free_bytes: u64::from(settings.free_mib) * MIB,
        shard_of: Some(shard_of),
        index: IndexOptions { filter_bytes, ..IndexOptions::default() },
        ..Options::default()
    }
}

impl Running {
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// Where `/metrics` is, if that is an address of its own.
    pub fn figures_addr(&self) -> Option<SocketAddr> {
        self.figures.as_ref().map(server::Running::addr)
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Answers the requests under way, takes no more, and stops everything in order.
    pub async fn shutdown(self) {
        let Self { app, system, server, figures } = self;
        app.begin_stopping();
        // One reader who does not read holds up the end once.
        let figures = async {
            match figures {
                Some(figures) => figures.shutdown().await,
                None => true,
            }
        };
        tokio::join!(server.shutdown(), figures);
        app.intake.stop().await;
        system.stop().await;
    }
}
