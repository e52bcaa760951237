//! A server with no limit before it, and sellers on it.

use std::net::SocketAddr;
use std::path::PathBuf;

use accrue::cli::child::{ChildServer, NO_LIMITS};
use accrue::cli::client::Client;
use accrue::cli::folder::FreshFolder;
use actors::entropy::Entropy;
use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use super::fleet::{Call, fleet};
use super::load::executable;

/// What opens the operator's surface of a bench's server.
pub(crate) const OPERATOR: &str = "bench-operator-token";
/// Connections of a fleet.
pub(crate) const CONNECTIONS: usize = 64;

/// The server, and a seller on it.
pub(crate) struct Bench {
    pub(crate) server: ChildServer,
    pub(crate) seller: Seller,
    // After the server, which writes into it to its end.
    folder: FreshFolder,
}

/// A seller with one customer.
pub(crate) struct Seller {
    pub(crate) id: u64,
    pub(crate) client: Client,
    pub(crate) key: String,
    pub(crate) customer: u64,
    address: SocketAddr,
}

impl Bench {
    /// Starts one, with `more` settings on top; its passes run when the operator says so.
    pub(crate) async fn start(more: &[(&str, &str)]) -> anyhow::Result<Self> {
        let folder = FreshFolder::new("bench")?;
        let stated = [("operator_token", OPERATOR), ("passes.interval_seconds", "86400")];
        let settings: Vec<(String, String)> = NO_LIMITS
            .map(|name| (name, "0"))
            .iter()
            .chain(&stated)
            .chain(more)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let server = ChildServer::start(executable(), folder.path(), &settings)?;
        let seller = Seller::mint(server.address()).await?;
        Ok(Self { server, seller, folder })
    }

    /// Kills the server and starts it again on its folder; the seller follows it.
    pub(crate) fn restart(&mut self) -> anyhow::Result<()> {
        self.server.kill()?;
        self.server.restart()?;
        let address = self.server.address();
        self.seller.address = address;
        self.seller.client = Client::new(&format!("http://{address}")).with_key(&self.seller.key);
        Ok(())
    }

    /// A figure of the server's metrics, without what their names begin with.
    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<u64> {
        let answer = self.seller.client.send(Method::GET, "/metrics", &[], None).await?;
        let text = String::from_utf8_lossy(&answer.bytes).into_owned();
        let of = |line: &&str| {
            let name = format!("accrue_{name}");
            line.split([' ', '{'])
                .next()
                .is_some_and(|there| there == name || there == format!("{name}_total"))
        };
        let line = text.lines().find(of).and_then(|line| line.rsplit(' ').next());
        line.and_then(|value| value.parse().ok()).with_context(|| format!("no metric {name}"))
    }

    /// Another seller.
    pub(crate) async fn neighbour(&self) -> anyhow::Result<Seller> {
        Seller::mint(self.server.address()).await
    }

    /// Where the server keeps its data.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Seller {
    async fn mint(address: SocketAddr) -> anyhow::Result<Self> {
        let open = Client::new(&format!("http://{address}"));
        let account = open.post("/billing-api/v1/sandbox/accounts", &json!({})).await?;
        let key = account["apiKey"].as_str().context("no apiKey")?.to_owned();
        let id = account["sellerAccountId"].as_u64().context("no sellerAccountId")?;
        let client = open.with_key(&key);
        let customer = json!({"email": "bench@example.com"});
        let customer = client.post("/billing-api/v1/customers", &customer).await?;
        let customer = customer["id"].as_u64().context("no customer")?;
        Ok(Self { id, client, key, customer, address })
    }

    /// Contracts that begin on `start`, by their ids.
    pub(crate) async fn contracts(&self, count: usize, start: &str) -> anyhow::Result<Vec<u64>> {
        let customer = self.customer;
        let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": start});
        let (body, run) = (Bytes::from(body.to_string()), Entropy.uuid());
        self.fleet(count, move |nth| {
            let path = "/billing-api/v1/contracts".to_owned();
            (Method::POST, path, Some(format!("{run}:{nth}")), body.clone())
        })
        .await
    }

    /// One contract that begins on `start`.
    pub(crate) async fn contract(&self, start: &str) -> anyhow::Result<u64> {
        self.contracts(1, start).await?.first().copied().context("no contract")
    }

    /// Many calls of the seller's.
    pub(crate) async fn fleet(
        &self,
        count: usize,
        call: impl Fn(usize) -> Call + Clone + Send + 'static,
    ) -> anyhow::Result<Vec<u64>> {
        fleet(self.address, &self.key, CONNECTIONS, count, call).await
    }
}
