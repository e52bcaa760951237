//! Rows of the payee room. The wallets and payouts of the seller itself belong to the room of
//! [`OWN`](crate::domain::payments::wallet::OWN).

use storage::Table;

use crate::domain::ids::{
    PayeeId, PaymentId, PayoutId, PayoutMethodId, PostingId, SellerId, VendorId, WalletId,
    WebhookId,
};
use crate::domain::payments::ledger::Entry;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout::{Payout, PayoutHome, PayoutKey, PayoutPlaces};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::share::Share;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::webhook::Webhook;

pub const PAYEES: Table<(SellerId, PayeeId), Payee> = Table::new(28, "payees");
/// Wallets, the seller's own too.
pub const WALLETS: Table<(SellerId, WalletId), Wallet> = Table::new(29, "wallets");
/// The seller of a payee, for the operator, who knows the payee alone.
pub const PAYEE_HOMES: Table<PayeeId, SellerId> = Table::new(34, "payee homes");
/// Payees by the seller's own name for them (`payeeContractId`).
pub const PAYEE_CONTRACTS: Table<(SellerId, String), PayeeId> = Table::new(35, "payee contracts");
/// The bank accounts of payees, deleted ones too.
pub const PAYOUT_METHODS: Table<(SellerId, PayeeId, PayoutMethodId), PayoutMethod> =
    Table::new(36, "payout methods");
/// What each payment has brought to each wallet.
pub const SHARES: Table<(SellerId, PaymentId, WalletId), Share> = Table::new(37, "shares");
/// The movements of a wallet's money; rows are only ever added.
pub const POSTINGS: Table<(SellerId, WalletId, PostingId), Entry> = Table::new(38, "postings");
pub const PAYOUTS: Table<(SellerId, PayoutId), Payout> = Table::new(39, "payouts");
/// Whose a payout is, for the operator, who knows the payout alone.
pub const PAYOUT_HOMES: Table<PayoutId, PayoutHome> = Table::new(44, "payout homes");
/// The payouts of a payee whose money is reserved.
pub const OPEN_PAYOUTS: Table<(SellerId, PayeeId, PayoutId), ()> = Table::new(45, "open payouts");
pub const PAYOUT_KEYS: Table<(SellerId, String), PayoutKey> = Table::new(46, "payout keys");
/// The payouts of a wallet, each with the settled money it took.
pub const WALLET_PAYOUTS: Table<(SellerId, WalletId, PayoutId), PayoutPlaces> =
    Table::new(47, "wallet payouts");
/// Where payouts took settled money in the line of a wallet: by the class of a span's length, and
/// its first place. See [`Span::class`](crate::domain::payments::pool::Span::class).
pub const TAKEN_SPANS: Table<(SellerId, WalletId, u32, u64, PayoutId), ()> =
    Table::new(242, "taken spans");
/// Where payouts call back; in the form of webhooks, that hear of one payout.
pub const PAYOUT_HOOKS: Table<(SellerId, WebhookId), Webhook> = Table::new(48, "payout hooks");
/// The payments that may yet bring a payee money. Written and removed by the payment's room.
pub const OPEN_SHARES: Table<(SellerId, PayeeId, PaymentId), ()> = Table::new(150, "open shares");
/// Payees that no payment may name any more: archived, or about to be.
pub const CLOSED_PAYEES: Table<(SellerId, PayeeId), ()> = Table::new(151, "closed payees");
pub const MAIN_WALLETS: Table<(SellerId, WalletId), ()> = Table::new(100, "main wallets");
pub const VENDORS: Table<(SellerId, VendorId), PayeeId> = Table::new(107, "vendors");
/// The seller of a vendor, for the operator, who knows the vendor alone.
pub const VENDOR_HOMES: Table<VendorId, SellerId> = Table::new(108, "vendor homes");
