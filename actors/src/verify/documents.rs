//! What invoices carry, by what they carry.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use storage::{ReadError, Scan};

use super::reading::Reading;
use crate::domain::billing::invoice::{
    CarriedUsage, InvoiceLine, LineSource, ProrationBreakdown, RatingBreakdown,
};
use crate::domain::billing::subscription::ProrationPart;
use crate::domain::ids::{
    AdjustmentId, InvoiceId, LineItemId, ProrationId, SellerId, SubscriptionId, UsageLineId,
};
use crate::domain::time::Date;
use crate::tables::INVOICE_LINES;

/// What the lines of one invoice bill, in minor units where there is an amount.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) terms: Vec<(SubscriptionId, Date)>,
    /// How much of each part, 0 or more.
    pub(super) prorations: BTreeMap<(ProrationId, u8), i64>,
    pub(super) usage: BTreeMap<UsageLineId, i64>,
    pub(super) adjustments: BTreeMap<AdjustmentId, i64>,
    pub(super) items: Vec<LineItemId>,
}

impl Carried {
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a InvoiceLine>) -> Self {
        let mut carried = Self::default();
        for line in lines {
            if let (LineSource::Subscription, Some(subscription), Some(start)) =
                (line.source, line.subscription, line.period_start)
            {
                carried.terms.push((subscription, start));
            }
            if let Some(RatingBreakdown::Proration(of)) = &line.breakdown {
                carried.proration(of, line.amount_minor.saturating_abs());
            }
            for credit in &line.credits {
                carried.proration(&credit.breakdown, credit.amount_minor);
            }
            carried.items.extend(line.item);
            match line.usage {
                Some(CarriedUsage::Line(id)) => {
                    *carried.usage.entry(id).or_default() += line.amount_minor;
                }
                Some(CarriedUsage::Adjustment(id)) => {
                    *carried.adjustments.entry(id).or_default() += line.amount_minor;
                }
                None => {}
            }
        }
        carried
    }

    fn proration(&mut self, of: &ProrationBreakdown, minor: i64) {
        *self.prorations.entry((of.proration, part_number(of.part))).or_default() += minor;
    }
}

/// Parts in an order.
pub(super) fn part_number(part: ProrationPart) -> u8 {
    match part {
        ProrationPart::Net => 0,
        ProrationPart::Charge => 1,
        ProrationPart::Credit => 2,
    }
}

/// Invoices by what they carry; of one moment the last one is remembered, since what one carries
/// lies together.
#[derive(Default)]
pub(super) struct Documents {
    last: RefCell<Option<Last>>,
}

/// The group as of which an invoice was read, and what it carries.
type Last = (Option<u64>, InvoiceId, Rc<Carried>);

impl Documents {
    pub(super) fn carried(
        &self,
        reading: &Reading,
        seller: SellerId,
        invoice: InvoiceId,
    ) -> Result<Rc<Carried>, ReadError> {
        let group = reading.group();
        if let Some((of, known, carried)) = &*self.last.borrow()
            && (group.is_some(), *of, *known) == (true, group, invoice)
        {
            return Ok(Rc::clone(carried));
        }
        let chunks = reading.scan(INVOICE_LINES, Scan::prefix(&(seller, invoice))).values()?;
        let carried = Rc::new(Carried::of(chunks.iter().flat_map(|chunk| &chunk.0)));
        *self.last.borrow_mut() = Some((group, invoice, Rc::clone(&carried)));
        Ok(carried)
    }
}
