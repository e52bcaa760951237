use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actors::clock::Clock;
use actors::domain::ids::{ApiKeyId, SellerId};
use actors::domain::platform::seller::{
    ApiKeyRecord, KeyHash, Mode, NewSeller, Scopes, SellerStatus,
};
use actors::domain::time::Timestamp;
use actors::system::System;
use actors::tables::{API_KEYS, SELLERS};
use futures::future::{Ready, ready};
use hyper::StatusCode;
use storage::testing::TempStore;
use storage::{Batch, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::app::{App, system_settings};
use crate::config::Settings;
use crate::gate::{Capacity, Request, Route, Server};
use crate::http::server::{Patience, Running, acceptor, bind};
use crate::http::{ApiResult, Response};

/// A server with its store.
pub(super) struct House {
    pub(super) server: Running,
    pub(super) app: Arc<App>,
    _system: Arc<System>,
    pub(super) store: TempStore,
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

/// Time-outs that a test can wait for.
pub(super) const HASTE: Patience = Patience {
    head: Duration::from_millis(200),
    body: Duration::from_millis(300),
    idle: Duration::from_millis(600),
    taking: Duration::from_millis(600),
    pace: 32 * 1024,
    drain: Duration::from_millis(500),
    last_call: Duration::from_millis(100),
};

pub(super) async fn open(routes: Vec<Route>, patience: Patience, flags: &[(&str, &str)]) -> House {
    open_with(routes, patience, Capacity::default(), flags).await
}

pub(super) async fn open_with(
    routes: Vec<Route>,
    patience: Patience,
    capacity: Capacity,
    flags: &[(&str, &str)],
) -> House {
    let store = TempStore::new();
    add_sellers(store.store());
    let flags = flags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let settings =
        Settings::load(None, std::iter::empty(), flags.collect()).expect("valid settings");
    let tls = acceptor(&settings.tls).expect("a certificate and its key");
    let clock = Clock::wall();
    let rooms = system_settings(&settings);
    let system = System::start(store.store().clone(), clock.clone(), &[7; 32], rooms).await;
    let system = Arc::new(system.expect("started"));
    let listener = bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let read_row = Arc::new(crate::api::billing::usage::csv::read_row);
    let app = Arc::new(App::new(settings, clock, &system, &[7; 32], read_row));
    let server = Server::new(app.clone(), routes).patience(patience).capacity(capacity).tls(tls);
    let server = server.serve(listener).expect("started");
    House { server, app, _system: system, store }
}

/// Sellers by their tokens: `open`, `second` and `third` may come in, the account of `shut` is not
/// active.
fn add_sellers(store: &Store) {
    let mut batch = Batch::new();
    let now = Timestamp::from_micros(0);
    for (id, token, status) in [
        (1, "open", SellerStatus::Active),
        (2, "shut", SellerStatus::Inactive),
        (3, "second", SellerStatus::Active),
        (4, "third", SellerStatus::Active),
    ] {
        let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
        let mut seller = new.live(SellerId(id), uuid::Uuid::nil(), 1_000_000 + id, now);
        seller.status = status;
        let mode = Mode::Live;
        let (seller_id, scopes) = (SellerId(id), Scopes::ALL);
        let key =
            ApiKeyRecord { seller: seller_id, id: ApiKeyId(id), expires_at: None, mode, scopes };
        batch.put(SELLERS, &SellerId(id), &seller);
        batch.put(API_KEYS, &KeyHash::of(token), &key);
    }
    store.write_blocking(batch).expect("written");
}

/// A handler that answers with what `make` makes of the request.
pub(super) fn answering(
    make: impl Fn(&Request) -> Response + Clone + Send + Sync + 'static,
) -> impl Fn(Arc<App>, Request) -> Ready<ApiResult> + Clone + Send + Sync + 'static {
    move |_, request| ready(Ok(make(&request)))
}

/// The requests of a route that says when one has come, and answers when it is told to.
#[derive(Clone, Default)]
pub(super) struct Calls {
    pub(super) come: Arc<Notify>,
    pub(super) go: Arc<Notify>,
    pub(super) done: Arc<AtomicUsize>,
}

impl Calls {
    pub(super) async fn answer(self) -> ApiResult {
        self.come.notify_one();
        self.go.notified().await;
        self.done.fetch_add(1, Ordering::SeqCst);
        Ok(Response::text(StatusCode::OK, "done"))
    }
}

/// Such a route, when a request has come, and by what it is told to answer.
pub(super) fn waiting() -> (Route, Arc<Notify>, Arc<Notify>) {
    let calls = Calls::default();
    let (come, go) = (calls.come.clone(), calls.go.clone());
    (Route::get("/wait", move |_, _| calls.clone().answer()), come, go)
}

/// Sends `text` on a connection of its own and hears the answer to its end.
pub(super) async fn say(addr: SocketAddr, text: &str) -> Heard {
    let mut stream = TcpStream::connect(addr).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all).await;
    parse(&String::from_utf8(all).expect("text"))
}

/// One request with these header lines and this body, closing the connection.
pub(super) async fn ask(house: &House, line: &str, headers: &[&str], body: &str) -> Heard {
    let mut text = format!("{line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if !body.is_empty() {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    say(house.server.addr(), &text).await
}

/// Asks until there is a place for it.
pub(super) async fn ask_until_taken(house: &House, line: &str) -> Heard {
    ask_until(house, line, &[], "", |heard| heard.status != 503).await
}

/// Asks until what was held is given back, so that the answer is as it is to be; for a minute.
pub(super) async fn ask_until(
    house: &House,
    line: &str,
    headers: &[&str],
    body: &str,
    is_so: impl Fn(&Heard) -> bool,
) -> Heard {
    let asked = async {
        loop {
            let heard = ask(house, line, headers, body).await;
            if is_so(&heard) {
                break heard;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), asked).await.expect("nothing was given back")
}

pub(super) fn parse(all: &str) -> Heard {
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or((all, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Heard { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

impl Heard {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::trim)
    }
}
