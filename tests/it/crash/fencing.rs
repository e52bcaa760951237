//! The store becomes somebody else's under the load: the program ends itself, and has acknowledged
//! nothing that is not there.

use std::sync::atomic::Ordering;

use actors::entropy::Entropy;
use storage::testing::{FENCED_AT, UNCERTAIN};

use super::Load;
use crate::support::binary::Binary;

/// The exit code of a program whose store has stopped.
const STOPPED: i32 = 70;

/// Groups that are written before, at least.
const OWN: u64 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_store_becomes_somebody_elses() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let [seed, more] = Entropy.bytes();
    let (seed, groups) = (seed.to_string(), (OWN + u64::from(more)).to_string());
    let environment = [(UNCERTAIN, seed.as_str()), (FENCED_AT, groups.as_str())];
    eprintln!("{environment:?}");
    let mut server = Binary::start_with(folder.path(), &environment);
    let load = Load::found(&server).await;
    let writers = load.begin(&server.anonymous);
    let ended = tokio::task::spawn_blocking(move || server.end()).await.expect("it ends");
    load.over.store(true, Ordering::SeqCst);
    writers.join_all().await;
    assert_eq!(ended, Some(STOPPED));
    let log = std::fs::read_to_string(folder.path().join("server.log")).expect("a log");
    for told in ["may be written or not: asked again", "somebody else has opened the store since"] {
        assert!(log.contains(told), "{log}");
    }
    let acknowledged = load.acknowledged.lock().invoices.len();
    assert!(acknowledged > 10, "too little load: {acknowledged}");

    let server = Binary::start(folder.path());
    load.check(&server.anonymous, 0).await;
    let (code, rest) = server.terminate();
    assert_eq!((code, rest.as_str()), (Some(0), ""));
    folder.close().expect("removed");
}
