//! The log, and the order of what stands in it.

use std::collections::HashSet;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use libc::{AT_FDCWD, c_char, c_int};

use crate::event::{Event, Kind};
use crate::fault::{Class, Failure, Fault};

/// The folder that is recorded, with its links resolved.
const FOLDER: &CStr = c"DISK_RECORDER_FOLDER";
/// The file that the log is appended to, outside of that folder.
const LOG: &CStr = c"DISK_RECORDER_LOG";
/// Which call fails; none unless told.
const FAULT: &CStr = c"DISK_RECORDER_FAULT";

const CLASSES: usize = 7;
const PAGE: u64 = 4_096;

pub(crate) struct Recorder {
    folder: Vec<u8>,
    log: c_int,
    fault: Option<Fault>,
    order: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Calls of each class.
    counts: [u64; CLASSES],
    /// Pages of files that the operating system has in memory.
    pages: HashSet<(u64, u64)>,
}

/// Held over a call and its entry, so that entries stand in the order of the calls.
pub(crate) struct Turn<'r> {
    recorder: &'r Recorder,
    seen: MutexGuard<'r, Seen>,
}

/// The recorder of this process, when it is to be recorded.
pub(crate) fn recorder() -> Option<&'static Recorder> {
    static RECORDER: OnceLock<Option<Recorder>> = OnceLock::new();
    RECORDER.get_or_init(Recorder::begin).as_ref()
}

/// The number of the file that is open here, when it is one that is recorded.
pub(crate) fn file(fd: c_int) -> Option<(&'static Recorder, u64)> {
    let recorder = recorder()?;
    recorder.relative(&opened_as(fd)?)?;
    Some((recorder, status(fd)?.st_ino))
}

impl Recorder {
    fn begin() -> Option<Self> {
        let folder = setting(FOLDER)?.to_bytes().to_vec();
        let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
        let path = setting(LOG)?.as_ptr();
        // SAFETY: the path ends with a zero and lives as long as the process.
        let log = unsafe { libc::syscall(libc::SYS_openat, AT_FDCWD, path, flags, 0o600) } as c_int;
        let fault = setting(FAULT).and_then(Fault::parse);
        (log >= 0).then(|| Self { folder, log, fault, order: Mutex::default() })
    }

    pub(crate) fn turn(&self) -> Turn<'_> {
        let seen = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        Turn { recorder: self, seen }
    }

    /// The name of a path inside the folder; the folder's own is empty.
    pub(crate) fn relative<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let rest = path.strip_prefix(self.folder.as_slice())?;
        match rest.split_first() {
            None => Some(rest),
            Some((b'/', name)) => Some(name),
            Some(_) => None,
        }
    }
}

impl Turn<'_> {
    pub(crate) fn log(&self, event: &Event<'_>) {
        let bytes = event.encode();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            // SAFETY: the slice is as long as is said.
            let written = unsafe {
                libc::syscall(libc::SYS_write, self.recorder.log, rest.as_ptr(), rest.len())
            };
            match usize::try_from(written) {
                Ok(written) => rest = &rest[written..],
                // A log with a hole proves nothing.
                // SAFETY: ends the process.
                Err(_) => unsafe { libc::abort() },
            }
        }
    }

    pub(crate) fn note(&self, kind: Kind, node: u64, at: u64) {
        self.log(&Event { kind, node, at, name: &[], bytes: &[] });
    }

    pub(crate) fn name(&self, kind: Kind, node: u64, name: &[u8]) {
        self.log(&Event { kind, node, at: 0, name, bytes: &[] });
    }

    /// Whether something of this must be read from the disk.
    pub(crate) fn misses(&self, node: u64, at: u64, bytes: usize) -> bool {
        pages(at, bytes).any(|page| !self.seen.pages.contains(&(node, page)))
    }

    pub(crate) fn now_in_memory(&mut self, node: u64, at: u64, bytes: usize) {
        self.seen.pages.extend(pages(at, bytes).map(|page| (node, page)));
    }

    /// Counts a call, and tells how it is to fail.
    pub(crate) fn fault(&mut self, class: Class) -> Option<Failure> {
        self.seen.counts[class as usize] += 1;
        let count = self.seen.counts[class as usize];
        let failure = self.recorder.fault?.strikes(class, count)?;
        self.name(Kind::Refused, count, format!("{class:?} {failure:?}").as_bytes());
        if failure == Failure::Killed {
            // SAFETY: ends the process, with all others waiting for their turn.
            unsafe { libc::_exit(libc::EXIT_FAILURE) };
        }
        Some(failure)
    }
}

fn pages(at: u64, bytes: usize) -> Range<u64> {
    at / PAGE..(at + bytes as u64).div_ceil(PAGE)
}

fn setting(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: what the environment holds ends with a zero, and this process leaves it as it is.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}

pub(crate) fn status(fd: c_int) -> Option<libc::stat> {
    // SAFETY: zeros are a valid value of this plain structure, which the call fills in.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        (libc::fstat(fd, &mut found) == 0).then_some(found)
    }
}

/// The path under which a file was opened.
fn opened_as(fd: c_int) -> Option<Vec<u8>> {
    let link = format!("/proc/self/fd/{fd}\0");
    let mut path = vec![0; libc::PATH_MAX as usize];
    // SAFETY: the link ends with a zero, and the buffer is as long as is said.
    let length =
        unsafe { libc::readlink(link.as_ptr().cast(), path.as_mut_ptr().cast(), path.len()) };
    path.truncate(usize::try_from(length).ok()?);
    Some(path)
}

/// The absolute path of what a call names, without resolving links.
///
/// # Safety
/// `path` must end with a zero.
pub(crate) unsafe fn named(folder: c_int, path: *const c_char) -> Option<Vec<u8>> {
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if path.starts_with(b"/") {
        return Some(path.to_vec());
    }
    let above = if folder == AT_FDCWD {
        std::os::unix::ffi::OsStringExt::into_vec(std::env::current_dir().ok()?.into_os_string())
    } else {
        opened_as(folder)?
    };
    Some([above.as_slice(), b"/", path].concat())
}
