//! Credit that tops itself up: once less than a threshold can be drawn, a pack of it is bought with
//! the customer's saved card. One pack is bought at a time; one that cannot be paid is the last.

use serde_json::json;
use storage::CborRecord;

use super::{CreditBalances, CreditRefusal};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus};
use crate::domain::ids::InvoiceId;
use crate::domain::money::PRICE_LIMIT;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

/// What is bought, and when. All in minor units of the contract's currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PackTerms {
    /// A pack is bought once less than this can be drawn; 1 to 10^12.
    #[n(0)]
    pub threshold_minor: i64,
    /// The credit of a pack, at least the threshold: one pack is always enough.
    #[n(1)]
    pub amount_minor: i64,
    /// What a pack costs, before tax; 1 to 10^12.
    #[n(2)]
    pub price_minor: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AutoTopup {
    #[n(0)]
    pub enabled: bool,
    #[n(1)]
    pub terms: PackTerms,
    /// The pack that is being bought.
    #[n(2)]
    pub buying: Option<Buying>,
    /// Since when it is as it is.
    #[n(3)]
    pub since: Timestamp,
    /// Whether no card was there to buy with; the next one that is saved ends it.
    #[n(4)]
    pub lacks_card: bool,
}

/// A pack whose invoice waits for its charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Buying {
    #[n(0)]
    pub invoice: InvoiceId,
    /// The credit that is bought, minor units.
    #[n(1)]
    pub amount_minor: i64,
    /// Whether there is a payment, whose end will be told.
    #[n(2)]
    pub charged: bool,
}

impl PackTerms {
    pub fn check(&self) -> Result<(), CreditRefusal> {
        for (field, minor) in [
            ("thresholdMinor", self.threshold_minor),
            ("amountMinor", self.amount_minor),
            ("priceMinor", self.price_minor),
        ] {
            if !(1..=PRICE_LIMIT).contains(&minor) {
                return Err(CreditRefusal::PackRange(field));
            }
        }
        if self.amount_minor < self.threshold_minor {
            return Err(CreditRefusal::PackBelowThreshold);
        }
        Ok(())
    }
}

impl AutoTopup {
    /// Whether something is to be done: a pack is to be bought, or the charge of one to be made.
    pub fn is_due(&self, balances: Option<&CreditBalances>) -> bool {
        match self.buying {
            Some(buying) => !buying.charged,
            None => self.enabled && !self.lacks_card && self.is_low(balances),
        }
    }

    fn is_low(&self, balances: Option<&CreditBalances>) -> bool {
        balances.map_or(0, CreditBalances::total) < self.terms.threshold_minor
    }

    /// As it is switched on or off by hand. What is being bought already goes on.
    pub fn set(before: Option<&Self>, enabled: bool, terms: PackTerms, now: Timestamp) -> Self {
        let buying = before.and_then(|before| before.buying);
        Self { enabled, terms, buying, since: now, lacks_card: false }
    }

    /// Whether it is this invoice's pack that is being bought.
    pub fn buys(&self, invoice: InvoiceId) -> bool {
        self.buying.is_some_and(|buying| buying.invoice == invoice)
    }

    #[must_use]
    pub fn buying(self, buying: Option<Buying>, now: Timestamp) -> Self {
        Self { buying, since: now, ..self }
    }

    #[must_use]
    pub fn with_card(self, there: bool, now: Timestamp) -> Self {
        Self { lacks_card: !there, since: now, ..self }
    }

    /// The pack of this invoice is none, and no other is begun before somebody switches it on again;
    /// one that is being bought goes on.
    #[must_use]
    pub fn failed(self, invoice: InvoiceId, now: Timestamp) -> Self {
        let buying = self.buying.filter(|buying| buying.invoice != invoice);
        Self { enabled: false, buying, since: now, ..self }
    }
}

/// What becomes of a pack when its invoice changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackEnd {
    /// It is paid, and becomes credit.
    Bought,
    /// Nobody waits for its money any more. Should it come all the same, the pack is bought.
    Dropped,
    /// It never was: what it has brought goes.
    Undone,
}

