use super::{
    AllocationMode, AllocationType, AppliedShare, Effect, Inputs, Outcome, OverAllocationPolicy,
    RemainderPolicy, SplitLine, WHOLE_BPS,
};
use crate::domain::money::{allocate_largest_remainder, share_half_up};

/// Shares an amount. Lines that are not enabled get nothing.
///
/// * Counted: in absolute mode parts are rounded down, so that the lines alone never come to more
///   than the amount by rounding; in weight mode the amount is shared without remainder by largest
///   remainder, ties to the first in order of priority.
/// * Clamped to the line's least and most, the most being the last word.
/// * Fitted, if all come to more than there is: scaled down in proportion with largest remainder,
///   or served in order of priority.
/// * What is left over is the seller's, or comes on top of the last share whatever its most is.
/// * The fee is counted on what the share is then, rounded half up, and never more than that.
pub fn evaluate(inputs: &Inputs) -> Outcome {
    let gross = inputs.gross_minor.max(0);
    let mut lines: Vec<&SplitLine> = inputs.lines.iter().filter(|line| line.is_enabled).collect();
    lines.sort_by_key(|line| line.priority);
    let raw = counted(inputs, &lines, gross);
    let clamped = lines.iter().zip(raw).map(|(line, raw)| clamped(line, raw));
    let mut shares: Vec<AppliedShare> = clamped.collect();

    let over_allocated = sum(&shares) > gross;
    if over_allocated {
        fit(&mut shares, gross, inputs.over_allocation);
    }
    let remainder_minor = gross - sum(&shares);
    if let (RemainderPolicy::LastPayee, Some(last)) = (inputs.remainder, shares.last_mut()) {
        last.share_minor += remainder_minor;
    }
    for (line, share) in lines.iter().zip(&mut shares) {
        share.fee_minor = fee(line, share.share_minor);
        share.net_minor = share.share_minor - share.fee_minor;
    }
    Outcome {
        gross_minor: gross,
        total_fee_minor: shares.iter().map(|share| share.fee_minor).sum(),
        remainder_minor,
        over_allocated,
        shares,
    }
}

fn counted(inputs: &Inputs, lines: &[&SplitLine], gross: i64) -> Vec<i64> {
    match inputs.allocation_mode {
        AllocationMode::Absolute => lines.iter().map(|line| stated(line, gross)).collect(),
        AllocationMode::Weight => {
            let weights: Vec<i64> = lines.iter().map(|line| inputs.weight_of(line.payee)).collect();
            match weights.iter().any(|weight| *weight > 0) {
                true => allocate_largest_remainder(gross, &weights),
                false => weights,
            }
        }
    }
}

fn stated(line: &SplitLine, gross: i64) -> i64 {
    let part = i128::from(gross) * i128::from(line.percent_bps) / i128::from(WHOLE_BPS);
    let part = i64::try_from(part).unwrap_or(i64::MAX);
    let fixed = line.fixed_minor.max(0);
    match line.allocation_type {
        AllocationType::PercentBps => part,
        AllocationType::FixedMinor => fixed,
        AllocationType::Mixed => part.saturating_add(fixed),
    }
}

fn clamped(line: &SplitLine, raw_minor: i64) -> AppliedShare {
    let mut effects = Vec::new();
    let mut share_minor = raw_minor;
    if let Some(min) = line.min_minor.filter(|min| *min > share_minor) {
        share_minor = min;
        effects.push(Effect::ClampedToMin);
    }
    if let Some(max) = line.max_minor.filter(|max| *max < share_minor) {
        share_minor = max.max(0);
        effects.push(Effect::ClampedToMax);
    }
    AppliedShare {
        payee: line.payee,
        raw_minor,
        share_minor,
        fee_minor: 0,
        net_minor: share_minor,
        effects,
    }
}

fn fit(shares: &mut [AppliedShare], gross: i64, policy: OverAllocationPolicy) {
    let wanted: Vec<i64> = shares.iter().map(|share| share.share_minor).collect();
    let given = match policy {
        OverAllocationPolicy::ScaleDown => allocate_largest_remainder(gross, &wanted),
        OverAllocationPolicy::ByPriority => {
            let mut left = gross;
            let served = wanted.iter().map(|wanted| {
                let given = (*wanted).min(left);
                left -= given;
                given
            });
            served.collect()
        }
    };
    for (share, given) in shares.iter_mut().zip(given) {
        if share.share_minor != given {
            share.share_minor = given;
            share.effects.push(Effect::OverAllocationResolved);
        }
    }
}

fn fee(line: &SplitLine, share_minor: i64) -> i64 {
    let part = share_half_up(share_minor, i64::from(line.fee_percent_bps), i64::from(WHOLE_BPS));
    part.saturating_add(line.fee_fixed_minor.max(0)).clamp(0, share_minor.max(0))
}

fn sum(shares: &[AppliedShare]) -> i64 {
    shares.iter().fold(0, |sum: i64, share| sum.saturating_add(share.share_minor))
}
