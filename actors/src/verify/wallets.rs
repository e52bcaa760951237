//! Wallets: every entry of their ledger sums to zero, and all of them together are the balances.

use std::collections::{BTreeMap, BTreeSet};

use storage::{ReadError, Scan};

use super::numbers::hex;
use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::ids::{PayoutId, SellerId, WalletId};
use crate::domain::payments::ledger::{Account, Entry};
use crate::domain::payments::payout::PayoutStatus;
use crate::domain::payments::wallet::Wallet;
use crate::tables::{MAIN_WALLETS, PAYEES, PAYOUTS, POSTINGS, WALLET_PAYOUTS, WALLETS};

type Key = (SellerId, WalletId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(WALLETS, all(), wallet)?;
    run.no_others(POSTINGS, all(), |reading, (seller, wallet, _), _| {
        reading.contains(WALLETS, &(*seller, *wallet))
    })?;
    run.no_others(MAIN_WALLETS, all(), |reading, key, ()| {
        Ok(reading.get(WALLETS, key)?.is_some_and(|known| known.payee.is_none()))
    })
}

fn wallet(
    reading: &Reading,
    key: &Key,
    wallet: &Wallet,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.same("wallet under its own key", *key, (wallet.seller, wallet.id));
    let payee = match wallet.payee {
        None => {
            found.wants(reading, MAIN_WALLETS, key, &())?;
            None
        }
        Some(payee) => {
            let known = reading.get(PAYEES, &(key.0, payee))?;
            let listed = known.as_ref().and_then(|known| known.wallets.as_ref());
            let listed = listed.is_some_and(|listed| listed.contains(&wallet.id));
            found.holds("wallet that its payee knows", listed, &payee);
            known
        }
    };
    let mut balances: BTreeMap<Account, i128> = BTreeMap::new();
    let mut payouts: BTreeMap<PayoutId, (i128, i128)> = BTreeMap::new();
    let mut last_link = None;
    for row in reading.scan(POSTINGS, Scan::prefix(key)) {
        let ((_, _, id), entry) = row?;
        let linked = Some(entry.link(last_link.as_ref()));
        if entry.link != linked {
            found.wrong_of("chain of a ledger", &id, &linked.map(hex), &entry.link.map(hex));
        }
        last_link = entry.link;
        found.has(POSTINGS, 1);
        found.same("entry of a ledger under its own key", id, entry.id);
        let sum: i128 = entry.postings.iter().map(|one| i128::from(one.amount_minor)).sum();
        if sum != 0 || entry.postings.is_empty() {
            found.wrong_of("postings that sum to zero", &id, &0, &entry.postings);
        }
        for posting in &entry.postings {
            *balances.entry(posting.account).or_default() += i128::from(posting.amount_minor);
        }
        if let Some(payout) = entry.payout {
            count(&mut payouts, payout, &entry);
        }
    }
    found.same("end of the chain of a ledger", wallet.last_link.map(hex), last_link.map(hex));
    let balance = |account| balances.get(&account).copied().unwrap_or(0);
    let replayed = [Account::Pending, Account::Available, Account::Reserved].map(balance);
    let kept = [wallet.pending_minor, wallet.available_minor, wallet.reserved_minor];
    let kept = kept.map(i128::from);
    found.same("ledger that replays to its balances", replayed, kept);
    let places = wallet.pool.as_ref().map_or(0, |pool| pool.balance());
    found.same("settled money by its places", wallet.available_minor, places);
    let taken = paid_out(reading, key, &payouts, found)?;
    if let Some(vendor) = payee.and_then(|payee| payee.vendor) {
        let counted = i128::from(vendor.paid_out_of(wallet.id));
        found.same("what counts towards the allowance of a vendor", taken, counted);
    }
    Ok(())
}

/// What a payout has reserved, and what the bank has of it. Those of which nothing is left are
/// forgotten.
fn count(payouts: &mut BTreeMap<PayoutId, (i128, i128)>, payout: PayoutId, entry: &Entry) {
    let (reserved, bank) = payouts.entry(payout).or_default();
    *reserved += i128::from(entry.amount_to(Account::Reserved));
    *bank += i128::from(entry.amount_to(Account::Bank));
    if (*reserved, *bank) == (0, 0) {
        payouts.remove(&payout);
    }
}

/// The ledger has of each payout what its status says: reserved, at the bank, or back. What all of
/// them have taken that is not back.
fn paid_out(
    reading: &Reading,
    key: &Key,
    payouts: &BTreeMap<PayoutId, (i128, i128)>,
    found: &mut Found<'_>,
) -> Result<i128, ReadError> {
    let mut wanted = BTreeMap::new();
    for id in reading.scan(WALLET_PAYOUTS, Scan::prefix(key)).keys() {
        let (_, _, id) = id?;
        let Some(payout) = reading.get(PAYOUTS, &(key.0, id))? else { continue };
        let minor = i128::from(payout.amount_minor);
        match payout.status {
            PayoutStatus::Pending | PayoutStatus::Processing => wanted.insert(id, (minor, 0)),
            PayoutStatus::Completed => wanted.insert(id, (0, minor)),
            PayoutStatus::Failed | PayoutStatus::Cancelled => None,
        };
    }
    let ids: BTreeSet<_> = wanted.keys().chain(payouts.keys()).copied().collect();
    for id in ids {
        let (said, there) = (wanted.get(&id), payouts.get(&id));
        if said != there {
            found.wrong_of("payouts by the ledger", &id, &said, &there);
        }
    }
    Ok(wanted.values().map(|(reserved, bank)| reserved + bank).sum())
}
