//! Backups of the real program under load, the loss of its folder, and the restore to a second:
//! what was acknowledged before is there, and nothing of what came later.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::domain::time::Timestamp;
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::support::binary::Binary;
use crate::support::make::line;
use crate::support::response::id;
use crate::support::{Api, OPERATOR, Receiver, Value, fresh_uuid, json, until};

/// Invoices that were acknowledged: microseconds before the call and behind it, id and number.
type Acknowledged = Arc<Mutex<Vec<(u64, u64, u64, String)>>>;

const WRITERS: usize = 4;

fn now() -> u64 {
    Clock::wall().now().micros().unsigned_abs()
}

fn accrue(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
    let output = command.args(arguments).current_dir(folder).output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

async fn accrue_beside(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let (folder, arguments) = (folder.to_owned(), arguments.iter().map(|one| (*one).to_owned()));
    let arguments: Vec<String> = arguments.collect();
    let work = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        accrue(&folder, &arguments)
    };
    tokio::task::spawn_blocking(work).await.expect("it ran")
}

async fn invoice(api: &Api, contract: u64) -> (u64, String) {
    let body = json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 100)]});
    let made = api.create("/invoices", &fresh_uuid(), &body).await.is(201);
    (id(&made), made["invoiceNumber"].as_str().expect("a number").to_owned())
}

fn load(api: &Api, contract: u64, over: &Arc<AtomicBool>, made: &Acknowledged) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (api, over, made) = (api.clone(), Arc::clone(over), Arc::clone(made));
        writers.spawn(async move {
            while !over.load(Ordering::SeqCst) {
                let before = now();
                let (id, number) = invoice(&api, contract).await;
                made.lock().push((before, now(), id, number));
            }
        });
    }
    writers
}

async fn more(made: &Acknowledged, count: usize) {
    let wanted = made.lock().len() + count;
    until("more invoices", async || (made.lock().len() >= wanted).then_some(())).await;
}

/// A sandbox account's key, and a contract of it.
pub(super) async fn account(server: &Binary) -> (String, u64) {
    let minted =
        server.anonymous.post("/billing-api/v1/sandbox/accounts", &json!({})).await.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    let customer = id(&minted["customers"][0]);
    let own = billing.get(&format!("/customers/{customer}")).await.is(200);
    let today = own["createdAt"].as_str().expect("an instant")[..10].to_owned();
    let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": today});
    let contract = billing.create("/contracts", "contract", &body).await.is(201);
    (key, id(&contract))
}

