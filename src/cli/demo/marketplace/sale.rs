//! What is sold, how it is shared, and who must have what in the end by arithmetic of our own.

use serde_json::{Value, json};

use crate::cli::cents::Cents;
use crate::cli::shares::shared;

/// A payee of the marketplace.
#[derive(Clone, Copy, Debug)]
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

/// What the first payee is paid out, in cents.
pub(super) const PAYOUT: i64 = 10_000;

/// A sale in EUR; amounts are cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sale {
    /// By card, with the bank's challenge; refunded in part, twice.
    Basket,
    /// By Bancontact.
    Workshop,
    /// By a card that is declined.
    Declined,
    /// By card, captured in two parts that leave something over.
    Commission,
}

impl Sale {
    /// All of them, in the order of the story.
    pub(super) const ALL: [Self; 4] =
        [Self::Basket, Self::Workshop, Self::Declined, Self::Commission];

    /// The reference under which it is sold in this run.
    pub(super) fn reference(self, run: &str) -> String {
        let name = match self {
            Self::Basket => "basket",
            Self::Workshop => "workshop",
            Self::Declined => "declined",
            Self::Commission => "commission",
        };
        let run = run.get(..8).unwrap_or(run);
        format!("{name}-{run}")
    }

    /// What the buyer is asked for.
    pub(super) fn amount(self) -> i64 {
        match self {
            Self::Basket => 12_001,
            Self::Workshop => 4_550,
            Self::Declined => 2_500,
            Self::Commission => 20_000,
        }
    }

    /// What each payee is to get of it; the rest is the seller's.
    pub(super) fn distribution(self) -> [i64; PEOPLE.len()] {
        match self {
            Self::Basket => [7_000, 1_999],
            Self::Workshop => [0, 4_000],
            Self::Declined => [1_250, 0],
            Self::Commission => [10_000, 3_333],
        }
    }

    /// Captures, one after the other.
    pub(super) fn captures(self) -> &'static [i64] {
        match self {
            Self::Basket => &[12_001],
            Self::Workshop => &[4_550],
            Self::Declined => &[],
            Self::Commission => &[7_555, 6_000],
        }
    }

    /// Refunds, one after the other.
    pub(super) fn refunds(self) -> &'static [i64] {
        match self {
            Self::Basket => &[3_001, 999],
            Self::Workshop | Self::Declined | Self::Commission => &[],
        }
    }

    /// What the seller's distribution says, as requests carry it.
    pub(super) fn order_data(self, payees: &[u64]) -> Value {
        let lines = payees.iter().zip(self.distribution()).filter(|(_, minor)| *minor > 0);
        let lines =
            lines.map(|(payee, minor)| json!({"payeeId": payee, "amount": Cents(minor).json()}));
        json!({"payeeDistribution": lines.collect::<Vec<_>>()})
    }

    /// What each party has of it in the end: the payees in order, then the seller.
    pub(super) fn expected(self) -> Vec<i64> {
        let captured = self.captures().iter().sum();
        let refunded = self.refunds().iter().sum();
        let distribution = self.distribution();
        let rest = self.amount() - distribution.iter().sum::<i64>();
        let credited = shared(captured, &[&distribution[..], &[rest]].concat());
        let back = shared(refunded, &credited);
        credited.iter().zip(back).map(|(credited, back)| credited - back).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sale_is_shared_without_a_rest() {
        for sale in Sale::ALL {
            let kept = sale.captures().iter().sum::<i64>() - sale.refunds().iter().sum::<i64>();
            assert_eq!(sale.expected().iter().sum::<i64>(), kept, "{sale:?}");
            assert!(sale.captures().iter().sum::<i64>() <= sale.amount(), "{sale:?}");
            assert!(sale.distribution().iter().sum::<i64>() <= sale.amount(), "{sale:?}");
        }
    }

    #[test]
    fn a_pocket_calculator_says_the_same() {
        // 40.00 of 120.01 go back: 23.33, 6.66 and 10.01 by largest remainder.
        assert_eq!(Sale::Basket.expected(), [4_667, 1_333, 2_001]);
        assert_eq!(Sale::Workshop.expected(), [0, 4_000, 550]);
        assert_eq!(Sale::Declined.expected(), [0, 0, 0]);
        // 135.55 of 200.00 were captured: 67.775, 22.589 and 45.186.
        assert_eq!(Sale::Commission.expected(), [6_777, 2_259, 4_519]);
        let first: i64 = Sale::ALL.iter().map(|sale| sale.expected()[0]).sum();
        assert!(first > PAYOUT, "the payout is covered");
    }

    #[test]
    fn requests_carry_major_units() {
        let data = Sale::Workshop.order_data(&[3, 4]).to_string();
        assert_eq!(data, r#"{"payeeDistribution":[{"amount":40.0,"payeeId":4}]}"#);
    }
}
