//! What is sold, how it is shared, and who must have what in the end. Amounts are cents of EUR.

pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) email: &'static str,
    /// An example account of its country.
    pub(super) iban: &'static str,
}

/// The payees, in the order of every distribution.
pub(super) const PEOPLE: [Person; 2] = [
    Person { name: "Mina Weber", email: "mina@example.com", iban: "DE89370400440532013000" },
    Person { name: "Joris de Vries", email: "joris@example.com", iban: "NL91ABNA0417164300" },
];

/// What the first payee is paid out.
pub(super) const PAYOUT: i64 = 10_000;

pub(super) struct Sale {
    pub(super) reference: &'static str,
    /// What the buyer is asked for.
    pub(super) amount: i64,
    /// What each payee is to get of it; the rest is the seller's.
    pub(super) shares: [i64; 2],
    /// Captures, one after the other.
    pub(super) captured: &'static [i64],
    /// Refunds, one after the other.
    pub(super) refunded: &'static [i64],
    /// What the payees and then the seller have of it in the end: captured and refunded money is
    /// shared in proportion, the cents that rounding leaves going to the largest remainders.
    pub(super) parts: [i64; 3],
}

/// By card, with the bank's challenge; refunded in part, twice.
pub(super) const BASKET: Sale = Sale {
    reference: "basket-<tag>",
    amount: 12_001,
    shares: [7_000, 1_999],
    captured: &[12_001],
    refunded: &[3_001, 999],
    // 40.00 of 120.01 go back: 23.33, 6.66 and 10.01.
    parts: [4_667, 1_333, 2_001],
};

/// By Bancontact.
pub(super) const WORKSHOP: Sale = Sale {
    reference: "workshop-<tag>",
    amount: 4_550,
    shares: [0, 4_000],
    captured: &[4_550],
    refunded: &[],
    parts: [0, 4_000, 550],
};

/// By a card that is declined.
pub(super) const FAILING: Sale = Sale {
    reference: "declined-<tag>",
    amount: 2_500,
    shares: [1_250, 0],
    captured: &[],
    refunded: &[],
    parts: [0, 0, 0],
};

/// By card, captured in two parts that leave something over.
pub(super) const COMMISSION: Sale = Sale {
    reference: "commission-<tag>",
    amount: 20_000,
    shares: [10_000, 3_333],
    captured: &[7_555, 6_000],
    refunded: &[],
    // 135.55 of 200.00 were captured: 67.775, 22.589 and 45.186.
    parts: [6_777, 2_259, 4_519],
};

pub(super) const SALES: [Sale; 4] = [BASKET, WORKSHOP, FAILING, COMMISSION];

impl Sale {
    pub(super) fn status(&self) -> &'static str {
        if self.captured.is_empty() { "failed" } else { "settled" }
    }
}

/// What a payee's wallet holds of all sales in the end: the first payee was paid out.
pub(super) fn due(place: usize) -> i64 {
    let sum: i64 = SALES.iter().map(|sale| sale.parts[place]).sum();
    if place == 0 { sum - PAYOUT } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::shares::shared;

    #[test]
    fn every_sale_is_shared_by_largest_remainders_without_a_rest() {
        for sale in &SALES {
            let rest = sale.amount - sale.shares.iter().sum::<i64>();
            let captured = sale.captured.iter().sum::<i64>();
            let refunded = sale.refunded.iter().sum::<i64>();
            let credited = shared(captured, &[&sale.shares[..], &[rest]].concat());
            let back = shared(refunded, &credited);
            let parts: Vec<i64> =
                credited.iter().zip(back).map(|(credited, back)| credited - back).collect();
            assert_eq!(parts, sale.parts, "{}", sale.reference);
            assert_eq!(parts.iter().sum::<i64>(), captured - refunded, "{}", sale.reference);
        }
        assert!(due(0) > 0, "the payout is covered");
    }
}
