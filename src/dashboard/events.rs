//! `GET /dashboard/events`: what happens to the seller, while somebody looks on.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;

use actors::delivery::{events_page, last_event};
use actors::domain::ids::SellerId;
use actors::domain::platform::event::Event;
use actors::domain::platform::person::SessionToken;
use actors::domain::platform::seller::{KeyHash, SellerStatus};
use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use storage::Store;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::gate::cookies::SessionCookie;
use crate::gate::{Request, Route};
use crate::http::event_stream::{COMMENT, COMMENT_EVERY, EventSource};
use crate::http::response::BodyError;
use crate::http::route::document::{Part, Value};
use crate::http::{ApiError, ApiResult, Response};

/// Streams of one session at a time: a browser has few pages open at once. One more ends the
/// oldest, which most often is of a page that was left just now.
const MOST_STREAMS: usize = 5;

/// Events that are sent together.
const STRIDE: usize = 100;

/// How far back a stream goes on. Whoever was away for longer reads anew what is shown.
const MOST_BEHIND: u64 = 1_000;

/// The streams that each session has open, the oldest first.
#[derive(Clone, Default)]
pub struct LiveStreams {
    open: Arc<Mutex<HashMap<KeyHash, VecDeque<Arc<CancellationToken>>>>>,
}

/// One of the streams of a session, until it is dropped.
struct Held {
    streams: LiveStreams,
    session: KeyHash,
    end: Arc<CancellationToken>,
}

/// What a message says of an event. The event itself is at `/events`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    sequence: u64,
    event_type: &'static str,
    object_type: &'static str,
    object_id: u64,
}

struct Following {
    app: Arc<App>,
    seller: SellerId,
    token: SessionToken,
    /// The last event that was told.
    after: u64,
    changed: watch::Receiver<u64>,
    /// When it is looked at the session, and said that the stream is alive.
    look_at: Instant,
    /// What is said before anything else.
    first: Option<Bytes>,
    held: Held,
}

impl LiveStreams {
    /// Takes a place that lasts until `end`.
    fn hold(&self, session: KeyHash, end: CancellationToken) -> Held {
        let end = Arc::new(end);
        let mut open = self.open.lock();
        let streams = open.entry(session).or_default();
        if streams.len() == MOST_STREAMS
            && let Some(oldest) = streams.pop_front()
        {
            oldest.cancel();
        }
        streams.push_back(Arc::clone(&end));
        Held { streams: self.clone(), session, end }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock();
        if let Some(streams) = open.get_mut(&self.session) {
            streams.retain(|end| !Arc::ptr_eq(end, &self.end));
            if streams.is_empty() {
                open.remove(&self.session);
            }
        }
    }
}

async fn events(app: Arc<App>, request: Request) -> ApiResult {
    let seller = request.seller_id();
    let seen = seen(&request)?;
    let token = SessionCookie::Dashboard.presented(&request.headers);
    let token = token.ok_or_else(ApiError::missing)?;
    let held = app.live.hold(request.session(), app.stopping().child_token());
    // Followed first and read afterwards, so that no event falls in between.
    let changed = app.deliveries.follow(seller);
    let last = app.blocking(move |store| last_event(store, seller)).await?;
    let (after, first) = begin(seen, last);
    let following = Following {
        seller,
        token,
        after,
        changed,
        look_at: Instant::now() + COMMENT_EVERY,
        first: Some(first),
        held,
        app,
    };
    Ok(Response::events(following))
}

/// The last event that the browser has seen.
fn seen(request: &Request) -> Result<Option<u64>, ApiError> {
    let Some(text) = request.header("last-event-id").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let malformed = || ApiError::invalid("Last-Event-ID must be a non-negative integer");
    text.parse().map(Some).map_err(|_| malformed())
}

/// Behind which event a stream begins, and what it says first. Who has seen none is told of what
/// comes; who was away for too long, or has seen events that a restored server does not know, is
/// told to read anew.
fn begin(seen: Option<u64>, last: u64) -> (u64, Bytes) {
    match seen {
        Some(seen) if seen <= last && last - seen <= MOST_BEHIND => (seen, COMMENT),
        None => (last, COMMENT),
        Some(_) => (last, reset(last)),
    }
}

/// That what is shown is to be read anew, and what comes next stands behind `last`.
fn reset(last: u64) -> Bytes {
    Bytes::from(format!("event: reset\nid: {last}\ndata: {{\"sequence\":{last}}}\n\n"))
}

