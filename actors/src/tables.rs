//! The schema on one page: every table, its key, its value, and who writes it.
//!
//! A tag is on disk for ever: tags are only ever added, never changed, never used again. Keys
//! begin with the seller wherever a row belongs to one, so that one seller's rows are one range.

use storage::{IdKind, Index, Table};

use crate::domain::billing::contract::{Contract, ContractVersion};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{Invoice, InvoiceHead, InvoiceKey, LineChunk, LinkTarget};
use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::subscription::{Proration, Subscription, SubscriptionKey};
use crate::domain::billing::test_clock::TestClock;
use crate::domain::billing::timeline::TimelineRow;
use crate::domain::billing::usage::dead_letter::DeadLetter;
use crate::domain::billing::usage::inbound::{InboundEndpoint, TokenHash, TokenHolder};
use crate::domain::billing::usage::upload::{Upload, UploadPart, WindowOutcome};
use crate::domain::billing::usage::{Adjustment, AdjustmentKey, SeatChange, UsageLine};
use crate::domain::billing::usage::{
    DistinctValues, EventChunk, LateEvent, MeterRow, Metric, MetricName, UsageDay,
};
use crate::domain::ids::DecisionId;
use crate::domain::ids::{AdjustmentId, SeatChangeId, UsageLineId};
use crate::domain::ids::{
    AllowlistId, ContractId, CustomerId, DeliveryId, InvoiceId, MessageId, PayeeId, PaymentId,
    ProrationId, SellerId, SplitRuleId, SubscriptionId, TerminalId, TimelineId, UsageEventId,
    WalletId, WebhookId,
};
use crate::domain::ids::{DeadLetterId, InboundEndpointId, UploadId};
use crate::domain::ids::{PayoutId, PayoutMethodId, PostingId, RefundId};
use crate::domain::ids::{TopupId, VendorId};
use crate::domain::messages::Envelope;
use crate::domain::money::Currency;
use crate::domain::payments::ledger::Entry;
use crate::domain::payments::logo::Logo;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payment::{Payment, PaymentHome, Refund};
use crate::domain::payments::payout::{Payout, PayoutHome, PayoutKey, PayoutPlaces};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::share::Share;
use crate::domain::payments::split::{DecisionRecord, SplitRule};
use crate::domain::payments::terminal::Terminal;
use crate::domain::payments::topup::TopupInvoice;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::limits::RollingCounter;
use crate::domain::platform::post_key::PostKey;
use crate::domain::platform::seller::DashboardLogin;
use crate::domain::platform::seller::{ApiKeyRecord, KeyHash, Seller};
use crate::domain::platform::switches::Switches;
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::allowlist::AllowlistEntry;
use crate::domain::time::{Date, Timestamp};
use crate::logos::LogoKey;
use crate::spill::{Parts, Spilled};

// Of the seller room.

/// Seller accounts.
pub const SELLERS: Table<SellerId, Seller> = Table::new(1, "sellers");
/// API keys by their hash.
pub const API_KEYS: Table<KeyHash, ApiKeyRecord> = Table::new(2, "api keys");
/// Dashboard logins by e-mail in lower case.
pub const LOGINS: Table<String, DashboardLogin> = Table::new(3, "logins");
/// Switches by seller; seller 0 stands for all.
pub const SWITCHES: Table<SellerId, Switches> = Table::new(4, "switches");
/// Customers.
pub const CUSTOMERS: Table<(SellerId, CustomerId), Customer> = Table::new(5, "customers");
/// Customers by e-mail in lower case.
pub const CUSTOMER_EMAILS: Table<(SellerId, String), u64> = Table::new(6, "customer e-mails");
/// Customers by the seller's own reference.
pub const CUSTOMER_REFS: Table<(SellerId, String), u64> = Table::new(7, "customer references");
/// Terminals.
pub const TERMINALS: Table<(SellerId, TerminalId), Terminal> = Table::new(8, "terminals");
/// Split rules.
pub const SPLIT_RULES: Table<(SellerId, SplitRuleId), SplitRule> = Table::new(9, "split rules");
/// The contract that ad-hoc invoices to a customer in a currency were last given.
pub const ADHOC_CONTRACTS: Table<(SellerId, CustomerId, Currency), u64> =
    Table::new(27, "ad-hoc contracts");

/// Safeguarding accounts, one for each currency.
pub const SAFEGUARDING: Table<(SellerId, Currency), SafeguardingAccount> =
    Table::new(105, "safeguarding accounts");
