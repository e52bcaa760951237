//! The metrics of a seller, of which there may be a thousand: one that comes does not copy the
//! others each time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::billing::usage::{Metric, MetricName};

/// How many stand beside the others before they are put among them.
const FEW: usize = 32;

type ByName = BTreeMap<MetricName, Arc<Metric>>;

/// The current version of each metric.
#[derive(Clone, Debug, Default)]
pub(super) struct Metrics {
    all: Arc<ByName>,
    /// The last few that came.
    newer: ByName,
}

impl Metrics {
    pub(super) fn get(&self, name: &MetricName) -> Option<&Arc<Metric>> {
        self.newer.get(name).or_else(|| self.all.get(name))
    }

    /// All of them by their names.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Arc<Metric>> {
        let all: BTreeMap<_, _> = self.all.iter().chain(&self.newer).collect();
        all.into_values()
    }

    /// Takes a metric in place of the one of its name.
    pub(super) fn take(&mut self, metric: Metric) {
        self.newer.insert(metric.name.clone(), Arc::new(metric));
        if self.newer.len() > FEW {
            Arc::make_mut(&mut self.all).append(&mut self.newer);
        }
    }
}