pub fn pack_end(invoice: &Invoice) -> Option<PackEnd> {
    match invoice.status {
        InvoiceStatus::Paid => Some(PackEnd::Bought),
        InvoiceStatus::WrittenOff => Some(PackEnd::Dropped),
        InvoiceStatus::Voided => Some(PackEnd::Undone),
        _ => None,
    }
}

/// Tells that the credit tops itself up no more, and why.
pub fn auto_topup_failed(
    invoice: &Invoice,
    amount_minor: i64,
    why: &str,
    at: Timestamp,
) -> NewEvent {
    let payload = json!({
        "contractId": invoice.contract,
        "invoiceId": invoice.id,
        "invoiceNumber": invoice.number.map(|number| number.to_string()),
        "currency": invoice.currency,
        "amountMinor": amount_minor,
        "totalMinor": invoice.totals.grand_total_minor,
        "reason": why,
    });
    NewEvent { kind: EventType::CreditAutoTopUpFailed, occurred_at: at, payload }
}

impl CborRecord for AutoTopup {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::billing::credit::CreditType;
    use crate::domain::money::Currency;

    const TERMS: PackTerms =
        PackTerms { threshold_minor: 500, amount_minor: 2_000, price_minor: 1_800 };

    fn having(minor: i64) -> CreditBalances {
        let mut balances = CreditBalances::none(Currency::EUR);
        balances.add(CreditType::Gift, minor);
        balances
    }

    const THEN: Timestamp = Timestamp::MAX;

    fn on() -> AutoTopup {
        AutoTopup::set(None, true, TERMS, THEN)
    }

    #[test]
    fn a_pack_is_bought_below_the_threshold_and_not_at_it() {
        assert!(on().is_due(None));
        assert!(on().is_due(Some(&having(499))));
        assert!(!on().is_due(Some(&having(500))));
        assert!(!AutoTopup { enabled: false, ..on() }.is_due(Some(&having(0))));
    }

    #[test]
    fn one_pack_is_bought_at_a_time() {
        let buying = Buying { invoice: InvoiceId(7), amount_minor: 2_000, charged: false };
        let ordered = on().buying(Some(buying), THEN);
        assert!(ordered.is_due(Some(&having(9_000))) && ordered.buys(InvoiceId(7)));
        let charged = on().buying(Some(Buying { charged: true, ..buying }), THEN);
        assert!(!charged.is_due(Some(&having(0))));
        assert_eq!(charged.failed(InvoiceId(7), THEN).buying, None);
        assert!(!charged.failed(InvoiceId(7), THEN).is_due(None));
        assert!(ordered.failed(InvoiceId(6), THEN).is_due(None), "it is of another invoice");
        let changed = AutoTopup::set(Some(&charged), false, TERMS, THEN);
        assert!(changed.buys(InvoiceId(7)), "what is being bought goes on");
    }

    #[test]
    fn without_a_card_nothing_is_bought_before_there_is_one() {
        let waits = on().with_card(false, THEN);
        assert!(!waits.is_due(None));
        assert!(waits.with_card(true, THEN).is_due(None));
    }

    #[test]
    fn terms_are_in_range_and_one_pack_is_enough() {
        assert_eq!(TERMS.check(), Ok(()));
        let range = |field| Err(CreditRefusal::PackRange(field));
        let wrong = |terms: PackTerms| terms.check();
        assert_eq!(wrong(PackTerms { threshold_minor: 0, ..TERMS }), range("thresholdMinor"));
        assert_eq!(wrong(PackTerms { amount_minor: -1, ..TERMS }), range("amountMinor"));
        let beyond = PRICE_LIMIT + 1;
        assert_eq!(wrong(PackTerms { price_minor: beyond, ..TERMS }), range("priceMinor"));
        let small = PackTerms { amount_minor: 499, ..TERMS };
        assert_eq!(small.check(), Err(CreditRefusal::PackBelowThreshold));
    }
}
