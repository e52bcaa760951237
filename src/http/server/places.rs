//! Places for connections: so many in all and for each client address, and some more that are kept
//! for health and figures, so that a crowd does not make the server look dead. A connection for
//! which there is none is told so.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::domain::platform::limits::client;
use actors::entropy::Entropy;
use ipnet::IpNet;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::http::request::RequestId;

/// Places beyond the bounds: in all, and for a client address. A connection in one of them asks
/// for health once and is closed.
const RESERVE: usize = 64;
const RESERVE_OF_ONE: usize = 4;

/// How long the other end may take to read that there is no room, and for how many at a time it is
/// waited: they are connections as well.
const PATIENCE: Duration = Duration::from_secs(1);
const WAITED_FOR: usize = 64;

pub(super) struct Places {
    in_all: usize,
    /// For each address; `None` where that is not bounded.
    for_one: Option<usize>,
    /// Networks whose connections are those of many clients.
    shared: Vec<IpNet>,
    taken: Mutex<Taken>,
    /// Places for those that are told that there is none.
    waited_for: Arc<Semaphore>,
}

#[derive(Default)]
struct Taken {
    all: Count,
    by_client: HashMap<IpAddr, Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    usual: usize,
    reserved: usize,
}

/// A place is free again when this is dropped.
pub(super) struct Held {
    places: Arc<Places>,
    client: IpAddr,
    reserved: bool,
}

impl Places {
    pub(super) fn new(in_all: usize, for_one: Option<usize>, shared: Vec<IpNet>) -> Self {
        let waited_for = Arc::new(Semaphore::new(WAITED_FOR));
        Self { in_all, for_one, shared, taken: Mutex::default(), waited_for }
    }

    /// A place for a connection from `address`; `None` when not even a reserved one is free.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Held> {
        let shared = self.shared.iter().any(|net| net.contains(&address.to_canonical()));
        let for_one = if shared { None } else { self.for_one };
        let client = client(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken { all, by_client } = &mut *taken;
        let mut own = by_client.get(&client).copied().unwrap_or_default();
        let reserved = all.usual >= self.in_all || for_one.is_some_and(|most| own.usual >= most);
        if !reserved {
            all.usual += 1;
            own.usual += 1;
        } else if all.reserved < RESERVE && own.reserved < RESERVE_OF_ONE {
            all.reserved += 1;
            own.reserved += 1;
        } else {
            return None;
        }
        by_client.insert(client, own);
        Some(Held { places: self.clone(), client, reserved })
    }

    /// Says `503` in plain HTTP/1.1 and closes. Over TLS nothing can be said without a handshake,
    /// which would cost more than it tells: the connection is only closed.
    pub(super) fn refuse(&self, stream: TcpStream, tls: bool, entropy: Entropy) {
        if tls {
            return;
        }
        let body = r#"{"error":"the server has too many connections, try again"}"#;
        let answer = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nretry-after: 1\r\nx-request-id: {}\r\nconnection: close\r\n\r\n{body}",
            body.len(),
            RequestId::draw(entropy),
        );
        let Ok(mut stream) = stream.into_std() else { return };
        // Nothing was written before, so there is room for all of it.
        if stream.write(answer.as_bytes()).is_err() {
            return;
        }
        let Ok(held) = self.waited_for.clone().try_acquire_owned() else { return };
        let Ok(mut stream) = TcpStream::from_std(stream) else { return };
        tokio::spawn(timeout(PATIENCE, async move {
            let _held = held;
            stream.shutdown().await?;
            // Closing with unread bytes would reset the connection before the answer is read.
            let mut sink = [0; 1_024];
            while stream.read(&mut sink).await? > 0 {}
            Ok::<_, std::io::Error>(())
        }));
    }
}

impl Held {
    pub(super) fn is_reserved(&self) -> bool {
        self.reserved
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken { all, by_client } = &mut *taken;
        let Some(own) = by_client.get_mut(&self.client) else { return };
        let (all, one) = match self.reserved {
            true => (&mut all.reserved, &mut own.reserved),
            false => (&mut all.usual, &mut own.usual),
        };
        *all -= 1;
        *one -= 1;
        if own.usual + own.reserved == 0 {
            by_client.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(in_all: usize, for_one: Option<usize>) -> Arc<Places> {
        let shared = vec!["10.0.0.0/8".parse().expect("a network")];
        Arc::new(Places::new(in_all, for_one, shared))
    }

    /// How many usual and how many reserved places `address` gets.
    fn all_of(places: &Arc<Places>, address: &str) -> (usize, usize, Vec<Held>) {
        let address = address.parse().expect("an address");
        let held: Vec<Held> = std::iter::from_fn(|| places.take(address)).collect();
        let reserved = held.iter().filter(|place| place.is_reserved()).count();
        (held.len() - reserved, reserved, held)
    }

    #[test]
    fn an_address_has_its_share_and_a_reserve() {
        let places = places(10, Some(3));
        let (usual, reserved, held) = all_of(&places, "192.0.2.1");
        assert_eq!((usual, reserved), (3, RESERVE_OF_ONE));
        // A network of IPv6 is one client.
        let (usual, _, _net) = all_of(&places, "2001:db8::1");
        assert_eq!(usual, 3);
        assert_eq!(all_of(&places, "2001:db8::2").0, 0);
        assert_eq!(all_of(&places, "2001:db8:0:1::2").0, 3);
        drop(held);
        assert_eq!(all_of(&places, "192.0.2.1").0, 3);
    }

    #[test]
    fn a_proxy_takes_what_is_there_and_health_is_left() {
        let places = places(10, Some(3));
        let (usual, _, held) = all_of(&places, "10.1.2.3");
        assert_eq!(usual, 10);
        let (usual, reserved, _other) = all_of(&places, "192.0.2.1");
        assert_eq!((usual, reserved), (0, RESERVE_OF_ONE));
        drop(held);
        assert_eq!(all_of(&places, "192.0.2.2").0, 3);
    }

    #[test]
    fn who_gets_no_place_is_not_remembered() {
        let places = places(0, None);
        let held: Vec<Held> = (1..=RESERVE / RESERVE_OF_ONE)
            .flat_map(|one| all_of(&places, &format!("192.0.2.{one}")).2)
            .collect();
        assert_eq!(held.len(), RESERVE);
        assert!(places.take("203.0.113.1".parse().expect("an address")).is_none());
        let taken = places.taken.lock().expect("whole");
        assert_eq!(taken.by_client.len(), RESERVE / RESERVE_OF_ONE);
    }

    #[test]
    fn what_is_free_again_is_forgotten() {
        let places = places(10, None);
        let (usual, ..) = all_of(&places, "192.0.2.1");
        assert_eq!(usual, 10);
        let taken = places.taken.lock().expect("whole");
        assert!(taken.by_client.is_empty());
        assert_eq!(taken.all.usual + taken.all.reserved, 0);
    }
}
