//! The invoice of a pack of stored credit that the engine buys for a customer.

use crate::domain::billing::collection::Collection;
use crate::domain::billing::credit::PackTerms;
use crate::domain::billing::invoice::compose::put_together;
use crate::domain::billing::invoice::manual::line_of;
use crate::domain::billing::invoice::{
    CollectionMethod, Composed, ContractFacts, Invoice, InvoiceRefusal, LineSource, NewLine,
    Origin, SellerFacts, Terms,
};
use crate::domain::billing::tax::StatedTax;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;
use crate::domain::money::{Money, share_half_up};
use crate::domain::quantity::Quantity;

/// Composes it, made out as `terms` say. It is charged to a saved card at once, and not sent:
/// nobody is asked to pay it.
pub fn compose_pack(
    id: InvoiceId,
    contract: &ContractFacts,
    seller: &SellerFacts,
    terms: Terms,
    pack: &PackTerms,
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    let tax = seller.tax_rules(contract, &terms.bill_to, moment);
    let credit = Money { minor: pack.amount_minor, currency: contract.currency };
    let asked = NewLine {
        description: format!("Stored credit of {credit}"),
        quantity: Quantity::ONE,
        unit_price_minor: pack.price_minor,
        discount_minor: None,
        tax: StatedTax::default(),
        period_start: None,
        period_end: None,
    };
    let line = line_of((0, &asked), LineSource::Adhoc, &tax)?;
    let collection_method = Some(CollectionMethod::PaymentLink);
    let terms = Terms { collection_method, send: Some(false), memo: None, ..terms };
    let lines = vec![line];
    let mut composed = put_together((id, Origin::Adhoc), contract, seller, terms, lines, moment)?;
    // Charged when it is bought, and on no day of its own.
    let collection = Collection { next_on: None, ..Collection::from(moment.today()) };
    composed.invoice.collection = Some(collection);
    composed.invoice.pack_minor = Some(pack.amount_minor);
    Ok(composed)
}

impl Invoice {
    /// How much of a pack of `whole_minor` it buys: all but the part that credit notes took off
    /// before anybody paid it, and the part that was paid and is not any more. Money that a credit
    /// note gives back and money that was refunded are the same, as far as there is of both.
    pub fn part_of_pack(&self, whole_minor: i64) -> i64 {
        let never_paid_minor = self.credited_minor - self.given_back_minor;
        let paid_back_minor = self.given_back_minor.max(self.refunded_minor());
        let gone_minor = never_paid_minor + paid_back_minor;
        whole_minor - share_half_up(whole_minor, gone_minor, self.totals.grand_total_minor)
    }
}
