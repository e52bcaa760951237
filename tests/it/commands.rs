//! The program from the command line.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::binary::Binary;
use crate::support::{Value, json};

/// What a command came to: its code and what it printed.
type Outcome = (Option<i32>, String, String);

fn accrue(arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    accrue_in(folder.path(), arguments, environment)
}

fn accrue_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
    run(command.args(arguments).envs(environment.iter().copied()).current_dir(folder))
}

fn run(command: &mut Command) -> Outcome {
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A folder with the settings of a server that runs: an archive, an address that is taken as long
/// as the listener is there, and where it is reached.
fn folder_of_another_server() -> (TempDir, TcpListener) {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let archive = folder.path().join("archive");
    let text = format!(
        "metrics_listen = '{address}'\npublic_url = 'https://shop.example'\n\
         [store]\narchive = '{}'\n",
        archive.display()
    );
    std::fs::write(folder.path().join("accrue.toml"), text).expect("written");
    (folder, taken)
}

#[tokio::test]
async fn serve_says_where_it_listens_and_ends_on_sigterm() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Binary::start(folder.path());
    server.anonymous.get("/readyz").await.has_status(200);
    let minted =
        server.anonymous.post("/billing-api/v1/sandbox/accounts", &json!({})).await.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let (code, rest) = server.terminate();
    assert_eq!((code, rest.as_str()), (Some(0), ""));
    // What was written is there the next time, and no secret is in the log.
    let server = Binary::start(folder.path());
    server.anonymous.with_key(&key).get("/billing-api/v1/contracts").await.is(200);
    server.kill();
    let log = std::fs::read_to_string(folder.path().join("server.log")).expect("a log");
    assert!(!log.contains(&key) && !log.contains(crate::support::OPERATOR), "{log}");
}

#[test]
fn a_hangup_ends_it_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(Binary::start(folder.path()).stop_by("-HUP"), (Some(0), String::new()));
}

#[test]
fn a_stop_that_comes_with_the_first_line_is_carried_out() {
    let folder = tempfile::tempdir().expect("a folder");
    for _ in 0..5 {
        assert_eq!(Binary::start(folder.path()).terminate().0, Some(0));
    }
}

#[tokio::test]
async fn a_folder_in_use_is_refused_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Binary::start(folder.path());
    let data = folder.path().join("data");
    let data = data.to_str().expect("a path");
    let (code, stdout, stderr) = accrue(&["serve", "--listen", "127.0.0.1:0", "--data", data], &[]);
    assert_ne!(code, Some(0));
    assert_eq!(stdout, "");
    assert!(stderr.contains(data) && !stderr.contains("panicked"), "{stderr}");
    server.anonymous.get("/healthz").await.has_status(200);
    server.kill();
}

#[tokio::test]
async fn an_address_in_use_is_refused_before_anything_is_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address").to_string();
    let data = folder.path().join("data");
    let data_text = data.to_str().expect("a path");
    let (code, stdout, stderr) = accrue(&["serve", "--listen", &listen, "--data", data_text], &[]);
    assert_ne!(code, Some(0));
    assert_eq!((stdout.as_str(), data.exists()), ("", false));
    assert!(stderr.contains(&listen) && !stderr.contains("panicked"), "{stderr}");
}

#[test]
fn what_a_store_has_to_say_is_said_by_whatever_opens_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(Binary::start(folder.path()).terminate().0, Some(0));
    let [data, restored, file] =
        ["data", "restored", "backup"].map(|name| folder.path().join(name));
    std::fs::create_dir(&restored).expect("made");
    for wide in [&data, &restored] {
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(wide, open).expect("changed");
    }
    let [data, restored, file] =
        [&data, &restored, &file].map(|path| path.to_str().expect("a path"));
    for line in [
        &["verify", "--data", data][..],
        &["backup", "--data", data, "--to", file],
        &["restore", file, "--data", restored],
    ] {
        let (code, _, stderr) = accrue(line, &[]);
        assert_eq!(code, Some(0), "{line:?}: {stderr}");
        assert!(stderr.contains("give it mode 0700"), "{line:?}: {stderr}");
    }
}

