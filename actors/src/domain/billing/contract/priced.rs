//! Items that are billed once: what their configuration says of the price, and whether they may be
//! billed by now.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ComponentType, LineItem};
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxKind};
use crate::domain::ids::LineItemId;
use crate::domain::quantity::{Quantity, TaxRate};

/// A line item as the engine that bills it once reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedItem {
    pub id: LineItemId,
    pub component: ComponentType,
    pub description: String,
    pub quantity: Quantity,
    /// Of one, in minor units; negative for a deduction.
    pub amount_minor: i64,
    pub tax: StatedTax,
    /// Of work, whether it is done; all else is.
    pub completed: bool,
}

/// What was checked when the item was taken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EngineFields {
    amount_minor: i64,
    description: Option<String>,
    tax_rate: Option<String>,
    tax_category: Option<String>,
    tax_kind: Option<String>,
    status: Option<Box<RawValue>>,
}

impl ComponentType {
    /// What stands on an invoice where the item has no description of its own.
    fn words(self) -> &'static str {
        match self {
            Self::OneTime => "One-time charge",
            Self::Adjustment => "Adjustment",
            Self::Project => "Project",
            Self::Milestone => "Milestone",
            _ => "Item",
        }
    }

    /// Whether it is billed when it is done and not before.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Project | Self::Milestone)
    }
}

impl LineItem {
    /// The item as it is billed once; none where no engine reads a price from it.
    pub fn priced(&self) -> Option<PricedItem> {
        let content = &self.content;
        let component = content.component_type;
        if !component.is_work()
            && !matches!(component, ComponentType::OneTime | ComponentType::Adjustment)
        {
            return None;
        }
        let config = content.component_config.as_str();
        let fields: EngineFields = serde_json::from_str(config).ok()?;
        let completed = fields.status.is_some_and(|status| status.get() == "\"completed\"");
        Some(PricedItem {
            id: self.id,
            component,
            description: fields.description.unwrap_or_else(|| component.words().to_owned()),
            quantity: content.quantity,
            amount_minor: fields.amount_minor,
            tax: StatedTax {
                rate: fields.tax_rate.as_deref().and_then(TaxRate::parse),
                category: fields.tax_category.as_deref().and_then(TaxCategory::parse),
                kind: fields.tax_kind.as_deref().and_then(TaxKind::parse),
            },
            completed: completed || !component.is_work(),
        })
    }
}
