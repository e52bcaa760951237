//! The payments of the load: each follows from its mark alone, so that the proof knows what must
//! be there without keeping it.

use actors::domain::time::Date;
use bytes::Bytes;

use super::ledger::Mark;
use crate::cli::cents::Cents;
use crate::cli::shares::shared;

pub(super) const PAYEES: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Without a challenge: paid at once.
    Paid,
    /// With one: it waits for its buyer, who never comes.
    Waiting,
}

/// What makes the payments of one run its own.
#[derive(Clone, Debug)]
pub(super) struct Sales {
    /// 32 hexadecimal digits; part of every reference and key.
    pub(super) run: String,
    /// Cards expire after this day.
    pub(super) today: Date,
    /// The payees, [`PAYEES`] of them.
    pub(super) payees: Vec<u64>,
}

impl Sales {
    pub(super) fn key(&self, mark: Mark) -> String {
        let part = |from: usize, to: usize| self.run.get(from..to).unwrap_or_default();
        let (high, low) = (mark >> 48, mark & 0xffff_ffff_ffff);
        format!("{}-{}-{}-{high:04x}-{low:012x}", part(0, 8), part(8, 12), part(12, 16))
    }

    pub(super) fn reference(&self, kind: Kind, mark: Mark) -> String {
        let word = match kind {
            Kind::Paid => "paid",
            Kind::Waiting => "wait",
        };
        format!("load-{}-{word}-{mark}", self.run)
    }

    /// Kind and mark of a payment of this run.
    pub(super) fn parse(&self, reference: &str) -> Option<(Kind, Mark)> {
        let rest = reference.strip_prefix("load-")?.strip_prefix(&self.run)?;
        let (word, mark) = rest.strip_prefix('-')?.split_once('-')?;
        let kind = match word {
            "paid" => Kind::Paid,
            "wait" => Kind::Waiting,
            _ => return None,
        };
        Some((kind, mark.parse().ok()?))
    }

    /// What a buyer is asked for, in cents.
    pub(super) fn amount(mark: Mark) -> i64 {
        let spread = mark.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        500 + i64::try_from(spread % 9_500).unwrap_or(0)
    }

    /// What a refund of a payment asks for, in cents.
    pub(super) fn refund(mark: Mark) -> i64 {
        Self::amount(mark) / 3
    }

    /// Of three payments one stays with the seller; the others are shared with one payee, by its
    /// place, in cents.
    fn share(mark: Mark) -> Option<(usize, i64)> {
        let place = usize::try_from(mark / 3 % PAYEES).unwrap_or(0);
        (!mark.is_multiple_of(3)).then(|| (place, Self::amount(mark) * 2 / 3))
    }

    /// What a payee, by its place, has of a paid payment after refunds of `refunded` cents.
    pub(super) fn part(mark: Mark, refunded: i64) -> Option<(usize, i64)> {
        let (place, share) = Self::share(mark)?;
        let back = shared(refunded, &[share, Self::amount(mark) - share]);
        Some((place, share - back.first().copied().unwrap_or(0)))
    }

    pub(super) fn initiation(&self, kind: Kind, mark: Mark) -> Bytes {
        let (reference, amount) = (self.reference(kind, mark), Cents(Self::amount(mark)).text());
        let (skip, year) = (kind == Kind::Paid, self.today.parts().0 + 3);
        let shared = Self::share(mark).and_then(|(place, minor)| {
            let (payee, amount) = (self.payees.get(place)?, Cents(minor).text());
            Some(format!(
                r#","orderData":{{"payeeDistribution":[{{"payeeId":{payee},"amount":{amount}}}]}}"#
            ))
        });
        let shared = shared.unwrap_or_default();
        Bytes::from(format!(
            r#"{{"externalOrderRef":"{reference}","amount":{amount},"currencyCode":"EUR","skip3DS":{skip},"cardData":{{"cardNumber":"4242424242424242","cvv":"123","expMonth":12,"expYear":{year},"holderName":"Load Tester"}},"billingDetails":{{"country":"DE","zip":"10115"}}{shared}}}"#
        ))
    }

    pub(super) fn refunding(&self, mark: Mark) -> (String, Bytes) {
        let reference = self.reference(Kind::Paid, mark);
        let amount = Cents(Self::refund(mark)).text();
        let path = format!("/payments-api/v1/payments/{reference}/refund");
        (path, Bytes::from(format!(r#"{{"amount":{amount}}}"#)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sales() -> Sales {
        let today = Date::new(2026, 11, 21).expect("a day");
        Sales { run: "0123456789abcdef0123456789abcdef".to_owned(), today, payees: vec![7; 8] }
    }

    #[test]
    fn keys_are_uuids_and_no_two_are_equal() {
        let keys: std::collections::BTreeSet<String> = [0, 1, 1 << 40, (64 << 40) + 9, 1 << 53]
            .into_iter()
            .map(|mark| sales().key(mark))
            .collect();
        assert_eq!(keys.len(), 5);
        assert!(keys.iter().all(|key| uuid::Uuid::parse_str(key).is_ok()), "{keys:?}");
    }

    #[test]
    fn a_reference_names_its_mark() {
        for (kind, mark) in [(Kind::Paid, 0), (Kind::Waiting, (3 << 40) + 17)] {
            let reference = sales().reference(kind, mark);
            assert_eq!(sales().parse(&reference), Some((kind, mark)), "{reference}");
        }
        for other in ["", "load-1-paid-2", "basket", &format!("load-{}-sold-1", sales().run)] {
            assert_eq!(sales().parse(other), None, "{other}");
        }
    }

    #[test]
    fn bodies_are_json_and_shares_fit_their_amounts() {
        let mut shared = 0;
        for mark in 0..300 {
            let body: serde_json::Value =
                serde_json::from_slice(&sales().initiation(Kind::Paid, mark)).expect("json");
            assert_eq!(body["skip3DS"], true);
            let (amount, refund) = (Sales::amount(mark), Sales::refund(mark));
            assert!((500..10_000).contains(&amount) && (100..amount).contains(&refund));
            let part = Sales::part(mark, 0);
            assert_eq!(part.is_some(), body["orderData"].is_object(), "{body}");
            assert!(part.is_none_or(|(_, minor)| minor > 0 && minor < amount));
            assert_eq!(Sales::part(mark, amount).map_or(0, |(_, minor)| minor), 0);
            shared += usize::from(part.is_some());
            let (_, body) = sales().refunding(mark);
            assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        }
        assert_eq!(shared, 200);
    }
}
