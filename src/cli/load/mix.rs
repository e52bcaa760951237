//! Which operations the load consists of, and the dice that choose.

use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Amend,
    Subscribe,
    Read,
    Invoice,
    Usage,
    Snapshot,
    /// `POST /initialize-payment` of a card payment without a challenge.
    Pay,
    /// `POST /initialize-payment` of a card payment that waits for its buyer.
    Initiate,
    /// `POST /payments/{externalOrderRef}/refund` of a part.
    Refund,
}

/// The names on the command line, in the order of [`Operation::ALL`].
const NAMES: [&str; 9] = [
    "amend",
    "subscribe",
    "read",
    "invoice",
    "usage",
    "snapshot",
    "payments",
    "initiate",
    "refund",
];

impl Operation {
    pub(super) const ALL: [Self; 9] = [
        Self::Amend,
        Self::Subscribe,
        Self::Read,
        Self::Invoice,
        Self::Usage,
        Self::Snapshot,
        Self::Pay,
        Self::Initiate,
        Self::Refund,
    ];

    pub(super) fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    pub(super) fn index(self) -> usize {
        self as usize
    }
}

/// How often each operation comes, in the order of [`Operation::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mix {
    weights: [u32; Operation::ALL.len()],
}

impl Mix {
    pub(super) fn choose(self, dice: &mut Dice) -> Operation {
        let mut left = dice.below(u64::from(self.total()));
        for (operation, weight) in Operation::ALL.into_iter().zip(self.weights) {
            match left.checked_sub(u64::from(weight)) {
                Some(rest) => left = rest,
                None => return operation,
            }
        }
        Operation::Read
    }

    /// Whether the load brings usage events or reads their counters.
    pub(super) fn is_metered(self) -> bool {
        self.has(&[Operation::Usage, Operation::Snapshot])
    }

    pub(super) fn sells(self) -> bool {
        self.has(&[Operation::Pay, Operation::Initiate, Operation::Refund])
    }

    pub(super) fn refunds(self) -> bool {
        self.has(&[Operation::Refund])
    }

    pub(super) fn needs_contracts(self) -> bool {
        self.has(&Operation::ALL[..Operation::Pay.index()])
    }

    fn has(self, operations: &[Operation]) -> bool {
        operations.iter().any(|operation| self.weights[operation.index()] > 0)
    }

    fn total(self) -> u32 {
        self.weights.iter().sum()
    }
}

impl FromStr for Mix {
    type Err = String;

    /// `amend`, `mixed`, or weights like `amend=8,read=2`; `mixed` leaves usage and payments out.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "mixed" {
            return Ok(Self { weights: [40, 15, 40, 5, 0, 0, 0, 0, 0] });
        }
        let mut weights = [0; Operation::ALL.len()];
        for part in text.split(',') {
            let (name, weight) = part.split_once('=').unwrap_or((part, "1"));
            let operation = Operation::ALL
                .into_iter()
                .find(|operation| operation.name() == name.trim())
                .ok_or_else(|| {
                    let known = Operation::ALL.map(Operation::name).join(", ");
                    format!("{name:?} is none of {known}, mixed")
                })?;
            let weight: u32 =
                weight.trim().parse().map_err(|_| format!("{weight:?} is no weight"))?;
            weights[operation.index()] += weight.min(1_000_000);
        }
        if weights.iter().all(|weight| *weight == 0) {
            return Err("every weight is 0".to_owned());
        }
        Ok(Self { weights })
    }
}

/// Cheap pseudo-random numbers (SplitMix64); a load needs spread, not secrecy.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`, which is above 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The high half of the product is even enough for limits far below 2^64.
        ((u128::from(mixed) * u128::from(limit)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_a_name_or_weights() {
        assert_eq!("amend".parse(), Ok(Mix { weights: [1, 0, 0, 0, 0, 0, 0, 0, 0] }));
        assert_eq!("amend=8,read=2".parse(), Ok(Mix { weights: [8, 0, 2, 0, 0, 0, 0, 0, 0] }));
        assert!("mixed".parse::<Mix>().is_ok_and(|mix| !mix.is_metered()));
        assert!("usage=9,snapshot".parse::<Mix>().is_ok_and(Mix::is_metered));
        let sold = "payments=9,refund".parse::<Mix>();
        assert!(sold.is_ok_and(|mix| mix.sells() && mix.refunds() && !mix.needs_contracts()));
        let both = "initiate,usage".parse::<Mix>();
        assert!(both.is_ok_and(|mix| mix.sells() && !mix.refunds() && mix.needs_contracts()));
        for wrong in ["", "delete", "amend=x", "amend=0", "amend=-1"] {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong:?} was taken");
        }
    }

    #[test]
    fn operations_come_by_their_weights() {
        let mix: Mix = "subscribe=1,read=3".parse().expect("a mix");
        let mut dice = Dice::new(7);
        let mut counts = [0_u32; Operation::ALL.len()];
        for _ in 0..40_000 {
            counts[mix.choose(&mut dice).index()] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((9_500..10_500).contains(&counts[1]), "{counts:?}");
    }
}
