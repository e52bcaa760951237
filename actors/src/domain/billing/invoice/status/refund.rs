//! Money that had come for an invoice goes back to its payer. The invoice stays as it is: what is
//! not owed any more, a credit note says.

use crate::domain::billing::invoice::{Invoice, PaymentReceived};
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
/// twice. What goes back was first the surplus of its payment, as far as that is credit still, by
/// what `left` says of each lot; the rest is money that counts, and of that credit notes make credit
/// only beyond what was refunded.
pub fn refund(
    invoice: &Invoice,
    refunds: &[(PaymentId, i64)],
    left: impl Fn(CreditEntryId) -> i64,
) -> Refunded {
    let mut after = Refunded { invoice: invoice.clone(), credit: Vec::new(), not_owed_minor: 0 };
    let mut is_more = false;
    for &(payment, refunded_minor) in refunds {
        let mut counted = after.invoice.payments.iter().filter(|one| one.reversed_at.is_none());
        let known = counted.find(|known| known.payment == payment);
        let more_minor = known.map_or(0, |known| refunded_minor - known.refunded_minor);
        if more_minor <= 0 {
            continue;
        }
        is_more = true;
        let surplus_minor = after.uncredit(Some(payment), more_minor, &left);
        let known = after.invoice.payments.iter_mut().find(|known| known.payment == payment);
        if let Some(known) = known {
            known.refunded_minor = refunded_minor;
            known.surplus_refunded_minor += surplus_minor;
        }
    }
    if is_more {
        let beyond = after.invoice.noted_credit_minor() - after.invoice.to_be_credited_minor();
        after.uncredit(None, beyond, &left);
    }
    after.invoice.given_back.retain(|given| given.amount_minor > 0);
    after
}

impl Refunded {
    /// Takes up to `minor` off the credit that was made of the surplus of a payment, or of money that
    /// had been counted, the newest first; how much of it was there.
    fn uncredit(
        &mut self,
        payment: Option<PaymentId>,
        minor: i64,
        left: impl Fn(CreditEntryId) -> i64,
    ) -> i64 {
        let mut taken_minor = 0;
        let given_back = self.invoice.given_back.iter_mut().rev();
        for given in given_back.filter(|given| given.payment == payment) {
            let open_minor = given.amount_minor.min(minor - taken_minor);
            let taken = given.lot.map_or(open_minor, |lot| left(lot).min(open_minor));
            if taken <= 0 {
                continue;
            }
            match given.lot {
                Some(lot) => self.credit.push((lot, taken)),
                None => self.not_owed_minor += taken,
            }
            given.amount_minor -= taken;
            taken_minor += taken;
        }
        taken_minor
    }
}

impl PaymentReceived {
    /// What was refunded of its money that counts towards the invoice, minor units.
    pub fn counted_refunded_minor(&self) -> i64 {
        (self.refunded_minor - self.surplus_refunded_minor).min(self.amount_minor)
    }
}

impl Invoice {
    /// What was refunded of the money that counts towards it, minor units.
    pub fn refunded_minor(&self) -> i64 {
        let counts = self.payments.iter().filter(|known| known.reversed_at.is_none());
        counts.map(PaymentReceived::counted_refunded_minor).sum()
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
