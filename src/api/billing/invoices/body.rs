//! What a request says of an invoice.

use actors::domain::billing::invoice::{
    CollectionMethod, InvoiceType, NewInvoice, NewLine, Origin, StatedBillTo,
};
use actors::domain::billing::tax::{StatedTax, TaxCategory, TaxKind};
use actors::domain::ids::ContractId;
use actors::domain::money::Currency;
use actors::domain::quantity::{Quantity, TaxRate};
use actors::domain::refusal::Refusal;
use actors::domain::time::Date;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::Object;

use super::ORIGINS;
use crate::api::wire::{accepted_currencies, words};
use crate::http::{ApiError, json};

/// An invoice to be issued.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewInvoiceBody {
    /// The contract to bill; required for every origin but `adhoc`, which takes none. Of a
    /// document that corrects another: that one's, if it is stated.
    contract_id: Option<ContractId>,
    /// Required, but for a document that corrects another, which has that one's. `subscription`
    /// is read as `recurring`.
    #[schema(schema_with = origins)]
    origin: Option<Origin>,
    /// `standard` by default. `credit_note` and `modified` correct another document.
    invoice_type: Option<InvoiceType>,
    /// The number of the document that this one corrects; required for `credit_note` and
    /// `modified`, which take `origin`, `contractId`, `currency` and `billTo` from it.
    corrects: Option<String>,
    /// The contract's, which is the default; required for `adhoc`.
    #[schema(schema_with = accepted_currencies)]
    currency: Option<Currency>,
    /// The recipient; what is not stated comes from the contract.
    bill_to: Option<BillToBody>,
    /// Required for every origin but `recurring` and `usage`, which take none unless they correct
    /// another document. Of a credit note, as they are taken off: in positive amounts.
    #[schema(min_items = 1, max_items = 200)]
    lines: Option<Vec<LineBody>>,
    /// Not before the day of issue; by default by the seller's payment terms. A credit note has
    /// none.
    due_date: Option<Date>,
    /// By default `payment_link`; of `recurring` and `usage`, as the oldest subscription on the
    /// document is collected.
    collection_method: Option<CollectionMethod>,
    /// Whether it goes to the customer at once: by default it does by `payment_link`, and never
    /// by `bank_transfer`.
    send: Option<bool>,
    #[schema(max_length = 1024)]
    #[serde(default, deserialize_with = "json::lines")]
    memo: Option<String>,
}

/// Whom the invoice is made out to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillToBody {
    /// A plain address; required for `adhoc`.
    #[schema(format = Email)]
    email: Option<String>,
    #[schema(max_length = 128)]
    name: Option<String>,
    #[schema(max_length = 32)]
    phone: Option<String>,
    #[schema(max_length = 255)]
    company_name: Option<String>,
    #[schema(max_length = 56)]
    company_country: Option<String>,
    #[schema(max_length = 64)]
    tax_id: Option<String>,
    #[schema(max_length = 255)]
    address_line1: Option<String>,
    #[schema(max_length = 255)]
    address_line2: Option<String>,
    #[schema(max_length = 128)]
    city: Option<String>,
    #[schema(max_length = 32)]
    postal_code: Option<String>,
    #[schema(max_length = 56)]
    country: Option<String>,
}

/// A line of the caller's.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineBody {
    #[schema(min_length = 1, max_length = 512)]
    description: String,
    /// A decimal, not negative: up to 18 digits before and 9 after the point.
    quantity: Quantity,
    /// Minor units; negative for a deduction.
    #[schema(minimum = -1_000_000_000_000_000_i64, maximum = 1_000_000_000_000_000_i64)]
    unit_price_minor: i64,
    /// From 0 to quantity times price.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_000_i64)]
    discount_minor: Option<i64>,
    /// Percent, `"0"` to `"100"` with at most 4 decimals; by default the seller's rate. Above 0
    /// only beside the category `S`.
    tax_rate: Option<TaxRate>,
    /// By the codes of EN 16931; by default `S` for a rate above 0 and `Z` for 0, and in a credit
    /// note that of the corrected line at the rate. `K` needs a `periodEnd`, and `O` cannot stand
    /// beside others on one document.
    tax_category: Option<TaxCategory>,
    /// What is sold: without a `taxCategory`, `zero` is the category `Z` and `exempt` is `E`.
    tax_kind: Option<TaxKind>,
    /// First day of what is billed.
    period_start: Option<Date>,
    /// First day after what is billed.
    period_end: Option<Date>,
}

impl NewInvoiceBody {
    /// The number of the document that is to be corrected.
    pub(super) fn corrected(&self) -> Option<&str> {
        self.corrects.as_deref().filter(|_| self.is_correction())
    }

    fn is_correction(&self) -> bool {
        matches!(self.invoice_type, Some(InvoiceType::CreditNote | InvoiceType::Modified))
    }

    /// The request, and its shape judged: all that depends on neither time nor state.
    /// `corrected`: what the corrected document bills, where this one corrects one that is there.
    pub(crate) fn parse(self, corrected: Option<Origin>) -> Result<NewInvoice, ApiError> {
        // Whatever is corrected, a correction has one shape.
        let of_correction = self.is_correction().then(|| corrected.unwrap_or(Origin::OneTime));
        let origin = self.origin.or(of_correction);
        let origin = origin.ok_or_else(|| ApiError::invalid("origin is required"))?;
        let request = NewInvoice {
            contract: self.contract_id,
            origin,
            invoice_type: self.invoice_type,
            corrects: self.corrects,
            currency: self.currency,
            bill_to: self.bill_to.map(BillToBody::stated).unwrap_or_default(),
            lines: self.lines.map(|lines| lines.into_iter().map(LineBody::stated).collect()),
            due_date: self.due_date,
            collection_method: self.collection_method,
            send: self.send,
            memo: self.memo.filter(|memo| !memo.is_empty()),
        };
        request.check().map_err(Refusal::from)?;
        Ok(request)
    }
}

impl BillToBody {
    fn stated(self) -> StatedBillTo {
        StatedBillTo {
            email: self.email,
            name: self.name,
            phone: self.phone,
            company_name: self.company_name,
            company_country: self.company_country,
            tax_id: self.tax_id,
            address_line1: self.address_line1,
            address_line2: self.address_line2,
            city: self.city,
            postal_code: self.postal_code,
            country: self.country,
        }
    }
}

impl LineBody {
    fn stated(self) -> NewLine {
        NewLine {
            description: self.description,
            quantity: self.quantity,
            unit_price_minor: self.unit_price_minor,
            discount_minor: self.discount_minor,
            tax: StatedTax {
                rate: self.tax_rate,
                category: self.tax_category,
                kind: self.tax_kind,
            },
            period_start: self.period_start,
            period_end: self.period_end,
        }
    }
}

fn origins() -> Object {
    words(ORIGINS.iter().copied())
}
