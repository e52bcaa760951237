//! Money that had come for an invoice goes back to its payer. The invoice stays as it is: what is
//! not owed any more, a credit note says.

use crate::domain::billing::invoice::Invoice;
use crate::domain::ids::{CreditEntryId, PaymentId};

/// An invoice some of whose payments were refunded, and what goes with that of the credit that was
/// made of the same money. Amounts are minor units, 0 or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Refunded {
    pub invoice: Invoice,
    /// From which lots, and how much.
    pub credit: Vec<(CreditEntryId, i64)>,
    /// What was owed back while credits were off, and is not.
    pub not_owed_minor: i64,
}

/// Takes note of all that was refunded of payments, each with its sum. Nobody has the same money
/// twice: what goes back of a surplus is no credit any more, and what credit notes give back is
/// credit only beyond what was refunded, as far as the lots still have it, by what `left` says of
/// each.
pub fn refund(
    invoice: &Invoice,
    refunds: &[(PaymentId, i64)],
    left: impl Fn(CreditEntryId) -> i64,
) -> Refunded {
    let mut after = invoice.clone();
    let mut wanted = Vec::new();
    for &(payment, refunded_minor) in refunds {
        let mut counted = after.payments.iter_mut().filter(|known| known.reversed_at.is_none());
        let Some(known) = counted.find(|known| known.payment == payment) else { continue };
        if known.refunded_minor >= refunded_minor {
            continue;
        }
        let surplus = |refunded: i64| (refunded - known.amount_minor).max(0);
        wanted.push((Some(payment), surplus(refunded_minor) - surplus(known.refunded_minor)));
        known.refunded_minor = refunded_minor;
    }
    if !wanted.is_empty() {
        wanted.push((None, after.noted_credit_minor() - after.to_be_credited_minor()));
    }
    let (mut credit, mut not_owed_minor) = (Vec::new(), 0);
    for (payment, mut open_minor) in wanted {
        let of_it = after.given_back.iter_mut().rev().filter(|given| given.payment == payment);
        for given in of_it {
            let minor = given.amount_minor.min(open_minor);
            let minor = given.lot.map_or(minor, |lot| left(lot).min(minor));
            if minor <= 0 {
                continue;
            }
            match given.lot {
                Some(lot) => credit.push((lot, minor)),
                None => not_owed_minor += minor,
            }
            given.amount_minor -= minor;
            open_minor -= minor;
        }
    }
    after.given_back.retain(|given| given.amount_minor > 0);
    Refunded { invoice: after, credit, not_owed_minor }
}

impl Invoice {
    /// What was refunded of the money that counts towards it, minor units.
    pub fn refunded_minor(&self) -> i64 {
        let counts = self.payments.iter().filter(|known| known.reversed_at.is_none());
        counts.map(|known| known.refunded_minor.min(known.amount_minor)).sum()
    }

    /// What there is to make credit of: of the money that is given back, what was not refunded and
    /// is no credit yet. Minor units.
    pub fn uncredited_minor(&self) -> i64 {
        (self.to_be_credited_minor() - self.noted_credit_minor()).max(0)
    }

    fn to_be_credited_minor(&self) -> i64 {
        (self.given_back_minor - self.refunded_minor()).max(0)
    }

    /// The credit that was made of money which had been counted, or what is owed of it.
    fn noted_credit_minor(&self) -> i64 {
        let counted = self.given_back.iter().filter(|given| given.payment.is_none());
        counted.map(|given| given.amount_minor).sum()
    }
}