#[tokio::test]
async fn a_backup_of_a_running_server_needs_no_setting_but_its_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Binary::start_with(folder.path(), &[("ACCRUE_OPERATOR_TOKEN", "secret")]);
    let backup = |token: &str, file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
        command.args(["backup", "--url", &server.anonymous.origin, "--to", file]);
        command.envs([("ACCRUE_OPERATOR_TOKEN", token), ("ACCRUE_LISTEN", "nowhere")]);
        let output = command.current_dir(folder.path()).output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // As a file that holds it often ends.
    let (good, said) = backup("secret\n", "backup.accrue");
    assert!(good && folder.path().join("backup.accrue").exists(), "{said}");
    let (good, said) = backup("wrong", "other.accrue");
    assert!(!good && said.contains("401"), "{said}");
    let (good, said) = backup("sec\nret", "other.accrue");
    assert!(!good && said.contains("token has a character that no request can carry"), "{said}");
    server.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_until_a_second_comes_back_when_the_folder_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    fs::write(home.join("accrue.toml"), "[store]\narchive = \"archive\"\njournal_mib = 1\n")
        .expect("settings");
    let receiver = Receiver::start().await;
    let server = Binary::start(home);
    let (key, contract) = account(&server).await;
    let payments = server.anonymous.under("/payments-api/v1").with_key(&key);
    let body = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["InvoiceIssued"]});
    payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);

    let (over, made) = (Arc::new(AtomicBool::new(false)), Acknowledged::default());
    let writers = load(&billing, contract, &over, &made);
    more(&made, 50).await;
    let url = server.anonymous.origin.clone();
    let backup = ["backup", "--url", &url, "--operator-token", OPERATOR, "--to", "backup.accrue"];
    let (good, said) = accrue_beside(home, &backup).await;
    assert!(good, "{said}");
    let (good, said) = accrue_beside(home, &backup).await;
    assert!(!good && said.contains("is there already"), "{said}");
    let wrong = ["backup", "--url", &url, "--operator-token", "wrong-token-123456", "--to", "x"];
    let (good, said) = accrue_beside(home, &wrong).await;
    assert!(!good && !home.join("x").exists(), "{said}");
    more(&made, 50).await;
    let moment = now() + 1;
    until("the moment to pass", async || (now() > moment).then_some(())).await;
    more(&made, 50).await;
    over.store(true, Ordering::SeqCst);
    writers.join_all().await;
    let (code, _) = server.terminate();
    assert_eq!(code, Some(0));
    fs::remove_dir_all(home.join("data")).expect("lost");

    // What lies before the backup is of no use to it: what follows goes without.
    let prune = ["archive", "prune", "--archive", "archive", "--before", "backup.accrue"];
    let files = || fs::read_dir(home.join("archive")).expect("an archive").count();
    let all = files();
    let (good, said) = accrue(home, &[prune.as_slice(), &["--dry-run"]].concat());
    assert!(good && said.contains("would delete") && files() == all, "{said}");
    let (good, said) = accrue(home, &prune);
    assert!(good && said.contains("deleted"), "{said}");
    let elsewhere = ["archive", "prune", "--archive", ".", "--before", "backup.accrue"];
    let (good, said) = accrue(home, &elsewhere);
    assert!(!good && said.contains("has no file of the journal"), "{said}");

    let micros = i64::try_from(moment).expect("a time");
    let at = Timestamp::from_micros(micros).to_string();
    let early = "2020-01-01T00:00:00Z";
    let restore = |until: &str| {
        let journal = ["restore", "backup.accrue", "--data", "data", "--journal", "archive"];
        accrue(home, &[journal.as_slice(), &["--until", until]].concat())
    };
    let (good, said) = restore(early);
    assert!(!good && said.contains("the backup reaches up to"), "{said}");
    let (good, said) = restore(&at);
    assert!(good && !said.contains("goes no further"), "{said}");
    assert!(said.contains(" rows of the backup, and what was written up to "), "{said}");
    let (good, said) = restore(&at);
    assert!(!good && said.contains("is not empty"), "{said}");

    let server = Binary::start(home);
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    let acknowledged = std::mem::take(&mut *made.lock());
    let (mut kept, mut gone) = (0, 0);
    for (before, behind, id, number) in acknowledged {
        let found = billing.get(&format!("/invoices/{id}")).await;
        if behind < moment {
            assert_eq!(found.is(200)["invoiceNumber"], number);
            kept += 1;
        } else if before >= moment {
            found.has_status(404);
            gone += 1;
        }
    }
    assert!(kept >= 100 && gone >= 40, "{kept} kept, {gone} gone");

    // What works by itself rests until the operator says so.
    let operator = server.anonymous.under("/backoffice/v1").with_key(OPERATOR);
    let ready = server.anonymous.get("/readyz").await;
    ready.has_status(503);
    operator.post("/passes/invoice.overdue/run", &json!({})).await.has_status(409);
    let (_, number) = invoice(&billing, contract).await;
    let told = |number: &str| {
        let deliveries = receiver.deliveries();
        let of =
            |event: &Value| event["payload"]["invoiceNumber"] == number && event["epoch"].is_u64();
        deliveries.iter().any(|one| of(&one.event))
    };
    assert!(!told(&number), "it was delivered by a server that is held");
    let resumed = operator.post("/resume", &json!({})).await.is(200);
    assert_eq!(resumed["resumed"], true);
    let epoch = resumed["epoch"].as_u64().expect("an epoch");
    until("the event of a new epoch", async || told(&number).then_some(())).await;
    let again = operator.post("/resume", &json!({})).await.is(200);
    assert_eq!((&again["resumed"], again["epoch"].as_u64()), (&json!(false), Some(epoch)));
    server.anonymous.get("/readyz").await.has_status(200);
    let events = billing.get("/events?eventType=InvoiceIssued&limit=100").await.is(200);
    assert_eq!(events["events"][0].get("epoch"), None, "what came before keeps what it had");
    server.kill();
}

