//! The real program under ingestion, killed with SIGKILL again and again: every acknowledged event
//! is there, every event that was ever sent can be sent again and counts once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hyper::Method;
use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::{ask, found, moment};
use crate::support::binary::Binary;
use crate::support::response::id;
use crate::support::{Api, Value, json};

/// How often the program is killed.
const ROUNDS: u32 = 8;
/// Events of one batch.
const BATCH: usize = 60;
const METRICS: [(&str, &str); 3] =
    [("calls", "count"), ("bytes", "sum"), ("users", "count_unique")];

/// Every event that was sent, with its id once that was acknowledged.
type Sent = BTreeMap<String, (Value, Option<u64>)>;

#[derive(Clone)]
struct Ingestion {
    key: String,
    contracts: Arc<Vec<u64>>,
    at: String,
    sent: Arc<Mutex<Sent>>,
    drawn: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_counts_once_however_often_the_program_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (contracts, start) = found(&server, &key, id(&minted["customers"][0])).await;
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    for (name, aggregation) in METRICS {
        let mut body = json!({"name": name, "unit": "one", "aggregation": aggregation});
        if aggregation == "count_unique" {
            body["uniqueKey"] = json!("user");
        }
        billing.post("/usage/metrics", &body).await.is(201);
    }
    for contract in &contracts {
        let body = json!({
            "frequency": "monthly", "priceMinor": 100, "currency": "EUR", "startDate": start,
        });
        let path = format!("/contracts/{contract}/subscriptions");
        billing.create(&path, &format!("metering-{contract}"), &body).await.is(201);
    }
    let ingestion = Ingestion {
        key,
        contracts: Arc::new(contracts),
        at: format!("{start}T00:00:00Z"),
        sent: Arc::default(),
        drawn: Arc::default(),
        over: Arc::default(),
    };

    for round in 0..ROUNDS {
        let senders = ingestion.begin(&server.anonymous);
        tokio::time::sleep(moment()).await;
        server.kill();
        ingestion.over.store(true, Ordering::SeqCst);
        senders.join_all().await;
        ingestion.over.store(false, Ordering::SeqCst);
        server = Binary::start(folder.path());
        ingestion.send_again(&server.anonymous, round).await;
        ingestion.compare_counters(&server.anonymous, round).await;
    }
    let acknowledged = ingestion.sent.lock().len();
    assert!(acknowledged > 1_000, "too little load: {acknowledged} events");
    let (code, _) = server.terminate();
    assert_eq!(code, Some(0), "SIGTERM ends it in order");
    folder.close().expect("removed");
}

impl Ingestion {
    fn api(&self, open: &Api) -> Api {
        open.under("/billing-api/v1").with_key(&self.key)
    }

    fn begin(&self, open: &Api) -> JoinSet<()> {
        let mut senders = JoinSet::new();
        for sender in 0..self.contracts.len() {
            let (load, api) = (self.clone(), self.api(open));
            senders.spawn(async move { load.send_single(&api, sender).await });
            let (load, api) = (self.clone(), self.api(open));
            senders.spawn(async move { load.send_batches(&api, sender).await });
        }
        senders
    }

    fn draw(&self, contract: u64) -> Value {
        let n = self.drawn.fetch_add(1, Ordering::SeqCst);
        let (metric, _) = METRICS[usize::try_from(n).expect("small") % METRICS.len()];
        let event = json!({
            "contractId": contract.to_string(), "metric": metric, "quantity": format!("{}.25", n % 7),
            "occurredAt": self.at, "idempotencyKey": format!("event-{n}"),
            "metadata": {"user": format!("user-{}", n % 40)},
        });
        let key = event["idempotencyKey"].as_str().expect("a key").to_owned();
        self.sent.lock().insert(key, (event.clone(), None));
        event
    }

