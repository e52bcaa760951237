//! Reads the rows of a part as events.

use std::collections::{BTreeMap, BTreeSet};

use super::ReadRow;
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::dead_letter::RefusedEvent;
use crate::domain::billing::usage::upload::{MAX_ROW_BYTES, Mapping, RowFault, UploadPart, fields};
use crate::domain::ids::{ContractId, UploadId};

#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) groups: BTreeMap<ContractId, Group>,
    pub(super) wrong: Vec<(u64, String)>,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) events: Vec<NewEvent>,
    pub(super) rows: Vec<u64>,
}

pub(super) fn parse(
    part: &UploadPart,
    mapping: &Mapping,
    upload: UploadId,
    read_row: &ReadRow,
) -> Parsed {
    let mut parsed = Parsed::default();
    if part.too_large {
        parsed.wrong.push((part.first_row, RowFault::TooLarge.to_string()));
        return parsed;
    }
    each_row(part, |row, cells| {
        let read = match fields(mapping, upload, row, cells) {
            Ok(fields) => read_row(&fields),
            Err(fault) => Err(fault.to_string()),
        };
        match read {
            Ok((contract, event)) => {
                let group = parsed.groups.entry(contract).or_default();
                group.events.push(event);
                group.rows.push(row);
            }
            Err(why) => parsed.wrong.push((row, why)),
        }
    });
    parsed
}

/// The refused rows as dead letters, in the order of the file.
pub(super) fn refused(
    part: &UploadPart,
    mapping: &Mapping,
    upload: UploadId,
    reasons: &BTreeMap<u64, String>,
) -> Vec<RefusedEvent> {
    let mut left: BTreeSet<u64> = reasons.keys().copied().collect();
    let mut refused = Vec::with_capacity(left.len());
    let mut park = |row: u64, event: String| {
        let why = reasons.get(&row).map_or("", String::as_str);
        refused.push(RefusedEvent { reason: format!("row {row}: {why}"), event });
    };
    each_row(part, |row, cells| {
        if left.remove(&row) {
            let fields = fields(mapping, upload, row, cells).ok();
            park(row, fields.map_or_else(|| raw(cells), |fields| fields.json()));
        }
    });
    // The beginning of a row that is too large may be no row at all.
    for row in left {
        park(row, raw(&[&part.bytes[..part.bytes.len().min(MAX_ROW_BYTES)]]));
    }
    refused
}

fn raw(cells: &[&[u8]]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| String::from_utf8_lossy(cell)).collect();
    serde_json::json!({ "cells": cells }).to_string()
}

fn each_row(part: &UploadPart, mut with: impl FnMut(u64, &[&[u8]])) {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(part.bytes.as_slice());
    let mut record = csv::ByteRecord::new();
    let mut row = part.first_row;
    while matches!(reader.read_byte_record(&mut record), Ok(true)) {
        let cells: Vec<&[u8]> = record.iter().collect();
        with(row, &cells);
        row += 1;
    }
}