/// Top-up invoices.
pub const TOPUPS: Table<(SellerId, TopupId), TopupInvoice> = Table::new(106, "top-up invoices");
/// Top-up invoices by year, month and place in it. They share their series with
/// [`INVOICE_NUMBERS`]: only both together are without gaps.
pub const TOPUP_NUMBERS: Table<(SellerId, u16, u8, u64), u64> = Table::new(109, "top-up numbers");

/// What idempotency keys of the payments surface stand for, by endpoint.
pub const POST_KEYS: Table<(SellerId, String, String), PostKey> = Table::new(63, "post keys");

// Of the contract room.

/// Contracts in their current version; a large one lies in parts under its version.
pub const CONTRACTS: Table<(SellerId, ContractId), Spilled<Contract>> = Table::new(10, "contracts");
/// Every version of a contract.
pub const CONTRACT_VERSIONS: Table<(SellerId, ContractId, u64), Spilled<ContractVersion>> =
    Table::new(11, "contract versions");
/// Parts of large current contracts.
pub const CONTRACT_PARTS: Parts<(SellerId, ContractId)> = Table::new(12, "contract parts");
/// Parts of large contract versions.
pub const VERSION_PARTS: Parts<(SellerId, ContractId, u64)> = Table::new(13, "version parts");
/// Which contract an idempotency key made.
pub const CONTRACT_KEYS: Table<(SellerId, String), u64> = Table::new(14, "contract keys");
/// The contracts of a customer.
pub const CUSTOMER_CONTRACTS: Table<(SellerId, CustomerId, ContractId), ()> =
    Table::new(15, "customer contracts");
/// Subscriptions with their open terms.
pub const SUBSCRIPTIONS: Table<(SellerId, ContractId, SubscriptionId), Subscription> =
    Table::new(16, "subscriptions");
/// The contract of a subscription.
pub const SUBSCRIPTION_HOMES: Table<(SellerId, SubscriptionId), u64> =
    Table::new(17, "subscription homes");
/// Which subscription an idempotency key made.
pub const SUBSCRIPTION_KEYS: Table<(SellerId, String), SubscriptionKey> =
    Table::new(18, "subscription keys");
/// The one invoice of each billed term, by the term's first day.
pub const TERM_CLAIMS: Table<(SellerId, SubscriptionId, Date), u64> = Table::new(19, "term claims");
/// Proration records.
pub const PRORATIONS: Table<(SellerId, ContractId, ProrationId), Proration> =
    Table::new(20, "prorations");
/// The timeline: the entries of one write in one row, under the id of the first.
pub const TIMELINE: Table<(SellerId, ContractId, TimelineId), TimelineRow> =
    Table::new(21, "timeline");
/// Test clocks.
pub const CLOCKS: Table<(SellerId, ContractId), TestClock> = Table::new(22, "test clocks");
/// Invoices without their lines.
pub const INVOICES: Table<(SellerId, InvoiceId), Invoice> = Table::new(23, "invoices");
/// The lines of an invoice, some in each row.
pub const INVOICE_LINES: Table<(SellerId, InvoiceId, u16), LineChunk> =
    Table::new(24, "invoice lines");
/// The invoices of a contract, with what its room has to know of each.
pub const CONTRACT_INVOICES: Table<(SellerId, ContractId, InvoiceId), InvoiceHead> =
    Table::new(25, "contract invoices");
/// Invoices by year, month and place in it; without gaps, but for [`TOPUP_NUMBERS`].
pub const INVOICE_NUMBERS: Table<(SellerId, u16, u8, u64), u64> = Table::new(26, "invoice numbers");
/// Which invoice an idempotency key made, and of what request.
pub const INVOICE_KEYS: Table<(SellerId, String), InvoiceKey> = Table::new(61, "invoice keys");
/// Payment links by what stands behind `/pay/` in their address.
pub const LINKS: Table<String, LinkTarget> = Table::new(62, "payment links");

// Of the payee room.

/// Payees.
pub const PAYEES: Table<(SellerId, PayeeId), Payee> = Table::new(28, "payees");
/// Wallets, the seller's own too, which belong to the room of
/// [`OWN`](crate::domain::payments::wallet::OWN).
pub const WALLETS: Table<(SellerId, WalletId), Wallet> = Table::new(29, "wallets");

/// The payees that are vendors, by vendor.
pub const VENDORS: Table<(SellerId, VendorId), u64> = Table::new(107, "vendors");
/// The seller of a vendor, for the operator, who knows the vendor alone.
pub const VENDOR_HOMES: Table<VendorId, u64> = Table::new(108, "vendor homes");

