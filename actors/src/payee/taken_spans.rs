//! Where payouts took their money in the line of a wallet, so that the payouts of a payment are
//! found by its places, however many others the wallet has made. What a payout took never changes.

use storage::{Batch, Scan, Store};

use crate::backfill::{Rows, readable};
use crate::domain::ids::SellerId;
use crate::domain::payments::payout::Payout;
use crate::system::StartError;
use crate::tables::{TAKEN_SPANS, WALLET_PAYOUTS};

pub(super) fn put_taken_spans(rows: &mut Batch, payout: &Payout) {
    for span in &payout.spans {
        let place = (payout.seller, payout.wallet, span.class(), span.from, payout.id);
        rows.put_new(TAKEN_SPANS, &place, &());
    }
}

/// Lists what the payouts took of an account from before this was kept.
pub(crate) fn list_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    for row in store.scan(WALLET_PAYOUTS, Scan::prefix(&(seller,))) {
        let Some(((_, wallet, id), places)) = readable(row)? else { continue };
        for span in places.0 {
            rows.put(TAKEN_SPANS, &(seller, wallet, span.class(), span.from, id), &())?;
        }
    }
    Ok(())
}
