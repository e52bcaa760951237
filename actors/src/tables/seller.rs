//! Rows of the seller room: the account, its settings and customers, what comes in as usage, and
//! the money it brings in.

use storage::Table;

use crate::domain::billing::customer::Customer;
use crate::domain::billing::numbering::Numbered;
use crate::domain::billing::usage::dead_letter::{DeadLetter, LetterPack};
use crate::domain::billing::usage::inbound::{InboundEndpoint, TokenHash, TokenHolder};
use crate::domain::billing::usage::upload::Upload;
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::ids::{
    AllowlistId, ApiKeyId, AuditId, CustomerId, DeadLetterId, InboundEndpointId, PaymentId,
    PaymentLinkId, PersonId, PromoCodeId, SellerId, SplitRuleId, TerminalId, TopupId, UploadId,
    WebhookId,
};
use crate::domain::money::Currency;
use crate::domain::payments::payment_link::{PaymentLink, PaymentLinkHome, PaymentLinkUse};
use crate::domain::payments::promo_code::{PromoCode, PromoUse};
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::split::{SplitReceipt, SplitRule};
use crate::domain::payments::terminal::Terminal;
use crate::domain::payments::topup::TopupInvoice;
use crate::domain::platform::audit::AuditEntry;
use crate::domain::platform::demo_fill::DemoFill;
use crate::domain::platform::idempotency_key::IdempotencyRecord;
use crate::domain::platform::person::{Login, Person, Session};
use crate::domain::platform::seller::{ApiKeyEntry, ApiKeyRecord, KeyHash, Seller};
use crate::domain::platform::switches::Switches;
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::allowlist::AllowlistEntry;
use crate::domain::time::Timestamp;
use crate::link_tokens::LinkHash;

pub const SELLERS: Table<SellerId, Seller> = Table::new(1, "sellers");
/// What API keys open, by their hash.
pub const API_KEYS: Table<KeyHash, ApiKeyRecord> = Table::new(2, "api keys");
/// The same keys as their seller lists them.
pub const SELLER_KEYS: Table<(SellerId, ApiKeyId), ApiKeyEntry> = Table::new(192, "seller keys");
/// When a key was last used, within a minute, in microseconds; written by a worker of its own.
pub const KEY_USES: Table<(SellerId, ApiKeyId), u64> = Table::new(193, "key uses");
/// Dashboard logins by e-mail in lower case.
pub const LOGINS: Table<String, Login> = Table::new(3, "logins");
pub const PEOPLE: Table<(SellerId, PersonId), Person> = Table::new(190, "people");
/// Sessions by the hash of their token; those of the operator under seller 0.
pub const SESSIONS: Table<(SellerId, KeyHash), Session> = Table::new(191, "sessions");
/// What people and the operator have written.
pub const AUDIT: Table<(SellerId, AuditId), AuditEntry> = Table::new(194, "audit entries");
/// The one account that an e-mail, in lower case, belongs to.
pub const SELLER_EMAILS: Table<String, SellerId> = Table::new(123, "seller e-mails");
/// Sandbox accounts of the last hour, by when they were minted, with the client they went to.
pub const MINTS: Table<(Timestamp, SellerId), String> =
    Table::in_first_shard(124, "minted accounts");
/// When sandbox accounts end, until they are removed.
pub const SANDBOX_ENDS: Table<(Timestamp, SellerId), ()> =
    Table::in_first_shard(125, "sandbox ends");
/// Switches by seller; seller 0 stands for all.
pub const SWITCHES: Table<SellerId, Switches> = Table::new(4, "switches");
/// That a demo account is being filled with a story, or was.
pub const DEMO_FILLS: Table<SellerId, DemoFill> = Table::new(207, "demo fills");
pub const CUSTOMERS: Table<(SellerId, CustomerId), Customer> = Table::new(5, "customers");
/// Customers by e-mail in lower case.
pub const CUSTOMER_EMAILS: Table<(SellerId, String), CustomerId> =
    Table::new(6, "customer e-mails");
/// Customers by what their names read from each word on, in lower case.
pub const CUSTOMER_WORDS: Table<(SellerId, String, CustomerId), ()> =
    Table::new(206, "customer words");
pub const CUSTOMER_REFS: Table<(SellerId, String), CustomerId> =
    Table::new(7, "customer references");