impl EventSource for Following {
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        loop {
            if self.held.end.is_cancelled() {
                return Ok(None);
            }
            // Looked at first, so that a session ends however much there is to tell.
            if self.look_at <= Instant::now() {
                self.look_at = Instant::now() + COMMENT_EVERY;
                return Ok(self.is_open()?.then_some(COMMENT));
            }
            if let Some(news) = self.news().await? {
                // Whoever has signed out, or was removed, is told nothing more.
                return Ok(self.is_open()?.then_some(news));
            }
            tokio::select! {
                biased;
                () = self.held.end.cancelled() => return Ok(None),
                () = sleep_until(self.look_at) => {}
                changed = self.changed.changed() => if changed.is_err() {
                    return Ok(None);
                },
            }
        }
    }
}

impl Following {
    /// What came about since the last piece, as far as it fits into one.
    async fn news(&mut self) -> Result<Option<Bytes>, BodyError> {
        let (seller, after, links) = (self.seller, self.after, self.app.links.clone());
        let read = move |store: &Store| {
            let page = events_page(store, &links, seller, after, |_| true, STRIDE)?;
            // More happens than anybody can follow.
            let last = if page.has_more { last_event(store, seller)? } else { page.next };
            Ok((page, last))
        };
        let read = self.app.blocking(read).await;
        let (page, last) = read.map_err(|error| error.text().to_owned())?;
        if last.saturating_sub(after) > MOST_BEHIND {
            self.after = last;
            return Ok(Some(reset(last)));
        }
        self.after = page.next;
        let mut text = String::new();
        for (sequence, event) in &page.events {
            let told = serde_json::to_string(&Told::of(*sequence, event))?;
            let _ = write!(text, "id: {sequence}\ndata: {told}\n\n");
        }
        Ok((!text.is_empty()).then(|| Bytes::from(text)))
    }

    /// Whether the session lasts and its account is there.
    fn is_open(&self) -> Result<bool, BodyError> {
        let holder = self.app.directory.session(&self.token, self.app.clock.now())?;
        Ok(holder.is_some_and(|holder| holder.seller.seller.status != SellerStatus::Inactive))
    }
}

impl Told {
    fn of(sequence: u64, event: &Event) -> Self {
        Self {
            sequence,
            event_type: event.kind.name(),
            object_type: event.object.kind.name(),
            object_id: event.object.id,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/dashboard/events", events)
            .summary("Follow what happens")
            .describe(
                "Server-sent events, by the session's cookie: each event of the seller as \
                 `{sequence, eventType, objectType, objectId}` under its sequence as `id`, from \
                 now on, or behind `Last-Event-ID`. A browser that is more than 1,000 events behind is \
                 sent one `reset`, and reads anew what it shows. A session has at most 5 streams: \
                 one more ends the oldest. A stream ends with its session, or with the server.",
            )
            .asks(
                Part::OptionalHeader,
                "Last-Event-ID",
                Value::Cursor,
                "The `id` of the last event that was seen; a browser sends it by itself.",
            )
            .answer_as(200, "text/event-stream", "The stream.")
            .refuses(400, "`Last-Event-ID` is malformed."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_goes_on_where_the_browser_was_unless_that_is_too_far_back() {
        let begins = |seen, last| {
            let (after, first) = begin(seen, last);
            (after, first != COMMENT)
        };
        assert_eq!(begins(None, 7), (7, false));
        assert_eq!(begins(Some(3), 7), (3, false));
        assert_eq!(begins(Some(7), 7), (7, false));
        assert_eq!(begins(Some(0), 1_000), (0, false));
        assert_eq!(begins(Some(0), 1_001), (1_001, true));
        assert_eq!(begins(Some(8), 7), (7, true));
    }

    #[test]
    fn one_stream_too_many_ends_the_oldest_of_its_session_alone() {
        let (streams, session) = (LiveStreams::default(), KeyHash::of("session"));
        let hold = |session| streams.hold(session, CancellationToken::new());
        let other = hold(KeyHash::of("other"));
        let mut held: Vec<Held> = (0..=MOST_STREAMS).map(|_| hold(session)).collect();
        let ended: Vec<bool> = held.iter().map(|held| held.end.is_cancelled()).collect();
        assert_eq!(ended, [true, false, false, false, false, false]);
        assert!(!other.end.is_cancelled());
        // Those that have ended give no place of others back.
        held.remove(0);
        held.push(hold(session));
        assert!(held[0].end.is_cancelled());
        held.clear();
        drop(other);
        assert!(streams.open.lock().is_empty());
    }
}
