use storage::CborRecord;

use super::metric::MetricName;
use super::recorded::UsageEvent;
use crate::domain::ids::AdjustmentId;

/// An event that counts to no period and waits for the seller's correction.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LateEvent {
    #[n(0)]
    pub metric: MetricName,
    #[n(1)]
    pub event: UsageEvent,
    #[n(2)]
    pub corrected_by: Option<AdjustmentId>,
}

impl CborRecord for LateEvent {}
