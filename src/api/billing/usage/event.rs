//! One usage event as it comes over the wire.
//!
//! Reading is the hot path of ingestion: texts are borrowed from the body, and only metadata is
//! looked into, to bring it into its canonical form. A field of a wrong type is found here and
//! not by the JSON reader, so that one bad item of a batch does not stop the others.

mod refusal;
mod text;

use std::borrow::Cow;

use actors::domain::billing::usage::{
    EventKey, MAX_METADATA_BYTES, MAX_METADATA_LEVELS, MetricName, NewEvent,
};
use actors::domain::ids::{ContractId, ID_LIMIT};
use actors::domain::json::{self, JsonFault, Numbers};
use actors::domain::quantity::Quantity;
use actors::domain::time::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use utoipa::ToSchema;

pub use refusal::EventRefusal;

use text::Given;

/// A usage event.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "stands in the API document; an event is read where it lies")]
pub struct EventBody {
    /// The contract's id in digits.
    #[schema(pattern = "^[0-9]+$")]
    contract_id: String,
    /// The name of a registered metric.
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]{1,128}$")]
    metric: String,
    /// A decimal, not negative.
    #[schema(pattern = "^[0-9]{1,18}([.][0-9]{1,9})?$")]
    quantity: String,
    /// When it was used; not ahead of now.
    #[schema(format = DateTime)]
    occurred_at: String,
    /// Unique for the seller for ever: 1 to 255 characters, none of them a control character.
    #[schema(min_length = 1, max_length = 255)]
    idempotency_key: String,
    /// A JSON object of at most 16,384 bytes. For a `count_unique` metric it has the metric's
    /// `uniqueKey`. It comes back as it was sent, but for controls of direction and characters
    /// without a width in its texts and names, which are left out; other control characters than
    /// line ends and tabs are refused.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
}

/// The fields of an event, each as it was sent.
#[derive(Clone, Copy, Debug)]
pub struct EventFields<'a> {
    pub contract_id: &'a str,
    pub metric: &'a str,
    pub quantity: &'a str,
    pub occurred_at: &'a str,
    pub idempotency_key: &'a str,
    pub metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(borrow)]
    contract_id: Option<Given<'a>>,
    #[serde(borrow)]
    metric: Option<Given<'a>>,
    #[serde(borrow)]
    quantity: Option<Given<'a>>,
    #[serde(borrow)]
    occurred_at: Option<Given<'a>>,
    #[serde(borrow)]
    idempotency_key: Option<Given<'a>>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

pub fn from_body(body: &[u8]) -> Result<(ContractId, NewEvent), EventRefusal> {
    from_json(utf8(body)?)
}

/// The text of a request body; [`EventRefusal::Json`] when it is none.
pub fn utf8(body: &[u8]) -> Result<&str, EventRefusal> {
    std::str::from_utf8(body).map_err(|_| EventRefusal::Json("not JSON (not UTF-8)".to_owned()))
}

pub fn from_json(text: &str) -> Result<(ContractId, NewEvent), EventRefusal> {
    // A list would be taken for the fields of an event in order.
    if !text.trim_start().starts_with('{') {
        let json = serde_json::from_str::<IgnoredAny>(text);
        return Err(
            json.map_or_else(|error| EventRefusal::json(&error), |_| EventRefusal::NoObject)
        );
    }
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| EventRefusal::json(&error))?;
    from_fields(EventFields {
        contract_id: text_of(&wire.contract_id, "contractId")?,
        metric: text_of(&wire.metric, "metric")?,
        quantity: text_of(&wire.quantity, "quantity")?,
        occurred_at: text_of(&wire.occurred_at, "occurredAt")?,
        idempotency_key: text_of(&wire.idempotency_key, "idempotencyKey")?,
        metadata: wire.metadata,
    })
}

/// Makes an event of fields that are texts already, as those of a file are.
pub fn from_fields(given: EventFields<'_>) -> Result<(ContractId, NewEvent), EventRefusal> {
    let wrong = |field, expected| move || EventRefusal::Field { field, expected };
    let digits = given.contract_id;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EventRefusal::Field { field: "contractId", expected: "a string of digits" });
    }
    let metric =
        MetricName::parse(given.metric).ok_or_else(wrong("metric", "the name of a metric"))?;
    let quantity = Quantity::parse(given.quantity).ok_or_else(wrong(
        "quantity",
        "a decimal string, not negative, up to 18 digits before and 9 after the point",
    ))?;
    let occurred_at = Timestamp::parse(given.occurred_at)
        .ok_or_else(wrong("occurredAt", "an RFC 3339 timestamp"))?;
    let key = EventKey::parse(given.idempotency_key)
        .ok_or_else(wrong("idempotencyKey", "1 to 255 characters without control characters"))?;
    let metadata = given.metadata.map(seen).transpose()?;
    let canonical = metadata.as_deref().map(canonical).transpose()?;
    // One that no id can have is unknown, not malformed.
    let contract = digits.parse().ok().filter(|id| (1..ID_LIMIT).contains(id)).map(ContractId);
    let contract = contract.ok_or(EventRefusal::UnknownContract)?;
    let metadata = metadata.map(Cow::into_owned).zip(canonical.as_deref());
    Ok((contract, NewEvent::new(contract, metric, quantity, occurred_at, key, metadata)))
}

/// The metadata without what cannot be seen.
fn seen(metadata: &RawValue) -> Result<Cow<'_, RawValue>, EventRefusal> {
    let wrong = |expected| EventRefusal::Field { field: "metadata", expected };
    if !metadata.get().starts_with('{') {
        return Err(wrong("a JSON object"));
    }
    if metadata.get().len() > MAX_METADATA_BYTES {
        return Err(wrong("at most 16384 bytes"));
    }
    json::seen(metadata).map_err(refused)
}

/// The metadata so that equal JSON values are equal texts.
fn canonical(metadata: &RawValue) -> Result<String, EventRefusal> {
    json::canonical(metadata, Numbers::ByValue, MAX_METADATA_LEVELS).map_err(refused)
}

fn refused(fault: JsonFault) -> EventRefusal {
    let expected = match fault {
        JsonFault::TooDeep(_) => "at most 32 levels of nesting",
        JsonFault::NotText => "strings of Unicode characters",
        JsonFault::Control => "texts without control characters",
    };
    EventRefusal::Field { field: "metadata", expected }
}

fn text_of<'g>(given: &'g Option<Given<'_>>, field: &'static str) -> Result<&'g str, EventRefusal> {
    match given {
        Some(Given::Text(text)) => Ok(text),
        Some(Given::Other) => Err(EventRefusal::Field { field, expected: "a string" }),
        None => Err(EventRefusal::Missing(field)),
    }
}

#[cfg(test)]
mod tests;
