//! Payments with their refunds.

use storage::{ReadError, Record, Scan, Store};

use super::page::sized;
use super::{Page, Paging};
use crate::domain::ids::{PaymentId, SellerId, TerminalId};
use crate::domain::payments::payment::{Payment, PaymentStatus, Refund, RefundSums};
use crate::listing::Facet;
use crate::tables::{OPEN_AT_TERMINALS, PAYMENTS, PLACES, REFUNDS};

/// Payments that stand as `status` says, or all, newest first, each with its refunds.
pub fn payments(
    store: &Store,
    seller: SellerId,
    status: Option<PaymentStatus>,
    paging: Paging,
) -> Result<Page<(Payment, Vec<Refund>)>, ReadError> {
    let whole = |payment: Payment| -> Result<_, ReadError> {
        let refunds = refunds(store, &payment)?;
        let bytes = refunds.iter().map(|refund| refund.encode().len()).sum::<usize>();
        let (payment, size) = sized(payment);
        Ok(((payment, refunds), size + bytes))
    };
    let Some(status) = status else {
        let rows = paging.newest(store, PAYMENTS, (seller,));
        return paging.fill(rows, |_, payment| whole(payment).map(Some));
    };
    // A payment that moves on while the page is read is left out.
    let rows = paging.newest(store, PLACES, (seller, Facet::PaymentStatus as u8, status as u64));
    let key = |id, ()| (seller, PaymentId(id));
    paging.follow(store, PAYMENTS, rows, key, |_, payment| {
        (payment.status == status).then(|| whole(payment)).transpose()
    })
}

/// Whether payments are open at the processor behind a terminal.
pub fn has_open_payments(
    store: &Store,
    seller: SellerId,
    terminal: TerminalId,
) -> Result<bool, ReadError> {
    let open = Scan::prefix(&(seller, terminal)).first();
    Ok(store.scan(OPEN_AT_TERMINALS, open).keys().next().transpose()?.is_some())
}

/// The refunds of a payment, oldest first. Nothing is read for a payment that shows by itself
/// that it has none.
pub fn refunds(store: &Store, payment: &Payment) -> Result<Vec<Refund>, ReadError> {
    let may_have_failed_ones = match payment.status {
        PaymentStatus::RefundFailed | PaymentStatus::RefundCancelled => true,
        // It may have failed at settlement, after a refund that came to nothing.
        PaymentStatus::Failed => payment.captured() > 0,
        _ => false,
    };
    if payment.refunds == RefundSums::default() && !may_have_failed_ones {
        return Ok(Vec::new());
    }
    let rows = store.scan(REFUNDS, Scan::prefix(&(payment.seller, payment.id)));
    rows.map(|row| row.map(|(_, refund)| refund)).collect()
}
