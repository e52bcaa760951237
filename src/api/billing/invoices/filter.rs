//! The filters of the list.

use actors::domain::billing::invoice::{
    Invoice, InvoiceFilter, InvoiceStatus, InvoiceType, Origin, parse_bound,
};
use actors::domain::ids::{ContractId, CustomerId, ID_LIMIT, SellerId};
use actors::query::{self, Page, Paging};
use storage::{ReadError, Store};

use crate::gate::Request;
use crate::http::ApiError;

pub(super) const BOUND: &str = "a date or an RFC 3339 timestamp";

/// What `origin` may name; the last is an older name of the first.
pub const ORIGINS: &[&str] = &[
    "recurring",
    "usage",
    "milestone",
    "project",
    "one_time",
    "adhoc",
    "marketplace",
    "subscription",
];
pub const STATUSES: &[&str] =
    &["draft", "issued", "sent", "paid", "overdue", "voided", "written_off"];
pub const TYPES: &[&str] = &["standard", "credit_note", "simplified", "modified"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// None: a reference was given that no invoice can have.
    Nothing,
    Matching(InvoiceFilter),
}

impl Filter {
    /// A `contractId` or `sellerCustomerId` that is no id matches nothing.
    pub(super) fn read(request: &Request) -> Result<Self, ApiError> {
        let origin = word(request, "origin", ORIGINS, Origin::parse)?;
        let status = word(request, "status", STATUSES, InvoiceStatus::parse)?;
        Self::of(request, origin, status)
    }

    /// With an origin and a status that were read already.
    pub(super) fn of(
        request: &Request,
        origin: Option<Origin>,
        status: Option<InvoiceStatus>,
    ) -> Result<Self, ApiError> {
        let filter = InvoiceFilter {
            contract: None,
            customer: None,
            origin,
            status,
            invoice_type: word(request, "invoiceType", TYPES, InvoiceType::parse)?,
            corrects: request.query_text("corrects")?.map(Into::into),
            issued_from: request.query_as("issuedFrom", BOUND, parse_bound)?,
            issued_to: request.query_as("issuedTo", BOUND, parse_bound)?,
        };
        let contract = request.query_text("contractId")?;
        let customer = request.query_text("sellerCustomerId")?;
        Ok(Self::narrowed(filter, contract.as_deref(), customer.as_deref()))
    }

    /// `filter` with references as they were given.
    pub(super) fn narrowed(
        filter: InvoiceFilter,
        contract: Option<&str>,
        customer: Option<&str>,
    ) -> Self {
        let (contract, customer) = (contract.map(id), customer.map(id));
        if contract == Some(None) || customer == Some(None) {
            return Self::Nothing;
        }
        Self::Matching(InvoiceFilter {
            contract: contract.flatten().map(ContractId),
            customer: customer.flatten().map(CustomerId),
            ..filter
        })
    }

    /// A page of what matches, newest first.
    pub(super) fn page(
        &self,
        store: &Store,
        seller: SellerId,
        paging: Paging,
    ) -> Result<Page<Invoice>, ReadError> {
        match self {
            Self::Nothing => Ok(Page { items: Vec::new(), next: None }),
            Self::Matching(filter) => query::invoices(store, seller, filter, paging),
        }
    }
}

pub(super) fn word<T>(
    request: &Request,
    name: &str,
    words: &[&str],
    parse: fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    request.query_as(name, &format!("one of {}", words.join(", ")), parse)
}

fn id(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?.filter(|id| (1..ID_LIMIT).contains(id))
}
