//! Webhook deliveries a second to receivers on loopback: from the durable write of the events,
//! by signed posts, to the durable record that they were received. The receivers share the cores.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::delivery::{
    DeliveryPool, DeliverySettings, Destination, Found, Origin, WebhookLookup, stage_events,
};
use actors::domain::ids::{SellerId, WebhookId};
use actors::domain::platform::event::{EventObject, EventType, NewEvent, ObjectKind};
use actors::domain::platform::webhook::filter::EventFilter;
use actors::domain::platform::webhook::secret::secret_of;
use actors::domain::platform::webhook::url::WebhookUrl;
use actors::domain::platform::webhook::{Webhook, WebhookStatus};
use actors::entropy::Entropy;
use actors::secrets::SecretBox;
use actors::tables::ids;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use storage::testing::TempStore;
use storage::{Batch, Options};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Events that one write carries.
const EVENTS_A_WRITE: u64 = 10;

struct Bench {
    store: TempStore,
    clock: Clock,
    webhooks: Vec<Vec<Arc<Webhook>>>,
    pool: DeliveryPool,
}

fn deliveries(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = criterion.benchmark_group("webhook deliveries");
    group.throughput(Throughput::Elements(1));
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    for endpoints in [1, 16] {
        let bench = runtime.block_on(Bench::new(endpoints));
        group.bench_function(format!("{endpoints} endpoints"), |bencher| {
            bencher.iter_custom(|count| runtime.block_on(bench.deliver(count)));
        });
        runtime.block_on(bench.pool.stop());
    }
    group.finish();
}

impl Bench {
    async fn new(endpoints: u64) -> Self {
        let port = receive().await;
        let clock = Clock::wall();
        let store = TempStore::with(Options::default());
        let secrets = SecretBox::new(&Entropy.bytes());
        let secret = secret_of(&Entropy.bytes());
        let webhooks: Vec<_> = (1..=endpoints)
            .map(|id| {
                Arc::new(Webhook {
                    id: WebhookId(id),
                    seller: SellerId(id),
                    url: WebhookUrl::parse(&format!("http://127.0.0.1:{port}/{id}"), true)
                        .expect("a URL"),
                    status: WebhookStatus::Active,
                    event_types: EventFilter::default(),
                    secret: secrets.seal(secret.as_bytes(), Entropy.bytes()),
                    created_at: clock.now(),
                    updated_at: clock.now(),
                    ordered: false,
                })
            })
            .collect();
        let destination = |webhook: &Arc<Webhook>| Destination {
            seller: Uuid::from_u128(webhook.seller.0.into()),
            webhook: webhook.clone(),
            is_open: true,
            live: false,
            listed_only: false,
            allowlist: Arc::from([]),
        };
        let known: HashMap<_, _> =
            webhooks.iter().map(|webhook| (webhook.id, destination(webhook))).collect();
        let lookup: WebhookLookup =
            Arc::new(move |_, id| known.get(&id).cloned().map_or(Found::Gone, Found::Destination));
        let settings = DeliverySettings {
            private_cidrs: vec!["127.0.0.0/8".parse().expect("a network")],
            ..DeliverySettings::default()
        };
        let pool = DeliveryPool::start(
            store.store().clone(),
            clock.clone(),
            Entropy,
            settings,
            lookup,
            secrets,
        );
        let webhooks = webhooks.into_iter().map(|webhook| vec![webhook]).collect();
        Self { store, clock, webhooks, pool }
    }

    /// How long it takes from the first write until `count` deliveries are recorded as received.
    async fn deliver(&self, count: u64) -> Duration {
        let began = Instant::now();
        let goal = self.pool.counts().delivered + count;
        let mut left = count;
        for webhooks in self.webhooks.iter().cycle() {
            if left == 0 {
                break;
            }
            let events = left.min(EVENTS_A_WRITE);
            left -= events;
            self.write(webhooks, events);
            // Rooms do not wait for the disk either; this keeps the writes a little ahead.
            while self.store.backlog() > 100 {
                tokio::task::yield_now().await;
            }
        }
        while self.pool.counts().delivered < goal {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        began.elapsed()
    }

    fn write(&self, webhooks: &[Arc<Webhook>], events: u64) {
        let now = self.clock.now();
        let seller = webhooks[0].seller;
        let origin =
            Origin { seller, object: EventObject { kind: ObjectKind::Contract, id: 17 }, now };
        let event = |number| NewEvent {
            kind: EventType::InvoicePaid,
            occurred_at: now,
            payload: serde_json::json!({
                "invoiceId": number,
                "invoiceNumber": "1000001-2611AAA",
                "contractId": 17,
                "sellerCustomerId": 23,
                "origin": "recurring",
                "status": "paid",
                "invoiceType": "standard",
                "currency": "EUR",
                "grandTotalMinor": 1_200,
                "collectibleMinor": 1_200,
                "outstandingMinor": 0,
                "issueDate": "2026-11-21",
                "dueDate": "2026-12-05",
            }),
        };
        let mut batch = Batch::new();
        let events: Vec<_> = (0..events).map(event).collect();
        let next_id = || self.store.next_id(ids::EVENT);
        let staged = stage_events(&mut batch, &origin, webhooks, &events, next_id);
        let staged = staged.expect("there are events");
        let pool = self.pool.clone();
        self.store.commit(batch, move |result| {
            result.expect("the events are durable");
            pool.notify(&staged);
        });
    }
}

/// Starts a receiver that answers `200` to everything, and gives its port.
async fn receive() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(answer));
            tokio::spawn(connection);
        }
    });
    port
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let _ = request.into_body().collect().await;
    Ok(Response::new(Full::new(Bytes::from_static(b"ok"))))
}

criterion_group!(benches, deliveries);
criterion_main!(benches);
