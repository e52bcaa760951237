//! One connection: its protocol, and how long it may be slow or silent.

use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::server::{Patience, Service};

/// Requests of one HTTP/2 connection that may be under way at once.
const MAX_STREAMS: u32 = 128;

/// Bytes of a request's head over HTTP/1, and the size its buffers grow to.
const MAX_BUFFER_BYTES: usize = 64 * 1024;

/// Bytes of a request's head over HTTP/2.
const MAX_HEADER_BYTES: u32 = 32 * 1024;

/// Serves `stream` until its end, a time-out, or `stop`: then the requests under way are
/// answered and no more are taken.
pub(super) async fn serve<V, S>(
    service: Arc<V>,
    stream: S,
    peer: IpAddr,
    patience: Patience,
    stop: CancellationToken,
) where
    V: Service,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let signs = Arc::new(Signs::default());
    let io = TokioIo::new(Watched { stream, signs: signs.clone() });
    let answering = service_fn(|request: hyper::Request<Incoming>| {
        let (service, under_way) = (service.clone(), signs.begin(request.version()));
        async move {
            let response = service.answer(peer, request).await;
            drop(under_way);
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let builder = builder();
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
            }
        }
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    // The watch below tells a slow head from an idle connection, which hyper's timer does not.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(MAX_BUFFER_BYTES)
        .pipeline_flush(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_BYTES)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

/// What can be seen of a connection from outside its protocol.
#[derive(Debug, Default)]
struct Signs {
    /// Bytes have gone in or out since the watch last looked.
    moved: AtomicBool,
    /// Bytes have come in while no request was under way: a head has begun.
    head_begun: AtomicBool,
    /// The connection speaks HTTP/2, where bytes between requests are no head.
    is_http2: AtomicBool,
    under_way: AtomicU32,
    begun: AtomicU32,
}

impl Signs {
    fn begin(self: &Arc<Self>, version: Version) -> UnderWay {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.under_way.fetch_add(1, Ordering::Relaxed);
        self.head_begun.store(false, Ordering::Relaxed);
        if version == Version::HTTP_2 {
            self.is_http2.store(true, Ordering::Relaxed);
        }
        UnderWay(self.clone())
    }

    fn read(&self) {
        self.moved.store(true, Ordering::Relaxed);
        if self.under_way.load(Ordering::Relaxed) == 0 {
            self.head_begun.store(true, Ordering::Relaxed);
        }
    }
}

struct UnderWay(Arc<Signs>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long a connection has been silent, or slow with a head, in ticks.
#[derive(Debug, Default)]
struct Watch {
    silent: u32,
    slow: u32,
    begun: u32,
}

impl Watch {
    fn has_lost_patience(&mut self, signs: &Signs, patience: &Patience) -> bool {
        let busy = signs.under_way.load(Ordering::Relaxed) > 0;
        let moved = signs.moved.swap(false, Ordering::Relaxed);
        self.silent = if busy || moved { 0 } else { self.silent.saturating_add(1) };

        let begun = signs.begun.load(Ordering::Relaxed);
        let fresh = std::mem::replace(&mut self.begun, begun) != begun;
        let http2 = signs.is_http2.load(Ordering::Relaxed);
        let head = signs.head_begun.load(Ordering::Relaxed) && !busy && !fresh && !http2;
        self.slow = if head { self.slow.saturating_add(1) } else { 0 };

        let never_spoke = begun == 0;
        let silence = if never_spoke { patience.head } else { patience.idle };
        patience.tick() * self.silent > silence || patience.tick() * self.slow > patience.head
    }
}

/// A stream that leaves signs of what moves on it.
struct Watched<S> {
    stream: S,
    signs: Arc<Signs>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut this.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            this.signs.read();
        }
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.wrote(outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.wrote(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

impl<S> Watched<S> {
    fn wrote(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(1..)) = outcome {
            self.signs.moved.store(true, Ordering::Relaxed);
        }
        outcome
    }
}
