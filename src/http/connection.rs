//! One connection: its protocol, and how long it may be slow or silent.

mod answer;
mod patience;
mod stream;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::Version;
use hyper::body::Incoming;
use hyper::header::{HeaderValue, STRICT_TRANSPORT_SECURITY};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use self::answer::Answer;
use self::stream::Watched;
use super::server::{Peer, Service};

pub use self::patience::Patience;
pub(super) use self::patience::last_call;

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

/// Bytes of each answer that waits which a client has to take within its patience. A connection
/// takes them together: what it takes of one answer counts for the others.
const LEAST_TAKEN: u64 = 64 * 1024;

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
    let io = TokioIo::new(Watched::new(stream, signs.clone(), peer.secure));
    let answering = service_fn(|request: hyper::Request<Incoming>| {
        let (service, signs) = (service.clone(), signs.clone());
        let under_way = signs.begin(request.version());
        async move {
            let mut response = service.answer(peer, request).await;
            if peer.secure {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
            }
            let response = response.map(|payload| Answer::new(payload, &signs, &patience));
            drop(under_way);
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let builder = builder(peer);
    let mut connection = pin!(builder.serve_connection(io, answering));
    let mut stopped = pin!(stop.cancelled());
    let mut called = pin!(last_call(&stop, patience.last_call));
    let mut is_called = false;
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
            () = called.as_mut(), if !is_called => {
                is_called = true;
                // No other begins behind this moment.
                if signs.has_half_a_head() {
                    return;
                }
            }
            _ = tick.tick() => match watch.look(&signs, &patience) {
                Seen::Slow => return,
                Seen::Idle if ending => return,
                // A client of HTTP/2 is told, and waited for until the next look: of a request
                // that it sends at this moment it has to know whether it was taken.
                seen => {
                    let is_over = seen == Seen::Idle || peer.reserved && signs.has_begun();
                    if is_over && !ending {
                        ending = true;
                        connection.as_mut().graceful_shutdown();
                    }
                }
            },
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
    /// Answers of which something waits to be sent, and the bytes that were sent of answers.
    waiting: AtomicU32,
    taken: AtomicU64,
    /// By when each of the answers that wait and take room in memory has to be taken.
    ends: Mutex<Vec<Instant>>,
    /// Answers that are made piece by piece and not at their end.
    streams: AtomicU32,
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

    /// Whether a request has come at all.
    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > 0
    }

    /// Whether a request has begun and is not here, and nothing else is under way.
    fn has_half_a_head(&self) -> bool {
        let is_busy = self.under_way.load(Ordering::Relaxed) > 0 || self.is_answering();
        self.head_begun.load(Ordering::Relaxed) && !is_busy && !self.is_http2()
    }

    /// Whether something is on its way to the client, or will be.
    fn is_answering(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) + self.streams.load(Ordering::Relaxed) > 0
    }

    fn is_http2(&self) -> bool {
        self.is_http2.load(Ordering::Relaxed)
    }

    /// Whether an answer has waited for longer than its size allows.
    fn is_overdue(&self) -> bool {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.iter().min().is_some_and(|first| *first < Instant::now())
    }

    fn owe(&self, end: Instant) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    }

    fn settle(&self, end: Instant) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        // Which of those of one moment goes is the same.
        if let Some(place) = ends.iter().position(|other| *other == end) {
            ends.swap_remove(place);
        }
    }

    fn read(&self) {
        self.moved.store(true, Ordering::Relaxed);
        if self.under_way.load(Ordering::Relaxed) == 0 {
            self.head_begun.store(true, Ordering::Relaxed);
        }
    }

    fn wrote(&self) {
        self.moved.store(true, Ordering::Relaxed);
    }
}

struct UnderWay(Arc<Signs>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the watch finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It is used, or was a short while ago.
    Used,
    /// Nobody has asked for anything for long, or for something whose head does not come to an end.
    Idle,
    /// What was answered is not taken.
    Slow,
}

/// How long a connection has been silent, slow with a head, or slow to take what is answered, in
/// ticks.
#[derive(Debug, Default)]
struct Watch {
    silent: u32,
    slow: u32,
    begun: u32,
    full: u32,
    taken: u64,
}

impl Watch {
    fn look(&mut self, signs: &Signs, patience: &Patience) -> Seen {
        let busy = signs.under_way.load(Ordering::Relaxed) > 0;
        let begun = signs.begun.load(Ordering::Relaxed);
        let fresh = std::mem::replace(&mut self.begun, begun) != begun;

        let moved = signs.moved.swap(false, Ordering::Relaxed);
        // The pings of HTTP/2 move bytes for nobody. Who takes a stream may pause over any protocol.
        let used = if signs.is_http2() { fresh } else { moved };
        let used = used || busy || signs.is_answering();
        self.silent = if used { 0 } else { self.silent.saturating_add(1) };

        let head = signs.head_begun.load(Ordering::Relaxed) && !busy && !fresh;
        let head = head && !signs.is_http2();
        self.slow = if head { self.slow.saturating_add(1) } else { 0 };

        let never_spoke = begun == 0;
        let silence = if never_spoke { patience.head } else { patience.idle };
        // Before its first request a connection of HTTP/2 looks like one with a slow head.
        let is_idle =
            patience.tick() * self.silent > silence || patience.tick() * self.slow > patience.head;
        let is_slow =
            patience.tick() * self.takes_too_little(signs) > patience.taking || signs.is_overdue();
        match is_idle {
            _ if is_slow => Seen::Slow,
            true => Seen::Idle,
            false => Seen::Used,
        }
    }

    /// For how long a client has let answers wait and took too little of them. What else moves,
    /// such as the pings of HTTP/2, does not count.
    fn takes_too_little(&mut self, signs: &Signs) -> u32 {
        let taken = signs.taken.load(Ordering::Relaxed);
        let waiting = u64::from(signs.waiting.load(Ordering::Relaxed));
        if waiting == 0 || taken - self.taken >= waiting * LEAST_TAKEN {
            (self.full, self.taken) = (0, taken);
        } else {
            self.full = self.full.saturating_add(1);
        }
        self.full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_not_taken_for_long_makes_no_idle_connection() {
        let (signs, patience) = (Arc::new(Signs::default()), Patience::default());
        drop(signs.begin(Version::HTTP_11));
        let mut watch = Watch::default();
        let mut looks = || (0..1_000).map(|_| watch.look(&signs, &patience)).collect::<Vec<_>>();
        signs.streams.store(1, Ordering::Relaxed);
        assert!(looks().iter().all(|seen| *seen == Seen::Used));
        signs.streams.store(0, Ordering::Relaxed);
        assert!(looks().ends_with(&[Seen::Idle]));
    }
}
