//! The real program in the middle of an upload, killed with SIGKILL again and again: every row is
//! recorded once, and counted as what it was the first time.

use std::fmt::Write as _;
use std::time::Duration;

use actors::entropy::Entropy;

use super::found;
use crate::billing::csv::Csv;
use crate::support::binary::Binary;
use crate::support::response::id;
use crate::support::wait::until_within;
use crate::support::{Api, Value, json};

/// How often the program is killed at most.
const ROUNDS: u32 = 8;
/// Rows of the file.
const ROWS: u64 = 40_000;
/// Every so many rows one is no event.
const BAD_EACH: u64 = 1_000;
/// Every so many rows one repeats the row before it.
const TWICE_EACH: u64 = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_an_upload_counts_once_however_often_the_program_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (contracts, start) = found(&server, &key, id(&minted["customers"][0])).await;
    let billing = |server: &Binary| server.anonymous.under("/billing-api/v1").with_key(&key);
    let api = billing(&server);
    let metric = json!({"name": "rows", "unit": "rows", "aggregation": "sum"});
    api.post("/usage/metrics", &metric).await.is(201);
    for contract in &contracts {
        let body = json!({
            "frequency": "monthly", "priceMinor": 100, "currency": "EUR", "startDate": start,
        });
        let path = format!("/contracts/{contract}/subscriptions");
        api.create(&path, &format!("metering-{contract}"), &body).await.is(201);
    }
    let (file, expected) = file(&contracts);
    let mapping = json!({
        "contractId": "contract", "metric": {"const": "rows"}, "quantity": "quantity",
        "occurredAt": {"const": format!("{start}T00:00:00Z")}, "idempotencyKey": "key",
    });
    let accepted = Csv::of(&file, &mapping).send(&api).await.is(202);
    assert_eq!(accepted["rows"], ROWS);

    let path = format!("/usage/csv/{}", accepted["uploadId"]);
    let (mut killed_at_work, mut done) = (0, 0);
    for _ in 0..ROUNDS {
        let [byte] = Entropy.bytes();
        let until = done + ROWS / u64::from(ROUNDS) * u64::from(byte) / 256;
        eprintln!("the next kill is after row {until}");
        let api = billing(&server);
        let before = until_within(Duration::from_secs(60), "rows of the upload", async || {
            let now = api.get(&path).await.is(200);
            (now["status"] != "processing" || rows_done(&now) >= until).then_some(now)
        })
        .await;
        server.kill();
        killed_at_work += u32::from(before["status"] == "processing");
        server = Binary::start(folder.path());
        let after = billing(&server).get(&path).await.is(200);
        done = rows_done(&after);
        assert!(done >= rows_done(&before), "{before} became {after}");
    }
    assert!(killed_at_work > 0, "it was never killed in the middle");
    let api = billing(&server);
    let end = until_within(Duration::from_secs(120), "a done upload", async || {
        let now = api.get(&path).await.is(200);
        (now["status"] == "done").then_some(now)
    })
    .await;
    for (name, count) in [
        ("rows", ROWS),
        ("ingested", expected.ingested),
        ("duplicates", expected.duplicates),
        ("parked", expected.parked),
    ] {
        assert_eq!(end[name], count, "{name} in {end}, killed {killed_at_work} times at work");
    }
    assert_eq!(used(&api, &contracts).await, expected.ingested);
    let letters = api.all("/usage/dead-letters", "deadLetters").await;
    assert_eq!(letters.len() as u64, expected.parked);
    let (code, _) = server.terminate();
    assert_eq!(code, Some(0), "SIGTERM ends it in order");
    folder.close().expect("removed");
}

#[derive(Default)]
struct Expected {
    ingested: u64,
    duplicates: u64,
    parked: u64,
}

/// A file over all contracts, each good row worth 1.
fn file(contracts: &[u64]) -> (String, Expected) {
    let (mut file, mut expected) = ("contract,quantity,key\n".to_owned(), Expected::default());
    let mut last = None;
    for row in 0..ROWS {
        let place = usize::try_from(row).expect("small") % contracts.len();
        let (mut contract, mut key, mut quantity) = (contracts[place], row, "1");
        if row % BAD_EACH == 7 {
            expected.parked += 1;
            quantity = "many";
        } else if let Some((of, before)) = last.filter(|_| row % TWICE_EACH == 3) {
            expected.duplicates += 1;
            (contract, key) = (of, before);
        } else {
            expected.ingested += 1;
            last = Some((contract, key));
        }
        writeln!(file, "{contract},{quantity},key-{key}").expect("written");
    }
    (file, expected)
}

fn rows_done(upload: &Value) -> u64 {
    ["ingested", "duplicates", "parked"].iter().filter_map(|name| upload[name].as_u64()).sum()
}

async fn used(api: &Api, contracts: &[u64]) -> u64 {
    let mut sum = 0;
    for contract in contracts {
        let usage = api.get(&format!("/contracts/{contract}/usage")).await.is(200);
        let used = usage["metrics"][0]["used"].as_str().expect("a decimal");
        sum += used.parse::<u64>().expect("a whole number");
    }
    sum
}
