//! Rows of the contract room: what was used, what it costs, and what is closed. Parts of uploads
//! are written by the intake, before anybody knows of their upload, and cleared when it is done.

use storage::{Index, Table};

use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::usage::upload::{UploadPart, WindowOutcome};
use crate::domain::billing::usage::{
    Adjustment, AdjustmentKey, CorrectedUsage, DistinctValues, EventChunk, LateEvent, MeterRow,
    MetricName, SeatChange, UsageDay, UsageLine,
};
use crate::domain::ids::{
    AdjustmentId, ContractId, SeatChangeId, SellerId, UploadId, UsageEventId, UsageLineId,
};
use crate::domain::time::Date;

/// Those of them that no document carries.
pub const UNBILLED_LINES: Table<(SellerId, ContractId, UsageLineId), ()> =
    Table::new(69, "unbilled usage lines");
/// The corrections that no document carries in full.
pub const OPEN_ADJUSTMENTS: Table<(SellerId, ContractId, AdjustmentId), ()> =
    Table::new(143, "open usage adjustments");
/// What is kept of a contract's metrics beside their days: closed periods and limits.
pub const USAGE_METERS: Table<(SellerId, ContractId, MetricName), MeterRow> =
    Table::new(70, "usage meters");
/// Of a metric whose closed days are in many pieces the older ones: the first day of each, and the
/// day behind its last.
pub const CLOSED_DAYS: Table<(SellerId, ContractId, MetricName, Date), Date> =
    Table::new(225, "closed usage days");
/// The contracts that have recorded an event of a metric.
pub const METERED: Table<(SellerId, MetricName, ContractId), ()> =
    Table::new(120, "metered contracts");
pub const PRICES: Table<(SellerId, ContractId, MetricName, u32), PriceVersion> =
    Table::new(71, "prices");
/// The days of a contract's metrics, each with what its events come to and the newest of them.
pub const USAGE_DAYS: Table<(SellerId, ContractId, MetricName, Date), UsageDay> =
    Table::new(72, "usage days");
/// Older events of a day, many in a row, by the ordinal of the first in its day.
pub const USAGE_CHUNKS: Table<(SellerId, ContractId, MetricName, Date, u64), EventChunk> =
    Table::new(73, "usage events");
/// The distinct values of a day, by metric version.
pub const USAGE_VALUES: Table<(SellerId, ContractId, MetricName, Date, u32), DistinctValues> =
    Table::new(74, "usage values");
/// Events whose day was closed when they came.
pub const LATE_EVENTS: Table<(SellerId, ContractId, UsageEventId), LateEvent> =
    Table::new(75, "late events");
/// The contract of a late event.
pub const LATE_HOMES: Table<(SellerId, UsageEventId), ContractId> = Table::new(212, "late homes");
/// The late events that were corrected of a closed period.
pub const CORRECTED_USAGE: Table<(SellerId, ContractId, UsageLineId), CorrectedUsage> =
    Table::new(213, "corrected usage");
/// The one line of each closed period, by its metric and first day.
pub const USAGE_CLAIMS: Table<(SellerId, ContractId, MetricName, Date), UsageLineId> =
    Table::new(76, "usage claims");
/// Closed periods: one line for each metric.
pub const USAGE_LINES: Table<(SellerId, ContractId, UsageLineId), UsageLine> =
    Table::new(77, "usage lines");
pub const SEAT_CHANGES: Table<(SellerId, ContractId, SeatChangeId), SeatChange> =
    Table::new(78, "seat changes");
pub const USAGE_ADJUSTMENTS: Table<(SellerId, ContractId, AdjustmentId), Adjustment> =
    Table::new(79, "usage adjustments");
pub const ADJUSTMENT_KEYS: Table<(SellerId, String), AdjustmentKey> =
    Table::new(80, "adjustment keys");
/// The file of an upload, in parts.
pub const UPLOAD_PARTS: Table<(SellerId, UploadId, u32), UploadPart> =
    Table::new(87, "upload parts");
/// How rows that belong to a contract fared, by the first row of those recorded with them; written
/// by the contract's room with their events.
pub const UPLOAD_WINDOWS: Table<(SellerId, UploadId, u64, ContractId), WindowOutcome> =
    Table::new(88, "upload windows");
/// Keys of usage events, taken within their seller: 8 bytes of the payload's hash, and the id of
/// the event.
pub const USAGE_KEYS: Index = Index::new(1, "usage keys");
