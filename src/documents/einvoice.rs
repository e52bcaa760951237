//! The data of a document by EN 16931, the European standard for electronic invoices, in either of
//! its two syntaxes.
//!
//! [`EInvoice`] is the document in the standard's terms: what it lacks is found while it is made,
//! and both syntaxes only write it down.

mod cii;
mod line;
mod party;
#[cfg(test)]
mod tests;
mod ubl;
mod xml;

use actors::domain::billing::invoice::{CollectionMethod, Invoice, InvoiceType};
use actors::domain::billing::tax::{TaxCategory, TaxSubtotal};
use actors::domain::country::Country;
use actors::domain::money::{Currency, major_units};
use actors::domain::quantity::TaxRate;
use actors::domain::time::Date;
use rust_decimal::Decimal;

use self::line::Line;
use self::party::Party;
use super::document::{Document, Standing};
use super::figures;

/// What the data is said to keep to.
const GUIDELINE: &str = "urn:cen.eu:en16931:2017";

/// Amounts have two decimals at most.
const MOST_DECIMALS: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// UN/CEFACT Cross Industry Invoice, as Factur-X and ZUGFeRD have it.
    Cii,
    /// OASIS UBL 2.1.
    Ubl,
}

/// The fields without which there is no electronic invoice, by their names in the API.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document cannot be an electronic invoice without {}", .0.join(", "))]
pub struct Missing(pub Vec<&'static str>);

/// A document in the terms of the standard.
#[derive(Debug)]
struct EInvoice {
    number: String,
    kind: Kind,
    issued: Date,
    due: Option<Date>,
    currency: Currency,
    note: Option<String>,
    /// The contract's number.
    contract: Option<String>,
    /// The number of the document that this one corrects.
    corrects: Option<String>,
    seller: Party,
    buyer: Party,
    /// First and last day.
    period: Option<(Date, Date)>,
    /// The last day of what was delivered.
    delivered: Option<Date>,
    /// Where to, if that is to be told.
    delivered_to: Option<Country>,
    pays_online: bool,
    terms: String,
    taxes: Vec<Tax>,
    lines: Vec<Line>,
    net: Decimal,
    tax: Decimal,
    total: Decimal,
    prepaid: Decimal,
    due_amount: Decimal,
}

/// UNTDID 1001.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Invoice,
    CreditNote,
    Corrected,
}

#[derive(Debug)]
struct Tax {
    category: TaxCategory,
    /// None where the matter has no rate at all.
    rate: Option<TaxRate>,
    taxable: Decimal,
    tax: Decimal,
    reason: Option<&'static str>,
}

/// The XML of a document, or what it lacks for it.
pub fn xml(document: &Document, syntax: Syntax) -> Result<Vec<u8>, Missing> {
    let of = EInvoice::of(document)?;
    let root = match syntax {
        Syntax::Cii => cii::root(&of),
        Syntax::Ubl => ubl::root(&of),
    };
    Ok(root.document())
}

/// What an invoice lacks to be an electronic one; nothing, if it can be one.
pub fn missing(invoice: &Invoice) -> Vec<&'static str> {
    let delivered = has(invoice, TaxCategory::IntraCommunity);
    let by_itself = [
        (invoice.number.is_none(), "invoiceNumber"),
        (invoice.currency.decimals() > MOST_DECIMALS, "currency"),
        (delivered && invoice.period_end.is_none(), "periodEnd"),
    ];
    let by_itself = by_itself.into_iter().filter(|(lacks, _)| *lacks).map(|(_, field)| field);
    by_itself.chain(party::missing(invoice)).collect()
}

fn has(invoice: &Invoice, category: TaxCategory) -> bool {
    invoice.tax_summary.iter().any(|tax| tax.category == category)
}

impl EInvoice {
    fn of(document: &Document) -> Result<Self, Missing> {
        let invoice = &document.invoice;
        let (lacks, currency) = (missing(invoice), invoice.currency);
        let parties = party::parties(invoice).filter(|_| lacks.is_empty());
        let (Some((seller, buyer)), Some(number)) = (parties, document.number()) else {
            return Err(Missing(lacks));
        };
        let major = |minor: i64| major_units(document.stated(minor), currency);
        let totals = &invoice.totals;
        let end = invoice.period_end.map(|end| end.plus_days(-1));
        let abroad = has(invoice, TaxCategory::IntraCommunity);
        Ok(Self {
            number,
            kind: Kind::of(invoice.invoice_type),
            issued: invoice.issue_date,
            due: invoice.due_date.filter(|_| !document.is_credit_note()),
            currency,
            note: invoice.memo.clone().filter(|memo| !memo.trim().is_empty()),
            contract: invoice.contract_number.clone(),
            corrects: document.corrects(),
            period: invoice.period_start.zip(end).filter(|(start, end)| start <= end),
            delivered: end,
            delivered_to: abroad.then_some(buyer.country),
            seller,
            buyer,
            pays_online: !document.is_credit_note()
                && invoice.collection_method == CollectionMethod::PaymentLink,
            terms: terms(document),
            taxes: document.taxes().map(|tax| Tax::of(tax, currency)).collect(),
            lines: line::lines(document),
            net: major(totals.subtotal_minor - totals.discount_minor),
            tax: major(totals.tax_minor),
            total: major(totals.grand_total_minor),
            prepaid: major(invoice.credit_applied_minor),
            due_amount: major(totals.grand_total_minor - invoice.credit_applied_minor),
        })
    }
}

impl Kind {
    fn of(of: InvoiceType) -> Self {
        match of {
            InvoiceType::Standard | InvoiceType::Simplified => Self::Invoice,
            InvoiceType::CreditNote => Self::CreditNote,
            InvoiceType::Modified => Self::Corrected,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Invoice => "380",
            Self::CreditNote => "381",
            Self::Corrected => "384",
        }
    }
}

impl Tax {
    fn of(of: TaxSubtotal, currency: Currency) -> Self {
        Self {
            category: of.category,
            rate: rate(of.category, of.rate),
            taxable: major_units(of.taxable_minor, currency),
            tax: major_units(of.tax_minor, currency),
            reason: of.category.reason(),
        }
    }
}

/// What is out of scope has no rate, not even one of 0.
fn rate(category: TaxCategory, rate: TaxRate) -> Option<TaxRate> {
    (category != TaxCategory::OutOfScope).then_some(rate)
}

fn terms(document: &Document) -> String {
    if document.is_credit_note() {
        let corrects = document.corrects().unwrap_or_default();
        return format!("Credited against invoice {corrects}").trim_end().to_owned();
    }
    let due = document.invoice.due_date.map(|date| format!("Payable by {}", figures::day(date)));
    let due = due.unwrap_or_else(|| "Payable on receipt".to_owned());
    match document.payment_url.as_ref().filter(|_| document.standing() != Standing::Void) {
        Some(page) => format!("{due} at {page}"),
        None => due,
    }
}
