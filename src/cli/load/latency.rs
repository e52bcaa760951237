//! Latencies of each operation, in microseconds, and how many calls were answered in time.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::mix::Operation;

/// The longest latency that is measured: a minute.
const LONGEST_MICROS: u64 = 60_000_000;

/// The time that is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) from: Instant,
    pub(super) end: Instant,
}

#[derive(Clone, Debug)]
pub(super) struct Latencies {
    histograms: Vec<Histogram<u64>>,
    /// By operation, the calls that were answered in the window, whenever they were due.
    in_time: Vec<u64>,
    /// Calls that were due in the window and answered after it.
    late: u64,
}

/// What a table shows of one operation, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Summary {
    pub(super) count: u64,
    pub(super) p50: u64,
    pub(super) p90: u64,
    pub(super) p99: u64,
    pub(super) p999: u64,
    pub(super) max: u64,
}

impl Window {
    pub(super) fn holds(&self, moment: Instant) -> bool {
        (self.from..self.end).contains(&moment)
    }
}

impl Latencies {
    pub(super) fn new() -> Self {
        let histogram = || {
            Histogram::new_with_bounds(1, LONGEST_MICROS, 3)
                .expect("the bounds are in order and the digits few")
        };
        let histograms: Vec<_> = Operation::ALL.iter().map(|_| histogram()).collect();
        Self { in_time: vec![0; histograms.len()], histograms, late: 0 }
    }

    /// Takes a call that was due at `begun`. The latencies are those of all calls that were due in
    /// the window, however late they were answered; the rate is that of the answers in it: of a
    /// server that falls behind what is asked for, it is what the server did.
    pub(super) fn take(
        &mut self,
        operation: Operation,
        begun: Instant,
        answered: Instant,
        window: &Window,
    ) {
        self.in_time[operation.index()] += u64::from(window.holds(answered));
        if window.holds(begun) {
            self.late += u64::from(answered >= window.end);
            self.record(operation, answered.saturating_duration_since(begun));
        }
    }

    fn record(&mut self, operation: Operation, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.histograms[operation.index()].saturating_record(micros.max(1));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (own, others) in self.histograms.iter_mut().zip(&other.histograms) {
            own.add(others).expect("all histograms have the same bounds");
        }
        for (own, others) in self.in_time.iter_mut().zip(&other.in_time) {
            *own += others;
        }
        self.late += other.late;
    }

    /// How many calls of an operation were answered in the window.
    pub(super) fn in_time(&self, operation: Operation) -> u64 {
        self.in_time[operation.index()]
    }

    pub(super) fn late(&self) -> u64 {
        self.late
    }

    pub(super) fn summary(&self, operation: Operation) -> Summary {
        let histogram = &self.histograms[operation.index()];
        if histogram.is_empty() {
            return Summary::default();
        }
        Summary {
            count: histogram.len(),
            p50: histogram.value_at_quantile(0.5),
            p90: histogram.value_at_quantile(0.9),
            p99: histogram.value_at_quantile(0.99),
            p999: histogram.value_at_quantile(0.999),
            max: histogram.max(),
        }
    }
}

pub(super) fn per_second(count: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(count) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_thousand_steps() {
        let (mut one, mut other) = (Latencies::new(), Latencies::new());
        for millis in 1..=1000 {
            let worker = if millis % 2 == 0 { &mut one } else { &mut other };
            worker.record(Operation::Amend, Duration::from_millis(millis));
        }
        one.merge(&other);
        let summary = one.summary(Operation::Amend);
        assert_eq!(summary.count, 1000);
        for (found, exact) in [
            (summary.p50, 500_000),
            (summary.p90, 900_000),
            (summary.p99, 990_000),
            (summary.p999, 999_000),
            (summary.max, 1_000_000_u64),
        ] {
            assert!(found.abs_diff(exact) <= exact / 500, "{found} for {exact}");
        }
        assert_eq!(one.summary(Operation::Read), Summary::default());
    }

    /// Calls are due twice as often as the server answers.
    #[test]
    fn a_server_that_falls_behind_is_given_the_rate_at_which_it_answers() {
        let start = Instant::now();
        let at = |second: u64| start + Duration::from_secs(second);
        let window = Window { from: at(10), end: at(30) };
        let mut latencies = Latencies::new();
        for nth in 0..30 {
            latencies.take(Operation::Amend, at(nth), at(nth * 2), &window);
        }
        assert_eq!(latencies.in_time(Operation::Amend), 10);
        assert_eq!((latencies.summary(Operation::Amend).count, latencies.late()), (20, 15));

        let other = latencies.clone();
        latencies.merge(&other);
        assert_eq!((latencies.in_time(Operation::Amend), latencies.late()), (20, 30));
        assert_eq!(latencies.in_time(Operation::Read), 0);
    }

    #[test]
    fn throughput_is_rounded_down() {
        assert_eq!(per_second(0, Duration::ZERO), 0);
        assert_eq!(per_second(15, Duration::from_secs(2)), 7);
        assert_eq!(per_second(1_000, Duration::from_millis(250)), 4_000);
    }
}
