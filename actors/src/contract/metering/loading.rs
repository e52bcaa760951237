//! The rows of a contract's usage on their way into the memory of its room. Days are left where they
//! are until they are used.

use std::collections::BTreeMap;

use storage::{Found, ReadError, Reads, Scan, Wanted};

use super::Metering;
use super::meter::Meter;
use crate::contract::room::ContractKey;
use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Adjustment, MeterRow, MetricName, SeatChange, UsageLine};
use crate::domain::ids::{AdjustmentId, ContractId, SellerId, UsageLineId};
use crate::domain::time::Date;
use crate::tables::{
    CLOSED_DAYS, OPEN_ADJUSTMENTS, PRICES, SEAT_CHANGES, UNBILLED_LINES, USAGE_ADJUSTMENTS,
    USAGE_LINES, USAGE_METERS,
};

type Rows<K, V> = Wanted<Vec<(K, V)>>;

/// What the contract's key leads to.
pub(in crate::contract) struct Asked {
    meters: Rows<(SellerId, ContractId, MetricName), MeterRow>,
    closed: Rows<(SellerId, ContractId, MetricName, Date), Date>,
    prices: Rows<(SellerId, ContractId, MetricName, u32), PriceVersion>,
    seats: Wanted<Vec<SeatChange>>,
    unbilled: Wanted<Vec<(SellerId, ContractId, UsageLineId)>>,
    open: Wanted<Vec<(SellerId, ContractId, AdjustmentId)>>,
}

/// What those rows lead to: the lines and corrections that wait.
pub(in crate::contract) struct Followed {
    metering: Metering,
    lines: Wanted<Vec<UsageLine>>,
    adjustments: Wanted<Vec<Adjustment>>,
}

impl Metering {
    pub(in crate::contract) fn ask(reads: &mut Reads, key: ContractKey) -> Asked {
        let all = Scan::prefix(&key);
        Asked {
            meters: reads.scan(USAGE_METERS, all.clone()),
            closed: reads.scan(CLOSED_DAYS, all.clone()),
            prices: reads.scan(PRICES, all.clone()),
            seats: reads.values(SEAT_CHANGES, all.clone()),
            unbilled: reads.keys(UNBILLED_LINES, all.clone()),
            open: reads.keys(OPEN_ADJUSTMENTS, all),
        }
    }
}

impl Asked {
    /// Takes what was found, and asks for what that leads to.
    pub(in crate::contract) fn follow(
        self,
        found: &mut Found,
        reads: &mut Reads,
    ) -> Result<Followed, ReadError> {
        let mut metering = Metering::default();
        for ((_, _, metric), row) in found.take(self.meters)? {
            metering.meters.insert(metric, Meter::stored(row));
        }
        let mut apart: BTreeMap<MetricName, Vec<Span>> = BTreeMap::new();
        for ((_, _, metric, start), end) in found.take(self.closed)? {
            apart.entry(metric).or_default().push(Span { start, end });
        }
        for (metric, apart) in apart {
            metering.meter(&metric).with_apart(apart);
        }
        for ((_, _, metric, _), price) in found.take(self.prices)? {
            metering.meter(&metric).prices.push(price);
        }
        for change in found.take(self.seats)? {
            metering.ledger.seats.take(&change);
        }
        let lines = reads.get_many(USAGE_LINES, found.take(self.unbilled)?);
        let adjustments = reads.get_many(USAGE_ADJUSTMENTS, found.take(self.open)?);
        Ok(Followed { metering, lines, adjustments })
    }
}

impl Followed {
    pub(in crate::contract) fn take(self, found: &mut Found) -> Result<Metering, ReadError> {
        let mut metering = self.metering;
        let ledger = &mut metering.ledger;
        for line in found.take(self.lines)? {
            ledger.unbilled.insert(line.id, line);
        }
        for adjustment in found.take(self.adjustments)? {
            ledger.adjustments.insert(adjustment.id, adjustment);
        }
        Ok(metering)
    }
}
