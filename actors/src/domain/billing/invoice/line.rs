//! The lines of an invoice, and how they are kept.

use storage::Shard;

use crate::domain::billing::invoice::{AppliedCredit, LineSource, RatingBreakdown};
use crate::domain::billing::tax::{TaxCategory, TaxKind, TaxTreatment};
use crate::domain::ids::{AdjustmentId, InvoiceId, LineItemId, SubscriptionId, UsageLineId};
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

/// A row of lines ends before it passes this many bytes; a row of the store takes 64 KiB, and
/// one line stays under 20.
const CHUNK_BYTES: usize = 48 * 1024;

/// Low bits of a line's id that count the lines of one invoice.
const ORDINAL_BITS: u32 = 16;

/// The most lines that one document carries.
pub const MAX_DOCUMENT_LINES: usize = (1 << ORDINAL_BITS) - 1;

/// Ids of invoices from here on stand in those of lines without their shard, which is that of their
/// seller: so these stay below 2^53. Those that a forecast makes up are far above, and nobody's.
const WITHOUT_SHARD: u64 = 1 << 36;
const MADE_UP: u64 = 1 << 47;

/// A line of any invoice (`lineId`): the invoice's id and the line's place in it, counted
/// from 1, so that it is unique for its seller and rises without being drawn.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, minicbor::Encode, minicbor::Decode,
)]
#[cbor(transparent)]
pub struct InvoiceLineId(#[n(0)] pub u64);

impl InvoiceLineId {
    pub fn new(invoice: InvoiceId, index: usize) -> Self {
        let number = match invoice.0 {
            id @ WITHOUT_SHARD..MADE_UP => WITHOUT_SHARD + id / u64::from(Shard::COUNT),
            id => id,
        };
        Self((number << ORDINAL_BITS) + index as u64 + 1)
    }
}

/// One line. Amounts are minor units of the invoice's currency.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceLine {
    #[n(0)]
    pub id: InvoiceLineId,
    #[n(1)]
    pub source: LineSource,
    #[n(2)]
    pub description: String,
    #[n(3)]
    pub quantity: Quantity,
    /// Price of one, where whole minor units times the quantity give the amount.
    #[n(4)]
    pub unit_price_minor: Option<i64>,
    /// Taken off, 0 or more.
    #[n(5)]
    pub discount_minor: i64,
    /// Net of the discount, before tax.
    #[n(6)]
    pub amount_minor: i64,
    #[n(7)]
    pub tax_rate: TaxRate,
    #[n(8)]
    pub tax_minor: i64,
    #[n(9)]
    pub period_start: Option<Date>,
    /// First day after what is billed.
    #[n(10)]
    pub period_end: Option<Date>,
    #[n(11)]
    pub metric_name: Option<String>,
    #[n(12)]
    pub subscription: Option<SubscriptionId>,
    #[n(13)]
    pub breakdown: Option<RatingBreakdown>,
    #[n(14)]
    pub credits: Vec<AppliedCredit>,
    #[n(15)]
    pub usage: Option<CarriedUsage>,
    #[n(16)]
    pub tax_category: TaxCategory,
    /// What is sold, as far as it was stated.
    #[n(17)]
    pub tax_kind: Option<TaxKind>,
    /// The contract's item that it bills.
    #[n(26)]
    pub item: Option<LineItemId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum CarriedUsage {
    #[n(0)]
    Line(#[n(0)] UsageLineId),
    /// A correction of late usage, or a part of it.
    #[n(1)]
    Adjustment(#[n(0)] AdjustmentId),
}

impl InvoiceLine {
    /// A line of an amount, with neither its place on a document nor its tax, which are known once
    /// the document is put together.
    pub(super) fn plain(
        source: LineSource,
        description: String,
        quantity: Quantity,
        amount_minor: i64,
        treatment: TaxTreatment,
    ) -> Self {
        Self {
            id: InvoiceLineId(0),
            source,
            description,
            quantity,
            unit_price_minor: None,
            discount_minor: 0,
            amount_minor,
            tax_rate: treatment.rate,
            tax_minor: 0,
            period_start: None,
            period_end: None,
            metric_name: None,
            subscription: None,
            breakdown: None,
            credits: Vec::new(),
            usage: None,
            tax_category: treatment.category,
            tax_kind: None,
            item: None,
        }
    }

    pub fn usage_line(&self) -> Option<UsageLineId> {
        match self.usage {
            Some(CarriedUsage::Line(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether it bills the term of a subscription that begins with this day.
    pub fn bills_term(&self, subscription: SubscriptionId, start: Date) -> bool {
        self.source == LineSource::Subscription
            && (self.subscription, self.period_start) == (Some(subscription), Some(start))
    }

    pub fn tax_treatment(&self) -> TaxTreatment {
        TaxTreatment { category: self.tax_category, rate: self.tax_rate }
    }

    pub fn gross_minor(&self) -> i64 {
        self.amount_minor + self.discount_minor
    }
}

/// Some consecutive lines of one invoice, as one row. A long document takes several.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct LineChunk(#[n(0)] pub Vec<InvoiceLine>);

impl LineChunk {
    pub fn of(lines: &[InvoiceLine]) -> Vec<Self> {
        let mut chunks = Vec::new();
        let mut chunk = Vec::new();
        let mut bytes = 0;
        for line in lines {
            let size = storage::cbor_encode(line).len();
            if bytes + size > CHUNK_BYTES {
                chunks.push(Self(std::mem::take(&mut chunk)));
                bytes = 0;
            }
            bytes += size;
            chunk.push(line.clone());
        }
        if !chunk.is_empty() {
            chunks.push(Self(chunk));
        }
        chunks
    }
}

impl storage::CborRecord for LineChunk {}
