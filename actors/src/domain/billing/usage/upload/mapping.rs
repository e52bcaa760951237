//! Which column of a file is which field of an event.

use serde::Deserialize;

use super::quotes::Quotes;
use super::split::Header;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MappingDraft {
    pub contract_id: Option<CellDraft>,
    pub metric: Option<CellDraft>,
    pub quantity: Option<CellDraft>,
    pub occurred_at: Option<CellDraft>,
    /// Where the key stands; without it each row gets one of its own.
    pub idempotency_key: Option<CellDraft>,
    pub metadata: Option<std::collections::BTreeMap<String, CellDraft>>,
}

/// Where a field stands: in a column, or the same in all rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a column name or {\"const\": \"value\"}")]
pub enum CellDraft {
    Column(String),
    Const {
        #[serde(rename = "const")]
        value: String,
    },
}

/// A mapping held against a header.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Mapping {
    #[n(0)]
    pub columns: u32,
    #[n(1)]
    pub contract_id: Cell,
    #[n(2)]
    pub metric: Cell,
    #[n(3)]
    pub quantity: Cell,
    #[n(4)]
    pub occurred_at: Cell,
    #[n(5)]
    pub idempotency_key: Option<Cell>,
    #[n(6)]
    pub metadata: Vec<Member>,
    /// What stands between the cells of the file.
    #[n(7)]
    pub delimiter: u8,
    /// Whether text behind a closing quote is refused. An upload that was begun before that was so
    /// goes on by the rule it was begun with, or its rows would not be counted as they were
    /// recorded.
    #[n(8)]
    #[cbor(default)]
    pub strict_quotes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Cell {
    /// In this cell of a row, counted from 0.
    #[n(0)]
    Column(#[n(0)] u32),
    #[n(1)]
    Const(#[n(0)] String),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Member {
    #[n(0)]
    pub name: String,
    #[n(1)]
    pub cell: Cell,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingRefusal {
    #[error("mapping: {0} is required")]
    Missing(&'static str),
    #[error("mapping: {field} names the column {column:?}, which the file does not have")]
    NoColumn { field: String, column: String },
    #[error("mapping: {field} names the column {column:?}, which the file has more than once")]
    Ambiguous { field: String, column: String },
}

impl MappingDraft {
    pub fn resolve(self, header: &Header) -> Result<Mapping, MappingRefusal> {
        let Header { columns: header, delimiter } = header;
        let required = |field, cell: Option<CellDraft>| {
            cell.ok_or(MappingRefusal::Missing(field))?.resolve(field, header)
        };
        let members = self.metadata.unwrap_or_default().into_iter().map(|(name, cell)| {
            let cell = cell.resolve(&format!("metadata.{name}"), header)?;
            Ok(Member { name, cell })
        });
        Ok(Mapping {
            columns: u32::try_from(header.len()).unwrap_or(u32::MAX),
            contract_id: required("contractId", self.contract_id)?,
            metric: required("metric", self.metric)?,
            quantity: required("quantity", self.quantity)?,
            occurred_at: required("occurredAt", self.occurred_at)?,
            idempotency_key: self
                .idempotency_key
                .map(|cell| cell.resolve("idempotencyKey", header))
                .transpose()?,
            metadata: members.collect::<Result<_, _>>()?,
            delimiter: *delimiter,
            strict_quotes: true,
        })
    }
}

impl Mapping {
    /// What looks at the quotes of a row, where they matter.
    pub fn quotes(&self) -> Option<Quotes> {
        self.strict_quotes.then(|| Quotes::new(self.delimiter))
    }

    /// Whether a field stands in a column, which is counted from 0.
    pub fn reads(&self, column: usize) -> bool {
        let fields = [&self.contract_id, &self.metric, &self.quantity, &self.occurred_at];
        let optional = self.idempotency_key.iter().chain(self.metadata.iter().map(|one| &one.cell));
        fields.into_iter().chain(optional).any(|cell| match cell {
            Cell::Column(place) => *place as usize == column,
            Cell::Const(_) => false,
        })
    }
}

impl CellDraft {
    fn resolve(self, field: &str, header: &[String]) -> Result<Cell, MappingRefusal> {
        let column = match self {
            Self::Const { value } => return Ok(Cell::Const(value)),
            Self::Column(column) => column,
        };
        let field = field.to_owned();
        let mut places = header.iter().zip(0..).filter(|(name, _)| **name == column);
        match (places.next(), places.next()) {
            (Some((_, place)), None) => Ok(Cell::Column(place)),
            (Some(_), Some(_)) => Err(MappingRefusal::Ambiguous { field, column }),
            (None, _) => Err(MappingRefusal::NoColumn { field, column }),
        }
    }
}
