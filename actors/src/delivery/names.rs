//! The names of hosts, resolved on the threads that reads of the disk run on as well.
//!
//! A name that nobody answers for keeps its thread for half a minute, long after whoever asked has
//! given up. Its place is given back with the thread, so there are never more such threads than
//! places: what else needs a thread finds one.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::LazyLock;

use super::queue::Standing;
use super::slots::Slots;
use crate::domain::ids::SellerId;
use crate::domain::platform::webhook::url::UrlParts;

/// Names that are resolved at once for hosts of one standing, and of these for one seller.
const AT_ONCE: usize = 256;
const OF_SELLER: usize = 32;

/// Threads that resolve names at most.
pub const RESOLVING_THREADS: usize = 3 * AT_ONCE;

/// One for the process, as its threads are.
static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let places = || Slots::new(AT_ONCE, OF_SELLER);
    Places { prompt: places(), unknown: places(), slow: places() }
});

struct Places {
    prompt: Slots,
    unknown: Slots,
    slow: Slots,
}

/// Resolves a host for a seller; the error is for the seller to read. Waits as long as it takes.
pub(crate) async fn resolve(
    seller: SellerId,
    parts: &UrlParts,
    standing: Standing,
) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = parts.host.parse::<IpAddr>() {
        return Ok(vec![address.to_canonical()]);
    }
    let places = match standing {
        Standing::Prompt => &PLACES.prompt,
        Standing::Unknown => &PLACES.unknown,
        Standing::Slow => &PLACES.slow,
    };
    let host = (parts.host.clone(), parts.port);
    let found = in_place(places, seller, move || host.to_socket_addrs()).await;
    let found = found.and_then(Result::ok).ok_or_else(|| "the host has no address".to_owned())?;
    Ok(found.map(|socket| socket.ip().to_canonical()).collect())
}

/// Works on a thread of its own, in a place that is taken until the work has ended, whether anybody
/// waits for that still or not.
async fn in_place<T: Send + 'static>(
    places: &Slots,
    seller: SellerId,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let place = places.acquire(seller).await?;
    let work = move || {
        let _place = place;
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_look_up_that_nobody_waits_for_keeps_its_place_until_its_thread_is_free() {
        let places = Slots::new(1, 1);
        let (answer, answered) = mpsc::channel::<()>();
        let look_up = in_place(&places, SellerId(1), move || answered.recv());
        assert!(look_up.now_or_never().is_none(), "it hangs, and is given up");
        assert!(places.acquire(SellerId(2)).now_or_never().is_none());
        answer.send(()).expect("it waits still");
        assert!(places.acquire(SellerId(2)).await.is_some());
    }
}
