//! Parts of a document as they were issued: its seller, and its tax as a whole.

use actors::domain::billing::invoice::SellerParty;
use actors::domain::billing::tax::{TaxCategory, TaxSubtotal};
use actors::domain::country::Country;
use actors::domain::quantity::TaxRate;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// The seller as of the day of issue; what it changes later does not change this.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SellerPartyView {
    name: String,
    email: String,
    phone: Option<String>,
    tax_id: Option<String>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    #[schema(value_type = Option<String>)]
    country: Option<Country>,
}

/// The lines of one tax category and rate together.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaxSubtotalView {
    /// By the codes of EN 16931.
    tax_category: TaxCategory,
    /// Percent.
    tax_rate: TaxRate,
    /// Net of discounts, before tax.
    taxable_minor: i64,
    tax_minor: i64,
    /// Why no tax is charged, where the category has to say so.
    reason: Option<&'static str>,
}

impl From<&SellerParty> for SellerPartyView {
    fn from(of: &SellerParty) -> Self {
        let of = of.clone();
        Self {
            name: of.name,
            email: of.email.as_str().to_owned(),
            phone: of.phone,
            tax_id: of.tax_id,
            address_line1: of.address.line1,
            address_line2: of.address.line2,
            city: of.address.city,
            postal_code: of.address.postal_code,
            country: of.country,
        }
    }
}

impl From<&TaxSubtotal> for TaxSubtotalView {
    fn from(of: &TaxSubtotal) -> Self {
        Self {
            tax_category: of.category,
            tax_rate: of.rate,
            taxable_minor: of.taxable_minor,
            tax_minor: of.tax_minor,
            reason: of.category.reason(),
        }
    }
}
