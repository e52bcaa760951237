//! Payments that are open at the processor behind a terminal: each of them is listed there, and no
//! others.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::backfill::Backfill;
use crate::domain::ids::SellerId;
use crate::domain::payments::payment::Payment;
use crate::tables::{OPEN_AT_TERMINALS, PAYMENTS};

pub(super) fn payment(
    reading: &Reading,
    payment: &Payment,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some(terminal) = payment.open_terminal() else { return Ok(()) };
    if !reading.is_complete(Backfill::OpenAtTerminals)? {
        return Ok(());
    }
    found.wants(reading, OPEN_AT_TERMINALS, &(payment.seller, terminal, payment.id), &())
}

/// Once all payments were looked at.
pub(super) fn no_others(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    if !run.reading.is_complete(Backfill::OpenAtTerminals)? {
        return Ok(());
    }
    let all = Scan::prefix(&(seller,));
    run.no_others(OPEN_AT_TERMINALS, all, |reading, (seller, terminal, id), ()| {
        let known = reading.get(PAYMENTS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.open_terminal() == Some(*terminal)))
    })
}
