//! Rows of the contract room: versions, subscriptions and invoices.

use storage::{Sum, Table};

use crate::chunked::{Chunked, Parts};
use crate::domain::billing::contract::{Contract, ContractVersion};
use crate::domain::billing::credit::{
    AutoTopup, CreditBalances, CreditEntry, CreditKey, CreditType, DrawnCredit, Lot,
};
use crate::domain::billing::invoice::{
    Draft, FollowedInvoices, Invoice, InvoiceHead, InvoiceKey, LineChunk, LinkTarget,
};
use crate::domain::billing::mail::Mail;
use crate::domain::billing::numbering::Numbered;
use crate::domain::billing::subscription::{
    Proration, RecurringMove, Subscription, SubscriptionKey, TermClaim,
};
use crate::domain::billing::test_clock::TestClock;
use crate::domain::billing::timeline::TimelineRow;
use crate::domain::ids::{
    ContractId, CreditEntryId, CustomerId, InvoiceId, LineItemId, MailId, ProrationId, SellerId,
    SubscriptionId, TimelineId,
};
use crate::domain::money::Currency;
use crate::domain::time::Date;
use crate::link_tokens::LinkHash;

/// Contracts in their current version; a large one lies in parts under its version.
pub const CONTRACTS: Table<(SellerId, ContractId), Chunked<Contract>> = Table::new(10, "contracts");
pub const CONTRACT_VERSIONS: Table<(SellerId, ContractId, u64), Chunked<ContractVersion>> =
    Table::new(11, "contract versions");
pub const CONTRACT_PARTS: Parts<(SellerId, ContractId)> = Table::new(12, "contract parts");
pub const VERSION_PARTS: Parts<(SellerId, ContractId, u64)> = Table::new(13, "version parts");
pub const CONTRACT_KEYS: Table<(SellerId, String), ContractId> = Table::new(14, "contract keys");
/// The active contracts of a customer in a currency.
pub const ACTIVE_CONTRACTS: Table<(SellerId, CustomerId, Currency, ContractId), ()> =
    Table::new(145, "active contracts");
/// The contract that was made for ad-hoc invoices to a customer in a currency, by the one that
/// was made before it.
pub const ADHOC_CONTRACTS: Table<(SellerId, CustomerId, Currency, ContractId), ContractId> =
    Table::new(146, "ad-hoc contracts");
/// Subscriptions with their open terms.
pub const SUBSCRIPTIONS: Table<(SellerId, ContractId, SubscriptionId), Chunked<Subscription>> =
    Table::new(16, "subscriptions");
pub const SUBSCRIPTION_PARTS: Parts<(SellerId, ContractId, SubscriptionId)> =
    Table::new(144, "subscription parts");
pub const SUBSCRIPTION_HOMES: Table<(SellerId, SubscriptionId), ContractId> =
    Table::new(17, "subscription homes");
pub const SUBSCRIPTION_KEYS: Table<(SellerId, String), SubscriptionKey> =
    Table::new(18, "subscription keys");
/// The one invoice of each billed term, by the term's first day, and the term as it was billed.
pub const TERM_CLAIMS: Table<(SellerId, SubscriptionId, Date), TermClaim> =
    Table::new(19, "term claims");
/// Prorations that no invoice carries in full yet.
pub const PRORATIONS: Table<(SellerId, ContractId, ProrationId), Proration> =
    Table::new(20, "prorations");
/// Prorations that invoices carry in full.
pub const CARRIED_PRORATIONS: Table<(SellerId, ContractId, ProrationId), Proration> =
    Table::new(140, "carried prorations");
/// The timeline: the entries of one write in one row, under the id of the first.
pub const TIMELINE: Table<(SellerId, ContractId, TimelineId), TimelineRow> =
    Table::new(21, "timeline");
/// The invoice that bills an item of the contract once.
pub const ITEM_CLAIMS: Table<(SellerId, ContractId, LineItemId), InvoiceId> =
    Table::new(180, "item claims");
/// Drafts of invoices, and what is left of one that was issued.
pub const DRAFTS: Table<(SellerId, InvoiceId), Chunked<Draft>> = Table::new(181, "drafts");
pub const DRAFT_PARTS: Parts<(SellerId, InvoiceId)> = Table::new(182, "draft parts");
/// What subscriptions bring a month, where that changed: by day, of the contract's own clock. The
/// last part is drawn, so that no two meet.
pub const RECURRING_MOVES: Table<(SellerId, Date, TimelineId), RecurringMove> =
    Table::new(205, "recurring moves");
