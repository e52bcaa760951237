//! The power fails at any moment of the work.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use storage::testing::use_segments_of;
use storage::{Fatal, Options, Store};
use tempfile::TempDir;

use crate::archive::Origin;
use crate::event::{Event, Kind};
use crate::model::Disk;
use crate::random::{Random, seed};
use crate::recording::{Plan, Recording, record, text};
use crate::state::Choice;
use crate::writer::{Acknowledged, archive_of, options, parse, verify, write_on};
use crate::{SEGMENT_BYTES, setting};

/// Times that the process is recorded, each time from a state that the time before has left.
const TIMES: u64 = 4;
const WORKERS: u64 = 2;
/// One in so many states is closed and opened once more.
const AGAIN: u64 = 8;
/// One in so many is restored from its archive as well.
const RESTORED: u64 = 20;

#[test]
fn whatever_a_power_cut_leaves_opens_with_all_that_was_acknowledged() {
    let seed = seed();
    let states = setting("DISK_STATES", 1_000);
    let seconds = setting("DISK_SECONDS", 0);
    let mut random = Random::new(seed, 0);
    let mut start = home();
    let origin = Origin::new();
    let backup = origin.file();
    let mut before = Vec::new();
    let mut opened = 0;
    for time in 0..TIMES {
        // The first load is the long one. The others are mostly recovery: of what a cut has left,
        // and then of what a process has left that ended in the middle of it.
        let killed = format!("write:{}:KILL", random.between(1, 150));
        let backup = Some(backup.as_path());
        let short = Plan { lives: 2, rounds: 5, seconds: 0, fault: None, backup: None };
        let (rounds, seconds) = (24 + seconds, seconds / 4);
        let plans = match time {
            0 => vec![Plan { lives: 4, rounds, seconds, backup, ..short }],
            _ => vec![Plan { fault: Some(&killed), ..short }, short],
        };
        let work = start.path().join("disk");
        fs::create_dir_all(&work).unwrap();
        let from = Disk::of(&work);
        let ended = record(&work, &plans);
        assert_eq!(ended.codes.last(), Some(&Some(0)), "time {time}");
        let run = Run { from: &from, origin: &origin, before: &before, time, seed };
        run.is_complete(&ended.recording, &work);
        let share = if time == 0 { states - states / 6 * (TIMES - 1) } else { states / 6 };
        opened += run.open_states(&ended.recording, share);

        let (next, acknowledged) = run.leave_one(&ended.recording, &mut random);
        (start, before) = (next, acknowledged);
    }
    println!("{opened} states were opened and verified");
    assert!(opened as u64 >= states);
}

/// One recording, and what was there before it.
pub(crate) struct Run<'r> {
    pub(crate) from: &'r Disk<'static>,
    pub(crate) origin: &'r Origin,
    pub(crate) before: &'r [Acknowledged],
    pub(crate) time: u64,
    pub(crate) seed: u64,
}

