//! Failures on demand: one call of a kind, or all from there on.

use std::ffi::CStr;

use libc::c_int;

/// Calls that can be made to fail, counted each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Open,
    Read,
    Write,
    Length,
    Sync,
    Range,
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Refused(c_int),
    /// Less is written than was asked for.
    Short,
    /// The process ends there and then, as if it were killed.
    Killed,
}

/// `write:137:EIO`: the 137th write fails; `write:137+:ENOSPC`: all from that one on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    class: Class,
    first: u64,
    stays: bool,
    failure: Failure,
}

impl Fault {
    pub(crate) fn parse(text: &CStr) -> Option<Self> {
        let mut parts = text.to_str().ok()?.split(':');
        let class = match parts.next()? {
            "open" => Class::Open,
            "read" => Class::Read,
            "write" => Class::Write,
            "length" => Class::Length,
            "sync" => Class::Sync,
            "range" => Class::Range,
            "name" => Class::Name,
            _ => return None,
        };
        let number = parts.next()?;
        let failure = match parts.next()? {
            "EIO" => Failure::Refused(libc::EIO),
            "ENOSPC" => Failure::Refused(libc::ENOSPC),
            "SHORT" => Failure::Short,
            "KILL" => Failure::Killed,
            _ => return None,
        };
        let first = number.trim_end_matches('+').parse().ok()?;
        Some(Self { class, first, stays: number.ends_with('+'), failure })
    }

    /// How the call with this number fails, if it does.
    pub(crate) fn strikes(&self, class: Class, number: u64) -> Option<Failure> {
        let due = number == self.first || self.stays && number > self.first;
        (self.class == class && due).then_some(self.failure)
    }
}