/// The seller of a payee, for the operator, who knows the payee alone.
pub const PAYEE_HOMES: Table<PayeeId, u64> = Table::new(34, "payee homes");
/// Payees by the seller's own name for them (`payeeContractId`).
pub const PAYEE_CONTRACTS: Table<(SellerId, String), u64> = Table::new(35, "payee contracts");
/// The bank accounts of payees, deleted ones too.
pub const PAYOUT_METHODS: Table<(SellerId, PayeeId, PayoutMethodId), PayoutMethod> =
    Table::new(36, "payout methods");
/// What each payment has brought to each wallet.
pub const SHARES: Table<(SellerId, PaymentId, WalletId), Share> = Table::new(37, "shares");
/// The movements of a wallet's money; rows are only ever added.
pub const POSTINGS: Table<(SellerId, WalletId, PostingId), Entry> = Table::new(38, "postings");
/// Payouts.
pub const PAYOUTS: Table<(SellerId, PayoutId), Payout> = Table::new(39, "payouts");
/// Whose a payout is, for the operator, who knows the payout alone.
pub const PAYOUT_HOMES: Table<PayoutId, PayoutHome> = Table::new(44, "payout homes");
/// The payouts of a payee whose money is reserved.
pub const OPEN_PAYOUTS: Table<(SellerId, PayeeId, PayoutId), ()> = Table::new(45, "open payouts");
/// Which payout an idempotency key made, and of what request.
pub const PAYOUT_KEYS: Table<(SellerId, String), PayoutKey> = Table::new(46, "payout keys");
/// The payouts of a wallet, each with the settled money it took.
pub const WALLET_PAYOUTS: Table<(SellerId, WalletId, PayoutId), PayoutPlaces> =
    Table::new(47, "wallet payouts");
/// The seller's own wallets.
pub const MAIN_WALLETS: Table<(SellerId, WalletId), ()> = Table::new(100, "main wallets");
/// Where payouts call back; in the form of webhooks, that hear of one payout.
pub const PAYOUT_HOOKS: Table<(SellerId, WebhookId), Webhook> = Table::new(48, "payout hooks");

// Of the payment room.

/// Payments.
pub const PAYMENTS: Table<(SellerId, PaymentId), Payment> = Table::new(30, "payments");
/// Payments by the seller's reference (`externalOrderRef`).
pub const PAYMENT_REFS: Table<(SellerId, String), u64> = Table::new(31, "payment references");
/// The one payment that pays, or may yet pay, an invoice. Whoever must know that none is under
/// way, voiding for one, claims the same key.
pub const OPEN_PAYMENTS: Table<(SellerId, InvoiceId), u64> = Table::new(32, "open payments");
/// Every payment of an invoice, failed ones too.
pub const INVOICE_PAYMENTS: Table<(SellerId, InvoiceId, PaymentId), ()> =
    Table::new(33, "invoice payments");

/// How payments were split.
pub const DECISIONS: Table<(SellerId, PaymentId, DecisionId), DecisionRecord> =
    Table::new(94, "split decisions");

/// Refunds of payments.
pub const REFUNDS: Table<(SellerId, PaymentId, RefundId), Refund> = Table::new(90, "refunds");
/// Which payment an idempotency key initiated.
pub const PAYMENT_KEYS: Table<(SellerId, String), u64> = Table::new(91, "payment keys");
/// Payments by their status, which is in the key as its number.
pub const PAYMENT_STATUSES: Table<(SellerId, u8, PaymentId), ()> =
    Table::new(93, "payment statuses");
/// The payment of a hosted session, by the session's id.
pub const CHECKOUTS: Table<String, PaymentHome> = Table::new(92, "checkout sessions");

// Of the logos of hosted pages, written by `Logos` alone.

/// Logos by the hash of their address.
pub const LOGOS: Table<(SellerId, LogoKey), Spilled<Logo>> = Table::new(97, "logos");
/// The parts of large logos.
pub const LOGO_PARTS: Parts<(SellerId, LogoKey)> = Table::new(98, "logo parts");

// Between rooms. Written by the room that causes them, removed by the one they are for.

/// Timers, soonest first: kind, instant, seller, object.
pub const TIMERS: Table<(u8, Timestamp, SellerId, u64), ()> = Table::new(50, "timers");
/// Messages on their way to another room.
pub const OUTBOX: Table<MessageId, Envelope> = Table::new(51, "outbox");
/// Messages that a room has taken and whose outbox row may still be there.
pub const TAKEN: Table<(SellerId, MessageId), ()> = Table::new(52, "taken messages");

