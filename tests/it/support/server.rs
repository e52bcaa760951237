//! A running server of a test's own: port 0, a folder of its own, a clock held by hand. It must
//! be closed; what is left running or left on the disk fails the test.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use accrue::Running;
use accrue::config::Settings;
use actors::clock::Clock;
use actors::domain::time::Timestamp;
use tempfile::TempDir;

use super::api::Api;
use super::document::ApiDocument;

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-of-the-tests";

/// The time on the clock of a server unless a test sets another.
const BEGINNING: &str = "2027-01-15T09:00:00Z";

/// How long a server may take to stop.
const END_WITHIN: Duration = Duration::from_secs(20);

/// The server and all that belongs to it.
pub(crate) struct Server {
    /// The clock, for pushing.
    pub(crate) clock: Clock,
    /// Requests without a key and without a prefix.
    pub(crate) anonymous: Api,
    /// The operator at `/backoffice/v1`.
    pub(crate) operator: Api,
    document: Option<ApiDocument>,
    settings: Vec<(String, String)>,
    folder: Option<TempDir>,
    running: Option<Running>,
    /// Whether the test has written rows that nothing stands behind.
    made_up: AtomicBool,
}

impl Server {
    /// A demo server without limits.
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A demo server without limits, except for what `settings` set.
    pub(crate) async fn with(settings: &[(&str, &str)]) -> Self {
        Self::at(BEGINNING, settings).await
    }

