//! A seller's server on loopback that records the requests it gets.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How a path answers; `200` unless another reply is set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    Status(u16),
    RedirectTo(&'static str),
    After(Duration, u16),
    /// `200`, once [`Receiver::release`] is called.
    WhenReleased,
    Never,
}

#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) path: String,
    pub(super) headers: HashMap<String, String>,
    pub(super) body: Bytes,
}

#[derive(Clone)]
pub(super) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<HashMap<String, Reply>>,
    taken: Mutex<Vec<Taken>>,
    connections: AtomicUsize,
    released: CancellationToken,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn reply(&self, path: &str, reply: Reply) {
        self.shared.replies.lock().insert(path.to_owned(), reply);
    }

    /// Lets every request go that waits for it, and all later ones.
    pub(super) fn release(&self) {
        self.shared.released.cancel();
    }

    pub(super) fn taken(&self) -> Vec<Taken> {
        self.shared.taken.lock().clone()
    }

    pub(super) fn count(&self, path: &str) -> usize {
        self.shared.taken.lock().iter().filter(|taken| taken.path == path).count()
    }

    pub(super) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = shared.clone();
        let service = service_fn(move |request| answer(shared.clone(), request));
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    shared.taken.lock().push(Taken { path: path.clone(), headers, body });
    let reply = shared.replies.lock().get(&path).copied().unwrap_or(Reply::Status(200));
    let response = Response::builder();
    let response = match reply {
        Reply::Status(status) => response.status(status),
        Reply::RedirectTo(location) => response.status(302).header("location", location),
        Reply::After(time, status) => {
            tokio::time::sleep(time).await;
            response.status(status)
        }
        Reply::WhenReleased => {
            shared.released.cancelled().await;
            response
        }
        Reply::Never => std::future::pending().await,
    };
    Ok(response.body(Full::new(Bytes::from_static(b"ok"))).unwrap())
}
