//! All rows as of one moment.

use std::ops::Deref;

use crate::view::View;

/// All rows as of the last group that was durable when it was taken. Clones are of the same
/// moment.
///
/// What is written meanwhile waits in memory until the last snapshot from before it is dropped.
/// Where that would become too much, older snapshots end: reads answer
/// [`ReadError::SnapshotGone`](crate::ReadError::SnapshotGone) from then on.
#[derive(Clone, Debug)]
pub struct Snapshot(View);

impl Snapshot {
    pub(crate) fn of(view: View) -> Self {
        Self(view)
    }
}

impl Deref for Snapshot {
    type Target = View;

    fn deref(&self) -> &View {
        &self.0
    }
}