impl Run<'_> {
    /// What was recorded is all that was done: with nothing lost it makes the very same files.
    fn is_complete(&self, recording: &Recording, work: &Path) {
        let mut disk: Disk<'_> = self.from.clone();
        recording.events().iter().for_each(|event| disk.apply(event));
        disk.settle_all();
        let built = home();
        let folder = built.path().join("disk");
        fs::create_dir(&folder).unwrap();
        let mut random = Random::new(self.seed, 0);
        Choice::draw(&disk, &mut random).build(&disk, &folder, &mut random);
        assert_eq!(files(&folder, &folder), files(work, work), "the recording has holes");
    }

    fn open_states(&self, recording: &Recording, states: u64) -> usize {
        let events = recording.events();
        let opened = AtomicUsize::new(0);
        thread::scope(|scope| {
            for worker in 0..WORKERS {
                let (events, opened) = (&events, &opened);
                scope.spawn(move || {
                    let mut random = Random::new(self.seed, self.time * 100 + worker);
                    let home = home();
                    let mut walk = Walk::new(self, events);
                    let own = states / WORKERS + u64::from(worker < states % WORKERS);
                    for cut in cuts(events, own, &mut random) {
                        walk.go_on_to(cut);
                        walk.open_one(home.path(), random.next());
                        opened.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        opened.into_inner()
    }

    /// A folder as a cut has left it, and what was acknowledged before.
    pub(crate) fn leave_one(
        &self,
        recording: &Recording,
        random: &mut Random,
    ) -> (TempDir, Vec<Acknowledged>) {
        let events = recording.events();
        let mut walk = Walk::new(self, &events);
        walk.go_on_to(random.between(events.len() as u64 / 2, events.len() as u64) as usize);
        let left = home();
        let folder = left.path().join("disk");
        fs::create_dir(&folder).unwrap();
        Choice::draw(&walk.disk, random).build(&walk.disk, &folder, random);
        (left, walk.acknowledged)
    }
}

/// Goes through a recording, from cut to cut.
pub(crate) struct Walk<'w> {
    run: &'w Run<'w>,
    events: &'w [Event<'w>],
    disk: Disk<'w>,
    at: usize,
    acknowledged: Vec<Acknowledged>,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(run: &'w Run<'w>, events: &'w [Event<'w>]) -> Self {
        let disk = run.from.clone();
        Self { run, events, disk, at: 0, acknowledged: run.before.to_vec() }
    }

    pub(crate) fn go_on_to(&mut self, cut: usize) {
        for event in &self.events[self.at..cut] {
            self.disk.apply(event);
            if event.kind == Kind::Said {
                self.acknowledged.extend(text(event.bytes).lines().filter_map(parse));
            }
        }
        self.at = cut;
    }

    pub(crate) fn open_one(&self, home: &Path, drawn: u64) {
        let folder = home.join("disk");
        fs::create_dir_all(&folder).unwrap();
        let mut random = Random::new(drawn, 0);
        let choice = Choice::draw(&self.disk, &mut random);
        choice.build(&self.disk, &folder, &mut random);
        let (again, restored) = (random.below(AGAIN) == 0, random.below(RESTORED) == 0);
        let tried = panic::catch_unwind(AssertUnwindSafe(|| {
            if restored {
                self.run.origin.check(&folder, &self.acknowledged);
            }
            check(&folder.join("data"), &self.acknowledged, again);
        }));
        if tried.is_err() {
            let Run { seed, time, .. } = self.run;
            let kept = std::env::temp_dir().join(format!("disk-{seed}-{time}-{}", self.at));
            let mut random = Random::new(drawn, 0);
            let choice = Choice::draw(&self.disk, &mut random);
            fs::create_dir_all(&kept).unwrap();
            choice.build(&self.disk, &kept, &mut random);
            let around = &self.events[self.at.saturating_sub(12)..self.at];
            around.iter().for_each(|event| println!("  {}", told(event)));
            panic!(
                "DISK_SEED={seed}, time {time}, cut at {} of {}: {choice:?}; kept in {}",
                self.at,
                self.events.len(),
                kept.display()
            );
        }
    }
}

/// Opens a folder as it is found, and goes on with it.
pub(crate) fn check(data: &Path, acknowledged: &[Acknowledged], again: bool) {
    use_segments_of(SEGMENT_BYTES);
    let archive = Some(archive_of(data));
    let (fatal, cache_bytes) = (Fatal::Poison, 8 * 1024 * 1024);
    let options = Options { fatal, cache_bytes, archive, ..options() };
    let store = Store::open(data, options.clone()).unwrap_or_else(|refused| panic!("{refused}"));
    verify(&store, acknowledged);
    let more = write_on(&store);
    store.close();
    if again {
        let store = Store::open(data, options).unwrap_or_else(|refused| panic!("{refused}"));
        verify(&store, &[acknowledged, &more].concat());
        store.close();
    }
}

/// Where the power fails, in rising order: anywhere, and as often right behind what is rare.
fn cuts(events: &[Event<'_>], count: u64, random: &mut Random) -> Vec<usize> {
    let rare: Vec<usize> = rare(events);
    let anywhere = |random: &mut Random| random.between(0, events.len() as u64) as usize;
    let mut cuts: Vec<usize> = (0..count)
        .map(|number| {
            if number % 2 == 0 || rare.is_empty() {
                return anywhere(random);
            }
            let near = rare[random.below(rare.len() as u64) as usize];
            (near + random.below(6) as usize).min(events.len())
        })
        .collect();
    cuts.sort_unstable();
    cuts
}

/// Changes of names and lengths, and writes over what was written before.
fn rare(events: &[Event<'_>]) -> Vec<usize> {
    let mut ends = std::collections::HashMap::new();
    let is_rare = |event: &Event<'_>| match event.kind {
        Kind::Write => {
            let end: &mut u64 = ends.entry(event.node).or_default();
            let over = event.at < *end && event.bytes.len() > 64;
            *end = (*end).max(event.at + event.bytes.len() as u64);
            over
        }
        Kind::Said | Kind::Sync | Kind::SyncData | Kind::SyncRange => false,
        _ => true,
    };
    let is_rare: Vec<bool> = events.iter().map(is_rare).collect();
    (0..events.len()).filter(|at| is_rare[*at]).collect()
}

fn told(event: &Event<'_>) -> String {
    let Event { kind, node, at, name, bytes } = event;
    let said = if bytes.len() < 80 && *kind != Kind::Write { text(bytes) } else { String::new() };
    format!("{kind:?} {node} {} at {at}, {} bytes {said}", text(name), bytes.len())
}

/// A folder in memory where there is room, which is as good as any and faster.
pub(crate) fn home() -> TempDir {
    const ROOM: u64 = 1024 * 1024 * 1024;
    let memory = Path::new("/dev/shm");
    let free = rustix::fs::statvfs(memory).map_or(0, |at| at.f_bavail * at.f_frsize);
    if free > ROOM { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// The names below a folder, with lengths and sums of what is in them.
fn files(root: &Path, folder: &Path) -> Vec<(String, Option<(usize, u32)>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            found.push((name, None));
            found.extend(files(root, &path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.push((name, Some((bytes.len(), crc32fast::hash(&bytes)))));
        }
    }
    found.sort();
    found
}