pub const CLOCKS: Table<(SellerId, ContractId), TestClock> = Table::new(22, "test clocks");
/// Invoices without their lines.
pub const INVOICES: Table<(SellerId, InvoiceId), Invoice> = Table::new(23, "invoices");
/// The lines of an invoice, some in each row.
pub const INVOICE_LINES: Table<(SellerId, InvoiceId, u16), LineChunk> =
    Table::new(24, "invoice lines");
/// The invoices of a contract, with what its room has to know of each.
pub const CONTRACT_INVOICES: Table<(SellerId, ContractId, InvoiceId), InvoiceHead> =
    Table::new(25, "contract invoices");
/// The invoices of a contract that wait for money, by the first day on which they are overdue.
pub const WAITING_INVOICES: Table<(SellerId, ContractId, Date, InvoiceId), ()> =
    Table::new(141, "waiting invoices");
/// The invoices of a contract that wait for money, by the next day on which their buyers are
/// reminded.
pub const REMINDERS: Table<(SellerId, ContractId, Date, InvoiceId), ()> =
    Table::new(172, "reminders");
/// The invoices of a contract that are collected from a saved card, by the next day on which that
/// goes on.
pub const COLLECTIONS: Table<(SellerId, ContractId, Date, InvoiceId), ()> =
    Table::new(176, "collections");
/// The contracts of a customer that have an invoice whose collection goes on.
pub const COLLECTING_CONTRACTS: Table<(SellerId, CustomerId, ContractId), ()> =
    Table::new(241, "collecting contracts");
/// The contracts whose customer is known to have saved a card.
pub const CARDS_ON_FILE: Table<(SellerId, ContractId), ()> = Table::new(177, "cards on file");
/// Those that its later documents go on from.
pub const FOLLOWED_INVOICES: Table<(SellerId, ContractId), FollowedInvoices> =
    Table::new(142, "followed invoices");
/// The invoices that later documents may go on from, by origin: where the newest is voided, they go
/// on from the one before it.
pub const FOLLOWABLE_INVOICES: Table<(SellerId, ContractId, u8, InvoiceId), ()> =
    Table::new(245, "followable invoices");
/// Invoices by year, month and place in it; without gaps and in one chain, but for
/// [`TOPUP_NUMBERS`].
pub const INVOICE_NUMBERS: Table<(SellerId, u16, u8, u64), Numbered<InvoiceId>> =
    Table::new(26, "invoice numbers");
/// Which invoice an idempotency key made, and of what request.
pub const INVOICE_KEYS: Table<(SellerId, String), InvoiceKey> = Table::new(61, "invoice keys");
/// Mails to the buyers of invoices, as long as they are kept.
pub const MAILS: Table<(SellerId, MailId), Mail> = Table::new(170, "mails");
/// The mails of a contract that wait for an attempt.
pub const OPEN_MAILS: Table<(SellerId, ContractId, MailId), ()> = Table::new(171, "open mails");
/// Payment links by what stands for their token.
pub const LINKS: Table<LinkHash, LinkTarget> = Table::new(62, "payment links");
/// The credit ledger of a contract: a row for each movement.
pub const CREDIT_ENTRIES: Table<(SellerId, ContractId, CreditEntryId), CreditEntry> =
    Table::new(160, "credit entries");
/// The lots of which something is left, by the top-up that made them.
pub const OPEN_LOTS: Table<(SellerId, ContractId, CreditEntryId), Lot> =
    Table::new(161, "open credit lots");
pub const CREDIT_BALANCES: Table<(SellerId, ContractId), CreditBalances> =
    Table::new(162, "credit balances");
/// What the balances of all contracts of a seller add up to, minor units: each contract adds what
/// it changes.
pub const CREDIT_TOTALS: Table<(SellerId, Currency, CreditType), Sum> =
    Table::new(222, "credit totals");
/// Under 0, that these totals are kept: a store from before them is counted once.
pub const CREDIT_COUNTED: Table<u8, ()> = Table::new(223, "credit counted");
/// What an idempotency key of a top-up made.
pub const CREDIT_KEYS: Table<(SellerId, String), CreditKey> = Table::new(163, "credit keys");
/// How the credit of a contract tops itself up.
pub const AUTO_TOPUPS: Table<(SellerId, ContractId), AutoTopup> = Table::new(210, "auto top-ups");
/// The lots that were bought by themselves, by the invoice of each pack.
pub const CREDIT_PACKS: Table<(SellerId, ContractId, InvoiceId), CreditEntryId> =
    Table::new(211, "credit packs");
/// What an invoice has drawn, by lot.
pub const DRAWN_CREDIT: Table<(SellerId, InvoiceId, CreditEntryId), DrawnCredit> =
    Table::new(164, "drawn credit");
