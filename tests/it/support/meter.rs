//! Metering as a seller uses it: metrics, events, readings.

use serde_json::{Value, json};

use super::api::Api;
use super::make::{Seller, merge, with};
use super::server::Server;

/// When the events of tests happen: half an hour before the time on the clock of a new server.
pub(crate) const EARLIER: &str = "2027-01-15T08:30:00Z";

/// One call of an API, under a key of its own.
pub(crate) fn event(contract: u64, key: &str) -> Value {
    json!({
        "contractId": contract.to_string(), "metric": "api.calls", "quantity": "1",
        "occurredAt": EARLIER, "idempotencyKey": key,
    })
}

/// The same with the fields of `more` put over it.
pub(crate) fn event_with(contract: u64, key: &str, more: Value) -> Value {
    with(&event(contract, key), more)
}

impl Seller {
    /// The older place of the metering routes, `/usage/v1`.
    pub(crate) fn older(&self) -> Api {
        self.billing.under("/usage/v1")
    }

    /// Registers a metric; `more` is put over a sum of calls.
    pub(crate) async fn metric(&self, name: &str, more: Value) -> Value {
        let mut body = json!({"name": name, "unit": "calls", "aggregation": "sum"});
        merge(&mut body, more);
        self.billing.post("/usage/metrics", &body).await.is(201)
    }

    /// A contract with a monthly subscription from `start` on, and the metric `api.calls`.
    pub(crate) async fn metered(&self, start: &str) -> u64 {
        self.metered_by(start, "monthly").await
    }

    /// The same with terms of another length.
    pub(crate) async fn metered_by(&self, start: &str, frequency: &str) -> u64 {
        self.metric("api.calls", json!({})).await;
        let contract = self.contract(start).await;
        self.subscribe(contract, start, json!({"frequency": frequency})).await;
        contract
    }

    /// Records an event.
    pub(crate) async fn record(&self, event: &Value) -> Value {
        self.billing.post("/usage/events", event).await.is(201)
    }

    /// Records events; answers what became of the batch.
    pub(crate) async fn record_all(&self, events: &[Value]) -> Value {
        self.billing.post("/usage/events:batch", &json!({"events": events})).await.is(200)
    }

    /// So many seats from an instant on, as the seller's owner sets them on the dashboard.
    pub(crate) async fn set_seats(&self, server: &Server, contract: u64, seats: u32, at: &str) {
        let change = format!(
            "mutation {{ changeSeats(input: {{contractId: \"{contract}\", seats: {seats},
                at: \"{at}\"}}) {{ seats }} }}"
        );
        let changed = server.owner_of(self).await.query(&change).await;
        assert_eq!(changed["changeSeats"]["seats"], seats);
    }

    /// The usage snapshot of a contract.
    pub(crate) async fn usage(&self, contract: u64) -> Value {
        self.billing.get(&format!("/contracts/{contract}/usage")).await.is(200)
    }

    /// One metric of the snapshot.
    pub(crate) async fn usage_of(&self, contract: u64, metric: &str) -> Value {
        let usage = self.usage(contract).await;
        let rows = usage["metrics"].as_array().expect("metrics");
        let row = rows.iter().find(|row| row["metricName"] == metric);
        row.unwrap_or_else(|| panic!("no {metric} in {usage}")).clone()
    }

    /// What was used of a metric in the open period.
    pub(crate) async fn used(&self, contract: u64, metric: &str) -> String {
        self.usage_of(contract, metric).await["used"].as_str().expect("a decimal").to_owned()
    }
}