    fn acknowledge(&self, event: &Value, answer: &Value) {
        let key = event["idempotencyKey"].as_str().expect("a key");
        let id = answer["eventId"].as_u64().expect("an id");
        let mut sent = self.sent.lock();
        let (_, known) = sent.get_mut(key).expect("sent before");
        assert_eq!(*known.get_or_insert(id), id, "{key} was recorded twice");
    }

    async fn send_single(&self, api: &Api, sender: usize) {
        while !self.over.load(Ordering::SeqCst) {
            let event = self.draw(self.contracts[sender]);
            let sent = ask(api, Method::POST, "/usage/events", "", Some(&event)).await;
            let Ok(answer) = sent else { return };
            self.acknowledge(&event, &answer);
        }
    }

    /// Batches that go over all contracts.
    async fn send_batches(&self, api: &Api, sender: usize) {
        while !self.over.load(Ordering::SeqCst) {
            let events: Vec<Value> = (sender..sender + BATCH)
                .map(|n| self.draw(self.contracts[n % self.contracts.len()]))
                .collect();
            let body = json!({"events": events});
            let sent = ask(api, Method::POST, "/usage/events:batch", "", Some(&body)).await;
            let Ok(answer) = sent else { return };
            for (event, item) in events.iter().zip(answer["items"].as_array().expect("items")) {
                self.acknowledge(event, item);
            }
        }
    }

    /// What was acknowledged must be known by its id; what was not may be either.
    async fn send_again(&self, open: &Api, round: u32) {
        let api = self.api(open);
        let all: Vec<(Value, Option<u64>)> = self.sent.lock().values().cloned().collect();
        for part in all.chunks(500) {
            let events: Vec<&Value> = part.iter().map(|(event, _)| event).collect();
            let answer = api.post("/usage/events:batch", &json!({"events": events})).await.is(200);
            let items = answer["items"].as_array().expect("items");
            assert_eq!(items.len(), part.len());
            for ((event, known), item) in part.iter().zip(items) {
                let status = &item["status"];
                assert!(
                    status == "duplicate" || (status == "ingested" && known.is_none()),
                    "round {round}: {event} was acknowledged as {known:?}, and now: {item}",
                );
                self.acknowledge(event, item);
            }
        }
    }

    /// The counters of every contract against all that was ever sent.
    async fn compare_counters(&self, open: &Api, round: u32) {
        let api = self.api(open);
        for contract in self.contracts.iter() {
            let snapshot = api.get(&format!("/contracts/{contract}/usage")).await.is(200);
            let name = json!(contract.to_string());
            let own: Vec<Value> = {
                let sent = self.sent.lock();
                let own = sent.values().map(|(event, _)| event.clone());
                own.filter(|event| event["contractId"] == name).collect()
            };
            for (metric, aggregation) in METRICS {
                let expected = recount(&own, metric, aggregation);
                let meters = snapshot["metrics"].as_array().expect("metrics");
                let meter = meters.iter().find(|meter| meter["metricName"] == metric);
                let used = meter.and_then(|meter| meter["used"].as_str()).unwrap_or("0");
                assert_eq!(used, expected, "round {round}: {metric} of contract {contract}");
            }
        }
    }
}

/// The quantity of a metric, counted from the events themselves in hundredths.
fn recount(events: &[Value], metric: &str, aggregation: &str) -> String {
    let of_metric: Vec<&Value> = events.iter().filter(|event| event["metric"] == metric).collect();
    match aggregation {
        "count" => of_metric.len().to_string(),
        "count_unique" => {
            let users = of_metric.iter().map(|event| event["metadata"]["user"].to_string());
            users.collect::<std::collections::BTreeSet<_>>().len().to_string()
        }
        _ => {
            let hundredths: u64 = of_metric
                .iter()
                .map(|event| {
                    let text = event["quantity"].as_str().expect("a quantity").replace('.', "");
                    text.parse::<u64>().expect("digits")
                })
                .sum();
            let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}
