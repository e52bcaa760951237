//! The documents of a period, for a file.

use std::iter::Peekable;

use storage::{ReadError, Scan, ScanIter, Snapshot, Store};

use super::invoices::{OUT_OF_ORDER_SECONDS, issued_within};
use crate::domain::billing::invoice::{Invoice, InvoiceFilter, InvoiceType};
use crate::domain::ids::{InvoiceId, SellerId, TopupId};
use crate::domain::payments::topup::{TopupInvoice, TopupStatus};
use crate::domain::time::Timestamp;
use crate::tables::{INVOICES, TOPUPS};

/// Documents that a period may have for a file, whatever the other filters leave of them.
pub const MAX_EXPORT: usize = 100_000;

/// Rows that are looked at for one part of a file.
const STRIDE: usize = 500;

/// A file of documents, newest first, read part by part as of the moment it was opened. Where the
/// store has let go of that moment, since much was written meanwhile, what is left is read as of a
/// later one: what is issued later is behind, and nothing that was there ever goes.
#[derive(Debug)]
pub struct Export {
    store: Store,
    snapshot: Snapshot,
    seller: SellerId,
    filter: ExportFilter,
    now: Timestamp,
    /// The ids below which, and not below which, invoices are still to be read.
    invoices: std::ops::Range<u64>,
    /// The id below which top-up invoices are.
    topups: u64,
}

/// What a file is to have.
#[derive(Clone, Debug, Default)]
pub struct ExportFilter {
    pub invoices: InvoiceFilter,
    /// Top-up invoices alone.
    pub only_topups: bool,
    /// A status that top-up invoices alone have.
    pub topup_status: Option<TopupStatus>,
}

type TopupRow = Result<((SellerId, TopupId), TopupInvoice), ReadError>;

#[derive(Debug)]
pub enum ExportRow {
    Invoice(Box<Invoice>),
    Topup(Box<TopupInvoice>),
}

impl Export {
    /// None where the period has more than `most` documents.
    pub fn open(
        store: &Store,
        seller: SellerId,
        filter: ExportFilter,
        now: Timestamp,
        most: usize,
    ) -> Result<Option<Self>, ReadError> {
        loop {
            let snapshot = store.snapshot()?;
            let span = |scan: Scan| snapshot.scan(INVOICES, scan);
            let invoices = issued_within(span, seller, &filter.invoices)?;
            let (store, filter, topups) = (store.clone(), filter.clone(), u64::MAX);
            let mut export = Self { store, snapshot, seller, filter, now, invoices, topups };
            match export.has_at_most(most) {
                Err(ReadError::SnapshotGone) => {}
                Err(error) => return Err(error),
                Ok(within) => {
                    export.snapshot = export.store.yielding_snapshot()?;
                    return Ok(within.then_some(export));
                }
            }
        }
    }

    fn has_at_most(&self, most: usize) -> Result<bool, ReadError> {
        let period = InvoiceFilter {
            issued_from: self.filter.invoices.issued_from,
            issued_to: self.filter.invoices.issued_to,
            ..InvoiceFilter::default()
        };
        let mut found = 0;
        for row in self.invoice_rows() {
            found += usize::from(period.matches(&row?.1));
            if found > most {
                return Ok(false);
            }
        }
        for row in self.topup_rows() {
            found += usize::from(self.is_within(row?.1.issued_at));
        }
        Ok(found <= most)
    }

    /// The next rows, perhaps none; nothing at the end. Between two parts no writer waits for whoever
    /// takes them: what has been let go of meanwhile goes on as of a later moment.
    pub fn part(&mut self) -> Result<Option<Vec<ExportRow>>, ReadError> {
        let mut read = self.read();
        while matches!(read, Err(ReadError::SnapshotGone)) {
            self.snapshot = self.store.snapshot()?;
            read = self.read();
            self.snapshot = self.store.yielding_snapshot()?;
        }
        read
    }

