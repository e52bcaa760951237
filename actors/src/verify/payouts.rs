//! Payouts: whose they are, what they took, and where they are found.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::backfill::Backfill;
use crate::domain::ids::{PayoutId, SellerId};
use crate::domain::payments::payout::{Payout, PayoutHome, PayoutPlaces};
use crate::domain::payments::pool::Span;
use crate::domain::payments::wallet::OWN;
use crate::tables::{
    OPEN_PAYOUTS, PAYOUT_HOMES, PAYOUT_HOOKS, PAYOUT_KEYS, PAYOUT_METHODS, PAYOUTS, TAKEN_SPANS,
    WALLET_PAYOUTS, WALLETS,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    let listed = run.reading.is_complete(Backfill::TakenSpans)?;
    run.each(PAYOUTS, all(), |reading, key, row, found| {
        payout(reading, key, row, found)?;
        if listed { taken_spans(reading, key, row, found) } else { Ok(()) }
    })?;
    if listed {
        run.no_others(TAKEN_SPANS, all(), |reading, (seller, wallet, class, from, id), ()| {
            let known = reading.get(PAYOUTS, &(*seller, *id))?.filter(|one| one.wallet == *wallet);
            let is_it = |span: &Span| (span.class(), span.from) == (*class, *from);
            Ok(known.is_some_and(|known| known.spans.iter().any(is_it)))
        })?;
    }
    run.no_others(OPEN_PAYOUTS, all(), |reading, (seller, payee, id), ()| {
        let known = reading.get(PAYOUTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.is_open() && known.payee.unwrap_or(OWN) == *payee))
    })?;
    run.no_others(WALLET_PAYOUTS, all(), |reading, (seller, wallet, id), _| {
        let known = reading.get(PAYOUTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.wallet == *wallet))
    })?;
    // A hook does not tell its payout.
    run.no_others(PAYOUT_HOOKS, all(), |reading, (seller, hook), _| {
        for row in reading.scan(PAYOUTS, Scan::prefix(&(*seller,))) {
            if row?.1.call_back == Some(*hook) {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

fn payout(
    reading: &Reading,
    key: &(SellerId, PayoutId),
    payout: &Payout,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, id) = *key;
    let holder = payout.payee.unwrap_or(OWN);
    found.same("payout under its own key", *key, (payout.seller, payout.id));
    let home = PayoutHome { seller, payee: payout.payee };
    found.agrees(reading, PAYOUT_HOMES, &id, &home)?;
    if payout.is_open() {
        found.wants(reading, OPEN_PAYOUTS, &(seller, holder, id), &())?;
    }
    let places = PayoutPlaces(payout.spans.clone());
    found.wants(reading, WALLET_PAYOUTS, &(seller, payout.wallet, id), &places)?;
    let taken: u128 = payout.spans.iter().map(|span| u128::from(span.len())).sum();
    let amount = u128::try_from(payout.amount_minor).unwrap_or(0);
    found.same("money that a payout took", amount, taken);
    let known = reading.get(PAYOUT_KEYS, &(seller, payout.idempotency_key.clone()))?;
    found.same("key of a payout", Some(id), known.map(|known| known.payout));
    if let Some(hook) = payout.call_back
        && found.names(reading, PAYOUT_HOOKS, &(seller, hook))?
    {
        found.has(PAYOUT_HOOKS, 1);
    }
    let wallet = reading.get(WALLETS, &(seller, payout.wallet))?;
    let of = wallet.map(|wallet| (wallet.payee, wallet.currency, wallet.mode()));
    let stated = Some((payout.payee, payout.currency, payout.mode));
    found.same("wallet of a payout", stated, of);
    found.names(reading, PAYOUT_METHODS, &(seller, holder, payout.method))?;
    Ok(())
}

/// What a payout took is found by where it lies in its wallet's line.
fn taken_spans(
    reading: &Reading,
    (seller, id): &(SellerId, PayoutId),
    payout: &Payout,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for span in &payout.spans {
        let place = (*seller, payout.wallet, span.class(), span.from, *id);
        found.wants(reading, TAKEN_SPANS, &place, &())?;
    }
    Ok(())
}
