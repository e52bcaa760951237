//! Who sent a request: the peer of the connection, or the client behind a proxy that is trusted.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::HeaderName;
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The client of a request that came over a connection from `peer`: the right-most address of
/// `X-Forwarded-For` that is not in `trusted`. Whoever is not trusted is not believed, and what a
/// trusted proxy passed on without understanding it ends the search.
pub(crate) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    let mut client = peer;
    if trusted.is_empty() {
        return client;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let mut hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    while is_trusted(client) {
        match hops.next().and_then(|hop| address(hop.trim())) {
            Some(hop) => client = hop,
            None => return client,
        }
    }
    client
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().or_else(|_| text.parse().map(|addr: SocketAddr| addr.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_last_hop_that_is_not_a_proxy_of_ours() {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a network"));
        let cases: [(&str, &[&str], &str); 11] = [
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.7, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("fd00::1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
        ];
        for (peer, lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().expect("a header"));
            }
            let found = client(peer.parse().expect("an address"), &headers, &trusted);
            assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
        }
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_FOR, "198.51.100.7".parse().expect("a header"));
        let peer = "10.0.0.1".parse().expect("an address");
        assert_eq!(client(peer, &headers, &[]), peer);
    }
}
