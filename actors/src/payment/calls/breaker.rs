//! When a processor is called, and when it is left alone.

use std::time::Duration;

use tokio::time::Instant;

/// After so many time-outs in a row it is left alone.
const IN_VAIN: u32 = 5;
/// For so long at first, twice as long after each call that tries it in vain.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Every call is made.
    Closed,
    /// No call is made.
    Open,
    /// One call tries whether it answers again.
    HalfOpen,
}

#[derive(Debug, Default)]
pub(super) struct Breaker {
    in_vain: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    pause: Duration,
    /// A call is under way that tries it.
    probed: bool,
}

impl Breaker {
    pub(super) fn state(&self, now: Instant) -> BreakerState {
        match &self.open {
            None => BreakerState::Closed,
            Some(open) if open.probed || now < open.until => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.open.is_none() && self.in_vain == 0
    }

    /// Whether a call may be made now; the first after the pause is the one that tries.
    pub(super) fn admit(&mut self, now: Instant) -> bool {
        let state = self.state(now);
        if let (BreakerState::HalfOpen, Some(open)) = (state, &mut self.open) {
            open.probed = true;
        }
        state != BreakerState::Open
    }

    /// How a call went that was made.
    pub(super) fn note(&mut self, in_vain: bool, now: Instant) {
        if !in_vain {
            *self = Self::default();
            return;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        match &mut self.open {
            Some(open) if open.probed => {
                let pause = (open.pause * 2).min(LONGEST_PAUSE);
                *open = Open { until: now + pause, pause, probed: false };
            }
            // One that was begun before it opened.
            Some(_) => {}
            None if self.in_vain >= IN_VAIN => {
                let pause = FIRST_PAUSE;
                self.open = Some(Open { until: now + pause, pause, probed: false });
            }
            None => {}
        }
    }

    /// The call that tried was given up: the next one tries.
    pub(super) fn forget_probe(&mut self) {
        if let Some(open) = &mut self.open {
            open.probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_time_outs_in_a_row_and_closes_when_one_call_is_answered() {
        let (mut breaker, start) = (Breaker::default(), Instant::now());
        for _ in 0..3 {
            (1..IN_VAIN).for_each(|_| breaker.note(true, start));
            assert!(breaker.admit(start), "not enough in a row");
            breaker.note(false, start);
        }
        (0..IN_VAIN).for_each(|_| breaker.note(true, start));
        assert!(!breaker.admit(start + FIRST_PAUSE - Duration::from_millis(1)));

        let mut now = start + FIRST_PAUSE;
        for pause in [10, 20, 40, 60, 60] {
            assert_eq!(breaker.state(now), BreakerState::HalfOpen);
            assert!(breaker.admit(now) && !breaker.admit(now), "one tries");
            breaker.note(true, now);
            now += Duration::from_secs(pause);
            assert!(!breaker.admit(now - Duration::from_millis(1)), "{pause}");
        }
        assert!(breaker.admit(now));
        breaker.forget_probe();
        assert!(breaker.admit(now), "the one that tried was given up");
        breaker.note(false, now);
        assert_eq!(breaker.state(now), BreakerState::Closed);
        assert!(breaker.admit(now) && breaker.admit(now));
    }

    #[test]
    fn an_answer_to_an_earlier_call_closes_it_too() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        (0..IN_VAIN + 3).for_each(|_| breaker.note(true, now));
        assert_eq!(breaker.state(now), BreakerState::Open);
        breaker.note(false, now);
        assert_eq!(breaker.state(now), BreakerState::Closed);
    }
}
