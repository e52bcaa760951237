//! The windows that a contract's days must lie in.

use super::ContractRefusal;
use crate::domain::time::Date;

const YEARS_BACK: u32 = 1;
const YEARS_AHEAD: u32 = 10;

/// The first day lies between the same day one year ago and the same day ten years ahead, both
/// included; where a year has no 29 February, the 28th stands for it.
pub(super) fn check_start(start: Date, today: Date) -> Result<(), ContractRefusal> {
    let (from, to) = (today.minus_months(12 * YEARS_BACK), latest(today));
    if (from..=to).contains(&start) {
        Ok(())
    } else {
        Err(ContractRefusal::StartOutsideWindow { from, to })
    }
}

/// The last day is at most ten years ahead.
pub(super) fn check_end(end: Date, today: Date) -> Result<(), ContractRefusal> {
    if end > latest(today) { Err(ContractRefusal::EndTooFar(latest(today))) } else { Ok(()) }
}

pub(super) fn check_order(start: Date, end: Option<Date>) -> Result<(), ContractRefusal> {
    if end.is_some_and(|end| end < start) {
        return Err(ContractRefusal::EndBeforeStart);
    }
    Ok(())
}

fn latest(today: Date) -> Date {
    today.plus_months(12 * YEARS_AHEAD)
}
