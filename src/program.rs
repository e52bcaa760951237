//! The program as a whole: its store, its rooms and the server in front of them.

use std::net::SocketAddr;
use std::sync::Arc;

use actors::clock::Clock;
use actors::entropy::Entropy;
use actors::system::System;
use anyhow::Context as _;
use storage::{Options, Store};

use crate::api::billing::usage::csv;
use crate::app::{App, system_settings};
use crate::config::Settings;
use crate::gate::Server;
use crate::http::server;
use crate::routes::routes;
use crate::signed_link::Purpose;

pub struct Running {
    app: Arc<App>,
    system: Arc<System>,
    server: server::Running,
}

/// Opens the store, starts the rooms and serves them.
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
    let read_row = Arc::new(csv::read_row);
    let app = Arc::new(App::new(settings, clock, &system, secrets.reveal(), read_row));
    app.limiter.recall_mints(app.settings.limits.sandbox_per_hour)?;
    let server = Server::new(Arc::clone(&app), routes()).serve(listener)?;
    let url = app.listens_on(server.addr()).to_owned();
    let (key, clock) = (Arc::clone(&app.page_key), app.clock.clone());
    app.payments.set_return_address(Box::new(move |seller, payment| {
        let token = key.sign(Purpose::Return, seller, payment, clock.now());
        format!("{url}/return/{token}")
    }));
    Ok(Running { app, system, server })
}

impl Running {
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Answers the requests under way, takes no more, and stops everything in order.
    pub async fn shutdown(self) {
        self.app.begin_stopping();
        self.server.shutdown().await;
        self.app.intake.stop().await;
        self.system.stop().await;
    }
}
