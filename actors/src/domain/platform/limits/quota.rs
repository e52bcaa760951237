//! A count of what came in the last 24 hours.

use std::collections::VecDeque;

use storage::{Record, RecordError, cbor_decode, cbor_encode};

use crate::domain::time::Timestamp;

/// Up to this many requests a day every request is remembered by itself and leaves the count
/// exactly 24 hours after it came. Beyond it, requests of one minute share an entry and leave
/// together, 24 hours after the last of them: never too many are let through, and a request is
/// refused at most a minute too long.
pub const EXACT_UP_TO: u32 = 2_048;

const WINDOW_MICROS: i64 = 24 * 3_600 * 1_000_000;
const MINUTE_MICROS: i64 = 60 * 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaVerdict {
    /// The quota is 0: nothing is counted.
    Unmetered,
    /// The request counts, whatever becomes of it.
    Admitted {
        /// Requests left in the window.
        remaining: u32,
    },
    /// The window is full; this request is not counted.
    Refused {
        /// Seconds until the oldest request leaves the window, rounded up, at least 1.
        retry_after_seconds: u64,
    },
}

/// Requests that came together: when the first and the last of them did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    first: i64,
    last: i64,
    count: u32,
}

/// The requests of the last 24 hours of one seller and kind. Memory and row stay bounded: at
/// most [`EXACT_UP_TO`] entries and one for each minute of the day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RollingCounter {
    entries: VecDeque<Entry>,
    total: u64,
}

impl RollingCounter {
    /// Counts a request at `now` if fewer than `per_day` came in the 24 hours before; 0 is no
    /// quota. A request that is refused here is not counted, so that waiting for
    /// `retry_after_seconds` always helps.
    pub fn take(&mut self, per_day: u32, now: Timestamp) -> QuotaVerdict {
        if per_day == 0 {
            return QuotaVerdict::Unmetered;
        }
        let now = self.entries.back().map_or(now.micros(), |newest| newest.last.max(now.micros()));
        self.forget_before(now);
        if self.total >= u64::from(per_day) {
            let retry_after_seconds = self.seconds_to_room(per_day, now);
            return QuotaVerdict::Refused { retry_after_seconds };
        }
        self.remember(now);
        let left = u64::from(per_day) - self.total;
        QuotaVerdict::Admitted { remaining: u32::try_from(left).unwrap_or(u32::MAX) }
    }

    pub fn is_empty(&self, now: Timestamp) -> bool {
        self.entries.back().is_none_or(|newest| newest.last + WINDOW_MICROS <= now.micros())
    }

    fn forget_before(&mut self, now: i64) {
        while let Some(oldest) = self.entries.front().filter(|e| e.last + WINDOW_MICROS <= now) {
            self.total -= u64::from(oldest.count);
            self.entries.pop_front();
        }
    }

    /// Seconds until so many have left that one more fits. That is when the oldest leaves,
    /// unless the quota was lowered meanwhile.
    fn seconds_to_room(&self, per_day: u32, now: i64) -> u64 {
        let mut left = self.total;
        let mut leaves = now;
        for entry in &self.entries {
            left -= u64::from(entry.count);
            leaves = entry.last + WINDOW_MICROS;
            if left < u64::from(per_day) {
                break;
            }
        }
        u64::try_from(leaves - now).unwrap_or(0).div_ceil(1_000_000).max(1)
    }

    fn remember(&mut self, now: i64) {
        self.total += 1;
        let crowded = self.entries.len() >= EXACT_UP_TO as usize;
        match self.entries.back_mut() {
            Some(newest) if crowded && now < newest.first + MINUTE_MICROS => {
                newest.last = now;
                newest.count += 1;
            }
            _ => self.entries.push_back(Entry { first: now, last: now, count: 1 }),
        }
    }
}

