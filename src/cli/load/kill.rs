//! A server that is killed in the middle of its work.

use std::pin::pin;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::sync::watch;

use super::place::Place;
use crate::cli::child::ChildServer;

/// What the work comes to, and whether the server was killed in the middle of it: once the work is
/// done a kill would prove nothing, and is left out.
pub(super) async fn amid<T>(
    work: impl Future<Output = T>,
    kill: impl Future<Output = anyhow::Result<bool>>,
) -> anyhow::Result<(T, bool)> {
    let mut work = pin!(work);
    let kill = pin!(kill);
    tokio::select! {
        biased;
        done = &mut work => Ok((done, false)),
        killed = kill => {
            let killed = killed?;
            Ok((work.await, killed))
        }
    }
}

/// Kills the child after a while and brings it back, unless nobody makes calls any more after
/// `end`; true if it did.
pub(super) async fn kill(
    child: &mut Option<ChildServer>,
    place: &watch::Sender<Option<Place>>,
    after: Option<Duration>,
    end: Instant,
) -> anyhow::Result<bool> {
    let (Some(child), Some(after)) = (child, after) else {
        return Ok(false);
    };
    tokio::time::sleep(after).await;
    if Instant::now() >= end {
        return Ok(false);
    }
    place.send_replace(None);
    tokio::task::block_in_place(|| {
        child.kill()?;
        child.restart()
    })
    .context("the killed server did not come back")?;
    place.send_replace(Some(Place::at(child.address())));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_kill_that_would_come_after_the_work_is_left_out() {
        let done = amid(ready(7), pending()).await.expect("done");
        assert_eq!(done, (7, false));
        let done = amid(ready(7), ready(Ok(true))).await.expect("done");
        assert_eq!(done, (7, false));
    }

    #[tokio::test]
    async fn work_goes_on_after_a_kill() {
        let (come_back, back) = oneshot::channel();
        let kill = async move {
            come_back.send(()).expect("somebody waits");
            Ok(true)
        };
        let done = amid(async { back.await.map(|()| 7) }, kill).await.expect("done");
        assert_eq!(done, (Ok(7), true));
    }
}
