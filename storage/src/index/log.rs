//! The log of claims: what a group has claimed, in rows that are written with the group.
//!
//! The rows are numbered in the order of the groups, and none holds claims of two groups. A
//! row's payload is a list of parts, each `tag: u16`, `scope: u64`, `claims: u32`, and for each
//! claim its fingerprint and what it was claimed for; numbers are little endian.

use super::entry::Place;
use super::{Fingerprint, Taken};
use crate::engine::{Change, Range};
use crate::error::ReadError;
use crate::layout;
use crate::record::{self, Record, RecordError};
use crate::table::CLAIM_TAG;

/// Bytes of claims in a row at most. The engine writes sixteen neighbours anew with some of the
/// changes of one, which nobody should have to wait for.
const ROW_BYTES: usize = 16 * 1024;
const PART_BYTES: usize = 2 + 8 + 4;
const CLAIM_BYTES: usize = 16 + 16;

pub(super) type Part = (Place, Vec<(Fingerprint, Taken)>);

#[derive(Default)]
pub(super) struct Rows {
    full: Vec<LogRow>,
    payload: Vec<u8>,
    /// Where the open part begins, its place and how many claims it has.
    part: Option<(usize, Place, u32)>,
}

pub(super) struct LogRow {
    payload: Vec<u8>,
}

impl Record for LogRow {
    fn encode(&self) -> Vec<u8> {
        self.payload.clone()
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        Ok(Self { payload: bytes.to_vec() })
    }
}

impl Rows {
    pub(super) fn add(&mut self, place: Place, fingerprint: Fingerprint, taken: &Taken) {
        if self.payload.len() + PART_BYTES + CLAIM_BYTES > ROW_BYTES {
            self.end_row();
        }
        match &mut self.part {
            Some((_, at, claims)) if *at == place => *claims += 1,
            _ => self.begin_part(place),
        }
        self.payload.extend_from_slice(&fingerprint.0);
        self.payload.extend_from_slice(taken);
    }

    pub(super) fn take_full(&mut self) -> Vec<LogRow> {
        std::mem::take(&mut self.full)
    }

    pub(super) fn finish(mut self) -> Vec<LogRow> {
        if !self.payload.is_empty() {
            self.end_row();
        }
        self.full
    }

    fn begin_part(&mut self, place: Place) {
        self.end_part();
        self.part = Some((self.payload.len(), place, 1));
        self.payload.extend_from_slice(&place.tag.to_le_bytes());
        self.payload.extend_from_slice(&place.scope.to_le_bytes());
        self.payload.extend_from_slice(&[0; 4]);
    }

    fn end_part(&mut self) {
        if let Some((start, _, claims)) = self.part.take() {
            self.payload[start + 10..start + PART_BYTES].copy_from_slice(&claims.to_le_bytes());
        }
    }

    fn end_row(&mut self) {
        self.end_part();
        self.full.push(LogRow { payload: std::mem::take(&mut self.payload) });
    }
}

impl LogRow {
    fn parts(&self) -> Result<Vec<Part>, RecordError> {
        let cut = || RecordError::Payload("the row ends inside a claim".to_owned());
        let mut parts = Vec::new();
        let mut rest = self.payload.as_slice();
        while !rest.is_empty() {
            let (tag, behind) = rest.split_first_chunk().ok_or_else(cut)?;
            let (scope, behind) = behind.split_first_chunk().ok_or_else(cut)?;
            let (claims, behind) = behind.split_first_chunk().ok_or_else(cut)?;
            let place = Place { tag: u16::from_le_bytes(*tag), scope: u64::from_le_bytes(*scope) };
            let bytes = u32::from_le_bytes(*claims) as usize * CLAIM_BYTES;
            let (claims, behind) = behind.split_at_checked(bytes).ok_or_else(cut)?;
            parts.push((place, claims.chunks_exact(CLAIM_BYTES).map(claim).collect()));
            rest = behind;
        }
        Ok(parts)
    }
}

pub(super) fn sealed(number: u64, row: &LogRow) -> Change {
    let key = key(number);
    let row = record::seal(&key, row);
    (key, Some(row))
}

pub(super) fn key(number: u64) -> Vec<u8> {
    [CLAIM_TAG.to_be_bytes().as_slice(), &number.to_be_bytes()].concat()
}

pub(super) fn range(from: u64) -> Range {
    Range { from: key(from), until: (CLAIM_TAG + 1).to_be_bytes().to_vec() }
}

/// The number of a row, and its claims.
pub(super) fn open(key: &[u8], row: &[u8]) -> Result<(u64, Vec<Part>), ReadError> {
    const TABLE: &str = "fingerprints";
    let own = layout::behind_tag(key);
    let damaged = |detail| ReadError::Record { table: TABLE, key: record::hex(own), detail };
    let number = own.try_into().map(u64::from_be_bytes);
    let number = number.map_err(|_| damaged("its key is no number".to_owned()))?;
    let row: LogRow = record::unseal(TABLE, key, row)?;
    let parts = row.parts().map_err(|refused| damaged(refused.to_string()))?;
    Ok((number, parts))
}

fn claim(bytes: &[u8]) -> (Fingerprint, Taken) {
    let (mut fingerprint, mut taken) = ([0; 16], [0; 16]);
    fingerprint.copy_from_slice(&bytes[..16]);
    taken.copy_from_slice(&bytes[16..]);
    (Fingerprint(fingerprint), taken)
}