// Of the limiter, which alone writes them.

/// What counts towards a daily write quota, by seller and kind of write.
pub const QUOTA_COUNTS: Table<(SellerId, u8), RollingCounter> = Table::new(60, "quota counts");

/// What ids are drawn for. Tags are on disk for ever, as those of tables.
pub mod ids {
    use super::IdKind;

    /// Sellers.
    pub const SELLER: IdKind = IdKind::new(1, "sellers");
    /// Customers.
    pub const CUSTOMER: IdKind = IdKind::new(2, "customers");
    /// Contracts.
    pub const CONTRACT: IdKind = IdKind::new(3, "contracts");
    /// Line items of contracts.
    pub const LINE_ITEM: IdKind = IdKind::new(4, "line items");
    /// Subscriptions.
    pub const SUBSCRIPTION: IdKind = IdKind::new(5, "subscriptions");
    /// Proration records.
    pub const PRORATION: IdKind = IdKind::new(6, "prorations");
    /// Timeline entries.
    pub const TIMELINE: IdKind = IdKind::new(7, "timeline entries");
    /// Invoices.
    pub const INVOICE: IdKind = IdKind::new(8, "invoices");
    /// Payments.
    pub const PAYMENT: IdKind = IdKind::new(9, "payments");
    /// Messages between rooms.
    pub const MESSAGE: IdKind = IdKind::new(12, "messages");
    /// Refunds.
    pub const REFUND: IdKind = IdKind::new(50, "refunds");
    /// Payment links.
    pub const LINK: IdKind = IdKind::new(10, "payment links");
    /// Payees.
    pub const PAYEE: IdKind = IdKind::new(13, "payees");
    /// Wallets.
    pub const WALLET: IdKind = IdKind::new(14, "wallets");
    /// Payout methods.
    pub const PAYOUT_METHOD: IdKind = IdKind::new(26, "payout methods");
    /// Payouts.
    pub const PAYOUT: IdKind = IdKind::new(27, "payouts");
    /// Movements of wallets.
    pub const POSTING: IdKind = IdKind::new(28, "postings");
    /// Terminals.
    pub const TERMINAL: IdKind = IdKind::new(15, "terminals");
    /// Split rules.
    pub const SPLIT_RULE: IdKind = IdKind::new(16, "split rules");
    /// Split decisions.
    pub const DECISION: IdKind = IdKind::new(51, "split decisions");
    /// Top-up invoices.
    pub const TOPUP: IdKind = IdKind::new(54, "top-up invoices");
    /// Vendors.
    pub const VENDOR: IdKind = IdKind::new(55, "vendors");
    /// Usage events.
    pub const USAGE_EVENT: IdKind = IdKind::new(17, "usage events");
    /// Closed usage lines.
    pub const USAGE_LINE: IdKind = IdKind::new(18, "usage lines");
    /// Changes of seats.
    pub const SEAT_CHANGE: IdKind = IdKind::new(19, "seat changes");
    /// Corrections of late events.
    pub const ADJUSTMENT: IdKind = IdKind::new(20, "usage adjustments");
    /// Inbound endpoints.
    pub const INBOUND_ENDPOINT: IdKind = IdKind::new(22, "inbound endpoints");
    /// Dead letters.
    pub const DEAD_LETTER: IdKind = IdKind::new(23, "dead letters");
    /// Uploads of events.
    pub const UPLOAD: IdKind = IdKind::new(24, "uploads");
}

// Webhooks and allowlists are written by the seller's room. A delivery is written by the room
// that causes the event, in the batch of the change, and from then on by the delivery pool alone.

/// Webhooks.
pub const WEBHOOKS: Table<(SellerId, WebhookId), Webhook> = Table::new(40, "webhooks");
/// Networks of the webhook allowlist.
pub const ALLOWLIST: Table<(SellerId, AllowlistId), AllowlistEntry> = Table::new(41, "allowlist");
/// Deliveries, each with the body of its event.
pub const DELIVERIES: Table<(SellerId, DeliveryId), Delivery> = Table::new(42, "deliveries");
/// Pending deliveries, for each webhook the soonest due first. The instant is the delivery's
/// `next_attempt_at`.
pub const OPEN_DELIVERIES: Table<(SellerId, WebhookId, Timestamp, DeliveryId), ()> =
    Table::new(43, "open deliveries");

