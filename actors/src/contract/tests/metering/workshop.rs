//! A house with metrics, and events for it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use storage::{Batch, Store};

use super::super::house::House;
use crate::contract::Once;
use crate::domain::billing::subscription::Frequency;
use crate::domain::billing::usage::registry::NewMetric;
use crate::domain::billing::usage::{
    CapMode, EventKey, Ingested, MeterRow, MetricName, MetricUsage, NewEvent, UsageLimit,
};
use crate::domain::ids::ContractId;
use crate::domain::quantity::Quantity;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::tables::USAGE_METERS;

pub(super) struct Workshop {
    pub(super) house: House,
}

pub(super) fn metric(name: &str) -> MetricName {
    MetricName::parse(name).expect("a name")
}

/// An event of a contract.
pub(super) fn event(
    contract: ContractId,
    name: &str,
    quantity: &str,
    at: Timestamp,
    key: &str,
    metadata: Option<&str>,
) -> NewEvent {
    let metadata = metadata.map(|text| {
        let raw = RawValue::from_string(text.to_owned()).expect("JSON");
        (raw, text)
    });
    NewEvent::new(
        contract,
        metric(name),
        Quantity::parse(quantity).expect("a quantity"),
        at,
        EventKey::parse(key).expect("a key"),
        metadata,
    )
}

impl Workshop {
    pub(super) async fn open() -> Self {
        Self { house: House::open().await }
    }

    pub(super) async fn register(&self, name: &str, aggregation: &str, unique: Option<&str>) {
        self.register_as(name, "piece", aggregation, unique).await;
    }

    pub(super) async fn register_as(
        &self,
        name: &str,
        unit: &str,
        aggregation: &str,
        unique: Option<&str>,
    ) {
        let new = NewMetric {
            name: Some(name.to_owned()),
            unit: Some(unit.to_owned()),
            aggregation: Some(aggregation.to_owned()),
            unique_key: unique.map(str::to_owned),
            description: None,
        };
        let made = self.house.system.sellers.register_metric(self.house.seller.id, new).await;
        made.expect("registered");
    }

    /// A contract with a monthly subscription from today.
    pub(super) async fn metered_contract(&self, key: &str) -> ContractId {
        let contract = self.house.contract(key).await;
        let made = self.house.subscribe(contract, key, Frequency::Monthly, 1_000).await;
        assert!(matches!(made, Once::Made(_)));
        contract
    }

    pub(super) async fn record(
        &self,
        contract: ContractId,
        events: Vec<NewEvent>,
    ) -> Vec<Result<Ingested, Refusal>> {
        let contracts = &self.house.system.contracts;
        let recorded = contracts.record_usage(self.house.seller.id, contract, events).await;
        recorded.expect("a contract")
    }

    pub(super) async fn usage(&self, contract: ContractId) -> BTreeMap<String, MetricUsage> {
        let contracts = &self.house.system.contracts;
        let usage = contracts.usage(self.house.seller.id, contract).await;
        let usage = usage.expect("a contract");
        usage.metrics.into_iter().map(|one| (one.metric.to_string(), one)).collect()
    }

    pub(super) async fn used(&self, contract: ContractId, metric: &str) -> String {
        self.usage(contract).await.get(metric).map(|one| one.used.to_string()).unwrap_or_default()
    }

    /// Changes what is kept of a metric beside its events, and starts again.
    pub(super) async fn meter(
        &mut self,
        contract: ContractId,
        name: &str,
        change: impl FnOnce(&mut MeterRow),
    ) {
        let key = (self.house.seller.id, contract, metric(name));
        let rewrite = |store: &Store| {
            let mut row = store.get(USAGE_METERS, &key).expect("read").unwrap_or_default();
            change(&mut row);
            let mut batch = Batch::new();
            batch.put(USAGE_METERS, &key, &row);
            store.write_blocking(batch).expect("written");
        };
        self.house.restart_with(rewrite).await;
    }

    /// Sets a hard limit.
    pub(super) async fn cap(&mut self, contract: ContractId, name: &str, cap: &str) {
        let cap_quantity = Quantity::parse(cap).expect("a quantity");
        let limit = UsageLimit { cap_quantity, mode: CapMode::Hard };
        self.meter(contract, name, |row| row.limit = Some(limit)).await;
    }
}