pub const TERMINALS: Table<(SellerId, TerminalId), Terminal> = Table::new(8, "terminals");
/// The payments that are open at the processor behind a terminal. Written and removed by the
/// payment's room.
pub const OPEN_AT_TERMINALS: Table<(SellerId, TerminalId, PaymentId), ()> =
    Table::new(243, "payments open at terminals");
pub const SPLIT_RULES: Table<(SellerId, SplitRuleId), SplitRule> = Table::new(9, "split rules");
/// Receipts of previewed split rules by the hash of their token.
pub const SPLIT_RECEIPTS: Table<(SellerId, KeyHash), SplitReceipt> =
    Table::new(195, "split receipts");
pub const WEBHOOKS: Table<(SellerId, WebhookId), Webhook> = Table::new(40, "webhooks");
pub const ALLOWLIST: Table<(SellerId, AllowlistId), AllowlistEntry> = Table::new(41, "allowlist");
/// What idempotency keys of the payments surface stand for, by endpoint.
pub const POST_KEYS: Table<(SellerId, String, String), IdempotencyRecord> =
    Table::new(63, "post keys");
/// Every version of every registered metric.
pub const METRICS: Table<(SellerId, MetricName, u32), Metric> = Table::new(81, "metrics");
pub const INBOUND_ENDPOINTS: Table<(SellerId, InboundEndpointId), InboundEndpoint> =
    Table::new(82, "inbound endpoints");
/// Inbound endpoints that are not revoked, by what stands for their token.
pub const INBOUND_TOKENS: Table<TokenHash, TokenHolder> = Table::new(83, "inbound tokens");
/// Dead letters that were tried again or given up, by their status, which is in the key as its
/// number.
pub const DEAD_LETTERS: Table<(SellerId, u8, DeadLetterId), DeadLetter> =
    Table::new(84, "dead letters");
/// The other parked letters: those that came together in one row, by the last of their ids when it
/// was written.
pub const LETTER_PACKS: Table<(SellerId, DeadLetterId), LetterPack> =
    Table::new(121, "packed letters");
/// How many letters of a seller are parked.
pub const PARKED_LETTERS: Table<SellerId, u64> = Table::new(122, "parked letters");
/// Signed deliveries of which something was parked, by signed time and digest, with how much. A
/// row is of use while its signature is fresh.
pub const PARKED: Table<(SellerId, Timestamp, Vec<u8>), u64> = Table::new(85, "parked deliveries");
pub const UPLOADS: Table<(SellerId, UploadId), Upload> = Table::new(86, "uploads");
pub const SAFEGUARDING: Table<(SellerId, Currency), SafeguardingAccount> =
    Table::new(105, "safeguarding accounts");
pub const TOPUPS: Table<(SellerId, TopupId), TopupInvoice> = Table::new(106, "top-up invoices");
/// Top-up invoices by year, month and place in it. They share their series with
/// [`INVOICE_NUMBERS`]: only both together are without gaps, and one chain.
pub const TOPUP_NUMBERS: Table<(SellerId, u16, u8, u64), Numbered<TopupId>> =
    Table::new(109, "top-up numbers");
/// Payment links that the seller made; those of invoices are kept with these.
pub const PAYMENT_LINKS: Table<(SellerId, PaymentLinkId), PaymentLink> =
    Table::new(196, "own payment links");
/// The same by what stands for their token.
pub const PAYMENT_LINK_PAGES: Table<LinkHash, PaymentLinkHome> =
    Table::new(197, "pages of own payment links");
/// The payments that a link took.
pub const PAYMENT_LINK_USES: Table<(SellerId, PaymentLinkId, PaymentId), PaymentLinkUse> =
    Table::new(198, "uses of payment links");
pub const PROMO_CODES: Table<(SellerId, PromoCodeId), PromoCode> = Table::new(201, "promo codes");
/// Promo codes by what they are looked up by.
pub const PROMO_NAMES: Table<(SellerId, String), PromoCodeId> =
    Table::new(202, "names of promo codes");
/// Uses of a promo code: reserved ones under 0, redeemed ones under 1.
pub const PROMO_USES: Table<(SellerId, PromoCodeId, u8, PaymentId), PromoUse> =
    Table::new(203, "uses of promo codes");
