//! Figures for Prometheus: requests, connections, the writer's backlog, rooms, workers.

mod background;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::background::Background;
use hyper::{Method, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use storage::Store;

use self::background::Behind;

/// Upper bounds of the latency histogram, in seconds.
const BOUNDS: [f64; 12] =
    [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// Clones are the same figures.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<Answered, Counter>,
    seconds: Family<Routed, Histogram>,
    in_flight: Gauge,
    connections: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Routed {
    route: &'static str,
}

impl Metrics {
    /// The figures of a server on `store`; `rooms` counts the rooms that are alive.
    pub fn new(
        store: Store,
        background: Background,
        rooms: impl Fn() -> usize + Send + Sync + 'static,
    ) -> Self {
        let requests = Family::<Answered, Counter>::default();
        let seconds = Family::<Routed, Histogram>::new_with_constructor(|| Histogram::new(BOUNDS));
        let (in_flight, connections) = (Gauge::default(), Gauge::default());
        let mut registry = Registry::with_prefix("accrue");
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register("http_request_seconds", "Time to an answer", seconds.clone());
        registry.register("http_in_flight", "Requests being answered", in_flight.clone());
        registry.register("http_connections", "Open connections", connections.clone());
        registry.register_collector(Box::new(Inside { store, rooms: Box::new(rooms) }));
        registry.register_collector(Box::new(Behind(background)));
        Self { registry: Arc::new(registry), requests, seconds, in_flight, connections }
    }

    /// All figures in the text form of Prometheus.
    pub fn render(&self) -> Result<String, fmt::Error> {
        let mut text = String::with_capacity(16 * 1024);
        encode(&mut text, &self.registry)?;
        Ok(text)
    }

    pub(crate) fn begin(&self) -> Watched<'_> {
        Watched { metrics: self, began: Instant::now(), _in_flight: Counted::up(&self.in_flight) }
    }

    /// A connection is open until what this gives back is dropped.
    pub(crate) fn connection(&self) -> Counted {
        Counted::up(&self.connections)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

pub(crate) struct Watched<'m> {
    metrics: &'m Metrics,
    began: Instant,
    _in_flight: Counted,
}

impl Watched<'_> {
    pub(crate) fn end(self, method: &Method, route: &'static str, status: StatusCode) -> Duration {
        let took = self.began.elapsed();
        let answered = Answered { method: known(method), route, status: status.as_u16() };
        self.metrics.requests.get_or_create(&answered).inc();
        self.metrics.seconds.get_or_create(&Routed { route }).observe(took.as_secs_f64());
        took
    }
}

/// A gauge that is one higher while this lives.
pub(crate) struct Counted(Gauge);

impl Counted {
    fn up(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A method as a label: strangers must not be able to make labels.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

struct Inside {
    store: Store,
    rooms: Box<dyn Fn() -> usize + Send + Sync>,
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inside").finish_non_exhaustive()
    }
}

impl Collector for Inside {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> fmt::Result {
        let stats = self.store.stats();
        let level = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let levels = [
            ("commit_backlog", "Batches waiting for the disk", level(stats.backlog)),
            ("rooms", "Rooms alive", level((self.rooms)())),
            ("index_entries", "Keys claimed for ever", whole(stats.index.entries)),
            ("index_in_memory", "Those of them not in runs yet", level(stats.index.in_memory)),
            ("index_runs", "Runs of the key index", level(stats.index.runs)),
            ("index_run_bytes", "Bytes of these runs", whole(stats.index.run_bytes)),
            ("index_filter_bytes", "Bytes of filters in memory", whole(stats.index.filter_bytes)),
            ("disk_free_bytes", "Free space of the disk", whole(self.store.free_space().bytes())),
        ];
        for (name, help, value) in levels {
            let gauge = ConstGauge::new(value);
            gauge.encode(to.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let counts = [
            ("commits", "Batches committed", stats.commits),
            ("commit_groups", "Groups written, each with one sync", stats.groups),
            ("commit_records", "Rows written", stats.records),
            ("engine_records", "Records that the engine has written", stats.engine_records),
            ("commit_bytes", "Bytes appended to the journal", stats.bytes),
            ("commit_append_micros", "Microseconds spent appending", stats.append_micros),
            ("commit_sync_micros", "Microseconds spent syncing", stats.sync_micros),
        ];
        for (name, help, value) in counts {
            let counter = ConstCounter::new(value);
            counter.encode(to.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}
