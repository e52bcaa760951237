//! `accrue verify` and `POST /backoffice/v1/verify`: proof that what is stored is right.

mod scenario;
mod shards;
mod tampering;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actors::clock::Clock;
use actors::domain::payments::ledger::Entry;
use actors::tables::POSTINGS;

use crate::support::api::Api;
use crate::support::binary::Binary;
use crate::support::buyer::{GOOD, page_of};
use crate::support::meter::event_with;
use crate::support::response::id;
use crate::support::{OPERATOR, Seller, Server, Value, json};

/// How often something of everything is written while a server is verified.
const ROUNDS: u64 = 25;

fn verify(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
    command.arg("verify").args(arguments).env_remove("ACCRUE_OPERATOR_TOKEN");
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn a_running_server_is_verified_by_its_operator() {
    let server = Server::start().await;
    let made = scenario::live(&server).await;
    let found = server.operator.post("/verify", &json!({})).await.is(200);
    assert_eq!((&found["faults"], &found["faultsInAll"]), (&json!([]), &json!(0)), "{found}");
    assert_eq!(found["ofOneMoment"], true, "{found}");
    for table in ["invoices", "postings", "payments", "events", "deliveries", "timers"] {
        assert!(found["counted"][table].as_u64().is_some_and(|rows| rows > 0), "{table}: {found}");
    }
    for stranger in [server.operator.without_key(), server.operator.with_key("wrong")] {
        stranger.post("/verify", &json!({})).await.has_status(401);
    }
    // What is wrong is told of a running server too.
    let mut batch = storage::Batch::new();
    let row = (made.seller, 1, 99, 12_345);
    batch.put(actors::tables::PLACES, &row, &());
    server.app().store.write(batch).await.expect("durable");
    let found = server.operator.post("/verify", &json!({})).await.is(200);
    assert_eq!(found["faultsInAll"], 1, "{found}");
    assert_eq!(found["faults"][0]["what"], "row that nothing wants");
    let mut batch = storage::Batch::new();
    batch.delete(actors::tables::PLACES, &row);
    server.app().store.write(batch).await.expect("durable");
    server.close().await;
}

/// Writes something of everything, round by round, and counts the rounds.
async fn write_all(seller: Seller, buyer: Api, clock: Clock, rounds: Arc<AtomicU64>) {
    let contract = seller.metered("2027-01-01").await;
    let amended = seller.contract("2027-01-01").await;
    let path = format!("/contracts/{amended}/amendments");
    for round in 1..=ROUNDS {
        let calls: Vec<Value> = (0..40)
            .map(|call| event_with(contract, &format!("{round}-{call}"), json!({})))
            .collect();
        let parts = json!([{"payeeId": seller.payee(0), "amount": 6.0}]);
        let shared = json!({"orderData": {"totalAmount": 12.5, "payeeDistribution": parts}});
        let invoice = seller.one_time(contract, 700).await;
        let page = page_of(&invoice);
        let amendment =
            json!({"expectedBaseVersion": round, "customerName": format!("No. {round}")});
        let (_, paid, bill, subscription, version) = tokio::join!(
            seller.record_all(&calls),
            seller.paid(shared),
            buyer.pay(&page, GOOD),
            seller.subscribe(contract, "2027-01-15", json!({})),
            seller.billing.post(&path, &amendment),
        );
        bill.has_status(200);
        version.has_status(200);
        seller.recurring(contract).await;
        seller.act(id(&subscription), "pause", json!({})).await;
        seller.act_on(&paid, "refund", &json!({"amount": 1})).await;
        clock.push(clock.now().plus_seconds(3));
        rounds.store(round, Ordering::Relaxed);
    }
}

/// A journal as small as it gets: what is written soon is too much for one moment.
const SMALL: &[(&str, &str)] = &[("store.journal_mib", "1")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_looks_wrong_only_because_it_is_being_written() {
    for settings in [&[], SMALL] {
        let server = Server::with(settings).await;
        let (rounds, seller) = (Arc::new(AtomicU64::new(0)), server.seller().await);
        let (buyer, clock) = (server.anonymous.clone(), server.clock.clone());
        let writer = tokio::spawn(write_all(seller, buyer, clock, Arc::clone(&rounds)));
        while rounds.load(Ordering::Relaxed) < ROUNDS && !writer.is_finished() {
            let found = server.operator.post("/verify", &json!({})).await.is(200);
            assert_eq!(found["faults"], json!([]), "{found}");
        }
        writer.await.expect("it wrote");
        server.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_another_hand_changes_is_named_while_others_write() {
    let server = Server::start().await;
    let made = scenario::live(&server).await;
    let (rounds, seller) = (Arc::new(AtomicU64::new(0)), server.seller().await);
    let (buyer, clock) = (server.anonymous.clone(), server.clock.clone());
    let store = server.app().store.clone();
    let postings = storage::Scan::prefix(&(made.seller,));
    let (key, entry) = store.scan(POSTINGS, postings).next().expect("a posting").expect("readable");
    let mut changed = entry.clone();
    changed.postings[0].amount_minor += 1;
    let put = |row: &Entry| {
        let mut batch = storage::Batch::new();
        batch.put(POSTINGS, &key, row);
        store.write_blocking(batch).expect("durable");
    };
    let writer = tokio::spawn(write_all(seller, buyer, clock, Arc::clone(&rounds)));
    for _ in 0..3 {
        tokio::task::block_in_place(|| put(&changed));
        let found = server.operator.post("/verify", &json!({})).await.is(200);
        let faults = found["faults"].as_array().expect("faults");
        let whats: Vec<_> = faults.iter().filter_map(|fault| fault["what"].as_str()).collect();
        assert!(whats.contains(&"chain of a ledger"), "{found}");
        for fault in faults {
            let place = fault["where"].as_str().expect("a place");
            assert!(place.starts_with("wallets ("), "{found}");
        }
        tokio::task::block_in_place(|| put(&entry));
    }
    writer.await.expect("it wrote");
    server.close().await;
}

#[tokio::test]
async fn one_verification_is_under_way_at_a_time() {
    let server = Server::start().await;
    let place = server.app().verifying.clone().try_acquire_owned().expect("none is under way");
    let second = server.operator.post("/verify", &json!({})).await;
    second.refuses_saying(409, "a verification is under way");
    drop(place);
    server.operator.post("/verify", &json!({})).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_folder_is_verified_from_the_command_line_when_nobody_uses_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Binary::start(folder.path());
    server.anonymous.post("/billing-api/v1/sandbox/accounts", &json!({})).await.is(201);
    let data = folder.path().join("data");
    let data = data.to_str().expect("a path");
    let (code, _, stderr) = verify(&["--data", data]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("in use"), "{stderr}");

    let origin = server.anonymous.origin.clone();
    let (code, stdout, _) = verify(&["--url", &origin, "--operator-token", OPERATOR, "--json"]);
    assert_eq!(code, Some(0), "{stdout}");
    let found: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(found["counted"]["sellers"], 1, "{found}");
    let (code, _, stderr) = verify(&["--url", &origin, "--operator-token", "wrong"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("401"), "{stderr}");
    server.kill();

    let (code, stdout, stderr) = verify(&["--data", data]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("1 sellers") && stdout.contains("all is well"), "{stdout}");
    let store = storage::Store::open(std::path::Path::new(data), storage::Options::default());
    let store = store.expect("nobody uses it");
    let mut batch = storage::Batch::new();
    let stray: storage::Table<u64, u64> = storage::Table::new(16_000, "stray");
    batch.put(stray, &7, &7);
    store.write_blocking(batch).expect("durable");
    store.close();
    let (code, stdout, _) = verify(&["--data", data]);
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("row of no known table: table 16000"), "{stdout}");
}

#[test]
fn who_waits_for_a_server_that_has_no_time_is_told_why() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let busy = ("503 Service Unavailable", r#"{"error":"the server is busy"}"#);
    let well = r#"{"counted":{},"faults":[],"faultsInAll":0,"ofOneMoment":true}"#;
    let server = std::thread::spawn(move || {
        for (status, body) in [busy, ("200 OK", well)] {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut heard = Vec::new();
            while !heard.ends_with(b"\r\n\r\n{}") {
                let mut buffer = [0; 1_024];
                let read = stream.read(&mut buffer).expect("a request");
                assert!(read > 0, "the request ended early");
                heard.extend_from_slice(&buffer[..read]);
            }
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\nretry-after: 1\r\n\
                 content-length: {length}\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).expect("sent");
        }
    });
    // As a file that holds it often ends.
    let token = format!("{OPERATOR}\n");
    let (code, stdout, stderr) = verify(&["--url", &url, "--operator-token", &token]);
    server.join().expect("it was asked twice");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert_eq!(stderr, "accrue: the server says: the server is busy; asking again in 1 s\n");
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("nothing");
    let other = folder.path().join("other");
    std::fs::create_dir(&other).expect("made");
    std::fs::write(other.join("notes.txt"), "no store").expect("written");
    for data in [missing.as_path(), folder.path(), &other] {
        let (code, _, stderr) = verify(&["--data", data.to_str().expect("a path")]);
        assert_eq!(code, Some(2), "{stderr}");
    }
    assert!(!missing.exists());
    assert_eq!(std::fs::read_dir(&other).expect("there").count(), 1);
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 1);
    assert_eq!(verify(&[]).0, Some(2), "it has to be told what to look at");
    let nobody = ["--url", "https://127.0.0.1:1", "--operator-token", "a-token-of-nobody"];
    let (code, _, stderr) = verify(&nobody);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("refused"), "{stderr}");
}