#[test]
fn settings_are_listed_for_people_and_for_programs() {
    let (code, text, _) = accrue(&["settings"], &[]);
    assert_eq!(code, Some(0));
    for part in ["limits.billing_burst", "ACCRUE_LIMITS__BILLING_BURST", "127.0.0.1:8080"] {
        assert!(text.contains(part), "{text}");
    }
    let (code, list, _) = accrue(&["settings", "--json"], &[]);
    assert_eq!(code, Some(0));
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let burst =
        list.as_array().expect("a list").iter().find(|one| one["name"] == "limits.billing_burst");
    let expected = json!({
        "name": "limits.billing_burst",
        "environmentVariable": "ACCRUE_LIMITS__BILLING_BURST",
        "default": "100",
        "bounds": "a whole number from 0 to 4294967295, where 0 turns it off",
        "meaning": "Of these at once; 0 turns the hourly limit off too.",
    });
    assert_eq!(burst, Some(&expected));
}

#[test]
fn a_setting_that_is_unknown_or_malformed_stops_the_start() {
    for (name, value, named) in [
        ("ACCRUE_COLOUR", "red", "colour"),
        ("ACCRUE_LIMITS__BILLING_BURST", "many", "limits.billing_burst"),
        ("ACCRUE_LISTEN", "nowhere", "listen"),
        ("ACCRUE_OPERATOR_TOKEN", "too short", "operator_token"),
        ("ACCRUE_LOG__FILTER", "warning", "log.filter"),
        ("RUST_LOG", "info,verbose", "RUST_LOG"),
    ] {
        let (code, stdout, stderr) = accrue(&["serve"], &[(name, value)]);
        assert!(code.is_some_and(|code| code != 0), "{name}");
        assert_eq!(stdout, "");
        assert!(stderr.contains(named) && !stderr.contains("panicked"), "{name}: {stderr}");
    }
    let (code, _, stderr) = accrue(&["serve", "--config", "missing.toml"], &[]);
    assert!(code.is_some_and(|code| code != 0));
    assert!(stderr.contains("missing.toml"), "{stderr}");
}

#[test]
fn a_certificate_that_cannot_be_read_stops_the_start_before_data_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let pair = ["--set", "tls.cert=none.pem", "--set", "tls.key=none.pem"];
    let line = [&["serve", "--listen", "127.0.0.1:0", "--data", "data"][..], &pair].concat();
    let (code, _, stderr) = accrue_in(folder.path(), &line, &[]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("none.pem") && !folder.path().join("data").exists(), "{stderr}");
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_not_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("accrue.toml");
    std::fs::write(&file, "demo = true\noperator_token = topsecrettopsecret\n").expect("written");
    let file = file.to_str().expect("a path");
    let (code, _, stderr) = accrue(&["serve", "--config", file], &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("line 2") && !stderr.contains("topsecret"), "{stderr}");
}

#[test]
fn a_variable_that_is_no_text_stops_the_start() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    for (variable, value) in [
        (OsStr::new("ACCRUE_OPERATOR_TOKEN"), OsStr::from_bytes(b"\xff, which is no text")),
        (OsStr::from_bytes(b"ACCRUE_COL\xff"), OsStr::new("red")),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).env(variable, value);
        let output = command.current_dir(folder.path()).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("environment variable ACCRUE_"), "{stderr}");
    }
}

#[test]
fn a_cause_is_told_once() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let (code, _, stderr) = accrue(&["serve", "--listen", &address], &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains(&address), "{stderr}");
    assert_eq!(stderr.matches("os error").count(), 1, "{stderr}");
}

#[test]
fn help_names_the_commands() {
    let (code, stdout, _) = accrue(&["--help"], &[]);
    assert_eq!(code, Some(0));
    for command in ["serve", "demo", "load", "verify"] {
        assert!(stdout.contains(command), "{stdout}");
    }
}

/// Runs the load tester on a server of its own and gives its report.
fn load(arguments: &[&str]) -> Value {
    let sizes = ["load", "--json", "--warmup", "0s", "--verify"];
    let (code, stdout, stderr) = accrue(&[&sizes, arguments].concat(), &[]);
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!((code, &report["findings"]), (Some(0), &json!([])), "{report}");
    assert!(report["holds"].to_string().contains("no rule is broken"), "{report}");
    report
}

