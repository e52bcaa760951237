//! Money shared by weights, reckoned apart from the server: what its figures are checked against.

/// `total` minor units shared by `weights`: everybody's quotient rounded down, and what is left
/// to the largest remainders, ties to the first. Nothing is shared where nobody weighs anything.
pub(crate) fn shared(total: i64, weights: &[i64]) -> Vec<i64> {
    let whole: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    if whole <= 0 {
        return vec![0; weights.len()];
    }
    let product = |weight: i64| i128::from(total) * i128::from(weight);
    let floors = weights.iter().map(|weight| i64::try_from(product(*weight) / whole).unwrap_or(0));
    let mut shares: Vec<i64> = floors.collect();
    let left = usize::try_from(total - shares.iter().sum::<i64>()).unwrap_or(0);
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(product(weights[*place]) % whole));
    for place in order.into_iter().take(left) {
        shares[place] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_remainders_get_what_rounding_leaves() {
        assert_eq!(shared(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(shared(3001, &[7000, 1999, 3002]), [1750, 500, 751]);
        assert_eq!(shared(13_555, &[10_000, 3_333, 6_667]), [6_777, 2_259, 4_519]);
        assert_eq!(shared(0, &[5, 5]), [0, 0]);
        assert_eq!(shared(7, &[0, 0]), [0, 0]);
        assert_eq!(shared(7, &[]), Vec::<i64>::new());
    }

    #[test]
    fn nothing_is_made_or_lost() {
        for total in 0..500 {
            for weights in [[1, 2, 4], [333, 333, 334], [0, 1, 999]] {
                assert_eq!(shared(total, &weights).iter().sum::<i64>(), total, "{weights:?}");
            }
        }
    }
}
