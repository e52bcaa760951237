//! What ids are drawn for. Tags are on disk for ever, as those of tables, and do not meet them.

use storage::IdKind;

pub const SELLER: IdKind = IdKind::new(1, "sellers");
pub const CUSTOMER: IdKind = IdKind::new(2, "customers");
pub const LINE_ITEM: IdKind = IdKind::new(4, "line items");
pub const SUBSCRIPTION: IdKind = IdKind::new(5, "subscriptions");
pub const PRORATION: IdKind = IdKind::new(6, "prorations");
pub const TIMELINE: IdKind = IdKind::new(7, "timeline entries");
pub const INVOICE: IdKind = IdKind::new(8, "invoices");
pub const PAYMENT: IdKind = IdKind::new(9, "payments");
pub const MAIL: IdKind = IdKind::new(60, "mails");
pub const LINK: IdKind = IdKind::new(10, "payment links");
pub const MESSAGE: IdKind = IdKind::new(12, "messages");
pub const PAYEE: IdKind = IdKind::new(13, "payees");
pub const WALLET: IdKind = IdKind::new(14, "wallets");
pub const TERMINAL: IdKind = IdKind::new(15, "terminals");
pub const SPLIT_RULE: IdKind = IdKind::new(16, "split rules");
pub const USAGE_EVENT: IdKind = IdKind::new(17, "usage events");
pub const USAGE_LINE: IdKind = IdKind::new(18, "usage lines");
pub const SEAT_CHANGE: IdKind = IdKind::new(19, "seat changes");
pub const ADJUSTMENT: IdKind = IdKind::new(20, "usage adjustments");
pub const INBOUND_ENDPOINT: IdKind = IdKind::new(22, "inbound endpoints");
pub const DEAD_LETTER: IdKind = IdKind::new(23, "dead letters");
pub const UPLOAD: IdKind = IdKind::new(24, "uploads");
pub const PAYOUT_METHOD: IdKind = IdKind::new(26, "payout methods");
pub const PAYOUT: IdKind = IdKind::new(27, "payouts");
pub const POSTING: IdKind = IdKind::new(28, "postings");
pub const WEBHOOK: IdKind = IdKind::new(40, "webhooks");
pub const ALLOWLIST_ENTRY: IdKind = IdKind::new(41, "allowlist");
/// Events and deliveries, which share one count.
pub const EVENT: IdKind = IdKind::new(42, "events and deliveries");
pub const REFUND: IdKind = IdKind::new(50, "refunds");
pub const DECISION: IdKind = IdKind::new(51, "split decisions");
pub const TOPUP: IdKind = IdKind::new(54, "top-up invoices");
pub const VENDOR: IdKind = IdKind::new(55, "vendors");
pub const SAVED_CARD: IdKind = IdKind::new(173, "saved cards");
pub const CREDIT_ENTRY: IdKind = IdKind::new(56, "credit entries");
pub const PERSON: IdKind = IdKind::new(190, "people");
pub const API_KEY: IdKind = IdKind::new(191, "API keys");
pub const PROMO_CODE: IdKind = IdKind::new(196, "promo codes");
pub const LINK_SUBSCRIPTION: IdKind = IdKind::new(214, "link subscriptions");
pub const AUDIT_ENTRY: IdKind = IdKind::new(192, "audit entries");