    fn read(&mut self) -> Result<Option<Vec<ExportRow>>, ReadError> {
        let (mut invoices, mut topups) = (self.invoice_rows(), self.topup_rows());
        let (mut part, mut below, mut topups_below) = (Vec::new(), self.invoices.end, self.topups);
        for seen in 0..STRIDE {
            let (invoice, topup) = (head(&mut invoices)?, head(&mut topups)?);
            let at = |row: Option<&Invoice>| row.map(|invoice| invoice.issued_at);
            if (invoice.is_none(), topup.is_none(), seen) == (true, true, 0) {
                return Ok(None);
            }
            if topup.is_some_and(|topup| at(invoice).is_none_or(|at| topup.issued_at > at)) {
                let Some(((_, id), topup)) = topups.next().transpose()? else { break };
                topups_below = id.0;
                if self.shows_topup(&topup) {
                    part.push(ExportRow::Topup(Box::new(topup)));
                }
            } else {
                let Some(((_, id), invoice)) = invoices.next().transpose()? else { break };
                below = id.0;
                if self.shows_invoice(&invoice) {
                    part.push(ExportRow::Invoice(Box::new(invoice)));
                }
            }
        }
        (self.invoices.end, self.topups) = (below, topups_below);
        Ok(Some(part))
    }

    fn invoice_rows(&self) -> Peekable<ScanIter<(SellerId, InvoiceId), Invoice>> {
        let scan = Scan::prefix(&(self.seller,))
            .from(&(self.seller, InvoiceId(self.invoices.start)))
            .until(&(self.seller, InvoiceId(self.invoices.end)));
        self.snapshot.scan(INVOICES, scan.reverse()).peekable()
    }

    /// Those from before the period end it: a seller's are made one after the other.
    fn topup_rows(&self) -> Peekable<impl Iterator<Item = TopupRow> + use<>> {
        let scan = Scan::prefix(&(self.seller,)).until(&(self.seller, TopupId(self.topups)));
        let from =
            self.filter.invoices.issued_from.map(|from| from.plus_seconds(-OUT_OF_ORDER_SECONDS));
        let rows = self.snapshot.scan(TOPUPS, scan.reverse());
        let begins = move |topup: &TopupInvoice| from.is_none_or(|from| topup.issued_at >= from);
        rows.take_while(move |row| row.as_ref().map_or(true, |(_, topup)| begins(topup))).peekable()
    }

    fn is_within(&self, at: Timestamp) -> bool {
        self.filter.invoices.issued_from.is_none_or(|from| at >= from)
            && self.filter.invoices.issued_to.is_none_or(|to| at < to)
    }

    fn shows_invoice(&self, invoice: &Invoice) -> bool {
        let ExportFilter { invoices, only_topups, topup_status } = &self.filter;
        !only_topups && topup_status.is_none() && invoices.matches(invoice)
    }

    /// A top-up invoice is of no contract or customer, of an origin that no other has, and is a document of the usual
    /// sort.
    fn shows_topup(&self, topup: &TopupInvoice) -> bool {
        let InvoiceFilter { contract, customer, origin, status, invoice_type, corrects, .. } =
            &self.filter.invoices;
        let none = (contract, customer, origin, corrects) == (&None, &None, &None, &None);
        let usual = invoice_type.is_none_or(|wanted| wanted == InvoiceType::Standard);
        let stands = topup.status(self.now);
        let stands = status.is_none_or(|wanted| wanted.name() == stands.name())
            && self.filter.topup_status.is_none_or(|wanted| wanted == stands);
        none && usual && stands && self.is_within(topup.issued_at)
    }
}

fn head<'a, K: 'a, V>(
    rows: &'a mut Peekable<impl Iterator<Item = Result<(K, V), ReadError>>>,
) -> Result<Option<&'a V>, ReadError> {
    match rows.peek() {
        None => Ok(None),
        Some(Ok((_, row))) => Ok(Some(row)),
        Some(Err(error)) => Err(error.clone()),
    }
}
