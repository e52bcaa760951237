//! Calls on names: opening, creating, renaming, removing.

use libc::{AT_FDCWD, AT_REMOVEDIR, c_char, c_int, c_uint, mode_t};

use crate::calls::{interposed, refuse};
use crate::event::{Event, Kind};
use crate::fault::{Class, Failure};
use crate::record::{self, Recorder, named, recorder};

/// The name of a path that is recorded.
///
/// # Safety
/// `path` must end with a zero.
unsafe fn inside(folder: c_int, path: *const c_char) -> Option<(&'static Recorder, Vec<u8>)> {
    let recorder = recorder()?;
    // SAFETY: as above.
    let path = unsafe { named(folder, path) }?;
    let name = recorder.relative(&path)?.to_vec();
    Some((recorder, name))
}

unsafe fn exists(folder: c_int, path: *const c_char) -> bool {
    // SAFETY: the caller's path; zeros are a valid value of the structure that is filled in.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        libc::fstatat(folder, path, &mut found, libc::AT_SYMLINK_NOFOLLOW) == 0
    }
}

unsafe fn open_at(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: what the caller has handed in.
    let real = || unsafe { libc::syscall(libc::SYS_openat, folder, path, flags, mode) as c_int };
    // SAFETY: as above.
    let Some((recorder, name)) = (unsafe { inside(folder, path) }) else { return real() };
    let mut turn = recorder.turn();
    if let Some(Failure::Refused(errno)) = turn.fault(Class::Open) {
        return refuse(errno);
    }
    if flags & libc::O_TMPFILE == libc::O_TMPFILE {
        turn.name(Kind::Unknown, 0, b"a file without a name");
    }
    // SAFETY: as above.
    let fresh = flags & libc::O_CREAT != 0 && !unsafe { exists(folder, path) };
    let fd = real();
    if fd < 0 || flags & (libc::O_CREAT | libc::O_TRUNC) == 0 {
        return fd;
    }
    let node = record::status(fd).map_or(0, |found| found.st_ino);
    if fresh {
        turn.name(Kind::Create, node, &name);
    } else if flags & libc::O_TRUNC != 0 {
        turn.note(Kind::Length, node, 0);
    }
    fd
}

unsafe fn rename_at(
    from_folder: c_int,
    from: *const c_char,
    into_folder: c_int,
    into: *const c_char,
    flags: c_uint,
) -> c_int {
    // SAFETY: what the caller has handed in.
    let real = || unsafe {
        libc::syscall(libc::SYS_renameat2, from_folder, from, into_folder, into, flags) as c_int
    };
    // SAFETY: as above.
    let ends = unsafe { (inside(from_folder, from), inside(into_folder, into)) };
    let (recorder, from, into) = match ends {
        (None, None) => return real(),
        (Some((recorder, from)), Some((_, into))) if flags & libc::RENAME_EXCHANGE == 0 => {
            (recorder, from, into)
        }
        (Some((recorder, _)), _) | (_, Some((recorder, _))) => {
            recorder.turn().name(Kind::Unknown, 0, b"a rename across the folder, or an exchange");
            return real();
        }
    };
    let mut turn = recorder.turn();
    if let Some(Failure::Refused(errno)) = turn.fault(Class::Name) {
        return refuse(errno);
    }
    let done = real();
    if done == 0 {
        turn.log(&Event { kind: Kind::Rename, node: 0, at: 0, name: &from, bytes: &into });
    }
    done
}

/// A call on one name: done, and noted when it has succeeded.
unsafe fn named_call(
    folder: c_int,
    path: *const c_char,
    kind: Kind,
    real: impl FnOnce() -> i64,
) -> c_int {
    // SAFETY: the caller's path.
    let Some((recorder, name)) = (unsafe { inside(folder, path) }) else { return real() as c_int };
    let mut turn = recorder.turn();
    if let Some(Failure::Refused(errno)) = turn.fault(Class::Name) {
        return refuse(errno);
    }
    let done = real() as c_int;
    if done == 0 {
        turn.name(kind, number(folder, path, kind), &name);
    }
    done
}

/// The number of a folder that was just made.
fn number(folder: c_int, path: *const c_char, kind: Kind) -> u64 {
    if kind != Kind::MakeFolder {
        return 0;
    }
    // SAFETY: the path was good a moment ago; zeros are a valid value of what is filled in.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        libc::fstatat(folder, path, &mut found, libc::AT_SYMLINK_NOFOLLOW);
        found.st_ino
    }
}

unsafe fn unknown_name(folder: c_int, path: *const c_char, what: &str) {
    // SAFETY: the caller's path.
    if let Some((recorder, _)) = unsafe { inside(folder, path) } {
        recorder.turn().name(Kind::Unknown, 0, what.as_bytes());
    }
}

interposed! {
    fn open, open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_at(AT_FDCWD, path, flags, mode)
    }
    fn openat, openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_at(folder, path, flags, mode)
    }
    fn creat, creat64(path: *const c_char, mode: mode_t) -> c_int {
        open_at(AT_FDCWD, path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode)
    }
    fn rename(from: *const c_char, into: *const c_char) -> c_int {
        rename_at(AT_FDCWD, from, AT_FDCWD, into, 0)
    }
    fn renameat(
        from_folder: c_int,
        from: *const c_char,
        into_folder: c_int,
        into: *const c_char
    ) -> c_int {
        rename_at(from_folder, from, into_folder, into, 0)
    }
    fn renameat2(
        from_folder: c_int,
        from: *const c_char,
        into_folder: c_int,
        into: *const c_char,
        flags: c_uint
    ) -> c_int {
        rename_at(from_folder, from, into_folder, into, flags)
    }
    fn unlink(path: *const c_char) -> c_int {
        unlinkat(AT_FDCWD, path, 0)
    }
    fn rmdir(path: *const c_char) -> c_int {
        unlinkat(AT_FDCWD, path, AT_REMOVEDIR)
    }
    fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
        let kind = if flags & AT_REMOVEDIR == 0 { Kind::Remove } else { Kind::RemoveFolder };
        named_call(folder, path, kind, || libc::syscall(libc::SYS_unlinkat, folder, path, flags))
    }
    fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
        mkdirat(AT_FDCWD, path, mode)
    }
    fn mkdirat(folder: c_int, path: *const c_char, mode: mode_t) -> c_int {
        named_call(folder, path, Kind::MakeFolder, || {
            libc::syscall(libc::SYS_mkdirat, folder, path, mode)
        })
    }
    fn truncate, truncate64(path: *const c_char, length: libc::off_t) -> c_int {
        unknown_name(AT_FDCWD, path, "truncate by name");
        libc::syscall(libc::SYS_truncate, path, length) as c_int
    }
    fn link(from: *const c_char, into: *const c_char) -> c_int {
        linkat(AT_FDCWD, from, AT_FDCWD, into, 0)
    }
    fn linkat(
        from_folder: c_int,
        from: *const c_char,
        into_folder: c_int,
        into: *const c_char,
        flags: c_int
    ) -> c_int {
        unknown_name(into_folder, into, "a second name of a file");
        libc::syscall(libc::SYS_linkat, from_folder, from, into_folder, into, flags) as c_int
    }
}
