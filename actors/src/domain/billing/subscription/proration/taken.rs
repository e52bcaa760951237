//! What invoices and stored credit have taken of a proration, and what is open.

use super::{Proration, ProrationClaim, ProrationKind, ProrationPart, ProrationRest};
use crate::domain::ids::InvoiceId;

impl Proration {
    /// What invoices carry of a part and what of it became stored credit, minor units, not
    /// negative.
    pub fn taken_minor(&self, part: ProrationPart) -> i64 {
        let claims = self.claims.iter().filter(|claim| claim.part == part);
        let claimed: i64 = claims.map(|claim| claim.amount_minor).sum();
        claimed + self.rests_of(part).sum::<i64>()
    }

    /// What became stored credit of a part, in the order in which it did, minor units.
    pub fn rests_of(&self, part: ProrationPart) -> impl Iterator<Item = i64> {
        let of_part = self.rests.iter().filter(move |rest| rest.part == part);
        of_part.map(|rest| rest.amount_minor)
    }

    /// What no invoice carries yet of a part, minor units, not negative.
    pub fn open_minor(&self, part: ProrationPart) -> i64 {
        let whole = match part {
            ProrationPart::Net => self.amount_minor,
            ProrationPart::Charge => self.charge_minor,
            ProrationPart::Credit => self.credit_minor,
        };
        (whole - self.taken_minor(part)).max(0)
    }

    /// Whether an invoice has shown a part, or stored credit has taken it.
    pub fn is_carried(&self, part: ProrationPart) -> bool {
        let claimed = self.claims.iter().any(|claim| claim.part == part);
        claimed || self.rests.iter().any(|rest| rest.part == part)
    }

    /// Whether neither an invoice nor stored credit has taken anything of it.
    pub fn is_untouched(&self) -> bool {
        self.claims.is_empty() && self.rests.is_empty()
    }

    /// The parts that are still to be given back.
    pub fn open_credits(&self) -> impl Iterator<Item = ProrationPart> {
        let credits = |part: &ProrationPart| self.side_of(*part).0 == ProrationKind::Credit;
        self.parts().iter().copied().filter(move |part| credits(part) && self.open_minor(*part) > 0)
    }

    /// Notes that `invoice` carries `amount_minor` of a part, at most what is open.
    pub fn claim(&mut self, invoice: InvoiceId, part: ProrationPart, amount_minor: i64) {
        let amount_minor = amount_minor.clamp(0, self.open_minor(part));
        self.claims.push(ProrationClaim { invoice, amount_minor, part });
    }

    /// Notes that what is open of a part became stored credit. Answers how much that was.
    pub fn credit_rest(&mut self, part: ProrationPart) -> i64 {
        let amount_minor = self.open_minor(part);
        if amount_minor > 0 {
            self.rests.push(ProrationRest { part, amount_minor });
        }
        amount_minor
    }

    /// Takes back what `invoice` carries of it. What became stored credit stays so.
    pub fn release(&mut self, invoice: InvoiceId) {
        self.claims.retain(|claim| claim.invoice != invoice);
    }
}
