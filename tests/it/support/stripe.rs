//! A processor that speaks Stripe's payment intents, as far as they are asked for: a server on
//! loopback that honours idempotency keys and fails as a test sets it. What it charged and gave
//! back is counted apart from what it answered.

mod book;
mod objects;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use self::book::{Answer, Asked, Book};
use super::listening::listen;

/// The key that the processor knows its one account by.
pub(crate) const STRIPE_KEY: &str = "sk_live_of_the_tests";

/// How the processor goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It acts, and the connection closes before the answer.
    ActsAndDrops,
    /// The connection closes before it acts.
    Drops,
    /// It acts, and never answers.
    ActsAndHangs,
    /// It acts, and answers 500 all the same.
    ActsAndFails,
    /// It acts, and answers 500, now and whenever it is asked under the key.
    ActsAndKeepsFailing,
    /// It does not act, and answers 500, now and whenever it is asked under the key.
    KeepsFailing,
    /// It does not act, and answers with this status.
    Status(u16),
    /// A confirmation of the same intent that was lost arrives just before; then it acts.
    ConfirmsFirst,
}

/// The processor; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct StripeFake {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    book: Book,
    faults: VecDeque<(&'static str, Fault)>,
    asked: Vec<String>,
}

impl StripeFake {
    /// Listens on a free port.
    pub(crate) async fn open() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (address, task) = listen(&state, take).await;
        Self { address, state, task }
    }

    /// What a terminal has for its `baseUrl`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next question whose path ends with `path` goes wrong like this; then the one after
    /// it, if there is another fault for it.
    pub(crate) fn goes_wrong(&self, path: &'static str, fault: Fault) {
        self.state.lock().faults.push_back((path, fault));
    }

    /// The buyer does what an intent asked for, or refuses.
    pub(crate) fn buyer_acts(&self, intent: &str, approves: bool) {
        self.state.lock().book.buyer_acts(intent, approves);
    }

    /// Two days pass, after which no key is known any more. Its clock began at 0.
    pub(crate) fn forgets_keys(&self) {
        self.state.lock().book.forgets_keys();
    }

    /// From now on what was taken is available to the account.
    pub(crate) fn pays_out(&self) {
        self.state.lock().book.pays_out = true;
    }

    /// What was charged in all, in minor units, and in how many charges.
    pub(crate) fn charged(&self) -> (i64, usize) {
        self.state.lock().book.charged()
    }

    /// How many cards it keeps for later.
    pub(crate) fn keeps(&self) -> usize {
        self.state.lock().book.keeps()
    }

    /// What was given back in all, in minor units, and in how many refunds.
    pub(crate) fn given_back(&self) -> (i64, usize) {
        self.state.lock().book.given_back()
    }

    /// What is held and neither taken nor let go, in minor units.
    pub(crate) fn held(&self) -> i64 {
        self.state.lock().book.held()
    }

    /// The status of an intent.
    pub(crate) fn status(&self, intent: &str) -> String {
        self.state.lock().book.status(intent)
    }

    /// Every question so far: its method, path and body as they came.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state.lock().asked.clone()
    }
}

impl Drop for StripeFake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Gone> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let header = |name: &str| {
        head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let asked = Asked {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        key: header("idempotency-key"),
    };
    if header(AUTHORIZATION.as_str()) != Some(format!("Bearer {STRIPE_KEY}")) {
        return Ok(respond(&Answer::error(401, "invalid_request_error", "invalid_api_key")));
    }
    let (fault, answer) = {
        let mut state = state.lock();
        state.asked.push(format!("{} {} {}", asked.method, asked.path, asked.body));
        let at = state.faults.iter().position(|(path, _)| asked.path.ends_with(path));
        let fault = at.and_then(|at| state.faults.remove(at)).map(|(_, fault)| fault);
        let acts = !matches!(fault, Some(Fault::Drops | Fault::KeepsFailing | Fault::Status(_)));
        if fault == Some(Fault::ConfirmsFirst) {
            state.book.confirms(&asked);
        }
        let answer = acts.then(|| state.book.answer(&asked));
        if matches!(fault, Some(Fault::ActsAndKeepsFailing | Fault::KeepsFailing)) {
            state.book.keeps_failing(&asked, Answer::error(500, "api_error", "internal"));
        }
        (fault, answer)
    };
    match fault {
        Some(Fault::ActsAndDrops | Fault::Drops) => Err(Gone),
        Some(Fault::ActsAndHangs) => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            Err(Gone)
        }
        Some(Fault::ActsAndFails | Fault::ActsAndKeepsFailing | Fault::KeepsFailing) => {
            Ok(respond(&Answer::error(500, "api_error", "internal")))
        }
        Some(Fault::Status(status)) => {
            Ok(respond(&Answer::error(status, "api_error", "told_to_fail")))
        }
        None | Some(Fault::ConfirmsFirst) => Ok(respond(&answer.expect("it acted"))),
    }
}

fn respond(answer: &Answer) -> Response<Full<Bytes>> {
    let body = Full::from(answer.body.to_string());
    let mut response = Response::builder().status(answer.status);
    if answer.is_repeated {
        response = response.header("idempotent-replayed", "true");
    }
    response.header("content-type", "application/json").body(body).expect("an answer")
}

/// The connection is closed instead of an answer.
#[derive(Debug)]
struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the processor went away")
    }
}

impl std::error::Error for Gone {}
