//! Calls on open files.

use libc::{c_int, c_void, iovec, off_t, size_t, ssize_t};

use crate::event::{Event, Kind};
use crate::fault::{Class, Failure};
use crate::record::{self, recorder};

pub(crate) fn refuse(errno: c_int) -> c_int {
    // SAFETY: the place of this thread's error number.
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// Where the next plain write of a file goes.
fn position(fd: c_int) -> u64 {
    // SAFETY: these only ask.
    let (flags, place) = unsafe {
        (
            libc::syscall(libc::SYS_fcntl, fd, libc::F_GETFL),
            libc::syscall(libc::SYS_lseek, fd, 0, libc::SEEK_CUR),
        )
    };
    if flags as c_int & libc::O_APPEND != 0 {
        return record::status(fd).map_or(0, |found| found.st_size as u64);
    }
    place as u64
}

unsafe fn put(fd: c_int, from: *const c_void, length: size_t, at: Option<off_t>) -> ssize_t {
    let real = |length: size_t| {
        // SAFETY: what the caller has handed in, or less of it.
        let done = unsafe {
            match at {
                Some(at) => libc::syscall(libc::SYS_pwrite64, fd, from, length, at),
                None => libc::syscall(libc::SYS_write, fd, from, length),
            }
        };
        done as ssize_t
    };
    // SAFETY: so many bytes of it were written.
    let written = |done: ssize_t| unsafe {
        std::slice::from_raw_parts(from.cast::<u8>(), usize::try_from(done).unwrap_or(0))
    };
    let Some((recorder, node)) = record::file(fd) else {
        let Some(recorder) = recorder().filter(|_| fd == libc::STDOUT_FILENO) else {
            return real(length);
        };
        let turn = recorder.turn();
        let done = real(length);
        let bytes = written(done);
        turn.log(&Event { kind: Kind::Said, node: 0, at: 0, name: &[], bytes });
        return done;
    };
    let mut turn = recorder.turn();
    let length = match turn.fault(Class::Write) {
        None => length,
        Some(Failure::Refused(errno)) => return refuse(errno) as ssize_t,
        Some(_) => (length / 2).max(1),
    };
    let place = at.map_or_else(|| position(fd), |at| at as u64);
    let done = real(length);
    if done > 0 {
        let bytes = written(done);
        turn.now_in_memory(node, place, bytes.len());
        turn.log(&Event { kind: Kind::Write, node, at: place, name: &[], bytes });
    }
    done
}

unsafe fn put_all(fd: c_int, parts: *const iovec, count: c_int, at: Option<off_t>) -> ssize_t {
    let count = usize::try_from(count).unwrap_or(0);
    let mut bytes = Vec::new();
    // SAFETY: the caller says that there are so many parts, each of its length.
    unsafe {
        for part in std::slice::from_raw_parts(parts, count) {
            if part.iov_len > 0 {
                let part = std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len);
                bytes.extend_from_slice(part);
            }
        }
        put(fd, bytes.as_ptr().cast(), bytes.len(), at)
    }
}

unsafe fn get(fd: c_int, into: *mut c_void, length: size_t, at: Option<off_t>) -> ssize_t {
    let mut length = length;
    let mut missed = None;
    if let Some((recorder, node)) = record::file(fd) {
        let from = at.map_or_else(|| position(fd), |at| at as u64);
        let mut turn = recorder.turn();
        // What was read or written before comes from memory, which does not fail.
        let size = record::status(fd).map_or(0, |found| found.st_size as u64);
        let there = size.saturating_sub(from).min(length as u64) as usize;
        if turn.misses(node, from, there) {
            match turn.fault(Class::Read) {
                None => missed = Some((recorder, node, from)),
                Some(Failure::Refused(errno)) => return refuse(errno) as ssize_t,
                Some(_) => length = (length / 2).max(1),
            }
        }
    }
    // SAFETY: what the caller has handed in, or less of it.
    let done = unsafe {
        match at {
            Some(at) => libc::syscall(libc::SYS_pread64, fd, into, length, at),
            None => libc::syscall(libc::SYS_read, fd, into, length),
        }
    };
    if let (Some((recorder, node, from)), Ok(done)) = (missed, usize::try_from(done)) {
        recorder.turn().now_in_memory(node, from, done);
    }
    done as ssize_t
}

/// A call that moves no bytes: done, and noted when it has succeeded.
fn noted(fd: c_int, class: Class, kind: Kind, at: u64, real: impl FnOnce() -> i64) -> c_int {
    let Some((recorder, node)) = record::file(fd) else { return real() as c_int };
    let mut turn = recorder.turn();
    let done = match turn.fault(class) {
        Some(Failure::Refused(errno)) => refuse(errno),
        _ => real() as c_int,
    };
    if done == 0 {
        turn.note(kind, node, at);
    } else if matches!(class, Class::Sync | Class::Range) {
        turn.note(Kind::SyncFailed, node, 0);
    }
    done
}

