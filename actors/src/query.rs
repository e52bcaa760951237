//! Reading committed rows: single objects and lists, without passing a mailbox.

mod backtest;
mod closed_usage;
mod contracts;
mod credit;
mod drafts;
mod export;
mod intake;
mod invoices;
mod link_subscriptions;
mod mails;
mod overview;
mod page;
mod payees;
mod payment_links;
mod payments;
mod payouts;
mod prices;
mod promo_codes;
mod saved_cards;
mod search;
mod sellers;
mod splits;
mod subscriptions;
#[cfg(test)]
mod tests;
mod tokens;
mod topups;
pub mod usage;
mod vendors;
mod walk;

pub use backtest::closed_periods;
pub use closed_usage::{adjustment_of, adjustments, seat_changes, usage_line, usage_lines};
pub use contracts::{
    active_contracts, collecting_contracts, contract, contract_version, contracts,
    last_adhoc_contract, oldest_active_contract, timeline, versions,
};
pub use credit::{credit_balances, credit_entries, seller_credit};
pub use drafts::{any_draft, draft, drafts};
pub use export::{Export, ExportFilter, ExportRow, MAX_EXPORT};
pub(crate) use intake::pack_of;
pub use intake::{
    dead_letter, dead_letters, endpoint_of, inbound_endpoints, parked_letters, upload,
};
pub use invoices::{invoice, invoice_lines, invoice_of_number, invoices};
pub use link_subscriptions::{
    link_subscription, link_subscription_of, link_subscriptions, payments_of_subscription,
};
pub use mails::mails;
pub use overview::{NoOverview, overview};
pub use page::{Page, Paging};
pub use payees::{
    first_payout_method, main_wallets, payee, payees, payees_of, payout_method, payout_methods,
    postings, wallet, wallets, wallets_of,
};
pub use payment_links::{payment_link, payment_link_of, payment_links};
pub use payments::{has_open_payments, payments, refunds};
pub use payouts::{
    Attribution, PayoutFilter, attributions, payout, payout_key, payouts, shares_of,
};
pub use prices::prices;
pub use promo_codes::{promo_code, promo_code_named, promo_codes};
pub use saved_cards::{customers_with_cards, saved_card, saved_cards};
pub use search::{Hit, search};
pub use sellers::{audit, customer, customers, invited, people, sellers};
pub use splits::{
    active_split_rule, counting_split_rule, split_decisions, split_rule, split_rules,
};
pub use subscriptions::{subscription, subscriptions};
pub use tokens::opened;
pub use topups::{topup, topup_of_number, topups};
pub use vendors::{vendor, vendors};
