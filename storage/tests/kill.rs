//! The process is killed in the middle of its work, again and again: what was acknowledged is
//! there, and what was not is there as a whole or not at all.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "this is a test")]

mod writer;

use storage::{Options, Store};
use writer::{Writer, random, verify};

const ROUNDS: usize = 25;

#[test]
#[ignore = "the process that the other test kills"]
fn writer_process() {
    writer::run();
}

#[test]
fn what_was_acknowledged_outlives_a_killed_process() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        let writer = Writer::start("writer_process", &folder);
        // The first rounds hit the start, the later ones ever more of the work.
        acknowledged.extend(writer.acknowledged(random(20 * round + 1)));
        for _ in 0..random(2_000) {
            std::thread::yield_now();
        }
        acknowledged.extend(writer.kill());
        let store = Store::open(&folder, Options::default()).unwrap();
        verify(&store, &acknowledged);
        store.close();
    }
    assert!(acknowledged.len() > ROUNDS, "only {} writes", acknowledged.len());
    println!("{} acknowledged writes outlived {ROUNDS} kills", acknowledged.len());
}
