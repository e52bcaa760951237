//! Where the server is that is loaded, and by what name it is called.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::net::{TcpStream, lookup_host};

use crate::cli::client::{Wire, WireError};
use crate::config::has_good_port;

/// How long one of a name's addresses may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    address: SocketAddr,
    /// What requests name as their host: servers behind a proxy are told apart by it.
    host: String,
}

impl Place {
    /// A server that is known by its address alone.
    pub(super) fn at(address: SocketAddr) -> Self {
        Self { address, host: address.to_string() }
    }

    /// The server at `url`, at the first of its name's addresses that answers.
    pub(super) async fn of(url: &str) -> anyhow::Result<Self> {
        let uri: hyper::Uri = url.parse().with_context(|| format!("{url} is no address"))?;
        let is_http = uri.scheme_str() == Some("http");
        let named = uri.authority().filter(|of| is_http && has_good_port(of));
        let named = named.with_context(|| format!("{url} is no http:// address"))?;
        let has_path = uri.path().len() > 1 || uri.query().is_some();
        ensure!(!has_path, "{url} has more than a host and a port: the paths of the API follow it");
        let port = named.port_u16();
        let bare = named.host().trim_matches(['[', ']']);
        let found = lookup_host((bare, port.unwrap_or(80))).await;
        let found = found.with_context(|| format!("no host {url}"))?;
        let address = first_that_answers(found).await;
        let address = address.with_context(|| format!("{url} cannot be reached"))?;
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        Ok(Self { address, host: format!("{}{port}", named.host()) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    pub(super) async fn open(&self, key: &str) -> Result<Wire, WireError> {
        Wire::open_as(self.address, &self.host, key).await
    }
}

async fn first_that_answers(
    addresses: impl Iterator<Item = SocketAddr>,
) -> anyhow::Result<SocketAddr> {
    let mut failed = None;
    for address in addresses {
        match tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Ok(address),
            Ok(Err(error)) => failed = Some(format!("{address}: {error}")),
            Err(_) => failed = Some(format!("{address}: no answer in time")),
        }
    }
    bail!(failed.unwrap_or_else(|| "its name has no address".to_owned()))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    async fn listening() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        (listener, address)
    }

    #[tokio::test]
    async fn a_server_is_found_at_any_of_its_names_addresses() {
        let (_listener, address) = listening().await;
        let (closed, nobody) = listening().await;
        drop(closed);
        let found = first_that_answers([nobody, address].into_iter()).await;
        assert_eq!(found.expect("an address"), address);
        let refused = first_that_answers([nobody].into_iter()).await.expect_err("nobody is there");
        assert!(refused.to_string().starts_with(&nobody.to_string()), "{refused}");
    }

    #[tokio::test]
    async fn a_server_is_called_by_the_name_it_was_given() {
        let (_listener, address) = listening().await;
        let url = format!("http://localhost:{}/", address.port());
        let place = Place::of(&url).await.expect("a place");
        assert_eq!((place.address, format!("{}/", place.url())), (address, url));
        let place = Place::of(&format!("http://{address}")).await.expect("a place");
        assert_eq!(place, Place::at(address));
    }

    #[tokio::test]
    async fn what_is_no_address_of_a_server_is_refused() {
        for url in [
            "https://127.0.0.1",
            "127.0.0.1:8080",
            "http://127.0.0.1:808x",
            "http://127.0.0.1:1/accrue",
            "http://127.0.0.1:1/?a=b",
        ] {
            let refused = Place::of(url).await.expect_err(url).to_string();
            assert!(!refused.contains("cannot be reached"), "{refused}");
        }
    }
}
