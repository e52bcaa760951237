//! A seller as everybody sees it.

use std::sync::Arc;

use ipnet::IpNet;

use super::metrics::Metrics;
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::ids::WebhookId;
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::platform::seller::Seller;
use crate::domain::platform::switches::{Switch, Switches, effective};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;

/// A seller as of the last durable change.
#[derive(Debug)]
pub struct SellerSnapshot {
    pub seller: Seller,
    /// All its webhooks, disabled ones too.
    pub webhooks: Vec<Arc<Webhook>>,
    pub allowlist: Vec<IpNet>,
    /// The current version of each metric, the one of seats too.
    pub(super) metrics: Metrics,
    /// All its terminals, disabled ones too.
    pub terminals: Vec<Terminal>,
    pub split_rule: Option<SplitRule>,
    pub(super) own: Switches,
    pub(super) global: Switches,
    pub(super) settings: DirectorySettings,
}

/// What holds for sellers that say nothing themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct DirectorySettings {
    /// Switches that nobody touched are on.
    pub demo_server: bool,
    /// How long usage periods wait for late arrivals.
    pub usage_grace_minutes: u32,
}

impl SellerSnapshot {
    /// The instant by which a usage period has to have ended to be closed at `now`.
    pub fn usage_ended_by(&self, now: Timestamp) -> Timestamp {
        now.plus_seconds(-self.usage_grace_seconds())
    }

    /// How long usage periods wait for late arrivals.
    pub fn usage_grace_seconds(&self) -> i64 {
        let own = self.seller.usage_grace_minutes;
        60 * i64::from(own.unwrap_or(self.settings.usage_grace_minutes))
    }

    /// The same seller with these switches on, and with nobody to tell of anything.
    #[must_use]
    pub fn rehearsing(&self, on: &[Switch]) -> Self {
        Self {
            seller: self.seller.clone(),
            webhooks: Vec::new(),
            allowlist: self.allowlist.clone(),
            metrics: self.metrics.clone(),
            terminals: self.terminals.clone(),
            split_rule: self.split_rule.clone(),
            own: on.iter().fold(self.own, |own, switch| own.with(*switch, true)),
            global: self.global,
            settings: self.settings,
        }
    }

    pub fn switch(&self, switch: Switch) -> bool {
        effective(&self.global, &self.own, self.settings.demo_server, switch)
    }

    pub fn webhook(&self, id: WebhookId) -> Option<&Arc<Webhook>> {
        self.webhooks.iter().find(|webhook| webhook.id == id)
    }

    /// All its metrics by their names.
    pub fn metrics(&self) -> impl Iterator<Item = &Arc<Metric>> {
        self.metrics.in_order()
    }

    pub fn metric(&self, name: &MetricName) -> Option<&Arc<Metric>> {
        self.metrics.get(name)
    }
}
