//! Money that became stored credit turns out never to have come.

use crate::domain::billing::invoice::{GivenBack, Invoice, InvoiceStatus, PaymentReceived};
use crate::domain::ids::{CreditEntryId, PaymentId};

/// An invoice one of whose payments failed at settlement, before that is
/// [counted out](super::reopen), and what is taken back of the credit that it had become. Amounts
/// are minor units, 0 or more.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenBack {
    pub invoice: Invoice,
    /// From which lots, and how much.
    pub credit: Vec<(CreditEntryId, i64)>,
    /// What was owed back while credits were off, and is not.
    pub not_owed_minor: i64,
    /// What was spent, and what nobody asks for either.
    pub lost_minor: i64,
}

/// Takes back what `payment` brought beyond what was outstanding, then what was given back of as
/// much as it had counted: as far as the lots have it, by what `left` says of each. What was given
/// back for a credit note and is spent is asked for by the invoice.
pub fn take_back(
    invoice: &Invoice,
    payment: PaymentId,
    left: impl Fn(CreditEntryId) -> i64,
) -> TakenBack {
    let mut taken = TakenBack {
        invoice: invoice.clone(),
        credit: Vec::new(),
        not_owed_minor: 0,
        lost_minor: 0,
    };
    let counts = |known: &&PaymentReceived| known.payment == payment && known.reversed_at.is_none();
    let Some(known) = invoice.payments.iter().find(counts) else { return taken };
    let mut counted_minor = known.amount_minor;
    let is_void = invoice.status == InvoiceStatus::Voided;
    for (index, given) in invoice.given_back.iter().enumerate().rev() {
        let is_surplus = given.payment == Some(payment);
        let wanted = match given.payment {
            Some(_) if !is_surplus => continue,
            Some(_) => given.amount_minor,
            None => given.amount_minor.min(counted_minor),
        };
        let minor = given.lot.map_or(wanted, |lot| left(lot).min(wanted));
        match given.lot {
            Some(lot) if minor > 0 => taken.credit.push((lot, minor)),
            Some(_) => {}
            None => taken.not_owed_minor += minor,
        }
        taken.invoice.given_back[index].amount_minor -= minor;
        if !is_surplus {
            counted_minor -= wanted;
            taken.invoice.given_back_minor -= minor;
        }
        if is_surplus || is_void {
            taken.lost_minor += wanted - minor;
        }
    }
    taken.invoice.given_back.retain(|given| given.amount_minor > 0);
    taken
}

impl Invoice {
    /// Takes note of what became of money that came for it: whose surplus it was, or that it was
    /// given back of what had been counted.
    pub fn note_given_back(&mut self, given: GivenBack) {
        // So that its row stays within its bounds; the oldest has most likely been spent.
        if self.given_back.len() >= MAX_GIVEN_BACK {
            self.given_back.remove(0);
        }
        self.given_back.push(given);
    }
}

const MAX_GIVEN_BACK: usize = 128;