#[test]
fn load_takes_over_nothing_of_a_server_whose_settings_lie_about() {
    let (folder, _taken) = folder_of_another_server();
    let few = ["--contracts", "2", "--connections", "2", "--requests", "20", "--duration", "60s"];
    let line = [&["load", "--mix", "amend", "--warmup", "0s"][..], &few].concat();
    let (code, stdout, stderr) = accrue_in(folder.path(), &line, &[("ACCRUE_COLOUR", "red")]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(!folder.path().join("archive").exists());
}

#[test]
fn load_counts_every_event_once_and_proves_it() {
    let few = ["--contracts", "5", "--connections", "4", "--requests", "400", "--duration", "60s"];
    let mix = ["--mix", "usage=9,snapshot=1"];
    let report = load(&[&mix[..], &few].concat());
    assert!(report["inMemory"].is_boolean(), "{report}");
    assert!(report["events"].as_u64().is_some_and(|events| events > 200), "{report}");
    assert!(report["operations"]["snapshot"]["perSecond"].is_u64(), "{report}");

    let batches = ["--mix", "usage", "--batch", "20", "--scatter"];
    let report = load(&[&batches[..], &few].concat());
    assert!(report["events"].as_u64().is_some_and(|events| events > 4_000), "{report}");
    let holds = report["holds"].to_string();
    assert!(holds.contains("20 counters equal"), "{holds}");
}

#[test]
fn load_finds_nothing_lost_when_the_server_is_killed() {
    let report = load(&[
        "--mix",
        "usage=3,amend=1",
        "--batch",
        "10",
        "--contracts",
        "3",
        "--connections",
        "8",
        "--kill-after",
        "1s",
        "--duration",
        "4s",
    ]);
    assert!(report["events"].as_u64().is_some_and(|events| events > 0), "{report}");
    assert_eq!(report["killed"], true, "{report}");
}

#[test]
fn a_load_that_is_over_before_the_server_is_to_be_killed_proves_nothing_of_it() {
    let few = ["--contracts", "2", "--connections", "2", "--requests", "20"];
    let times = ["--warmup", "0s", "--duration", "60s", "--kill-after", "30s"];
    let line = [&["load", "--json", "--mix", "amend"][..], &few, &times].concat();
    let (code, stdout, stderr) = accrue(&line, &[]);
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let findings = json!(["nothing was under way at --kill-after: the server was not killed"]);
    assert_eq!((code, &report["findings"]), (Some(1), &findings), "{report}");
    assert_eq!(report["killed"], false, "{report}");
}

/// Settlements and refunds that are not waited for long.
const SOON: [&str; 4] =
    ["--set", "payments.settle_seconds=1", "--set", "payments.refund_seconds=1"];

#[test]
fn load_finds_every_payment_and_every_cent() {
    let mix = ["--mix", "payments=6,initiate=1,refund=2"];
    let few = ["--connections", "8", "--requests", "300", "--duration", "60s"];
    let report = load(&[&mix[..], &few, &SOON].concat());
    for operation in ["payments", "initiate", "refund"] {
        assert!(report["operations"][operation]["perSecond"].is_u64(), "{report}");
    }
    let holds = report["holds"].to_string();
    assert!(holds.contains("each of 8 payees holds its shares to the cent"), "{holds}");
    assert!(holds.contains(" asked for again, answered 200, nothing new"), "{holds}");
}

#[test]
fn load_charges_nobody_twice_when_the_server_is_killed() {
    let mix = ["--mix", "payments=8,refund=1", "--connections", "8"];
    let times = ["--kill-after", "1s", "--duration", "4s", "--rate", "100"];
    let report = load(&[&mix[..], &times, &SOON].concat());
    assert!(report["operations"]["payments"]["perSecond"].is_u64(), "{report}");
    assert_eq!(report["killed"], true, "{report}");
}

/// Wherever it is called, and with as few open files as a shell may give without being asked.
#[test]
fn the_demonstration_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let (others, _taken) = folder_of_another_server();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 256 && exec \"$0\" demo --exit"]);
    shell.arg(env!("CARGO_BIN_EXE_accrue")).current_dir(others.path());
    let (code, stdout, stderr) =
        run(shell.env("TMPDIR", folder.path()).env("ACCRUE_COLOUR", "red"));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(!others.path().join("archive").exists());
    assert!(!stdout.contains('✗'), "{stdout}");
    for heading in [
        "Invoices, as read back",
        "Metered usage on contract",
        "How each amount came about",
        "a back-test on what was recorded",
        "Checks of the metered usage",
        "Sales of the marketplace",
        "Split decisions",
        "The trail of basket-",
        "Checks of the marketplace",
        "A credit note, and what its credit pays",
        "The ledger of the credit",
        "What is stored",
    ] {
        assert!(stdout.contains(heading), "{heading}: {stdout}");
    }
    // The file that it names is there, and all else that it has made is gone.
    let left = std::fs::read_dir(&folder).expect("a folder");
    let left: Vec<_> = left.map(|entry| entry.expect("an entry").path()).collect();
    let [printed] = &left[..] else { panic!("{left:?}") };
    assert!(stdout.contains(printed.to_str().expect("a path")), "{printed:?}: {stdout}");
    assert!(std::fs::read(printed).expect("a file").starts_with(b"%PDF-"));
}
