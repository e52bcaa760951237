//! The key that secrets are sealed with: a folder takes no other.

use std::fs;
use std::path::Path;
use std::process::Command;

use actors::tables::SECRETS_KEY;

use crate::support::binary::{Binary, Start};

const KEY: (&str, &str) = ("ACCRUE_SECRETS__KEY", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
const OTHER: (&str, &str) = ("ACCRUE_SECRETS__KEY", "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=");

/// Runs a command with a key by setting; what it says where it is refused.
fn accrue(folder: &Path, key: (&str, &str), arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
    let output = command.args(arguments).env(key.0, key.1).current_dir(folder).output();
    let output = output.expect("it runs");
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said()) }
}

/// What a refused start names as the fingerprint that it expects.
fn expected(said: &str) -> String {
    let (_, lost) = said.split_once("secrets.lost=").expect("what to do");
    lost.chars().take_while(char::is_ascii_hexdigit).collect()
}

#[test]
fn a_start_with_another_key_or_none_is_refused_until_the_key_is_said_to_be_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let start = |with: &[(&str, &str)]| Start::in_folder(home).with(with);
    start(&[KEY]).run().terminate();
    let made = home.join("data/secrets.key");
    let said = start(&[]).refused();
    assert!(said.contains("secrets.key") && !made.exists(), "{said}");
    let first = expected(&said);
    let said = start(&[OTHER]).refused();
    assert_eq!(expected(&said), first);
    assert!(said.matches("fingerprint").count() == 2, "{said}");
    start(&[KEY]).run().terminate();

    let lost = ("ACCRUE_SECRETS__LOST", first.as_str());
    start(&[lost]).run().terminate();
    assert!(made.exists());
    // From then on the new one is the one that counts, whatever is said of the old one.
    start(&[]).run().terminate();
    let said = start(&[KEY, lost]).refused();
    assert_ne!(expected(&said), first);
}

#[test]
fn a_restored_folder_takes_no_other_key_also_when_its_backup_knew_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    Start::in_folder(home).with(&[KEY]).run().terminate();
    for from_before in [false, true] {
        if from_before {
            let options = storage::Options::default();
            let store = storage::Store::open(&home.join("data"), options).expect("opened");
            let mut batch = storage::Batch::new();
            batch.delete(SECRETS_KEY, &0);
            store.write_blocking(batch).expect("durable");
            store.close();
        }
        let backup = ["backup", "--data", "data", "--to", "backup.accrue"];
        accrue(home, KEY, &backup).expect("taken");
        fs::remove_dir_all(home.join("data")).expect("lost");
        accrue(home, KEY, &["restore", "backup.accrue", "--data", "data"]).expect("restored");
        fs::remove_file(home.join("backup.accrue")).expect("removed");
        let said = Start::in_folder(home).refused();
        assert!(said.contains("secrets.lost="), "{said}");
        Binary::terminate(Start::in_folder(home).with(&[KEY]).run());
    }
}

#[test]
fn a_backup_is_not_taken_with_a_key_that_would_not_open_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    Start::in_folder(home).with(&[KEY]).run().terminate();
    let backup = ["backup", "--data", "data", "--to", "backup.accrue"];
    let said = accrue(home, OTHER, &backup).expect_err("another key");
    assert!(said.contains("sealed with another key"), "{said}");
    assert!(!home.join("backup.accrue").exists());
    accrue(home, KEY, &backup).expect("taken");
}
