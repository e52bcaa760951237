//! Which runs are merged: as many of like size as make a run of the next size.

use crate::index::IndexOptions;

/// Runs that are merged at once, at most.
const AT_ONCE: usize = 16;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) runs: Vec<usize>,
    pub(super) tier: u32,
}

/// The merge to do next, the smallest first; only of tiers below `ceiling`.
pub(super) fn due(sizes: &[u64], options: &IndexOptions, ceiling: u32) -> Option<Due> {
    let highest = sizes.iter().map(|&size| tier(size, options)).max()?;
    (0..=highest).take_while(|&wanted| wanted < ceiling).find_map(|wanted| {
        let alike = (0..sizes.len()).filter(|&at| tier(sizes[at], options) == wanted);
        let runs: Vec<usize> = alike.take(AT_ONCE).collect();
        (runs.len() >= options.fan_in).then_some(Due { runs, tier: wanted })
    })
}

/// Of tier 0 is what one table makes, and each tier holds `fan_in` times as much as the one
/// before.
fn tier(size: u64, options: &IndexOptions) -> u32 {
    let mut most = options.table as u64 * 2;
    let mut tier = 0;
    while size >= most {
        most = most.saturating_mul(options.fan_in as u64);
        tier += 1;
        if most == u64::MAX {
            break;
        }
    }
    tier
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: IndexOptions = IndexOptions { table: 100, page: 10, fan_in: 4, filter_bytes: 0 };

    fn merged(sizes: &[u64], ceiling: u32) -> Option<(Vec<usize>, u32)> {
        due(sizes, &OPTIONS, ceiling).map(|due| (due.runs, due.tier))
    }

    #[test]
    fn runs_wait_until_enough_of_like_size_are_there() {
        assert_eq!(merged(&[], u32::MAX), None);
        assert_eq!(merged(&[100, 120, 110], u32::MAX), None);
        assert_eq!(merged(&[100, 120, 110, 100], u32::MAX), Some((vec![0, 1, 2, 3], 0)));
        assert_eq!(merged(&[400, 100, 100, 420, 400, 410], u32::MAX), Some((vec![0, 3, 4, 5], 1)));
    }

    #[test]
    fn small_merges_come_first_and_large_ones_wait_for_the_one_under_way() {
        let sizes = [400, 400, 400, 400, 100, 100, 100, 100];
        assert_eq!(merged(&sizes, u32::MAX), Some((vec![4, 5, 6, 7], 0)));
        assert_eq!(merged(&sizes, 1), Some((vec![4, 5, 6, 7], 0)));
        assert_eq!(merged(&sizes[..4], 1), None);
    }

    #[test]
    fn a_merge_makes_a_run_of_a_higher_tier() {
        for size in [1, 99, 150, 199, 200, 799, 800, 3_000, u64::MAX / 4] {
            let before = tier(size, &OPTIONS);
            let after = tier(size.saturating_mul(4), &OPTIONS);
            assert!(after <= before + 1 && (size < 50 || after > before), "{size}");
        }
    }
}
