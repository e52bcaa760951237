//! Calls fail while a process writes: it refuses or stops, and what it has acknowledged is there,
//! on the disk as it is, and on one that loses its power then or after one more process.
//!
//! An operating system forgets what it could not write: the next process reads it all the same, and
//! its syncs succeed.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use tempfile::TempDir;

use crate::archive::Origin;
use crate::cuts::{Run, Walk, check, home};
use crate::event::Kind;
use crate::model::Disk;
use crate::random::{Random, seed};
use crate::recording::{Plan, record};
use crate::setting;
use crate::writer::{Acknowledged, REFUSED};

/// The exit code of a process whose store has stopped.
const STOPPED: i32 = 70;
const WORKERS: usize = 2;
/// States after a power cut that are opened for each failure.
const STATES: u64 = 2;

/// The calls that fail, up to which of them, and how.
const FAILURES: [(&str, u64, &[&str]); 7] = [
    ("write", 400, &["EIO", "ENOSPC", "SHORT"]),
    ("sync", 200, &["EIO"]),
    ("range", 150, &["EIO"]),
    ("read", 8, &["EIO", "SHORT"]),
    ("open", 60, &["EIO", "ENOSPC"]),
    ("name", 24, &["EIO", "ENOSPC"]),
    ("length", 8, &["EIO"]),
];

const PLAN: Plan<'static> = Plan { lives: 2, rounds: 6, seconds: 0, fault: None, backup: None };

#[test]
fn a_call_that_fails_stops_the_process_or_is_refused_and_loses_nothing() {
    let seed = seed();
    let mut random = Random::new(seed, 0);
    let mut drawn = |number: u64| {
        let (class, most, ways) = FAILURES[number as usize % FAILURES.len()];
        let way = ways[random.below(ways.len() as u64) as usize];
        let stays = if random.below(3) == 0 { "+" } else { "" };
        // The first calls are those of opening, and each of them is another.
        let most = if random.below(2) == 0 { most } else { most.min(30) };
        format!("{class}:{}{stays}:{way}", random.between(1, most))
    };
    let faults = match std::env::var("DISK_FAULT") {
        Ok(one) => vec![one],
        Err(_) => (0..setting("DISK_FAULTS", 60)).map(&mut drawn).collect(),
    };
    let start = start(seed);
    let left = Mutex::new(faults.iter());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(fault) = { left.lock().unwrap().next() } {
                    try_out(fault, &start, seed);
                }
            });
        }
    });
}

/// A folder that has lost its power, and what was acknowledged in it.
struct Start {
    left: TempDir,
    origin: Origin,
    acknowledged: Vec<Acknowledged>,
}

fn start(seed: u64) -> Start {
    let home = home();
    let work = home.path().join("disk");
    fs::create_dir(&work).unwrap();
    let from = Disk::of(&work);
    let origin = Origin::new();
    let ended = record(&work, &[Plan { backup: Some(&origin.file()), ..PLAN }]);
    let run = Run { from: &from, origin: &origin, before: &[], time: 0, seed };
    let (left, acknowledged) = run.leave_one(&ended.recording, &mut Random::new(seed, 1));
    Start { left, origin, acknowledged }
}

fn try_out(fault: &str, start: &Start, seed: u64) {
    let home = home();
    let mut random = Random::new(seed, fault.bytes().map(u64::from).sum());
    let work = home.path().join("disk");
    copy(&start.left.path().join("disk"), &work);
    let from = Disk::of(&work);
    let mut plans = vec![Plan { fault: Some(fault), ..PLAN }];
    if random.below(2) == 0 {
        plans.push(Plan { lives: 1, ..PLAN });
    }
    let ended = record(&work, &plans);
    let (recording, code) = (ended.recording, ended.codes[0]);
    let acknowledged = [start.acknowledged.as_slice(), &ended.acknowledged].concat();
    let events = recording.events();
    let struck = events.iter().filter(|event| event.kind == Kind::Refused).count();
    println!("{fault}: {struck} calls failed, {} writes, code {code:?}", ended.acknowledged.len());
    assert!([Some(0), Some(STOPPED), Some(REFUSED)].contains(&code), "{fault}: code {code:?}");
    assert!(code == Some(0) || struck > 0, "{fault}: stopped for nothing");
    assert!(ended.codes[1..].iter().all(|code| *code == Some(0)), "{fault}: and for ever");

    let Start { origin, acknowledged: before, .. } = start;
    let run = Run { from: &from, origin, before, time: 0, seed };
    let mut walk = Walk::new(&run, &events);
    walk.go_on_to(events.len());
    let state = home.path().join("state");
    (0..STATES).for_each(|_| walk.open_one(&state, random.next()));
    check_as_it_is(&work, fault, &acknowledged);
}

fn copy(from: &Path, into: &Path) {
    fs::create_dir(into).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let path = into.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &path);
        } else {
            fs::copy(entry.path(), path).unwrap();
        }
    }
}

fn check_as_it_is(work: &Path, fault: &str, acknowledged: &[Acknowledged]) {
    let opened = std::panic::catch_unwind(|| check(&work.join("data"), acknowledged, true));
    assert!(opened.is_ok(), "{fault}: the folder as it was left");
}
