//! The real program under write load, killed with SIGKILL at random moments again and again:
//! what was acknowledged is there, what is counted has no gaps, no event is lost.

mod asking;
mod cancelling;
mod charging;
mod collecting;
mod fencing;
mod metering;
mod paying;
mod selling;
mod uploading;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use actors::entropy::Entropy;
use hyper::Method;
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::support::binary::Binary;
use crate::support::make::line;
use crate::support::response::id;
use crate::support::{Api, Receiver, Value, fresh_uuid, json, until};

/// How often the program is killed.
const ROUNDS: u32 = 12;
/// Contracts that are written to.
const CONTRACTS: usize = 6;

/// What the server acknowledged.
#[derive(Debug, Default)]
struct Acknowledged {
    /// Versions by contract, with the name each one set.
    versions: BTreeMap<(u64, u64), String>,
    /// Idempotency keys of subscriptions, with the id in the response.
    subscriptions: BTreeMap<String, u64>,
    /// Idempotency keys of invoices, with id and number.
    invoices: BTreeMap<String, (u64, String)>,
}

/// Who writes, where, and with what result.
#[derive(Clone)]
struct Load {
    key: String,
    contracts: Arc<Vec<u64>>,
    start: String,
    acknowledged: Arc<Mutex<Acknowledged>>,
    drawn: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_however_often_it_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let receiver = Receiver::start().await;
    let mut server = Binary::start(folder.path());
    let load = Load::found(&server).await;
    let payments = server.anonymous.under("/payments-api/v1").with_key(&load.key);
    let body = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["InvoiceIssued"]});
    payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);

    for round in 0..ROUNDS {
        let writers = load.begin(&server.anonymous);
        tokio::time::sleep(moment()).await;
        server.kill();
        load.over.store(true, Ordering::SeqCst);
        writers.join_all().await;
        load.over.store(false, Ordering::SeqCst);
        server = Binary::start(folder.path());
        load.check(&server.anonymous, round).await;
    }

    let (numbers, written) = {
        let acknowledged = load.acknowledged.lock();
        let numbers = acknowledged.invoices.values().map(|(_, number)| number.clone());
        let written = acknowledged.versions.len() + acknowledged.subscriptions.len();
        (numbers.collect::<BTreeSet<String>>(), written)
    };
    assert!(numbers.len() > 50 && written > 100, "too little load: {} {written}", numbers.len());
    until("the event of every acknowledged invoice", async || {
        let delivered: BTreeSet<String> = receiver
            .deliveries()
            .iter()
            .filter_map(|one| one.event["payload"]["invoiceNumber"].as_str().map(str::to_owned))
            .collect();
        numbers.is_subset(&delivered).then_some(())
    })
    .await;
    let (code, rest) = server.terminate();
    assert_eq!((code, rest.as_str()), (Some(0), ""), "SIGTERM ends it in order");
    folder.close().expect("removed");
}

/// A random time between 80 and 590 milliseconds, printed before it passes.
fn moment() -> Duration {
    let [byte] = Entropy.bytes();
    let moment = Duration::from_millis(80 + u64::from(byte) * 2);
    eprintln!("the next kill is after {moment:?}");
    moment
}

/// The contracts to write to, and the day they start.
async fn found(server: &Binary, key: &str, customer: u64) -> (Vec<u64>, String) {
    let billing = server.anonymous.under("/billing-api/v1").with_key(key);
    let own = billing.get(&format!("/customers/{customer}")).await.is(200);
    let today = own["createdAt"].as_str().expect("an instant")[..10].to_owned();
    let mut contracts = Vec::new();
    for n in 0..CONTRACTS {
        let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": today});
        let made = billing.create("/contracts", &format!("contract-{n}"), &body).await.is(201);
        contracts.push(id(&made));
    }
    (contracts, today)
}

impl Load {
    /// Makes the contracts to write to.
    async fn found(server: &Binary) -> Self {
        let billing = server.anonymous.under("/billing-api/v1");
        let minted = billing.post("/sandbox/accounts", &json!({})).await.is(201);
        let key = minted["apiKey"].as_str().expect("a key").to_owned();
        let (contracts, start) = found(server, &key, id(&minted["customers"][0])).await;
        let (contracts, acknowledged) = (Arc::new(contracts), Arc::default());
        Self { key, contracts, start, acknowledged, drawn: Arc::default(), over: Arc::default() }
    }

