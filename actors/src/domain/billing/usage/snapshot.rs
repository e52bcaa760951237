//! What was used so far in the open period, beside what is allowed.

use rust_decimal::Decimal;

use super::aggregate::Used;
use super::metric::MetricName;
use super::policy::UsageLimit;
use super::units::Units;
use crate::domain::billing::subscription::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricUsage {
    pub metric: MetricName,
    pub used: Decimal,
    pub overflowed: bool,
    pub included_units: Option<Decimal>,
    /// What the period may use at most.
    pub limit: Option<UsageLimit>,
    /// `used` in percent of `included_units`.
    pub percent_of_plan: Option<Decimal>,
    /// `used` in percent of the limit.
    pub percent_of_cap: Option<Decimal>,
    /// The open period, once there is usage in it.
    pub period: Option<Span>,
}

/// Usage that no document can carry as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedUsage {
    pub metric: MetricName,
    pub span: Span,
    pub reason: String,
}

impl MetricUsage {
    pub fn of(
        metric: MetricName,
        used: Used,
        included_units: Option<Decimal>,
        limit: Option<UsageLimit>,
        open: Option<Span>,
    ) -> Self {
        let of = |whole| percent(used.quantity, whole);
        Self {
            metric,
            used: used.quantity,
            overflowed: used.overflowed,
            included_units,
            limit,
            percent_of_plan: included_units.and_then(of),
            percent_of_cap: limit.and_then(|limit| of(limit.cap_quantity.value())),
            period: open.filter(|_| used.is_any()),
        }
    }
}

/// `part` in percent of `whole`, with at most 2 decimals, rounded half up. `None`
/// when there is no such percentage: `whole` is 0, or the result is beyond a decimal.
pub fn percent(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let (part, whole) = (Units::from(part).0, Units::from(whole).0);
    // Hundredths of a percent, with half of one added before the rest is dropped.
    let doubled = part.checked_mul(20_000)?.checked_add(whole)?;
    let hundredths = doubled.checked_div(whole.checked_mul(2)?)?;
    let hundredths = i128::try_from(hundredths).ok()?;
    Some(Decimal::try_from_i128_with_scale(hundredths, 2).ok()?.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded_half_up_at_the_second_decimal() {
        for (part, whole, percentage) in [
            ("0", "3", Some("0")),
            ("1", "3", Some("33.33")),
            ("2", "3", Some("66.67")),
            ("250", "100", Some("250")),
            ("0.000000001", "999999999999999999", Some("0")),
            ("1.00005", "1", Some("100.01")),
            ("1.000049999", "1", Some("100")),
            ("999999999999999999", "0.000000001", None),
            ("5", "0", None),
        ] {
            let decimal = |text: &str| text.parse::<Decimal>().expect("a decimal");
            let found = percent(decimal(part), decimal(whole)).map(|found| found.to_string());
            assert_eq!(found.as_deref(), percentage, "{part} of {whole}");
        }
    }
}