#[tokio::test]
async fn a_stopped_folder_is_backed_up_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let server = Binary::start(home);
    let (key, _) = account(&server).await;
    let backup = ["backup", "--data", "data", "--to", "backup.accrue"];
    let (good, said) = accrue_beside(home, &backup).await;
    assert!(!good && said.contains("in use"), "{said}");
    assert!(!home.join("backup.accrue").exists());
    server.terminate();
    let (good, said) = accrue_beside(home, &backup).await;
    assert!(good, "{said}");

    // A folder that a restore has left behind by half is not served.
    let restore = ["restore", "backup.accrue", "--data", "again"];
    let (good, said) = accrue_beside(home, &restore).await;
    assert!(good, "{said}");
    fs::write(home.join("again/restoring"), b"").expect("a mark");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "again"];
    let (good, said) = accrue_beside(home, &serve).await;
    assert!(!good && said.contains("restored by half"), "{said}");
    fs::remove_dir_all(home.join("again")).expect("removed");

    // Another key by setting cannot open its secrets.
    let key_of_others = "secrets.key=BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let wrong = [restore.as_slice(), &["--set", key_of_others]].concat();
    let (good, said) = accrue_beside(home, &wrong).await;
    assert!(!good && said.contains("is not the key of the backup"), "{said}");
    assert!(!home.join("again").exists());

    let mut bytes = fs::read(home.join("backup.accrue")).expect("a backup");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(home.join("damaged.accrue"), &bytes).expect("written");
    let damaged = ["restore", "damaged.accrue", "--data", "again"];
    let (good, said) = accrue_beside(home, &damaged).await;
    assert!(!good && said.contains("is damaged") && !home.join("again").exists(), "{said}");

    fs::rename(home.join("data"), home.join("lost")).expect("moved");
    let restore = ["restore", "backup.accrue", "--data", "data"];
    let (good, said) = accrue_beside(home, &restore).await;
    assert!(good, "{said}");
    let server = Binary::start(home);
    server.anonymous.with_key(&key).get("/billing-api/v1/contracts").await.is(200);
    server.terminate();
    folder.close().expect("removed");
}

#[test]
fn a_backup_that_is_interrupted_leaves_no_part_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = || fs::read_dir(&folder).expect("a folder").count();
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", server.local_addr().expect("an address"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
    command.args(["backup", "--to", "b.backup", "--url", &url, "--operator-token", OPERATOR]);
    let mut backup = command.current_dir(&folder).spawn().expect("it runs");
    server.set_nonblocking(true).expect("it need not wait");
    // The call is taken and never answered.
    let call = loop {
        match server.accept() {
            Ok(call) => break call,
            Err(_) => assert_eq!(backup.try_wait().expect("a child"), None, "it has ended"),
        }
        thread::sleep(Duration::from_millis(10));
    };
    let begun = parts();
    let sent = Command::new("kill").args(["-INT", &backup.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let asked = Instant::now();
    let code = loop {
        match backup.try_wait().expect("a child") {
            Some(ended) => break ended.code(),
            None if asked.elapsed() > Duration::from_secs(20) => backup.kill().expect("killed"),
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    drop(call);
    assert_eq!((begun, code, parts()), (1, Some(130), 0));
}