/// Ids of webhooks.
pub const WEBHOOK_IDS: IdKind = IdKind::new(40, "webhooks");
/// Ids of allowlist entries.
pub const ALLOWLIST_IDS: IdKind = IdKind::new(41, "allowlist");
/// Ids of events and of deliveries, which share one count.
pub const EVENT_IDS: IdKind = IdKind::new(42, "events and deliveries");

// Of the seller room: what comes in as metered usage.

/// Every version of every registered metric.
pub const METRICS: Table<(SellerId, MetricName, u32), Metric> = Table::new(81, "metrics");
/// Inbound endpoints.
pub const INBOUND_ENDPOINTS: Table<(SellerId, InboundEndpointId), InboundEndpoint> =
    Table::new(82, "inbound endpoints");
/// Inbound endpoints that are not revoked, by what stands for their token.
pub const INBOUND_TOKENS: Table<TokenHash, TokenHolder> = Table::new(83, "inbound tokens");
/// Dead letters by their status, which is in the key as its number.
pub const DEAD_LETTERS: Table<(SellerId, u8, DeadLetterId), DeadLetter> =
    Table::new(84, "dead letters");
/// Signed deliveries of which something was parked, by signed time and digest, with how much. A
/// row is of use while its signature is fresh.
pub const PARKED: Table<(SellerId, Timestamp, Vec<u8>), u64> = Table::new(85, "parked deliveries");
/// Uploads and how far they are.
pub const UPLOADS: Table<(SellerId, UploadId), Upload> = Table::new(86, "uploads");

// Of the intake, which puts parts there before anybody knows of their upload, and clears away
// what an upload leaves when it is done.

/// The file of an upload, in parts.
pub const UPLOAD_PARTS: Table<(SellerId, UploadId, u32), UploadPart> =
    Table::new(87, "upload parts");
/// How the rows of a part that belong to a contract fared; written by the contract's room with
/// their events.
pub const UPLOAD_WINDOWS: Table<(SellerId, UploadId, u32, ContractId), WindowOutcome> =
    Table::new(88, "upload windows");

// Of the contract room: what was used.

/// The days of a contract's metrics, each with what its events come to and the newest of them.
pub const USAGE_DAYS: Table<(SellerId, ContractId, MetricName, Date), UsageDay> =
    Table::new(72, "usage days");
/// Older events of a day, many in a row, by the ordinal of the first in its day.
pub const USAGE_CHUNKS: Table<(SellerId, ContractId, MetricName, Date, u64), EventChunk> =
    Table::new(73, "usage events");
/// The distinct values of a day, by metric version.
pub const USAGE_VALUES: Table<(SellerId, ContractId, MetricName, Date, u32), DistinctValues> =
    Table::new(74, "usage values");
/// Events whose day was closed when they came.
pub const LATE_EVENTS: Table<(SellerId, ContractId, UsageEventId), LateEvent> =
    Table::new(75, "late events");
/// What is kept of a contract's metrics beside their days: closed periods and limits.
pub const USAGE_METERS: Table<(SellerId, ContractId, MetricName), MeterRow> =
    Table::new(70, "usage meters");
/// Prices of a metric on a contract, by version.
pub const PRICES: Table<(SellerId, ContractId, MetricName, u32), PriceVersion> =
    Table::new(71, "prices");
/// Closed periods: one line for each metric.
pub const USAGE_LINES: Table<(SellerId, ContractId, UsageLineId), UsageLine> =
    Table::new(77, "usage lines");
/// Those of them that no document carries.
pub const UNBILLED_LINES: Table<(SellerId, ContractId, UsageLineId), ()> =
    Table::new(69, "unbilled usage lines");
/// The one line of each closed period, by its metric and first day.
pub const USAGE_CLAIMS: Table<(SellerId, ContractId, MetricName, Date), u64> =
    Table::new(76, "usage claims");
/// Changes of seats.
pub const SEAT_CHANGES: Table<(SellerId, ContractId, SeatChangeId), SeatChange> =
    Table::new(78, "seat changes");
/// Corrections of late events.
pub const USAGE_ADJUSTMENTS: Table<(SellerId, ContractId, AdjustmentId), Adjustment> =
    Table::new(79, "usage adjustments");
/// Which correction a key made.
pub const ADJUSTMENT_KEYS: Table<(SellerId, String), AdjustmentKey> =
    Table::new(80, "adjustment keys");

/// Keys of usage events, taken within their seller: 8 bytes of the payload's hash, and the id of
/// the event.
pub const USAGE_KEYS: Index = Index::new(1, "usage keys");
