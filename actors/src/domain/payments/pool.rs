//! Settled money that is in no payout: which payment's it is.
//!
//! All that ever settled into a wallet lies in one line, in order of settlement; a unit's place in
//! it never changes. A payment has the places of its share, a payout those that it took, and what
//! both have in common is the payment's part of that payout. So a payout over a hundred thousand
//! payments is attributed with one pair of numbers. What is free, lies in a few [`Span`]s, of
//! which the earliest is taken first. What is taken back beyond what is free is owed, and made up
//! for by what settles next.

use minicbor::{Decode, Encode};

/// How many free pieces are kept apart. Beyond it, money that is taken back comes from the oldest
/// piece and no longer from its own payment's, so that the row of a wallet stays small.
pub const MAX_PIECES: usize = 256;

/// The most that ever settles into one wallet, in minor units. No seller comes near it.
pub const LINE_LIMIT: u64 = 1 << 62;

/// Places in the line from `from` to before `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct Span {
    #[n(0)]
    pub from: u64,
    #[n(1)]
    pub to: u64,
}

/// The line of one wallet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Pool {
    /// How much ever settled: the end of the line.
    #[n(0)]
    settled: u64,
    /// What is free, earliest first; no two touch.
    #[n(1)]
    free: Vec<Span>,
    /// What is owed; only while nothing is free.
    #[n(2)]
    owed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFull;

impl Span {
    pub fn len(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The class of its length: `n` for 2^(n-1) places to below 2^n. Of spans of one class that do
    /// not overlap few begin near a place, so that those around it are found by where they begin.
    pub fn class(self) -> u32 {
        u64::BITS - self.len().leading_zeros()
    }

    /// Before which no span of a class begins that reaches beyond the place `from`.
    pub fn lowest_of(class: u32, from: u64) -> u64 {
        from.saturating_sub(1_u64.checked_shl(class).unwrap_or(u64::MAX))
    }

    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let from = self.from.max(other.from);
        Self { from, to: self.to.min(other.to).max(from) }
    }
}

/// How many places two lists of spans share; neither list overlaps itself.
pub fn overlap(these: &[Span], those: &[Span]) -> u64 {
    let of = |span: &Span| those.iter().map(|other| span.common(*other).len()).sum::<u64>();
    these.iter().map(of).sum()
}

impl Pool {
    /// What is free less what is owed: the wallet's available balance.
    pub fn balance(&self) -> i64 {
        let free: u64 = self.free.iter().map(|span| span.len()).sum();
        free.cast_signed() - self.owed.cast_signed()
    }

    /// Money settles: it takes its places at the end, and makes up for what is owed. An error
    /// leaves the line as it was.
    pub fn settle(&mut self, amount: u64) -> Result<Span, LineFull> {
        let end = self.settled.checked_add(amount).filter(|end| *end <= LINE_LIMIT);
        let places = Span { from: self.settled, to: end.ok_or(LineFull)? };
        self.settled = places.to;
        let made_up = self.owed.min(amount);
        self.owed -= made_up;
        self.put_free(Span { from: places.from + made_up, to: places.to });
        Ok(places)
    }

    /// Takes the earliest free money for a payout. The caller has seen that there is enough.
    pub fn take(&mut self, amount: u64) -> Vec<Span> {
        let (mut left, mut taken) = (amount, Vec::new());
        while left > 0 && !self.free.is_empty() {
            let first = &mut self.free[0];
            let part = Span { from: first.from, to: first.to.min(first.from + left) };
            left -= part.len();
            first.from = part.to;
            taken.push(part);
            if first.is_empty() {
                self.free.remove(0);
            }
        }
        taken
    }

    /// What a payout had taken is free again, and first makes up for what is owed.
    pub fn give_back(&mut self, spans: &[Span]) {
        for span in spans {
            self.put_free(*span);
        }
        let made_up: u64 = self.take(self.owed).iter().map(|span| span.len()).sum();
        self.owed -= made_up;
    }

    /// Takes money of a payment back: its own while that is free, latest first, else the oldest
    /// that is; what is not there is owed.
    pub fn take_back(&mut self, own: &[Span], amount: u64) {
        let mut left = amount;
        for span in own.iter().rev() {
            left -= self.cut(*span, left);
        }
        let oldest: u64 = self.take(left).iter().map(|span| span.len()).sum();
        self.owed += left - oldest;
    }

    /// Cuts up to `amount` free places out of `span`, from its end; answers how many.
    fn cut(&mut self, span: Span, amount: u64) -> u64 {
        let mut left = amount;
        while left > 0 {
            let found = self.free.iter().rposition(|free| !free.common(span).is_empty());
            let Some(at) = found else { break };
            let free = self.free[at];
            let shared = free.common(span);
            let part = Span { from: shared.to - left.min(shared.len()), to: shared.to };
            let rest =
                [Span { from: free.from, to: part.from }, Span { from: part.to, to: free.to }];
            let pieces: Vec<Span> = rest.into_iter().filter(|piece| !piece.is_empty()).collect();
            if self.free.len() + pieces.len() > MAX_PIECES + 1 {
                break;
            }
            self.free.splice(at..=at, pieces);
            left -= part.len();
        }
        amount - left
    }

