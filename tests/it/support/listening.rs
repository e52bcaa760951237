//! Servers on loopback that a test answers for.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// Listens on a free port: `take` answers each request. It ends when the task is aborted.
pub(crate) async fn listen<S, F, A, E>(
    state: &Arc<Mutex<S>>,
    take: F,
) -> (SocketAddr, JoinHandle<()>)
where
    S: Send + 'static,
    F: Fn(Arc<Mutex<S>>, Request<Incoming>) -> A + Copy + Send + 'static,
    A: Future<Output = Result<Response<Full<Bytes>>, E>> + Send + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let kept = Arc::clone(state);
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let state = Arc::clone(&kept);
            let service = service_fn(move |request| take(Arc::clone(&state), request));
            connections.spawn(async move {
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (address, task)
}
