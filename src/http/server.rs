//! The server: its socket, its connections, and its orderly end.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use actors::entropy::Entropy;
use hyper::body::Incoming;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection;
use super::response::Payload;
use super::router::RouteError;
use crate::metrics::Metrics;

mod places;

pub use super::connection::Patience;
pub use super::tls::acceptor;
use places::{Held, Places};

/// Connections that may wait in the kernel until they are taken.
const ACCEPT_QUEUE: u32 = 1_024;

/// Pause after the system refused a connection, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Routes(#[from] RouteError),
    #[error("cannot listen on {listen}: {source}")]
    Listen { listen: SocketAddr, source: io::Error },
    #[error("the socket cannot be used: {0}")]
    Socket(io::Error),
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub address: IpAddr,
    /// The connection is beyond the bounds: it is there for health and figures alone.
    pub reserved: bool,
    /// It is encrypted.
    pub secure: bool,
}

pub trait Service: Send + Sync + 'static {
    fn answer(
        &self,
        peer: Peer,
        request: hyper::Request<Incoming>,
    ) -> impl Future<Output = hyper::Response<Payload>> + Send;
}

/// How many connections are open at once; a further one is told so and closed.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub connections: usize,
    /// Of one client address; `None` for as many as there are.
    pub of_one_address: Option<usize>,
    /// Networks of proxies, whose connections are those of many clients.
    pub proxies: Vec<IpNet>,
}

pub struct Server<V> {
    pub service: Arc<V>,
    pub metrics: Metrics,
    /// What [`acceptor`] gives; plain HTTP is served without one.
    pub tls: Option<TlsAcceptor>,
    pub patience: Patience,
    pub crowd: Crowd,
    /// What the server waits for when it ends, its connections included.
    pub tasks: TaskTracker,
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

impl<V: Service> Server<V> {
    /// Starts it on `listener`, which [`bind`] gives. Must be called within a tokio runtime.
    pub fn serve(self, listener: TcpListener) -> Result<Running, StartError> {
        let Self { service, metrics, tls, patience, crowd, tasks } = self;
        let addr = listener.local_addr().map_err(StartError::Socket)?;
        let (stop, kill) = (CancellationToken::new(), CancellationToken::new());
        let socket = Socket {
            service,
            metrics,
            listener,
            tls,
            patience,
            places: Arc::new(Places::new(crowd.connections, crowd.of_one_address, crowd.proxies)),
            tasks: tasks.clone(),
            stop: stop.clone(),
            kill: kill.clone(),
        };
        tasks.spawn(socket.accept());
        Ok(Running { addr, stop, kill, tasks, drain: patience.drain })
    }
}

impl Running {
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
            tracing::warn!(
                tasks = self.tasks.len(),
                "requests still under way after the drain time are cut off"
            );
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
pub fn bind(listen: SocketAddr) -> Result<TcpListener, StartError> {
    reserve(listen)?.listen()
}

/// Takes an address before anything else is begun; nobody is let in yet.
pub fn reserve(listen: SocketAddr) -> Result<Reserved, StartError> {
    let bound = || {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(socket)
    };
    let socket = bound().map_err(|source| StartError::Listen { listen, source })?;
    Ok(Reserved { socket, listen })
}

/// An address that is this program's, on which nobody is heard yet.
#[derive(Debug)]
pub struct Reserved {
    socket: TcpSocket,
    listen: SocketAddr,
}

impl Reserved {
    pub fn listen(self) -> Result<TcpListener, StartError> {
        let Self { socket, listen } = self;
        socket.listen(ACCEPT_QUEUE).map_err(|source| StartError::Listen { listen, source })
    }
}

struct Socket<V> {
    service: Arc<V>,
    metrics: Metrics,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    patience: Patience,
    places: Arc<Places>,
    tasks: TaskTracker,
    stop: CancellationToken,
    kill: CancellationToken,
}

impl<V: Service> Socket<V> {
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
        match self.places.take(peer.ip()) {
            Some(place) => self.serve(stream, peer, place),
            None => self.places.refuse(stream, self.tls.is_some(), Entropy),
        }
    }

    fn serve(&self, stream: TcpStream, peer: SocketAddr, place: Held) {
        let (service, tls) = (self.service.clone(), self.tls.clone());
        let reserved = place.is_reserved();
        let patience = if reserved { self.patience.brief() } else { self.patience };
        let (stop, kill) = (self.stop.clone(), self.kill.clone());
        let counted = self.metrics.connection();
        let (address, secure) = (peer.ip().to_canonical(), tls.is_some());
        let peer = Peer { address, reserved, secure };
        let served = async move {
            let _held = (place, counted);
            match tls {
                None => connection::serve(service, stream, peer, patience, stop).await,
                Some(tls) => {
                    let accepted = tokio::select! {
                        biased;
                        accepted = timeout(patience.head, tls.accept(stream)) => accepted,
                        () = connection::last_call(&stop, patience.last_call) => return,
                    };
                    if let Ok(Ok(stream)) = accepted {
                        connection::serve(service, stream, peer, patience, stop).await;
                    }
                }
            }
        };
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = served => {}
                () = kill.cancelled() => {}
            }
        });
    }
}
