//! What a seller room remembers of metering.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Store};

use super::command::SignedDelivery;
use crate::domain::billing::usage::dead_letter::DeadLetter;
use crate::domain::billing::usage::inbound::InboundEndpoint;
use crate::domain::billing::usage::upload::Upload;
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::ids::{DeadLetterId, SellerId, UploadId};
use crate::room::Recent;
use crate::tables::{INBOUND_ENDPOINTS, METRICS};

/// The metering of one seller. Dead letters and uploads are read when they are asked for.
#[derive(Debug, Default)]
pub(in crate::seller) struct Usage {
    /// The current version of each metric that was registered.
    pub(super) metrics: BTreeMap<MetricName, Metric>,
    pub(super) endpoints: Vec<InboundEndpoint>,
    pub(super) letters: Recent<DeadLetterId, DeadLetter>,
    /// Deliveries of which something was parked.
    pub(super) parked: Recent<SignedDelivery, u64>,
    pub(super) uploads: Recent<UploadId, Upload>,
}

impl Usage {
    pub(in crate::seller) fn load(store: &Store, seller: SellerId) -> Result<Self, ReadError> {
        let mut usage = Self::default();
        // The versions of a name come in order: the last one is the current one.
        for row in store.scan(METRICS, Scan::prefix(&(seller,))) {
            let ((_, name, _), metric) = row?;
            usage.metrics.insert(name, metric);
        }
        for row in store.scan(INBOUND_ENDPOINTS, Scan::prefix(&(seller,))) {
            usage.endpoints.push(row?.1);
        }
        Ok(usage)
    }
}
