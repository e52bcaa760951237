//! Payouts, and which payments they took.

use std::collections::BTreeSet;

use storage::{ReadError, Scan, Store};

use super::page::sized;
use super::walk::{Ids, common};
use super::{Page, Paging, payee};
use crate::domain::ids::{ID_LIMIT, PayeeId, PaymentId, PayoutId, SellerId, WalletId};
use crate::domain::payments::payout::{Payout, PayoutKey, PayoutStatus};
use crate::domain::payments::pool::{Span, overlap};
use crate::domain::payments::share::Share;
use crate::listing::Facet;
use crate::tables::{PAYOUT_KEYS, PAYOUTS, SHARES, TAKEN_SPANS, WALLET_PAYOUTS};

/// Which payouts a list shows; what is absent lets all through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PayoutFilter {
    pub payee: Option<PayeeId>,
    pub wallet: Option<WalletId>,
    pub status: Option<PayoutStatus>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    pub payout: Payout,
    /// Minor units of the payment that it took.
    pub attributed_minor: i64,
}

impl PayoutFilter {
    fn lets_through(&self, payout: &Payout) -> bool {
        (self.payee.is_none() || payout.payee == self.payee)
            && self.wallet.is_none_or(|wallet| payout.wallet == wallet)
            && self.status.is_none_or(|status| payout.status == status)
    }
}

pub fn payout(store: &Store, seller: SellerId, id: PayoutId) -> Result<Option<Payout>, ReadError> {
    store.get(PAYOUTS, &(seller, id))
}

/// Payouts that a filter lets through, newest first.
pub fn payouts(
    store: &Store,
    seller: SellerId,
    filter: PayoutFilter,
    paging: Paging,
) -> Result<Page<Payout>, ReadError> {
    let mut lists = Vec::new();
    if let Some(wallet) = filter.wallet {
        lists.push(Ids::under(store, WALLET_PAYOUTS, [(seller, wallet)]));
    }
    if let Some(id) = filter.payee {
        let payee = payee(store, seller, id)?;
        let wallets = payee.into_iter().flat_map(|payee| payee.wallets.unwrap_or_default());
        lists.push(Ids::under(store, WALLET_PAYOUTS, wallets.map(|wallet| (seller, wallet))));
    }
    if let Some(status) = filter.status {
        lists.push(Ids::at(store, seller, [(Facet::PayoutStatus, status as u64)]));
    }
    if lists.is_empty() {
        return paging.page(store, PAYOUTS, (seller,));
    }
    let ids = common(lists, paging.cursor.unwrap_or(ID_LIMIT), 0);
    let key = |id, ()| (seller, PayoutId(id));
    paging.follow(store, PAYOUTS, ids, key, |_, payout| {
        Ok(filter.lets_through(&payout).then(|| sized(payout)))
    })
}

pub fn payout_key(
    store: &Store,
    seller: SellerId,
    key: &str,
) -> Result<Option<PayoutKey>, ReadError> {
    store.get(PAYOUT_KEYS, &(seller, key.to_owned()))
}

pub fn shares_of(
    store: &Store,
    seller: SellerId,
    payment: PaymentId,
) -> Result<Vec<(WalletId, Share)>, ReadError> {
    let rows = store.scan(SHARES, Scan::prefix(&(seller, payment)));
    rows.map(|row| row.map(|((_, _, wallet), share)| (wallet, share))).collect()
}

/// The payouts that took money of a payment, newest first, released ones too.
pub fn attributions(
    store: &Store,
    seller: SellerId,
    payment: PaymentId,
) -> Result<Vec<Attribution>, ReadError> {
    let mut found = Vec::new();
    for (wallet, share) in shares_of(store, seller, payment)? {
        let mut takers = BTreeSet::new();
        for span in &share.spans {
            add_takers(store, (seller, wallet), *span, &mut takers)?;
        }
        for id in takers {
            let Some(payout) = payout(store, seller, id)? else { continue };
            let part = overlap(&payout.spans, &share.spans);
            if part > 0 {
                found.push(Attribution { payout, attributed_minor: part.cast_signed() });
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.payout.id));
    Ok(found)
}

/// Adds the payouts that took some of these places, and of each class of lengths a few that took
/// what lies just before them.
fn add_takers(
    store: &Store,
    (seller, wallet): (SellerId, WalletId),
    places: Span,
    takers: &mut BTreeSet<PayoutId>,
) -> Result<(), ReadError> {
    let mut class = 0;
    loop {
        let others = Scan::prefix(&(seller, wallet)).from(&(seller, wallet, class)).first();
        let Some(next) = store.scan(TAKEN_SPANS, others).keys().next() else { return Ok(()) };
        class = next?.2;
        let lowest = Span::lowest_of(class, places.from);
        let near = Scan::prefix(&(seller, wallet, class))
            .from(&(seller, wallet, class, lowest))
            .until(&(seller, wallet, class, places.to));
        for key in store.scan(TAKEN_SPANS, near).keys() {
            takers.insert(key?.4);
        }
        class += 1;
    }
}
