//! What belongs to a customer, as far as a page shows it.

use std::collections::BTreeSet;

use actors::domain::billing::invoice::{Invoice, InvoiceFilter, InvoiceStatus};
use actors::domain::billing::subscription::Subscription;
use actors::domain::billing::usage::MetricUsage;
use actors::domain::ids::ContractId;
use actors::domain::payments::saved_card::SavedCard;
use actors::domain::platform::seller::Mode;
use actors::query::{self, Paging};
use storage::{ReadError, Store};

use super::Opened;
use crate::app::App;
use crate::http::ApiError;

/// The newest of each kind that are shown.
const MOST_INVOICES: usize = 50;
const MOST_SUBSCRIPTIONS: usize = 50;
/// Contracts whose subscriptions and usage are shown: active ones, and those of the invoices.
const MOST_CONTRACTS: usize = 20;

pub(super) struct Found {
    pub(super) invoices: Vec<Invoice>,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) usage: Vec<MetricUsage>,
    pub(super) cards: Vec<SavedCard>,
}

pub(super) async fn all(app: &App, opened: &Opened) -> Result<Found, ApiError> {
    let (seller, customer) = (opened.seller.id, opened.customer.id);
    let read = move |store: &Store| -> Result<(Found, Vec<ContractId>), ReadError> {
        let filter = InvoiceFilter { customer: Some(customer), ..InvoiceFilter::default() };
        let newest = |limit| Paging { limit, cursor: None };
        let mut invoices = query::invoices(store, seller, &filter, newest(MOST_INVOICES))?.items;
        invoices.retain(|invoice| invoice.status != InvoiceStatus::Draft);
        let active = query::active_contracts(store, seller, customer, MOST_CONTRACTS)?;
        let billed = invoices.iter().map(|invoice| invoice.contract);
        let contracts: BTreeSet<_> = active.into_iter().chain(billed).collect();
        let contracts: Vec<_> = contracts.into_iter().rev().take(MOST_CONTRACTS).collect();
        let mut subscriptions = Vec::new();
        for contract in &contracts {
            let limit = MOST_SUBSCRIPTIONS - subscriptions.len();
            if limit == 0 {
                break;
            }
            let page = query::subscriptions(store, seller, Some(*contract), newest(limit))?;
            subscriptions.extend(page.items);
        }
        let cards = query::saved_cards(store, seller, customer)?;
        Ok((Found { invoices, subscriptions, usage: Vec::new(), cards }, contracts))
    };
    let (mut found, contracts) = app.blocking(read).await?;
    let demo = opened.seller.mode == Mode::Demo;
    found.cards.retain(|card| card.demo == demo);
    for contract in contracts {
        found.usage.extend(app.contracts.usage(seller, contract).await?.metrics);
    }
    Ok(found)
}
