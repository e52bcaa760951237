//! A row of a file as an event.

use actors::domain::billing::usage::NewEvent;
use actors::domain::billing::usage::upload::RowFields;
use actors::domain::ids::ContractId;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::api::billing::usage::event::{EventFields, from_fields};

/// Makes an event of a row, by the rules of every other event.
pub fn read_row(row: &RowFields<'_>) -> Result<(ContractId, NewEvent), String> {
    let metadata = if row.metadata.is_empty() { None } else { Some(object(&row.metadata)?) };
    from_fields(EventFields {
        contract_id: row.contract_id,
        metric: row.metric,
        quantity: row.quantity,
        occurred_at: row.occurred_at,
        idempotency_key: &row.idempotency_key,
        metadata: metadata.as_deref(),
    })
    .map_err(|refusal| refusal.to_string())
}

fn object(members: &[(&str, &str)]) -> Result<Box<RawValue>, String> {
    struct Members<'a>(&'a [(&'a str, &'a str)]);

    impl serde::Serialize for Members<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let mut map = to.serialize_map(Some(self.0.len()))?;
            self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
            map.end()
        }
    }

    to_raw_value(&Members(members)).map_err(|error| error.to_string())
}
