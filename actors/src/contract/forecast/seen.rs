//! What a copy of a contract has brought about so far.

use std::collections::BTreeMap;

use storage::Batch;

use crate::contract::Issued;
use crate::domain::billing::forecast::{ForecastRefusal, MAX_FORECAST_ROWS};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::ids::InvoiceId;
use crate::domain::refusal::Refusal;
use crate::tables::TIMELINE;

/// So many different notes are told.
const MAX_NOTES: usize = 50;

#[derive(Default)]
pub(super) struct Seen {
    pub(super) documents: Vec<Issued>,
    pub(super) notes: Vec<String>,
    entries: Vec<TimelineEntry>,
    lines: usize,
}

impl Seen {
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn document(&mut self, issued: Issued) -> Result<(), ForecastRefusal> {
        self.lines += issued.lines.len();
        self.documents.push(issued);
        self.check_size()
    }

    /// Takes the timeline entries out of what a commit would write.
    pub(super) fn entries(&mut self, rows: &Batch) -> Result<(), Refusal> {
        let put = rows.puts(TIMELINE).map_err(|error| {
            tracing::error!(%error, "an entry of a forecast cannot be read");
            Refusal::fault()
        })?;
        let rows = put.into_iter().flat_map(|(_, row)| row.0);
        self.entries.extend(rows.map(|(_, entry)| entry));
        Ok(self.check_size()?)
    }

    /// The entries, each with the place of the document that it is of, where that exists in the
    /// copy alone. Such an entry has neither its id nor its number, which it will not have.
    pub(super) fn into_timeline(self) -> Vec<(TimelineEntry, Option<usize>)> {
        let documents = self.documents.iter().zip(0..);
        let places: BTreeMap<InvoiceId, usize> =
            documents.map(|(issued, place)| (issued.invoice.id, place)).collect();
        let with_place = |entry: TimelineEntry| {
            let place = entry.invoice.and_then(|id| places.get(&id).copied());
            match place {
                Some(_) => (TimelineEntry { invoice: None, detail: None, ..entry }, place),
                None => (entry, None),
            }
        };
        self.entries.into_iter().map(with_place).collect()
    }

    fn check_size(&self) -> Result<(), ForecastRefusal> {
        let rows = self.lines + self.entries.len();
        if rows > MAX_FORECAST_ROWS { Err(ForecastRefusal::TooMuch) } else { Ok(()) }
    }
}
