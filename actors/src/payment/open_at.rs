//! Which payments are open at the processor behind a terminal: it stays where it is meanwhile.

use storage::{Batch, Scan, Store};

use crate::backfill::{Rows, readable};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Payment, PaymentStatus};
use crate::listing::Facet;
use crate::system::StartError;
use crate::tables::{OPEN_AT_TERMINALS, PAYMENTS, PLACES};

/// Lists the payment at the terminal where it is open now, and no longer where it was.
pub(super) fn keep_open_at(rows: &mut Batch, before: Option<&Payment>, after: &Payment) {
    let (was, is) = (before.and_then(Payment::open_terminal), after.open_terminal());
    if was == is {
        return;
    }
    if let Some(terminal) = was {
        rows.delete(OPEN_AT_TERMINALS, &(after.seller, terminal, after.id));
    }
    if let Some(terminal) = is {
        rows.put_new(OPEN_AT_TERMINALS, &(after.seller, terminal, after.id), &());
    }
}

/// Lists the open payments of an account from before this was kept.
pub(crate) fn list_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    for status in PaymentStatus::AT_PROCESSOR {
        let place = (seller, Facet::PaymentStatus as u8, status as u64);
        for place in store.scan(PLACES, Scan::prefix(&place)).keys() {
            let Some((.., id)) = readable(place)? else { continue };
            let id = PaymentId(id);
            let found = readable(store.get(PAYMENTS, &(seller, id)))?.flatten();
            if let Some(terminal) = found.as_ref().and_then(Payment::open_terminal) {
                rows.put(OPEN_AT_TERMINALS, &(seller, terminal, id), &())?;
            }
        }
    }
    Ok(())
}