    fn put_free(&mut self, span: Span) {
        if span.is_empty() {
            return;
        }
        let at = self.free.partition_point(|free| free.from < span.from);
        self.free.insert(at, span);
        if self.free.get(at + 1).is_some_and(|next| next.from == span.to) {
            self.free[at].to = self.free.remove(at + 1).to;
        }
        if at > 0 && self.free[at - 1].to == span.from {
            self.free[at - 1].to = self.free.remove(at).to;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(from: u64, to: u64) -> Span {
        Span { from, to }
    }

    #[test]
    fn the_oldest_is_taken_first_and_what_comes_back_is_the_oldest_again() {
        let mut pool = Pool::default();
        let first = pool.settle(100).expect("room");
        let second = pool.settle(50).expect("room");
        assert_eq!((first, second, pool.balance()), (span(0, 100), span(100, 150), 150));
        let one = pool.take(120);
        assert_eq!((&one[..], pool.balance()), (&[span(0, 120)][..], 30));
        assert_eq!((overlap(&one, &[first]), overlap(&one, &[second])), (100, 20));
        let two = pool.take(10);
        assert_eq!(two, [span(120, 130)]);
        pool.give_back(&one);
        assert_eq!(pool.take(125), [span(0, 120), span(130, 135)]);
        pool.give_back(&two);
        assert_eq!(pool.balance(), 25);
    }

    #[test]
    fn a_refund_takes_its_own_money_then_the_oldest_then_runs_into_debt() {
        let mut pool = Pool::default();
        let first = pool.settle(100).expect("room");
        let second = pool.settle(100).expect("room");
        let third = pool.settle(100).expect("room");
        pool.take_back(&[second], 40);
        assert_eq!(pool.take(170), [span(0, 160), span(200, 210)]);
        pool.take_back(&[first], 50);
        assert_eq!((pool.balance(), overlap(&pool.take(40), &[third])), (40, 40));
        pool.take_back(&[first], 30);
        assert_eq!(pool.balance(), -30);
        let fourth = pool.settle(20).expect("room");
        assert_eq!(pool.balance(), -10);
        pool.settle(15).expect("room");
        assert_eq!((pool.balance(), overlap(&pool.take(5), &[fourth])), (5, 0));
    }

    #[test]
    fn a_span_that_reaches_beyond_a_place_begins_where_its_class_says() {
        for length in (1..300).chain([1 << 40, LINE_LIMIT - 1, LINE_LIMIT]) {
            let class = span(0, length).class();
            assert!(class <= 63 && length >> class == 0 && length >> (class - 1) == 1, "{length}");
            for from in [0, 5, 1_000].into_iter().filter(|from| from + length <= LINE_LIMIT) {
                let last = from + length - 1;
                assert!(Span::lowest_of(class, last) <= from, "{length} from {from}");
            }
        }
    }

    #[test]
    fn pieces_stay_few_however_much_is_refunded() {
        let mut pool = Pool::default();
        let shares: Vec<Span> = (0..1_000).map(|_| pool.settle(10).expect("room")).collect();
        for share in shares.iter().skip(1).step_by(2) {
            pool.take_back(&[*share], 5);
            assert!(pool.free.len() <= MAX_PIECES + 1, "{}", pool.free.len());
        }
        assert_eq!(pool.balance(), 10_000 - 2_500);
        assert_eq!(Pool { settled: LINE_LIMIT, ..Pool::default() }.settle(1), Err(LineFull));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Settle(u64),
        Take(u64),
        GiveBack(usize),
        TakeBack(usize, u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (1_u64..60).prop_map(Step::Settle),
            (1_u64..80).prop_map(Step::Take),
            any::<usize>().prop_map(Step::GiveBack),
            (any::<usize>(), 1_u64..60).prop_map(|(which, amount)| Step::TakeBack(which, amount)),
        ];
        proptest::collection::vec(step, 1..60)
    }

    proptest! {
        /// No unit is in two places, and the balance is what came less what went.
        #[test]
        fn every_unit_is_somewhere_once(steps in steps()) {
            let (mut pool, mut balance) = (Pool::default(), 0_i64);
            let (mut shares, mut payouts) = (Vec::new(), Vec::<Vec<Span>>::new());
            for step in steps {
                match step {
                    Step::Settle(amount) => {
                        shares.push(pool.settle(amount).expect("room"));
                        balance += amount.cast_signed();
                    }
                    Step::Take(amount) => {
                        let amount = amount.min(u64::try_from(balance).unwrap_or(0));
                        let taken = pool.take(amount);
                        prop_assert_eq!(taken.iter().map(|span| span.len()).sum::<u64>(), amount);
                        balance -= amount.cast_signed();
                        payouts.push(taken);
                    }
                    Step::GiveBack(which) if !payouts.is_empty() => {
                        let back = payouts.swap_remove(which % payouts.len());
                        balance += back.iter().map(|span| span.len().cast_signed()).sum::<i64>();
                        pool.give_back(&back);
                    }
                    Step::TakeBack(which, amount) if !shares.is_empty() => {
                        pool.take_back(&[shares[which % shares.len()]], amount);
                        balance -= amount.cast_signed();
                    }
                    _ => {}
                }
                prop_assert_eq!(pool.balance(), balance);
                prop_assert!(pool.owed == 0 || pool.free.is_empty());
                let mut all: Vec<Span> = pool.free.iter().chain(payouts.iter().flatten()).copied().collect();
                all.sort();
                prop_assert!(all.windows(2).all(|pair| pair[0].to <= pair[1].from), "{:?}", all);
                prop_assert!(pool.free.windows(2).all(|pair| pair[0].to < pair[1].from));
                prop_assert!(all.iter().all(|span| !span.is_empty() && span.to <= pool.settled));
                let row = minicbor::to_vec(&pool).expect("a row");
                prop_assert_eq!(minicbor::decode::<Pool>(&row).expect("the same"), pool.clone());
            }
        }
    }
}
