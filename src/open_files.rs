//! How many files this process may have open. A connection is one too.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is left to the store's files, to calls out, and to connections that ask for health or are
/// told that there is no room: a quarter of all, and at least so many.
const PART_LEFT: u64 = 4;
const LEAST_LEFT: u64 = 384;

/// A server that takes fewer connections is of no use.
const LEAST_CONNECTIONS: u64 = 64;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the system lets this process have {limit} files open, connections among them, and it needs at \
     least {} (`LimitNOFILE` of its unit, `ulimit -n` of its shell)",
    LEAST_LEFT + LEAST_CONNECTIONS
)]
pub(crate) struct TooFew {
    limit: u64,
}

/// Takes as many as the system would let it have: what is given without asking is a number for
/// programs that can handle no more.
pub(crate) fn take_all() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    let taken = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    if let Err(error) = taken {
        tracing::warn!(%error, "the limit of open files stays as it was");
    }
}

/// How many of them connections may be.
pub(crate) fn for_connections() -> Result<usize, TooFew> {
    of(getrlimit(Resource::Nofile).current)
}

fn of(limit: Option<u64>) -> Result<usize, TooFew> {
    let limit = limit.unwrap_or(u64::MAX);
    let connections = limit.saturating_sub(LEAST_LEFT.max(limit / PART_LEFT));
    if connections < LEAST_CONNECTIONS {
        return Err(TooFew { limit });
    }
    Ok(usize::try_from(connections).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_store() {
        assert_eq!(of(Some(447)), Err(TooFew { limit: 447 }));
        assert_eq!(of(Some(448)), Ok(64));
        assert_eq!(of(Some(1_024)), Ok(640));
        assert_eq!(of(Some(20_000)), Ok(15_000));
        assert!(of(None).is_ok_and(|connections| connections > 1_000_000));
        let refused = TooFew { limit: 16 }.to_string();
        assert!(refused.contains("16 files open") && refused.contains("at least 448"), "{refused}");
    }
}
