//! Which check looks at which table. All rows of all tables are read by [`strangers`], which sees
//! whether they are what was written; what is said here is who looks at what they say.
//!
//! [`strangers`]: super::strangers

use crate::tables::*;

/// A table, and who looks at what its rows say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableCheck {
    pub tag: u16,
    pub name: &'static str,
    pub by: By,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A check, by the name of its file.
    Check(&'static str),
    /// Nobody, for this reason.
    Nobody(&'static str),
}

macro_rules! tables {
    ($($by:expr => $($table:ident)+;)+) => {
        /// Every table there is.
        pub const TABLES: &[TableCheck] = &[$($(
            TableCheck { tag: $table.tag(), name: $table.name(), by: $by },
        )+)+];
    };
}

tables! {
    By::Check("contracts") =>
        CONTRACTS CONTRACT_VERSIONS CONTRACT_PARTS VERSION_PARTS ACTIVE_CONTRACTS CLOCKS
        FOLLOWED_INVOICES CARDS_ON_FILE;
    By::Check("claims") =>
        CONTRACT_KEYS ADHOC_CONTRACTS SUBSCRIPTION_KEYS INVOICE_KEYS CREDIT_KEYS PAYOUT_KEYS;
    By::Check("subscriptions") =>
        SUBSCRIPTIONS SUBSCRIPTION_PARTS SUBSCRIPTION_HOMES;
    By::Check("invoices") =>
        TERM_CLAIMS INVOICES INVOICE_LINES CONTRACT_INVOICES WAITING_INVOICES REMINDERS
        COLLECTIONS FOLLOWABLE_INVOICES;
    By::Check("payouts") =>
        TAKEN_SPANS;
    By::Check("terminals") =>
        OPEN_AT_TERMINALS;
    By::Check("collecting") =>
        COLLECTING_CONTRACTS;
    By::Nobody("up to where backfills are done; checks of what they make up for read it") =>
        BACKFILLS;
    By::Check("items") =>
        ITEM_CLAIMS;
    By::Nobody("how revenue went, for charts; no money follows from it") =>
        RECURRING_MOVES;
    By::Nobody("whether a story was told into an account; nothing follows from it") =>
        DEMO_FILLS;
    By::Check("overviews") =>
        OVERVIEW_COUNTS OVERVIEW_RECURRING OVERVIEW_MONTHS OVERVIEW_OUTSTANDING;
    By::Check("mails") =>
        MAILS OPEN_MAILS;
    By::Check("prorations") =>
        PRORATIONS CARRIED_PRORATIONS;
    By::Check("credit") =>
        CREDIT_ENTRIES OPEN_LOTS CREDIT_BALANCES CREDIT_TOTALS DRAWN_CREDIT;
    By::Nobody("whether the totals of credit are kept; their check reads it") =>
        CREDIT_COUNTED;
    By::Check("credit_packs") =>
        AUTO_TOPUPS CREDIT_PACKS;
    By::Check("timeline") =>
        TIMELINE;
    By::Check("numbers") =>
        INVOICE_NUMBERS TOPUP_NUMBERS;
    By::Check("homes") =>
        LINKS PAYMENT_LINK_PAGES LINK_SUBSCRIPTION_PAGES PAYEE_HOMES PAYOUT_HOMES VENDOR_HOMES CHECKOUTS API_KEYS LOGINS SELLER_EMAILS
        INBOUND_TOKENS;
    By::Check("payees") =>
        PAYEES PAYEE_CONTRACTS PAYOUT_METHODS CLOSED_PAYEES VENDORS;
    By::Check("wallets") =>
        WALLETS POSTINGS MAIN_WALLETS;
    By::Check("shares") =>
        SHARES;
    By::Check("payouts") =>
        PAYOUTS OPEN_PAYOUTS WALLET_PAYOUTS PAYOUT_HOOKS;
    By::Check("payments") =>
        OPEN_SHARES PAYMENTS PAYMENT_REFS OPEN_PAYMENTS INVOICE_PAYMENTS REFUNDS DECISIONS
        SAVED_CARDS CARDS_TO_FORGET SAVED_CHARGES PAYMENT_KEY_ROWS;
    By::Check("payment_links") =>
        PAYMENT_LINKS PAYMENT_LINK_USES OPEN_LINK_PAYMENTS LINK_DECLINES PROMO_CODES PROMO_NAMES
        PROMO_USES;
    By::Check("link_subscriptions") =>
        LINK_SUBSCRIPTIONS LINK_SUBSCRIPTION_CHARGES SUBSCRIPTION_PAYMENTS SUBSCRIPTION_ORDERS
        TERM_PAYMENTS SUBSCRIPTION_DECLINES;
    By::Check("sellers") =>
        SELLERS SANDBOX_ENDS SWITCHES CUSTOMERS CUSTOMER_EMAILS CUSTOMER_WORDS CUSTOMER_REFS TERMINALS
        SPLIT_RULES WEBHOOKS ALLOWLIST METRICS INBOUND_ENDPOINTS UPLOADS SAFEGUARDING
        PEOPLE SELLER_KEYS AUDIT;
    By::Nobody("a session whose person is gone opens nothing") =>
        SESSIONS;
    By::Nobody("what somebody was shown within ten minutes") =>
        SPLIT_RECEIPTS;
    By::Nobody("when a key was used, written once a minute") =>
        KEY_USES;
    By::Nobody("what counted within an hour; nothing follows from it") =>
        MINTS;
    By::Nobody("keys of requests of many kinds, each with an answer of its own form") =>
        POST_KEYS;
    By::Check("letters") =>
        DEAD_LETTERS LETTER_PACKS PARKED_LETTERS;
    By::Nobody("kept while its signature is fresh, and swept by and by") =>
        PARKED;
    By::Check("topups") =>
        TOPUPS;
    By::Check("events") =>
        EVENTS EXPANDED;
    By::Check("deliveries") =>
        DELIVERIES OPEN_DELIVERIES DELIVERY_INDEX DELIVERY_LINES;
    By::Check("timers") =>
        TIMERS;
    By::Check("messages") =>
        OUTBOX;
    By::Nobody("counts of a day, written once a second") =>
        QUOTA_COUNTS;
    By::Nobody("which key secrets are sealed with; a start holds its own against it") =>
        SECRETS_KEY;
    By::Nobody("a copy of what is at the address of the logo") =>
        LOGOS LOGO_PARTS;
    By::Check("lists") =>
        PLACES DRAFTS DRAFT_PARTS;
    By::Check("usage_lines") =>
        UNBILLED_LINES USAGE_CLAIMS USAGE_LINES;
    By::Check("metering") =>
        OPEN_ADJUSTMENTS USAGE_METERS CLOSED_DAYS METERED PRICES LATE_EVENTS LATE_HOMES CORRECTED_USAGE SEAT_CHANGES
        USAGE_ADJUSTMENTS ADJUSTMENT_KEYS;
    By::Check("usage_days") =>
        USAGE_DAYS USAGE_CHUNKS USAGE_VALUES;
    By::Nobody("parts come before their upload, and go before its end") =>
        UPLOAD_PARTS UPLOAD_WINDOWS;
}