/// A row is a flat list: for each entry the microseconds since the entry before ended, its own
/// length in microseconds, and its count.
impl Record for RollingCounter {
    fn encode(&self) -> Vec<u8> {
        let mut flat = Vec::with_capacity(self.entries.len() * 3);
        let mut before = 0;
        for entry in &self.entries {
            flat.extend([entry.first - before, entry.last - entry.first, entry.count.into()]);
            before = entry.last;
        }
        cbor_encode(&flat)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let malformed = || RecordError::Payload("a quota's entries do not add up".to_owned());
        let flat: Vec<i64> = cbor_decode(bytes)?;
        let (triples, rest) = flat.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(malformed());
        }
        let mut counter = Self::default();
        let mut before = 0_i64;
        for &[gap, length, count] in triples {
            let first = before.checked_add(gap).ok_or_else(malformed)?;
            let last = first.checked_add(length).ok_or_else(malformed)?;
            let count = u32::try_from(count).map_err(|_| malformed())?;
            counter.entries.push_back(Entry { first, last, count });
            counter.total += u64::from(count);
            before = last;
        }
        Ok(counter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn the_twenty_first_contract_waits_for_the_first_to_be_a_day_old() {
        let mut counter = RollingCounter::default();
        for n in 0..20_u32 {
            let verdict = counter.take(20, at(i64::from(n) * 1_000_000));
            assert_eq!(verdict, QuotaVerdict::Admitted { remaining: 19 - n });
        }
        let refused = |retry_after_seconds| QuotaVerdict::Refused { retry_after_seconds };
        assert_eq!(counter.take(20, at(20_000_000)), refused(86_380));
        assert_eq!(counter.take(20, at(WINDOW_MICROS - 1)), refused(1));
        assert_eq!(counter.take(20, at(WINDOW_MICROS)), QuotaVerdict::Admitted { remaining: 0 });
        assert_eq!(counter.take(20, at(WINDOW_MICROS)), refused(1));
        assert_eq!(counter.take(0, at(WINDOW_MICROS)), QuotaVerdict::Unmetered);
    }

    #[test]
    fn a_lowered_quota_waits_until_enough_have_left() {
        let mut counter = RollingCounter::default();
        for n in 0..5 {
            counter.take(5, at(n * 10_000_000));
        }
        let verdict = counter.take(2, at(40_000_000));
        assert_eq!(verdict, QuotaVerdict::Refused { retry_after_seconds: 86_400 - 10 });
        assert_eq!(
            counter.take(2, at(WINDOW_MICROS + 30_000_000)),
            QuotaVerdict::Admitted { remaining: 0 }
        );
    }

    #[test]
    fn a_great_quota_stays_small_in_memory_and_never_lets_too_many_through() {
        let quota = 100_000;
        let mut counter = RollingCounter::default();
        let mut admitted = Vec::new();
        for step in 0..260_000_i64 {
            let now = step * 1_000_000;
            if matches!(counter.take(quota, at(now)), QuotaVerdict::Admitted { .. }) {
                admitted.push(now);
            }
        }
        assert!(counter.entries.len() <= EXACT_UP_TO as usize + 1_441);
        assert!(counter.encode().len() < storage::MAX_VALUE_BYTES - 5);
        // One request a second is 86,400 a day: the quota is never reached.
        assert_eq!(admitted.len(), 260_000);
        let total: u64 = counter.entries.iter().map(|entry| u64::from(entry.count)).sum();
        assert_eq!(total, counter.total);
    }

    proptest! {
        #[test]
        fn agrees_with_a_list_of_all_requests(
            per_day in 1_u32..40,
            steps in proptest::collection::vec(0_i64..WINDOW_MICROS / 6, 1..200),
        ) {
            let mut counter = RollingCounter::default();
            let mut admitted: Vec<i64> = Vec::new();
            let mut now = 0;
            for step in steps {
                now += step;
                let recent: Vec<i64> =
                    admitted.iter().copied().filter(|then| now - then < WINDOW_MICROS).collect();
                let expected = if recent.len() < per_day as usize {
                    admitted.push(now);
                    let left = per_day - 1 - u32::try_from(recent.len()).expect("small");
                    QuotaVerdict::Admitted { remaining: left }
                } else {
                    let micros = recent[0] + WINDOW_MICROS - now;
                    let seconds = u64::try_from((micros + 999_999) / 1_000_000).expect("ahead");
                    QuotaVerdict::Refused { retry_after_seconds: seconds.max(1) }
                };
                prop_assert_eq!(counter.take(per_day, at(now)), expected);
                let row = counter.encode();
                prop_assert_eq!(&RollingCounter::decode(1, &row).expect("a row"), &counter);
            }
        }

        #[test]
        fn beyond_the_exact_part_the_window_never_holds_more_than_the_quota(
            steps in proptest::collection::vec(1_i64..90_000_000, 3_000..4_000),
        ) {
            let per_day = EXACT_UP_TO + 200;
            let mut counter = RollingCounter::default();
            let mut admitted = VecDeque::new();
            let mut now = 0;
            for step in steps {
                now += step;
                while admitted.front().is_some_and(|then| now - then >= WINDOW_MICROS) {
                    admitted.pop_front();
                }
                if matches!(counter.take(per_day, at(now)), QuotaVerdict::Admitted { .. }) {
                    admitted.push_back(now);
                }
                prop_assert!(admitted.len() <= per_day as usize);
            }
        }
    }
}
