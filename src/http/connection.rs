//! One connection: its protocol, and how long it may be slow or silent.

mod stream;
mod watch;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{HeaderValue, STRICT_TRANSPORT_SECURITY};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use self::stream::Watched;
use self::watch::{Signs, Watch};
use super::server::{Patience, Peer, Service};

/// Requests of one HTTP/2 connection that may be under way at once.
const MAX_STREAMS: u32 = 64;

/// Bytes of bodies that a client may send over HTTP/2 before somebody reads them: of one request,
/// and of all requests of a connection.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Bytes of a request's head over HTTP/1, and the size its buffers grow to.
const MAX_BUFFER_BYTES: usize = 64 * 1024;

/// Bytes of a request's head over HTTP/2.
const MAX_HEADER_BYTES: u32 = 16 * 1024;

/// Browsers that came over HTTPS once come so for a year.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Serves `stream` until its end, a time-out, or `stop`: then the requests under way are
/// answered and no more are taken.
pub(super) async fn serve<V, S>(
    service: Arc<V>,
    stream: S,
    peer: Peer,
    patience: Patience,
    stop: CancellationToken,
) where
    V: Service,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let signs = Arc::new(Signs::default());
    let io = TokioIo::new(Watched::new(stream, signs.clone()));
    let answering = service_fn(|request: hyper::Request<Incoming>| {
        let (service, under_way) = (service.clone(), signs.begin(request.version()));
        async move {
            let mut response = service.answer(peer, request).await;
            if peer.secure {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
            }
            drop(under_way);
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let builder = builder(peer);
    let mut connection = pin!(builder.serve_connection(io, answering));
    let mut stopped = pin!(stop.cancelled());
    let mut tick = interval(patience.tick());
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watch = Watch::default();
    let mut ending = false;
    loop {
        tokio::select! {
            biased;
            // How a connection ends is between its two ends: resets are everyday.
            _ = connection.as_mut() => return,
            () = stopped.as_mut(), if !ending => {
                ending = true;
                connection.as_mut().graceful_shutdown();
            }
            _ = tick.tick() => {
                if watch.has_lost_patience(&signs, &patience) {
                    return;
                }
                if peer.reserved && signs.has_begun() && !ending {
                    ending = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

fn builder(peer: Peer) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    // The watch below tells a slow head from an idle connection, which hyper's timer does not.
    // An answer is sent when it is ready: hyper's `pipeline_flush` would hold it back while
    // anything that is no request yet lies behind the one it belongs to.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(MAX_BUFFER_BYTES)
        .half_close(true)
        .keep_alive(!peer.reserved);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(MAX_HEADER_BYTES)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}