/// A call whose effect is not followed.
pub(crate) fn unknown(fd: c_int, what: &str) {
    if let Some((recorder, node)) = record::file(fd) {
        recorder.turn().name(Kind::Unknown, node, what.as_bytes());
    }
}

macro_rules! interposed {
    ($(fn $($alias:ident),+ ($($arg:ident: $kind:ty),*) -> $out:ty $body:block)+) => {
        $($crate::calls::interposed!(@each ($($alias),+) ($($arg: $kind),*) $out, $body);)+
    };
    (@each ($($alias:ident),+) $args:tt $out:ty, $body:block) => {
        $($crate::calls::interposed!(@one $alias $args $out, $body);)+
    };
    (@one $alias:ident ($($arg:ident: $kind:ty),*) $out:ty, $body:block) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $alias($($arg: $kind),*) -> $out {
            // SAFETY: the caller keeps to what the C library demands of this function.
            #[allow(unused_unsafe, reason = "not all of them do what is unsafe")]
            unsafe { $body }
        }
    };
}
pub(crate) use interposed;

interposed! {
    fn write(fd: c_int, from: *const c_void, length: size_t) -> ssize_t {
        put(fd, from, length, None)
    }
    fn pwrite, pwrite64(fd: c_int, from: *const c_void, length: size_t, at: off_t) -> ssize_t {
        put(fd, from, length, Some(at))
    }
    fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
        put_all(fd, parts, count, None)
    }
    fn pwritev, pwritev64(fd: c_int, parts: *const iovec, count: c_int, at: off_t) -> ssize_t {
        put_all(fd, parts, count, Some(at))
    }
    fn read(fd: c_int, into: *mut c_void, length: size_t) -> ssize_t {
        get(fd, into, length, None)
    }
    fn pread, pread64(fd: c_int, into: *mut c_void, length: size_t, at: off_t) -> ssize_t {
        get(fd, into, length, Some(at))
    }
    fn fsync(fd: c_int) -> c_int {
        noted(fd, Class::Sync, Kind::Sync, 0, || libc::syscall(libc::SYS_fsync, fd))
    }
    fn fdatasync(fd: c_int) -> c_int {
        noted(fd, Class::Sync, Kind::SyncData, 0, || libc::syscall(libc::SYS_fdatasync, fd))
    }
    fn syncfs(fd: c_int) -> c_int {
        noted(fd, Class::Sync, Kind::SyncAll, 0, || libc::syscall(libc::SYS_syncfs, fd))
    }
    fn sync_file_range(fd: c_int, at: off_t, length: off_t, flags: libc::c_uint) -> c_int {
        noted(fd, Class::Range, Kind::SyncRange, at as u64, || {
            libc::syscall(libc::SYS_sync_file_range, fd, at, length, flags)
        })
    }
    fn ftruncate, ftruncate64(fd: c_int, length: off_t) -> c_int {
        noted(fd, Class::Length, Kind::Length, length as u64, || {
            libc::syscall(libc::SYS_ftruncate, fd, length)
        })
    }
    fn fallocate, fallocate64(fd: c_int, mode: c_int, at: off_t, length: off_t) -> c_int {
        let now = record::status(fd).map_or(0, |found| found.st_size);
        if mode & !libc::FALLOC_FL_KEEP_SIZE != 0 {
            unknown(fd, "fallocate that changes contents");
        }
        let grown = if mode == 0 { now.max(at + length) } else { now };
        noted(fd, Class::Length, Kind::Length, grown as u64, || {
            libc::syscall(libc::SYS_fallocate, fd, mode, at, length)
        })
    }
    fn posix_fallocate, posix_fallocate64(fd: c_int, at: off_t, length: off_t) -> c_int {
        let done = fallocate(fd, 0, at, length);
        if done == 0 { 0 } else { *libc::__errno_location() }
    }
    fn mmap, mmap64(
        near: *mut c_void,
        length: size_t,
        access: c_int,
        flags: c_int,
        fd: c_int,
        at: off_t
    ) -> *mut c_void {
        if flags & libc::MAP_SHARED != 0 && access & libc::PROT_WRITE != 0 {
            unknown(fd, "mmap to write");
        }
        libc::syscall(libc::SYS_mmap, near, length, access, flags, fd, at) as *mut c_void
    }
    fn copy_file_range(
        from: c_int,
        from_at: *mut off_t,
        into: c_int,
        into_at: *mut off_t,
        length: size_t,
        flags: libc::c_uint
    ) -> ssize_t {
        unknown(into, "copy_file_range");
        let done =
            libc::syscall(libc::SYS_copy_file_range, from, from_at, into, into_at, length, flags);
        done as ssize_t
    }
    fn sendfile, sendfile64(into: c_int, from: c_int, at: *mut off_t, length: size_t) -> ssize_t {
        unknown(into, "sendfile");
        libc::syscall(libc::SYS_sendfile, into, from, at, length) as ssize_t
    }
}
