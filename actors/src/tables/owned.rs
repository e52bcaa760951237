//! Which tables have the rows of sellers: those whose keys begin with one, and those in which a
//! row says whose it is.

use std::collections::HashSet;

use storage::{Batch, Key, ReadError, Record, Scan, Store, Table};

use super::*;
use crate::domain::ids::SellerId;

macro_rules! tags {
    ($($table:ident)*) => { &[$($table.tag()),*] };
}

/// Tables whose keys begin with the seller.
pub const OWNED: &[u16] = tags![
    CONTRACTS CONTRACT_VERSIONS CONTRACT_PARTS VERSION_PARTS CONTRACT_KEYS ACTIVE_CONTRACTS
    ADHOC_CONTRACTS SUBSCRIPTIONS SUBSCRIPTION_PARTS SUBSCRIPTION_HOMES SUBSCRIPTION_KEYS
    TERM_CLAIMS PRORATIONS CARRIED_PRORATIONS TIMELINE CLOCKS INVOICES INVOICE_LINES
    CONTRACT_INVOICES WAITING_INVOICES FOLLOWED_INVOICES FOLLOWABLE_INVOICES INVOICE_NUMBERS INVOICE_KEYS CREDIT_ENTRIES
    OPEN_LOTS CREDIT_BALANCES CREDIT_TOTALS AUTO_TOPUPS CREDIT_PACKS CREDIT_KEYS DRAWN_CREDIT MAILS OPEN_MAILS REMINDERS ITEM_CLAIMS DRAFTS DRAFT_PARTS PAYEES WALLETS
    PAYEE_CONTRACTS PAYOUT_METHODS SHARES OPEN_SHARES CLOSED_PAYEES POSTINGS PAYOUTS OPEN_PAYOUTS PAYOUT_KEYS WALLET_PAYOUTS
    PAYOUT_HOOKS MAIN_WALLETS VENDORS PAYMENTS PAYMENT_REFS OPEN_PAYMENTS INVOICE_PAYMENTS REFUNDS
    PAYMENT_KEY_ROWS DECISIONS SAVED_CARDS CARDS_TO_FORGET SAVED_CHARGES COLLECTIONS COLLECTING_CONTRACTS TAKEN_SPANS OPEN_AT_TERMINALS
    CARDS_ON_FILE PLACES SELLERS SWITCHES CUSTOMERS CUSTOMER_EMAILS CUSTOMER_REFS TERMINALS
    SPLIT_RULES WEBHOOKS ALLOWLIST POST_KEYS METRICS INBOUND_ENDPOINTS DEAD_LETTERS LETTER_PACKS
    PARKED_LETTERS PARKED UPLOADS SAFEGUARDING TOPUPS TOPUP_NUMBERS EVENTS EXPANDED DELIVERIES
    OPEN_DELIVERIES DELIVERY_INDEX DELIVERY_LINES OUTBOX QUOTA_COUNTS LOGOS LOGO_PARTS
    UNBILLED_LINES OPEN_ADJUSTMENTS USAGE_METERS CLOSED_DAYS METERED PRICES USAGE_DAYS USAGE_CHUNKS USAGE_VALUES
    LATE_EVENTS LATE_HOMES CORRECTED_USAGE USAGE_CLAIMS USAGE_LINES SEAT_CHANGES USAGE_ADJUSTMENTS ADJUSTMENT_KEYS UPLOAD_PARTS
    UPLOAD_WINDOWS SELLER_KEYS KEY_USES PEOPLE SESSIONS AUDIT SPLIT_RECEIPTS
    PAYMENT_LINKS PAYMENT_LINK_USES OPEN_LINK_PAYMENTS LINK_DECLINES PROMO_CODES PROMO_NAMES PROMO_USES
    RECURRING_MOVES CUSTOMER_WORDS DEMO_FILLS
    OVERVIEW_COUNTS OVERVIEW_RECURRING OVERVIEW_MONTHS OVERVIEW_OUTSTANDING
    LINK_SUBSCRIPTIONS LINK_SUBSCRIPTION_CHARGES SUBSCRIPTION_PAYMENTS SUBSCRIPTION_ORDERS
    TERM_PAYMENTS SUBSCRIPTION_DECLINES
];

/// Of a table whose rows say whose they are: takes the rows of sellers away, some at a time.
pub struct Told {
    sweep: fn(&Store, &HashSet<SellerId>, Scan, usize) -> Result<Swept, ReadError>,
}

/// What a look at some rows has found, and from where to look on.
pub struct Swept {
    pub deletes: Batch,
    pub next: Option<Scan>,
}

impl Told {
    /// Looks at `limit` rows, from `scan` on, and passes over those that cannot be read.
    pub fn sweep(
        &self,
        store: &Store,
        sellers: &HashSet<SellerId>,
        scan: Scan,
        limit: usize,
    ) -> Result<Swept, ReadError> {
        (self.sweep)(store, sellers, scan, limit)
    }
}

macro_rules! told {
    ($($table:ident $whose:expr;)*) => {
        &[$(Told {
            sweep: |store, sellers, scan, limit| {
                rows_of(store, $table, sellers, scan, limit, $whose)
            },
        }),*]
    };
}

/// Tables in which a row says whose it is.
pub const TOLD: &[Told] = told![
    API_KEYS |_, record| record.seller;
    LOGINS |_, login| login.seller;
    SELLER_EMAILS |_, seller| *seller;
    INBOUND_TOKENS |_, holder| holder.seller;
    LINKS |_, target| target.seller;
    PAYMENT_LINK_PAGES |_, home| home.seller;
    LINK_SUBSCRIPTION_PAGES |_, home| home.seller;
    CHECKOUTS |_, home| home.seller;
    PAYEE_HOMES |_, seller| *seller;
    PAYOUT_HOMES |_, home| home.seller;
    VENDOR_HOMES |_, seller| *seller;
    TIMERS |timer, ()| timer.1;
];

fn rows_of<K: Key, V: Record>(
    store: &Store,
    table: Table<K, V>,
    sellers: &HashSet<SellerId>,
    scan: Scan,
    limit: usize,
    whose: fn(&K, &V) -> SellerId,
) -> Result<Swept, ReadError> {
    let (mut deletes, mut last, mut seen) = (Batch::new(), None, 0);
    for row in store.scan(table, scan) {
        let (key, row) = match row {
            Ok(row) => row,
            Err(error) if error.concerns_all() => return Err(error),
            // It stays, and no other because of it.
            Err(error) => {
                tracing::error!(%error, "whose a row is cannot be read");
                continue;
            }
        };
        if sellers.contains(&whose(&key, &row)) {
            deletes.delete(table, &key);
        }
        last = Some(key);
        seen += 1;
        if seen == limit {
            break;
        }
    }
    let next = last.filter(|_| seen == limit).map(|last| Scan::all().after(&last));
    Ok(Swept { deletes, next })
}
