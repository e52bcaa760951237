//! The server: its socket, its connections, and its orderly end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection;
use super::door::Door;
use super::route::Route;
use super::router::{RouteError, Router};
use super::tls;
use crate::app::App;

mod bounds;
mod full;

pub use bounds::{Capacity, Patience};

/// Connections that may wait in the kernel until they are taken.
const ACCEPT_QUEUE: u32 = 1_024;

/// Pause after the system refused a connection, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The routes cannot be served.
    #[error(transparent)]
    Routes(#[from] RouteError),
    /// The address cannot be listened on.
    #[error("cannot listen on {listen}: {source}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The socket has no address.
    #[error("the socket cannot be used: {0}")]
    Socket(io::Error),
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

/// A server before it runs.
pub struct Server {
    app: Arc<App>,
    routes: Vec<Route>,
    patience: Patience,
    capacity: Capacity,
}

/// A server that runs until it is shut down.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    stop: CancellationToken,
    kill: CancellationToken,
    tasks: TaskTracker,
    drain: Duration,
}

impl Server {
    /// Starts a server of all routes on `listener`, which [`bind`] gives.
    ///
    /// # Errors
    /// When the routes or the certificate cannot be used.
    pub fn start(app: Arc<App>, listener: TcpListener) -> Result<Running, StartError> {
        Self::new(app, crate::routes::routes()).serve(listener)
    }

    /// A server of `routes`.
    pub fn new(app: Arc<App>, routes: Vec<Route>) -> Self {
        Self { app, routes, patience: Patience::default(), capacity: Capacity::default() }
    }

    /// The same with other time-outs.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// The same with another capacity.
    #[must_use]
    pub fn capacity(mut self, capacity: Capacity) -> Self {
        self.capacity = capacity;
        self
    }

    /// Starts it on `listener`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn serve(self, listener: TcpListener) -> Result<Running, StartError> {
        let Self { app, routes, patience, capacity } = self;
        let router = Arc::new(Router::new(routes)?);
        let tls = tls::acceptor(&app.settings.tls)?;
        let addr = listener.local_addr().map_err(StartError::Socket)?;
        let tasks = TaskTracker::new();
        let (stop, kill) = (CancellationToken::new(), CancellationToken::new());
        let door = Arc::new(Door {
            app,
            router,
            in_flight: Arc::new(Semaphore::new(capacity.in_flight)),
            commit_backlog: capacity.commit_backlog,
            tasks: tasks.clone(),
            body_patience: patience.body,
        });
        let socket = Socket {
            door,
            listener,
            tls,
            patience,
            connections: Arc::new(Semaphore::new(capacity.connections)),
            stop: stop.clone(),
            kill: kill.clone(),
        };
        tasks.spawn(socket.accept());
        Ok(Running { addr, stop, kill, tasks, drain: patience.drain })
    }
}

impl Running {
    /// The address it listens on, with the port it got.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Takes no more connections and requests, answers those under way, and ends; what is not
    /// answered after [`Patience::drain`] is cut off. Says whether all were answered.
    pub async fn shutdown(self) -> bool {
        self.stop.cancel();
        self.tasks.close();
        let drained = timeout(self.drain, self.tasks.wait()).await.is_ok();
        if !drained {
            tracing::warn!(tasks = self.tasks.len(), "requests under way are cut off");
        }
        self.kill.cancel();
        drained
    }
}

/// A running server ends with its handle, without waiting.
impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        self.kill.cancel();
    }
}

/// A socket on `listen`; port 0 takes any that is free. Connections wait in it until it is
/// served. Must be called within a tokio runtime.
///
/// # Errors
/// When the address cannot be had.
pub fn bind(listen: SocketAddr) -> Result<TcpListener, StartError> {
    let bound = || {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        socket.listen(ACCEPT_QUEUE)
    };
    bound().map_err(|source| StartError::Listen { listen, source })
}

/// The socket and what every connection is given.
struct Socket {
    door: Arc<Door>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    patience: Patience,
    connections: Arc<Semaphore>,
    stop: CancellationToken,
    kill: CancellationToken,
}

impl Socket {
    async fn accept(self) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream, peer: SocketAddr) {
        // Answers are written whole: waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
        match self.connections.clone().try_acquire_owned() {
            Ok(permit) => self.serve(stream, peer, permit),
            Err(_) => full::refuse(stream, self.tls.is_some(), self.door.app.entropy),
        }
    }

    fn serve(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        let (door, tls, patience) = (self.door.clone(), self.tls.clone(), self.patience);
        let (stop, kill) = (self.stop.clone(), self.kill.clone());
        let counted = self.door.app.metrics.connection();
        let peer = peer.ip().to_canonical();
        let served = async move {
            let _held = (permit, counted);
            match tls {
                None => connection::serve(door, stream, peer, patience, stop).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(patience.head, tls.accept(stream)).await {
                        connection::serve(door, stream, peer, patience, stop).await;
                    }
                }
            }
        };
        self.door.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = served => {}
                () = kill.cancelled() => {}
            }
        });
    }
}
