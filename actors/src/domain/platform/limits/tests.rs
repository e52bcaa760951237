//! Token buckets.

use proptest::prelude::*;

use super::*;

const BILLING: Budget = Budget { per_hour: 1_000, burst: 100 };

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

#[test]
fn the_burst_goes_at_once_and_the_next_token_comes_after_3_6_seconds() {
    let mut bucket = TokenBucket::full(BILLING, at(0));
    for left in (0..100).rev() {
        let Verdict::Admitted(standing) = bucket.take(BILLING, at(0)) else {
            panic!("refused with {left} to go");
        };
        assert_eq!((standing.limit, standing.remaining), (1_000, left));
    }
    let empty = Standing { limit: 1_000, remaining: 0, reset_seconds: 360 };
    let refused = Verdict::Refused { standing: empty, retry_after_seconds: 4 };
    assert_eq!(bucket.take(BILLING, at(0)), refused);
    assert!(matches!(
        bucket.take(BILLING, at(3_599_999)),
        Verdict::Refused { retry_after_seconds: 1, .. }
    ));
    assert_eq!(bucket.take(BILLING, at(3_600_000)), Verdict::Admitted(empty));
    assert!(!bucket.is_full(BILLING, at(363_599_999)));
    assert!(bucket.is_full(BILLING, at(363_600_000)));
}

#[test]
fn nought_turns_the_limit_off() {
    for budget in [Budget { per_hour: 0, burst: 100 }, Budget { per_hour: 1_000, burst: 0 }] {
        let mut bucket = TokenBucket::full(budget, at(0));
        assert_eq!(bucket.take(budget, at(0)), Verdict::Unmetered);
        assert!(bucket.is_full(budget, at(0)));
    }
}

#[test]
fn a_clock_that_steps_back_gains_nothing() {
    let budget = Budget { per_hour: 3_600, burst: 1 };
    let mut bucket = TokenBucket::full(budget, at(10_000_000));
    assert!(matches!(bucket.take(budget, at(10_000_000)), Verdict::Admitted(_)));
    assert!(matches!(bucket.take(budget, at(0)), Verdict::Refused { .. }));
    assert!(matches!(bucket.take(budget, at(10_500_000)), Verdict::Refused { .. }));
    assert!(matches!(bucket.take(budget, at(11_000_000)), Verdict::Admitted(_)));
}

#[test]
fn the_largest_budget_does_not_overflow() {
    let budget = Budget { per_hour: u32::MAX, burst: u32::MAX };
    let mut bucket = TokenBucket::full(budget, at(i64::MIN));
    let verdict = bucket.take(budget, at(i64::MAX));
    let standing = Standing { limit: u32::MAX, remaining: u32::MAX - 1, reset_seconds: 1 };
    assert_eq!(verdict, Verdict::Admitted(standing));
}

/// The same bucket, told as a water level in units of a 3,600-millionth of a token and
/// computed in 128 bits from the whole history of admitted requests.
struct Referee {
    budget: Budget,
    level: i128,
    last: i128,
}

impl Referee {
    fn take(&mut self, now: i64) -> (bool, i128, i128, i128) {
        let (token, rate) = (3_600_000_000_i128, i128::from(self.budget.per_hour));
        let brim = i128::from(self.budget.burst) * token;
        self.level = (self.level + (i128::from(now) - self.last) * rate).min(brim);
        self.last = now.into();
        let passes = self.level >= token;
        if passes {
            self.level -= token;
        }
        let up = |grains: i128| (grains + rate * 1_000_000 - 1) / (rate * 1_000_000);
        let retry = if passes { 0 } else { up(token - self.level).max(1) };
        (passes, self.level / token, up(brim - self.level), retry)
    }
}

proptest! {
    #[test]
    fn agrees_with_a_second_implementation(
        per_hour in 1_u32..20_000,
        burst in 1_u32..300,
        steps in proptest::collection::vec(0_i64..20_000_000, 1..400),
    ) {
        let budget = Budget { per_hour, burst };
        let mut bucket = TokenBucket::full(budget, at(0));
        let brim = i128::from(burst) * 3_600_000_000;
        let mut referee = Referee { budget, level: brim, last: 0 };
        let mut now = 0;
        for step in steps {
            now += step;
            let (passes, remaining, reset, retry) = referee.take(now);
            let standing = Standing {
                limit: per_hour,
                remaining: u32::try_from(remaining).expect("small"),
                reset_seconds: u64::try_from(reset).expect("small"),
            };
            let expected = if passes {
                Verdict::Admitted(standing)
            } else {
                let retry_after_seconds = u64::try_from(retry).expect("small");
                Verdict::Refused { standing, retry_after_seconds }
            };
            prop_assert_eq!(bucket.take(budget, at(now)), expected);
            prop_assert_eq!(bucket.is_full(budget, at(now)), referee.level == brim);
        }
    }
}