    /// The same with the clock standing at `now`.
    pub(crate) async fn at(now: &str, settings: &[(&str, &str)]) -> Self {
        let clock = Clock::by_hand(Timestamp::parse(now).expect("an instant"));
        let folder = tempfile::Builder::new().prefix("accrue-it-").tempdir().expect("a folder");
        let mut all: Vec<(String, String)> = [
            ("listen", "127.0.0.1:0"),
            ("demo", "true"),
            ("operator_token", OPERATOR),
            ("passes.interval_seconds", "3600"),
            ("limits.billing_per_hour", "0"),
            ("limits.payments_per_hour", "0"),
            ("limits.dashboard_per_hour", "0"),
            ("limits.contracts_per_day", "0"),
            ("limits.amendments_per_day", "0"),
            ("limits.invoices_per_day", "0"),
            ("limits.sandbox_per_hour", "0"),
            ("limits.pages_per_minute", "0"),
            ("limits.connections_per_address", "0"),
            ("log.filter", "error"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        all.push(("data".to_owned(), folder.path().join("data").display().to_string()));
        for (name, value) in settings {
            all.retain(|(given, _)| given != name);
            all.push(((*name).to_owned(), (*value).to_owned()));
        }
        all.retain(|(_, value)| !value.is_empty());
        let anonymous = Api::new("http://nowhere");
        let operator = anonymous.clone();
        let mut server = Self {
            clock,
            anonymous,
            operator,
            document: None,
            settings: all,
            folder: Some(folder),
            running: None,
            made_up: AtomicBool::new(false),
        };
        server.run().await;
        server
    }

    async fn run(&mut self) {
        let settings = Settings::load(None, std::iter::empty(), self.settings.clone());
        let settings = settings.expect("settings");
        let running = accrue::start(settings, self.clock.clone()).await.expect("started");
        let plain = Api::new(&format!("http://{}", running.addr()));
        let api = plain.get("/openapi.json").await.is(200);
        let pages = plain.get("/openapi-pages.json").await.is(200);
        let document = ApiDocument::of(&[api, pages]);
        self.anonymous = plain.checked_against(document.clone());
        self.document = Some(document);
        self.operator = self.anonymous.under("/backoffice/v1").with_key(OPERATOR);
        self.running = Some(running);
    }

    /// The same for a seller's surfaces, without a key.
    pub(crate) fn billing(&self) -> Api {
        self.anonymous.under("/billing-api/v1")
    }

    /// The same for the payments surface, without a key.
    pub(crate) fn payments(&self) -> Api {
        self.anonymous.under("/payments-api/v1")
    }

    /// The parts of the running program: for what no route does yet, and for the faults that only
    /// a test build has.
    pub(crate) fn app(&self) -> &accrue::app::App {
        self.running.as_ref().expect("running").app()
    }

    /// Where the figures are, if that is an address of their own.
    pub(crate) fn figures(&self) -> Api {
        let addr = self.running.as_ref().expect("running").figures_addr();
        Api::new(&format!("http://{}", addr.expect("an address of their own")))
    }

    /// The instant the server's clock stands at.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The folder of the store.
    pub(crate) fn data(&self) -> std::path::PathBuf {
        self.folder.as_ref().expect("a folder").path().join("data")
    }

    /// A test writes rows that nothing stands behind: what is stored is then not right.
    pub(crate) fn makes_up_rows(&self) {
        self.made_up.store(true, Ordering::Relaxed);
    }

    /// Pushes the clock.
    pub(crate) fn pass_seconds(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Sets one thing from its next start on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(given, _)| given != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Stops the server in order and starts it again on the same folder, at another address.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        self.run().await;
    }

    /// The same; in between the folder is given to `with`.
    pub(crate) async fn restart_after(
        &mut self,
        with: impl FnOnce(&std::path::Path) + Send + 'static,
    ) {
        self.stop().await;
        let data = self.data();
        tokio::task::spawn_blocking(move || with(&data)).await.expect("joined");
        self.run().await;
    }

    async fn stop(&mut self) {
        let Some(running) = self.running.take() else { return };
        let addr = running.addr();
        let ended = tokio::time::timeout(END_WITHIN, running.shutdown()).await;
        assert!(ended.is_ok(), "the server did not stop within {END_WITHIN:?}");
        let left = std::net::TcpStream::connect_timeout(&addr, Duration::from_millis(200));
        assert!(left.is_err(), "somebody still listens on {addr}");
    }

    /// Ends everything as [`close`](Self::close) does; in between the folder is given to `with`.
    pub(crate) async fn closing(mut self, with: impl FnOnce(&std::path::Path) + Send + 'static) {
        self.stop().await;
        let data = self.data();
        tokio::task::spawn_blocking(move || with(&data)).await.expect("joined");
        self.close().await;
    }

    /// Demands that every event is told as the API document says.
    fn check_events(&self) {
        let Some(document) = self.document.as_ref().filter(|_| self.running.is_some()) else {
            return;
        };
        let app = self.app();
        let mut wrong = Vec::new();
        for row in app.store.scan(actors::tables::EVENTS, storage::Scan::all()) {
            let ((seller, _), event) = row.expect("an event can be read");
            let told = app.links.with_link(seller, &event);
            let payload = serde_json::from_slice(&told.payload).expect("a payload is JSON");
            wrong.extend(document.untold(event.kind.name(), &payload));
        }
        let made_up = self.made_up.load(Ordering::Relaxed);
        assert!(made_up || wrong.is_empty(), "what is told is wrong: {wrong:#?}");
    }

    /// Ends everything, and demands that what is told and what is stored is right, and that nothing
    /// is left: neither a listener, nor a lock on the folder, nor the folder.
    pub(crate) async fn close(mut self) {
        self.check_events();
        self.stop().await;
        let folder = self.folder.take().expect("a folder");
        let data = folder.path().join("data");
        let reopened = tokio::task::spawn_blocking(move || {
            let store = storage::Store::open(&data, storage::Options::default())?;
            let report = actors::verify::verify(&store, actors::verify::Rows::Still);
            store.close();
            Ok::<_, storage::OpenError>(report)
        });
        let report = reopened.await.expect("joined").expect("the folder can be opened again");
        let report = report.expect("the folder can be read");
        let sound = report.faults.is_empty() || self.made_up.load(Ordering::Relaxed);
        assert!(sound, "what is stored is wrong: {:#?}", report.faults);
        folder.close().expect("the folder can be removed");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.running.is_none(), "a test left its server running");
        }
    }
}
