//! Payments with their refunds.

use storage::{ReadError, Scan, Store};

use super::{Page, Paging};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Payment, PaymentStatus, Refund, RefundSums};
use crate::tables::{PAYMENT_STATUSES, PAYMENTS, REFUNDS};

/// Payments that stand as `status` says, or all, newest first, each with its refunds.
pub fn payments(
    store: &Store,
    seller: SellerId,
    status: Option<PaymentStatus>,
    paging: Paging,
) -> Result<Page<(Payment, Vec<Refund>)>, ReadError> {
    let page = match status {
        None => all(store, seller, paging)?,
        Some(status) => with_status(store, seller, status, paging)?,
    };
    let whole = page.items.into_iter().map(|payment| {
        let refunds = refunds(store, &payment)?;
        Ok((payment, refunds))
    });
    Ok(Page { items: whole.collect::<Result<_, ReadError>>()?, next: page.next })
}

fn all(store: &Store, seller: SellerId, paging: Paging) -> Result<Page<Payment>, ReadError> {
    paging.page(store, PAYMENTS, (seller,))
}

/// A payment that moves on while the page is read is left out.
fn with_status(
    store: &Store,
    seller: SellerId,
    status: PaymentStatus,
    paging: Paging,
) -> Result<Page<Payment>, ReadError> {
    let number = status as u8;
    let rows = paging.newest(store, PAYMENT_STATUSES, (seller, number));
    let page = paging.fill(rows.map(|row| row.map(|(id, ())| (id, PaymentId(id)))))?;
    let read = page.items.into_iter().map(|id| store.get(PAYMENTS, &(seller, id)));
    let found: Vec<Option<Payment>> = read.collect::<Result<_, _>>()?;
    let fits = |payment: &Payment| payment.status == status;
    Ok(Page { items: found.into_iter().flatten().filter(fits).collect(), next: page.next })
}

/// The refunds of a payment, oldest first. Nothing is read for a payment that shows by itself
/// that it has none.
pub fn refunds(store: &Store, payment: &Payment) -> Result<Vec<Refund>, ReadError> {
    let failed = [PaymentStatus::RefundFailed, PaymentStatus::RefundCancelled];
    if payment.refunds == RefundSums::default() && !failed.contains(&payment.status) {
        return Ok(Vec::new());
    }
    let rows = store.scan(REFUNDS, Scan::prefix(&(payment.seller, payment.id)));
    rows.map(|row| row.map(|(_, refund)| refund)).collect()
}