    /// Starts the writers; they end when the server is gone.
    fn begin(&self, open: &Api) -> JoinSet<()> {
        let billing = open.under("/billing-api/v1").with_key(&self.key);
        let mut writers = JoinSet::new();
        for n in 0..CONTRACTS {
            let (load, api) = (self.clone(), billing.clone());
            writers.spawn(async move { load.amend(&api, load.contracts[n]).await });
            let (load, api) = (self.clone(), billing.clone());
            writers.spawn(async move { load.subscribe(&api, load.contracts[n]).await });
            let (load, api) = (self.clone(), billing.clone());
            writers.spawn(async move { load.invoice(&api, load.contracts[n]).await });
        }
        writers
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn draw(&self, name: &str) -> String {
        format!("{name}-{}", self.drawn.fetch_add(1, Ordering::SeqCst))
    }

    async fn amend(&self, api: &Api, contract: u64) {
        let Ok(now) = ask(api, Method::GET, &format!("/contracts/{contract}"), "", None).await
        else {
            return;
        };
        let mut version = now["version"].as_u64().expect("a version");
        while !self.is_over() {
            let name = self.draw("Name");
            let body = json!({"expectedBaseVersion": version, "customerName": name});
            let path = format!("/contracts/{contract}/amendments");
            let Ok(made) = ask(api, Method::POST, &path, "", Some(&body)).await else { return };
            version += 1;
            assert_eq!(made["version"], version);
            self.acknowledged.lock().versions.insert((contract, version), name);
        }
    }

    async fn subscribe(&self, api: &Api, contract: u64) {
        while !self.is_over() {
            let key = self.draw("sub");
            let body = json!({
                "frequency": "monthly", "priceMinor": 100, "currency": "EUR",
                "startDate": self.start,
            });
            let path = format!("/contracts/{contract}/subscriptions");
            let Ok(made) = ask(api, Method::POST, &path, &key, Some(&body)).await else { return };
            self.acknowledged.lock().subscriptions.insert(key, id(&made));
        }
    }

    /// Recurring ones where something is due, one-time ones in between.
    async fn invoice(&self, api: &Api, contract: u64) {
        while !self.is_over() {
            let key = self.draw("inv");
            let one_time = json!({
                "contractId": contract, "origin": "one_time", "lines": [line("x", 100)],
            });
            let recurring = json!({"contractId": contract, "origin": "recurring"});
            let body = if key.ends_with(['0', '5']) { &recurring } else { &one_time };
            let Ok(made) = ask(api, Method::POST, "/invoices", &key, Some(body)).await else {
                return;
            };
            if made.is_null() {
                continue;
            }
            let number = made["invoiceNumber"].as_str().expect("a number").to_owned();
            self.acknowledged.lock().invoices.insert(key, (id(&made), number));
        }
    }

    /// Looks whether everything that was acknowledged is there, and nothing is there twice.
    async fn check(&self, open: &Api, round: u32) {
        let api = open.under("/billing-api/v1").with_key(&self.key);
        let mut names = BTreeMap::new();
        for contract in self.contracts.iter() {
            let path = format!("/contracts/{contract}/versions");
            let versions = api.all(&path, "versions").await;
            for (n, version) in versions.iter().rev().enumerate() {
                let number = n as u64 + 1;
                assert_eq!(version["version"], number, "round {round}: a gap in the versions");
                let name = version["customerName"].as_str().unwrap_or_default().to_owned();
                names.insert((*contract, number), name);
            }
        }
        let subscriptions: BTreeSet<u64> =
            api.all("/subscriptions", "subscriptions").await.iter().map(id).collect();
        let invoices = api.all("/invoices", "invoices").await;
        let numbers: BTreeMap<u64, String> = invoices
            .iter()
            .map(|one| (id(one), one["invoiceNumber"].as_str().expect("a number").to_owned()))
            .collect();
        has_no_gaps(&numbers, round);
        self.bills_once(&api, &invoices, round).await;
        let acknowledged = self.acknowledged.lock();
        for (version, name) in &acknowledged.versions {
            assert_eq!(names.get(version), Some(name), "round {round}: version {version:?}");
        }
        for (key, id) in &acknowledged.subscriptions {
            assert!(subscriptions.contains(id), "round {round}: subscription {key} is lost");
        }
        for (key, (id, number)) in &acknowledged.invoices {
            assert_eq!(numbers.get(id), Some(number), "round {round}: invoice {key}");
        }
    }

    /// Every term of a subscription is on one invoice line at most. The newest documents are
    /// looked at; older ones were in an earlier round.
    async fn bills_once(&self, api: &Api, invoices: &[Value], round: u32) {
        let mut lines = 0;
        let recurring = invoices.iter().filter(|one| one["origin"] == "recurring");
        for invoice in recurring {
            let whole = api.get(&format!("/invoices/{}", invoice["id"])).await.is(200);
            lines += whole["lines"].as_array().expect("lines").len();
        }
        // All subscriptions started today: each has one due term and no more.
        let made = api.all("/subscriptions", "subscriptions").await.len();
        assert!(lines <= made, "round {round}: {lines} terms billed of {made}");
    }
}

/// The order letters of all invoices of the seller follow each other within each month.
fn has_no_gaps(numbers: &BTreeMap<u64, String>, round: u32) {
    let mut months: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for number in numbers.values() {
        let order = number.split_once('-').expect("a dash").1;
        months.entry(&order[..4]).or_default().push(&order[4..]);
    }
    for (month, mut orders) in months {
        orders.sort_unstable_by_key(|order| (order.len(), *order));
        for (n, order) in orders.iter().enumerate() {
            let letters = [n / 676, n / 26 % 26, n % 26]
                .map(|letter| char::from(b'A' + u8::try_from(letter).expect("a letter")));
            let expected: String = letters.into_iter().collect();
            assert_eq!(*order, expected, "round {round}: a gap in the numbers of {month}");
        }
    }
}

/// One request to a server that may be killed before it answers: the body of a 2xx, `null` for
/// a `422`, an error when there is no answer.
async fn ask(
    api: &Api,
    method: Method,
    path: &str,
    key: &str,
    body: Option<&Value>,
) -> Result<Value, String> {
    let headers: &[(&str, &str)] = &[("idempotency-key", key)];
    let headers = if key.is_empty() { &[] } else { headers };
    let text = body.map(Value::to_string).unwrap_or_default();
    let response = api.try_send(method, path, headers, &text).await?;
    match response.status {
        200 | 201 => Ok(response.body),
        422 => Ok(Value::Null),
        status => panic!("{} answered {status}: {}", response.request, response.text),
    }
}
