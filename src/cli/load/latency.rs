//! Latencies of each operation, in microseconds.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::mix::Operation;

/// The longest latency that is measured: a minute.
const LONGEST_MICROS: u64 = 60_000_000;

#[derive(Clone, Debug)]
pub(super) struct Latencies(Vec<Histogram<u64>>);

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

impl Latencies {
    pub(super) fn new() -> Self {
        let histogram = || {
            Histogram::new_with_bounds(1, LONGEST_MICROS, 3)
                .expect("the bounds are in order and the digits few")
        };
        Self(Operation::ALL.iter().map(|_| histogram()).collect())
    }

    pub(super) fn record(&mut self, operation: Operation, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.0[operation.index()].saturating_record(micros.max(1));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (own, others) in self.0.iter_mut().zip(&other.0) {
            own.add(others).expect("all histograms have the same bounds");
        }
    }

    pub(super) fn summary(&self, operation: Operation) -> Summary {
        let histogram = &self.0[operation.index()];
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

    #[test]
    fn throughput_is_rounded_down() {
        assert_eq!(per_second(0, Duration::ZERO), 0);
        assert_eq!(per_second(15, Duration::from_secs(2)), 7);
        assert_eq!(per_second(1_000, Duration::from_millis(250)), 4_000);
    }
}
