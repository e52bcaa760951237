//! Running the writer's process with its files recorded.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::event::{Event, Kind};
use crate::writer::{Acknowledged, BACKUP, LIVES, Writer};

/// What a process has done, in order.
pub(crate) struct Recording {
    log: Vec<u8>,
}

pub(crate) struct Ended {
    pub(crate) recording: Recording,
    /// The exit code of each of them.
    pub(crate) codes: Vec<Option<i32>>,
    pub(crate) acknowledged: Vec<Acknowledged>,
}

/// How the process is to live: see [`LIVES`]; what is to fail; and where the backup goes that is
/// made before anything is written: see [`BACKUP`].
pub(crate) struct Plan<'p> {
    pub(crate) lives: u64,
    pub(crate) rounds: u64,
    pub(crate) seconds: u64,
    pub(crate) fault: Option<&'p str>,
    pub(crate) backup: Option<&'p Path>,
}

/// Records processes on the store in `disk`, one after the other, each from its start to its end.
pub(crate) fn record(disk: &Path, plans: &[Plan<'_>]) -> Ended {
    let disk = fs::canonicalize(disk).unwrap();
    let log = disk.with_extension("log");
    let _ = fs::remove_file(&log);
    let own = std::env::current_exe().unwrap();
    let library = own.with_file_name("libdisk_recorder.so");
    assert!(library.exists(), "{} is built with the tests", library.display());
    let (mut codes, mut acknowledged) = (Vec::new(), Vec::new());
    for plan in plans {
        let mut command = Command::new(&own);
        command
            .env("LD_PRELOAD", &library)
            .env("DISK_RECORDER_FOLDER", &disk)
            .env("DISK_RECORDER_LOG", &log)
            .env(LIVES, format!("{}x{}x{}", plan.lives, plan.rounds, plan.seconds * 1_000));
        if let Some(fault) = plan.fault {
            command.env("DISK_RECORDER_FAULT", fault);
        }
        if let Some(backup) = plan.backup {
            command.env(BACKUP, backup);
        }
        let writer = Writer::start_as(command, "writer_process", &disk.join("data"));
        let (code, said) = writer.end();
        codes.push(code);
        acknowledged.extend(said);
    }
    let recording = Recording { log: fs::read(&log).unwrap() };
    fs::remove_file(&log).unwrap();
    let unknown = recording.events().into_iter().find(|event| event.kind == Kind::Unknown);
    assert!(unknown.is_none(), "not recorded: {unknown:?}");
    Ended { recording, codes, acknowledged }
}

impl Recording {
    pub(crate) fn events(&self) -> Vec<Event<'_>> {
        let (mut events, mut rest) = (Vec::new(), self.log.as_slice());
        while let Some((event, behind)) = Event::decode(rest) {
            events.push(event);
            rest = behind;
        }
        events
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
