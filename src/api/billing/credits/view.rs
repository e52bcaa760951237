//! Stored credit as it is answered.

use actors::domain::billing::credit::{CreditBalances, CreditEntry, CreditKind, CreditType};
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query::Page;
use serde::Serialize;
use utoipa::ToSchema;

/// The stored credit of a contract: its balances, and a page of its ledger.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditsView {
    balances: Vec<BalanceView>,
    entries: Vec<CreditEntryView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// The stored credit of all contracts of a seller.
#[derive(Serialize, ToSchema)]
pub struct BalancesView {
    balances: Vec<BalanceView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceView {
    currency: Currency,
    credit_type: CreditType,
    balance_minor: i64,
    /// Whether somebody has paid for it.
    is_liability: bool,
}

/// A movement of stored credit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditEntryView {
    id: u64,
    seller_customer_id: u64,
    kind: CreditKind,
    credit_type: CreditType,
    /// Above 0 for a `topup`, below 0 for the others.
    signed_delta_minor: i64,
    currency: Currency,
    /// The grant that it takes from; absent on a `topup`, which is the lot.
    #[serde(skip_serializing_if = "Option::is_none")]
    lot_id: Option<u64>,
    /// The invoice that a `deduction` pays for; `null` of all else.
    #[schema(required)]
    invoice_id: Option<u64>,
    #[schema(required)]
    expires_at: Option<Timestamp>,
    reason: String,
    occurred_at: Timestamp,
}

impl CreditsView {
    pub(super) fn new(balances: Option<&CreditBalances>, page: Page<CreditEntry>) -> Self {
        let rows = balances.into_iter().flat_map(|of| {
            of.by_type.iter().map(|(kind, minor)| BalanceView::new(of.currency, *kind, *minor))
        });
        Self {
            balances: rows.collect(),
            has_more: page.next.is_some(),
            next_cursor: page.next,
            next_before_id: page.next,
            entries: page.items.into_iter().map(CreditEntryView::from).collect(),
        }
    }
}

impl From<Vec<(Currency, CreditType, i64)>> for BalancesView {
    fn from(sums: Vec<(Currency, CreditType, i64)>) -> Self {
        let row = |(currency, kind, minor)| BalanceView::new(currency, kind, minor);
        Self { balances: sums.into_iter().map(row).collect() }
    }
}

impl BalanceView {
    fn new(currency: Currency, credit_type: CreditType, balance_minor: i64) -> Self {
        let is_liability = credit_type.is_liability();
        Self { currency, credit_type, balance_minor, is_liability }
    }
}

impl From<CreditEntry> for CreditEntryView {
    fn from(of: CreditEntry) -> Self {
        Self {
            id: of.id.0,
            seller_customer_id: of.customer.0,
            kind: of.kind,
            credit_type: of.credit_type,
            signed_delta_minor: of.signed_delta_minor,
            currency: of.currency,
            lot_id: of.lot.map(|lot| lot.0),
            invoice_id: of.invoice.map(|invoice| invoice.0),
            expires_at: of.expires_at,
            reason: of.reason,
            occurred_at: of.occurred_at,
        }
    }
}
