//! A usage event as it is kept, and its packed form.

use rust_decimal::Decimal;
use storage::RecordError;

use super::event::{EventKey, NewEvent};
use super::key_form::KeyForm;
use super::pack::{Unpacker, damaged, put_bytes, put_long, put_number, put_signed};
use crate::domain::ids::UsageEventId;
use crate::domain::quantity::Quantity;
use crate::domain::time::Timestamp;

/// An event that was recorded. Of which contract, metric and day is said by its place.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UsageEvent {
    #[n(0)]
    pub id: UsageEventId,
    #[n(1)]
    pub key: EventKey,
    #[n(2)]
    pub quantity: Quantity,
    #[n(3)]
    pub occurred_at: Timestamp,
    #[n(4)]
    pub received_at: Timestamp,
    #[n(5)]
    pub metadata: Option<String>,
    #[n(6)]
    pub version: u32,
}

/// An event on its way into a row.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub(super) id: u64,
    pub(super) key: &'a str,
    pub(super) quantity: Decimal,
    pub(super) occurred_at: i64,
    pub(super) received_at: i64,
    pub(super) metadata: Option<&'a str>,
    pub(super) version: u32,
}

impl<'a> Entry<'a> {
    pub fn fresh(event: &'a NewEvent, id: UsageEventId, version: u32, now: Timestamp) -> Self {
        Self {
            id: id.0,
            key: event.key.as_str(),
            quantity: event.quantity.value(),
            occurred_at: event.occurred_at.micros(),
            received_at: now.micros(),
            metadata: event.metadata.as_deref().map(serde_json::value::RawValue::get),
            version,
        }
    }

    pub fn kept(event: &'a UsageEvent) -> Self {
        Self {
            id: event.id.0,
            key: event.key.as_str(),
            quantity: event.quantity.value(),
            occurred_at: event.occurred_at.micros(),
            received_at: event.received_at.micros(),
            metadata: event.metadata.as_deref(),
            version: event.version,
        }
    }

    /// Adds the event to `out` so that it can be read without its neighbours.
    pub(super) fn pack(&self, out: &mut Vec<u8>) {
        put_number(out, self.id);
        put_signed(out, self.occurred_at);
        put_signed(out, self.received_at.wrapping_sub(self.occurred_at));
        put_number(out, u64::from(self.version));
        put_quantity(out, self.quantity);
        let form = KeyForm::of(self.key);
        out.push(form.kind());
        put_bytes(out, form.bytes());
        match self.metadata {
            None => put_number(out, 0),
            Some(text) => {
                put_number(out, text.len() as u64 + 1);
                out.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Bytes that the event takes in a row at most.
    pub(super) fn most_bytes(&self) -> usize {
        most_bytes(self.key, self.metadata)
    }
}

/// Bytes that an event takes in a row at most.
pub(super) fn most_bytes(key: &str, metadata: Option<&str>) -> usize {
    64 + key.len() + metadata.map_or(0, str::len)
}

impl UsageEvent {
    pub fn fresh(event: &NewEvent, id: UsageEventId, version: u32, now: Timestamp) -> Self {
        Self {
            id,
            key: event.key.clone(),
            quantity: event.quantity,
            occurred_at: event.occurred_at,
            received_at: now,
            metadata: event.metadata.as_deref().map(|metadata| metadata.get().to_owned()),
            version,
        }
    }

    pub(super) fn unpack(from: &mut Unpacker<'_>) -> Result<Self, RecordError> {
        let id = UsageEventId(from.number()?);
        let occurred_at = from.signed()?;
        let received_at = from.signed()?.wrapping_add(occurred_at);
        let version = from.number()?;
        let quantity = take_quantity(from)?;
        let kind = from.byte()?;
        let key = KeyForm::read(kind, from.bytes()?)?;
        let metadata = match from.length()? {
            0 => None,
            length => Some(text(from.take(length - 1)?)?),
        };
        Ok(Self {
            id,
            key,
            quantity,
            occurred_at: Timestamp::from_micros(occurred_at),
            received_at: Timestamp::from_micros(received_at),
            metadata,
            version: short(version)?,
        })
    }
}

/// A quantity: how many of its digits are decimals, and the digits.
pub(super) fn put_quantity(out: &mut Vec<u8>, quantity: Decimal) {
    put_number(out, u64::from(quantity.scale()));
    put_long(out, quantity.mantissa().unsigned_abs());
}

pub(super) fn take_quantity(from: &mut Unpacker<'_>) -> Result<Quantity, RecordError> {
    let scale = from.number()?;
    let digits = from.long()?;
    quantity_of(scale, digits).ok_or_else(|| damaged("a quantity is out of range"))
}

fn quantity_of(scale: u64, digits: u128) -> Option<Quantity> {
    let digits = i128::try_from(digits).ok()?;
    let value = Decimal::try_from_i128_with_scale(digits, u32::try_from(scale).ok()?).ok()?;
    Quantity::parse(&value.to_string())
}

pub(super) fn text(bytes: &[u8]) -> Result<String, RecordError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged("a text is no text"))
}

pub(super) fn short(number: u64) -> Result<u32, RecordError> {
    u32::try_from(number).map_err(|_| damaged("a version is too long"))
}
