//! Reads the rows of a part as events.

use std::collections::BTreeMap;

use storage::{ReadError, Store};

use super::ReadRow;
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::dead_letter::RefusedEvent;
use crate::domain::billing::usage::upload::{LargeRow, Mapping, RowFault, UploadPart, fields};
use crate::domain::ids::{ContractId, SellerId, UploadId};
use crate::tables::UPLOAD_PARTS;

/// How much of each cell is kept of a row that is too large, in characters.
const CUT_CHARS: usize = 1_000;

/// The rows of a part, or one large row that lies in several.
pub(super) struct Rows {
    upload: UploadId,
    content: Content,
    /// The part behind them.
    pub(super) next_part: u32,
}

enum Content {
    Part(UploadPart),
    Large { row: u64, cells: Vec<Vec<u8>>, fault: Option<RowFault> },
}

/// A row, and the event that it is, or why it is none.
pub(super) struct ParsedRow {
    pub(super) number: u64,
    pub(super) event: Result<(ContractId, NewEvent), String>,
}

impl Rows {
    /// Reads a part, and those that its last row goes on in; nothing where one is missing.
    pub(super) fn read(
        store: &Store,
        (seller, upload): (SellerId, UploadId),
        number: u32,
        mapping: &Mapping,
    ) -> Result<Option<Self>, ReadError> {
        let read = |number| store.get(UPLOAD_PARTS, &(seller, upload, number));
        let Some(mut part) = read(number)? else { return Ok(None) };
        let mut next_part = number + 1;
        if !part.piece {
            return Ok(Some(Self { upload, content: Content::Part(part), next_part }));
        }
        let (row, mut large) = (part.first_row, LargeRow::new(mapping));
        large.push(&part.bytes);
        while part.goes_on() {
            part = match read(next_part)? {
                Some(piece) => piece,
                None => return Ok(None),
            };
            next_part += 1;
            large.push(&part.bytes);
        }
        let (cells, fault) = large.finish();
        Ok(Some(Self { upload, content: Content::Large { row, cells, fault }, next_part }))
    }

    pub(super) fn parse(&self, mapping: &Mapping, read_row: &ReadRow) -> Vec<ParsedRow> {
        let mut parsed = Vec::new();
        self.each(mapping, |number, cells, fault| {
            let read = match fault {
                Some(fault) => Err(fault),
                None => fields(mapping, self.upload, number, cells),
            };
            let event = match read {
                Ok(fields) => read_row(&fields),
                Err(fault) => Err(fault.to_string()),
            };
            parsed.push(ParsedRow { number, event });
        });
        parsed
    }

    /// Refused rows as dead letters, in the order of the file.
    pub(super) fn letters(
        &self,
        mapping: &Mapping,
        mut reasons: BTreeMap<u64, String>,
    ) -> Vec<RefusedEvent> {
        let mut letters = Vec::with_capacity(reasons.len());
        self.each(mapping, |number, cells, fault| {
            let Some(why) = reasons.remove(&number) else { return };
            let reason = format!("row {number}: {why}");
            let read = || fields(mapping, self.upload, number, cells);
            letters.push(match (fault, read()) {
                (Some(RowFault::TooLarge), _) => {
                    RefusedEvent::cut(reason, self.cut(mapping, number, cells))
                }
                (Some(_), _) | (None, Err(_)) => RefusedEvent::row(reason, raw(cells)),
                (None, Ok(fields)) => RefusedEvent::event(reason, fields.json()),
            });
        });
        letters
    }

    /// The fields of a row, of each the beginning.
    fn cut(&self, mapping: &Mapping, row: u64, cells: &[&[u8]]) -> String {
        let short = |cell: &&[u8]| String::from_utf8_lossy(cell).chars().take(CUT_CHARS).collect();
        let short: Vec<String> = cells.iter().map(short).collect();
        let cells: Vec<&[u8]> = short.iter().map(String::as_bytes).collect();
        fields(mapping, self.upload, row, &cells).map_or_else(|_| raw(&cells), |cut| cut.json())
    }

    fn each(&self, mapping: &Mapping, mut with: impl FnMut(u64, &[&[u8]], Option<RowFault>)) {
        let part = match &self.content {
            Content::Part(part) => part,
            Content::Large { row, cells, fault } => {
                let cells: Vec<&[u8]> = cells.iter().map(Vec::as_slice).collect();
                return with(*row, &cells, *fault);
            }
        };
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).flexible(true).delimiter(mapping.delimiter);
        let mut reader = reader.from_reader(part.bytes.as_slice());
        let quotes = mapping.quotes().filter(|_| part.bytes.contains(&b'"'));
        let mut record = csv::ByteRecord::new();
        let (mut row, mut from) = (part.first_row, 0);
        while matches!(reader.read_byte_record(&mut record), Ok(true)) {
            let cells: Vec<&[u8]> = record.iter().collect();
            let to = usize::try_from(reader.position().byte()).unwrap_or(part.bytes.len());
            let fault = quotes.clone().and_then(|mut quotes| {
                quotes.push(&part.bytes[from..to]);
                quotes.fault()
            });
            with(row, &cells, fault);
            (row, from) = (row + 1, to);
        }
    }
}

fn raw(cells: &[&[u8]]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| String::from_utf8_lossy(cell)).collect();
    serde_json::json!({ "cells": cells }).to_string()
}
