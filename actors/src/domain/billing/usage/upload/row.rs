//! One row of a file as the fields of an event.

use std::borrow::Cow;

use super::mapping::{Cell, Mapping};
use crate::domain::ids::UploadId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFields<'a> {
    pub contract_id: &'a str,
    pub metric: &'a str,
    pub quantity: &'a str,
    pub occurred_at: &'a str,
    pub idempotency_key: Cow<'a, str>,
    /// The members of `metadata`; empty cells are none.
    pub metadata: Vec<(&'a str, &'a str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    #[error("the row has {cells} cells, the header has {columns}")]
    Cells { cells: usize, columns: u32 },
    #[error("the row is not UTF-8")]
    NotText,
    #[error("text stands behind a closing quote (lines of the file in this row: {lines})")]
    BehindQuote { lines: u64 },
    #[error("the mapped columns of the row are larger than {} bytes", super::MAX_ROW_BYTES)]
    TooLarge,
}

/// The fields of a row. `cells` are all cells of the row with their number in it.
///
/// A row of a file without a column of keys has the key `csv:<upload>:<row>`.
pub fn fields<'a>(
    mapping: &'a Mapping,
    upload: UploadId,
    row: u64,
    cells: &[&'a [u8]],
) -> Result<RowFields<'a>, RowFault> {
    if cells.len() != mapping.columns as usize {
        return Err(RowFault::Cells { cells: cells.len(), columns: mapping.columns });
    }
    let text = |cell: &'a Cell| match cell {
        Cell::Const(value) => Ok(value.as_str()),
        Cell::Column(place) => {
            std::str::from_utf8(cells[*place as usize]).map_err(|_| RowFault::NotText)
        }
    };
    let mut metadata = Vec::with_capacity(mapping.metadata.len());
    for member in &mapping.metadata {
        let value = text(&member.cell)?;
        if !value.is_empty() {
            metadata.push((member.name.as_str(), value));
        }
    }
    Ok(RowFields {
        contract_id: text(&mapping.contract_id)?,
        metric: text(&mapping.metric)?,
        quantity: text(&mapping.quantity)?,
        occurred_at: text(&mapping.occurred_at)?,
        idempotency_key: match &mapping.idempotency_key {
            Some(cell) => Cow::Borrowed(text(cell)?),
            None => Cow::Owned(format!("csv:{upload}:{row}")),
        },
        metadata,
    })
}

impl RowFields<'_> {
    /// The event as JSON, as the API would have been sent it.
    pub fn json(&self) -> String {
        let mut event = serde_json::json!({
            "contractId": self.contract_id,
            "metric": self.metric,
            "quantity": self.quantity,
            "occurredAt": self.occurred_at,
            "idempotencyKey": self.idempotency_key,
        });
        if !self.metadata.is_empty() {
            event["metadata"] = self.metadata.iter().copied().collect();
        }
        event.to_string()
    }
}
