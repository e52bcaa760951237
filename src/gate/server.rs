//! The server of this program: its routes behind its pipeline.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

use super::Route;
use super::capacity::{Admitted, Capacity};
use super::document::{ABOUT, complete};
use super::pipeline::Pipeline;
use crate::app::App;
use crate::http::server::{Crowd, Patience, Running, StartError};
use crate::http::{self, Router};

pub struct Server {
    app: Arc<App>,
    routes: Vec<Route>,
    patience: Patience,
    capacity: Capacity,
    tls: Option<TlsAcceptor>,
}

impl Server {
    pub fn new(app: Arc<App>, routes: Vec<Route>) -> Self {
        let (patience, capacity) = (Patience::default(), Capacity::default());
        Self { app, routes, patience, capacity, tls: None }
    }

    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// It speaks HTTPS if there is an acceptor, which [`http::server::acceptor`] gives.
    #[must_use]
    pub fn tls(mut self, tls: Option<TlsAcceptor>) -> Self {
        self.tls = tls;
        self
    }

    #[must_use]
    pub fn capacity(mut self, capacity: Capacity) -> Self {
        self.capacity = capacity;
        self
    }

    /// Starts it on `listener`, which [`http::server::bind`] gives. Must be called within a tokio
    /// runtime.
    pub fn serve(self, listener: TcpListener) -> Result<Running, StartError> {
        let Self { app, routes, patience, capacity, tls } = self;
        for route in &routes {
            route.check()?;
        }
        let router = Router::new(routes.into_iter().map(complete).collect(), &ABOUT)?;
        let metrics = app.metrics.clone();
        let limits = &app.settings.limits;
        let admitted = Admitted::new(capacity, &app);
        let of_one_address = limits.connections_per_address as usize;
        let crowd = Crowd {
            connections: capacity.connections,
            of_one_address: (of_one_address > 0).then_some(of_one_address),
            proxies: app.settings.trusted_proxies.clone(),
        };
        let tasks = TaskTracker::new();
        let service = Arc::new(Pipeline {
            app,
            router: Arc::new(router),
            admitted,
            tasks: tasks.clone(),
            patience,
        });
        http::Server { service, metrics, tls, patience, crowd, tasks }.serve(listener)
    }
}
