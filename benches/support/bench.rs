//! A server with no limit before it, a seller on it, and that seller's customer.

use std::path::PathBuf;

use accrue::cli::child::ChildServer;
use accrue::cli::client::Client;
use accrue::cli::folder::FreshFolder;
use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::accrue_run::executable;
use crate::fleet::{Call, fleet};

/// What opens the operator's surface of a bench's server.
pub(crate) const OPERATOR: &str = "bench-operator-token";
/// Connections of a fleet.
pub(crate) const CONNECTIONS: usize = 64;

/// The server and the seller's client.
pub(crate) struct Bench {
    pub(crate) server: ChildServer,
    pub(crate) client: Client,
    pub(crate) key: String,
    customer: u64,
    // After the server, which writes into it to its end.
    folder: FreshFolder,
}

impl Bench {
    /// Starts one, with `more` settings on top; its passes run when the operator says so.
    pub(crate) async fn start(more: &[(&str, &str)]) -> anyhow::Result<Self> {
        let folder = FreshFolder::new("bench")?;
        let off = [
            "limits.billing_per_hour",
            "limits.payments_per_hour",
            "limits.contracts_per_day",
            "limits.amendments_per_day",
            "limits.invoices_per_day",
            "limits.sandbox_per_hour",
        ];
        let off = off.map(|name| (name, "0"));
        let stated = [("operator_token", OPERATOR), ("passes.interval_seconds", "86400")];
        let settings: Vec<(String, String)> = off
            .iter()
            .chain(&stated)
            .chain(more)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let server = ChildServer::start(executable(), folder.path(), &settings)?;
        let open = Client::new(&format!("http://{}", server.address()));
        let account = open.post("/billing-api/v1/sandbox/accounts", &json!({})).await?;
        let key = account["apiKey"].as_str().context("no apiKey")?.to_owned();
        let client = open.with_key(&key);
        let customer = json!({"email": "bench@example.com"});
        let customer = client.post("/billing-api/v1/customers", &customer).await?;
        let customer = customer["id"].as_u64().context("no customer")?;
        Ok(Self { server, client, key, customer, folder })
    }

    /// Kills the server and starts it again on its folder; the client follows it.
    pub(crate) fn restart(&mut self) -> anyhow::Result<()> {
        self.server.kill()?;
        self.server.restart()?;
        let open = Client::new(&format!("http://{}", self.server.address()));
        self.client = open.with_key(&self.key);
        Ok(())
    }

    /// Where the server keeps its data.
    #[allow(dead_code, reason = "only some benches look at the folder")]
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Contracts that begin on `start`, by their ids.
    #[allow(dead_code, reason = "payments need no contracts")]
    pub(crate) async fn contracts(&self, count: usize, start: String) -> anyhow::Result<Vec<u64>> {
        let customer = self.customer;
        let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": start});
        let body = Bytes::from(body.to_string());
        self.fleet(count, move |nth| {
            let path = "/billing-api/v1/contracts".to_owned();
            (Method::POST, path, Some(format!("contract{nth}")), body.clone())
        })
        .await
    }

    /// Many calls of the seller's.
    pub(crate) async fn fleet(
        &self,
        count: usize,
        call: impl Fn(usize) -> Call + Clone + Send + 'static,
    ) -> anyhow::Result<Vec<u64>> {
        fleet(self.server.address(), &self.key, CONNECTIONS, count, call).await
    }
}
