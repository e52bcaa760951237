//! Which column of a file is which field of an event (decisions 6).

use serde::Deserialize;

/// A mapping as it was sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MappingDraft {
    /// Where the contract stands.
    pub contract_id: Option<CellDraft>,
    /// Where the metric stands.
    pub metric: Option<CellDraft>,
    /// Where the quantity stands.
    pub quantity: Option<CellDraft>,
    /// Where the time stands.
    pub occurred_at: Option<CellDraft>,
    /// Where the key stands; without it each row gets one of its own.
    pub idempotency_key: Option<CellDraft>,
    /// The members of the metadata and where each stands.
    pub metadata: Option<std::collections::BTreeMap<String, CellDraft>>,
}

/// Where a field stands: in a column, or the same in all rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a column name or {\"const\": \"value\"}")]
pub enum CellDraft {
    /// The column of this name.
    Column(String),
    /// This value.
    Const {
        /// The value.
        #[serde(rename = "const")]
        value: String,
    },
}

/// A mapping held against a header.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Mapping {
    /// How many cells a row has.
    #[n(0)]
    pub columns: u32,
    /// Where the contract stands.
    #[n(1)]
    pub contract_id: Cell,
    /// Where the metric stands.
    #[n(2)]
    pub metric: Cell,
    /// Where the quantity stands.
    #[n(3)]
    pub quantity: Cell,
    /// Where the time stands.
    #[n(4)]
    pub occurred_at: Cell,
    /// Where the key stands.
    #[n(5)]
    pub idempotency_key: Option<Cell>,
    /// The members of the metadata, by name.
    #[n(6)]
    pub metadata: Vec<Member>,
}

/// Where a field stands.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Cell {
    /// In this cell of a row, counted from 0.
    #[n(0)]
    Column(#[n(0)] u32),
    /// It is this in all rows.
    #[n(1)]
    Const(#[n(0)] String),
}

/// A member of the metadata.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Member {
    /// Its name.
    #[n(0)]
    pub name: String,
    /// Where its value stands.
    #[n(1)]
    pub cell: Cell,
}

/// Why a mapping does not fit its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingRefusal {
    /// A field of an event stands nowhere.
    #[error("mapping: {0} is required")]
    Missing(&'static str),
    /// The header has no such column.
    #[error("mapping: {field} names the column {column:?}, which the file does not have")]
    NoColumn {
        /// The field.
        field: String,
        /// The name.
        column: String,
    },
    /// The header has the column more than once.
    #[error("mapping: {field} names the column {column:?}, which the file has more than once")]
    Ambiguous {
        /// The field.
        field: String,
        /// The name.
        column: String,
    },
}

impl MappingDraft {
    /// Holds the mapping against the header of a file.
    ///
    /// # Errors
    /// [`MappingRefusal`].
    pub fn resolve(self, header: &[String]) -> Result<Mapping, MappingRefusal> {
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
