//! The names of hosts, resolved on the threads that reads of the disk run on as well.
//!
//! A name that nobody answers for keeps its thread for half a minute, long after whoever asked has
//! given up. Its place is given back with the thread, so there are never more such threads than
//! places: what else needs a thread finds one. Waiting for a place is not the host's time: who
//! measures that takes the place first. A host that is slow has one place at most, so that it takes
//! none from the other hosts of its seller.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::LazyLock;

use tokio::sync::OwnedSemaphorePermit;

use super::queue::Standing;
use super::slots::{Parts, Slot, Slots};
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
    let slow_hosts = Parts::new(1);
    Places { prompt: places(), unknown: places(), slow: places(), slow_hosts }
});

struct Places {
    prompt: Slots,
    unknown: Slots,
    slow: Slots,
    slow_hosts: Parts<(SellerId, String)>,
}

/// A place to resolve one host in, given back when it is dropped.
pub(crate) type Place = (Option<OwnedSemaphorePermit>, Slot);

/// The place that resolving a host for a seller takes, as soon as there is one; none for an
/// address. Waits as long as it takes.
pub(crate) async fn place(seller: SellerId, parts: &UrlParts, standing: Standing) -> Option<Place> {
    if address(parts).is_some() {
        return None;
    }
    let (of_host, places) = match standing {
        Standing::Prompt => (None, &PLACES.prompt),
        Standing::Unknown => (None, &PLACES.unknown),
        Standing::Slow => {
            let host = (seller, parts.host.clone());
            (PLACES.slow_hosts.acquire(host).await, &PLACES.slow)
        }
    };
    Some((of_host, places.acquire(seller).await?))
}

/// Resolves a host in its place; the error is for the seller to read. Waits as long as it takes.
pub(crate) async fn resolve_in(
    place: Option<Place>,
    parts: &UrlParts,
) -> Result<Vec<IpAddr>, String> {
    if let Some(address) = address(parts) {
        return Ok(vec![address.to_canonical()]);
    }
    let host = (parts.host.clone(), parts.port);
    let found = match place {
        Some(place) => in_place(place, move || host.to_socket_addrs()).await,
        None => None,
    };
    let found = found.and_then(Result::ok).ok_or_else(|| "the host has no address".to_owned())?;
    Ok(found.map(|socket| socket.ip().to_canonical()).collect())
}

fn address(parts: &UrlParts) -> Option<IpAddr> {
    parts.host.parse().ok()
}

/// Works on a thread of its own, in a place that is taken until the work has ended, whether anybody
/// waits for that still or not.
async fn in_place<T: Send + 'static>(
    place: impl Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let work = move || {
        let _place = place;
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}

/// Takes all places of a seller for hosts of which nothing is known.
#[cfg(test)]
pub(crate) async fn all_unknown_of(seller: SellerId) -> Vec<Slot> {
    let mut all = Vec::new();
    while all.len() < OF_SELLER {
        all.extend(PLACES.unknown.acquire(seller).await);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt;

    use super::*;
    use crate::domain::platform::webhook::url::WebhookUrl;

    #[tokio::test]
    async fn a_look_up_that_nobody_waits_for_keeps_its_place_until_its_thread_is_free() {
        let places = Slots::new(1, 1);
        let (answer, answered) = mpsc::channel::<()>();
        let place = places.acquire(SellerId(1)).await;
        let look_up = in_place(place, move || answered.recv());
        assert!(look_up.now_or_never().is_none(), "it hangs, and is given up");
        assert!(places.acquire(SellerId(2)).now_or_never().is_none());
        answer.send(()).expect("it waits still");
        assert!(places.acquire(SellerId(2)).await.is_some());
    }

    #[tokio::test]
    async fn a_host_that_is_slow_has_one_place_whatever_waits_for_it() {
        let parts = |host: &str| UrlParts { host: host.to_owned(), ..url().parts() };
        let slow = |host| async move { place(SellerId(1), &parts(host), Standing::Slow).await };
        let hosts: Vec<_> = (1..OF_SELLER).map(|one| format!("dead{one}.example.com")).collect();
        let mut held = Vec::new();
        for host in &hosts {
            held.push(slow(host).now_or_never().expect("a place"));
            assert!(slow(host).now_or_never().is_none(), "one at a time");
        }
        assert!(slow("good.example.com").now_or_never().is_some(), "one is left");
        held.pop();
        assert!(slow(&hosts[OF_SELLER - 2]).now_or_never().is_some());
        assert!(place(SellerId(1), &parts("10.0.0.1"), Standing::Slow).await.is_none());
    }

    fn url() -> WebhookUrl {
        WebhookUrl::parse("https://hooks.example.com/hook", false).expect("a URL")
    }
}
