//! Payees with their payout methods and wallets.

use storage::{ReadError, Reads, Scan, Store, View};

use super::page::{Seen, sized};
use super::{Page, Paging};
use crate::domain::ids::{PayeeId, PayoutMethodId, SellerId, WalletId};
use crate::domain::payments::ledger::Entry;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::wallet::Wallet;
use crate::tables::{MAIN_WALLETS, PAYEES, PAYOUT_METHODS, POSTINGS, WALLETS};

pub fn payee(store: &Store, seller: SellerId, id: PayeeId) -> Result<Option<Payee>, ReadError> {
    store.get(PAYEES, &(seller, id))
}

/// Several payees, each in the place of its id.
pub fn payees_of(
    store: &Store,
    seller: SellerId,
    ids: impl IntoIterator<Item = PayeeId>,
) -> Result<Vec<Option<Payee>>, ReadError> {
    let mut reads = Reads::new();
    let asked: Vec<_> = ids.into_iter().map(|id| reads.get(PAYEES, &(seller, id))).collect();
    let mut found = store.read(&reads)?;
    asked.into_iter().map(|payee| found.take(payee)).collect()
}

/// Payees, newest first, archived ones too.
pub fn payees(store: &Store, seller: SellerId, paging: Paging) -> Result<Page<Payee>, ReadError> {
    paging.page(store, PAYEES, (seller,))
}

pub fn payout_method(
    store: &Store,
    seller: SellerId,
    payee: PayeeId,
    id: PayoutMethodId,
) -> Result<Option<PayoutMethod>, ReadError> {
    store.get(PAYOUT_METHODS, &(seller, payee, id))
}

/// The payout method that a payee was given first, a deleted one too.
pub fn first_payout_method(
    store: &Store,
    seller: SellerId,
    payee: PayeeId,
) -> Result<Option<PayoutMethod>, ReadError> {
    let first = store.scan(PAYOUT_METHODS, Scan::prefix(&(seller, payee))).next();
    first.map(|row| row.map(|(_, method)| method)).transpose()
}

/// The payout methods of a payee that are in use, newest first.
pub fn payout_methods(
    store: &Store,
    seller: SellerId,
    payee: PayeeId,
    paging: Paging,
) -> Result<Page<PayoutMethod>, ReadError> {
    let rows = paging.newest(store, PAYOUT_METHODS, (seller, payee));
    paging.fill(rows, |_, method| Ok(method.is_active().then(|| sized(method))))
}

/// One wallet. Its balances are in its row: however much has moved, one row is read.
pub fn wallet(store: &View, seller: SellerId, id: WalletId) -> Result<Option<Wallet>, ReadError> {
    store.get(WALLETS, &(seller, id))
}

/// The wallets of a payee, oldest first.
pub fn wallets_of(store: &View, payee: &Payee) -> Result<Vec<Wallet>, ReadError> {
    let keys = payee.wallets.iter().flatten().map(|id| (payee.seller, *id));
    let mut reads = Reads::new();
    let wallets = reads.get_many(WALLETS, keys);
    store.read(&reads)?.take(wallets)
}

/// The seller's own wallets.
pub fn main_wallets(store: &View, seller: SellerId) -> Result<Vec<Wallet>, ReadError> {
    let keys = store.scan(MAIN_WALLETS, Scan::prefix(&(seller,))).keys();
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let mut reads = Reads::new();
    let wallets = reads.get_many(WALLETS, keys);
    store.read(&reads)?.take(wallets)
}

/// Wallets, newest first, the seller's own too: all, or those of one payee.
pub fn wallets(
    store: &Store,
    seller: SellerId,
    payee: Option<PayeeId>,
    paging: Paging,
) -> Result<Page<Wallet>, ReadError> {
    let Some(id) = payee else { return paging.page(store, WALLETS, (seller,)) };
    let Some(payee) = self::payee(store, seller, id)? else { return Ok(Page::empty()) };
    let behind = |wallet: &Wallet| paging.cursor.is_none_or(|cursor| wallet.id.0 < cursor);
    let mut wallets = wallets_of(store, &payee)?;
    wallets.sort_unstable_by_key(|wallet| std::cmp::Reverse(wallet.id));
    let rows = wallets.into_iter().filter(behind).map(|wallet| Ok(Seen::Row(wallet.id.0, wallet)));
    paging.fill(rows, |_, wallet| Ok(Some(sized(wallet))))
}

/// The movements of a wallet's money, newest first.
pub fn postings(
    store: &Store,
    seller: SellerId,
    wallet: WalletId,
    paging: Paging,
) -> Result<Page<Entry>, ReadError> {
    paging.page(store, POSTINGS, (seller, wallet))
}
