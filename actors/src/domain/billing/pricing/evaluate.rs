//! Trying a configuration on quantities: nothing is stored.

use super::config::PriceConfig;
use super::rating::Rating;
use super::refusal::{EvaluationRefusal, RatingRefusal};
use super::usage::{RatingInput, rate};
use crate::domain::quantity::Quantity;

pub const MAX_QUANTITIES: usize = 100;

/// Rates each quantity on its own, as the events of a first period that is no trial; seats cannot
/// be evaluated.
pub fn evaluate(
    config: &PriceConfig,
    quantities: &[String],
) -> Result<Vec<(Quantity, Rating)>, EvaluationRefusal> {
    if !(1..=MAX_QUANTITIES).contains(&quantities.len()) {
        return Err(EvaluationRefusal::Count);
    }
    let rated = quantities.iter().enumerate().map(|(index, text)| {
        let quantity = Quantity::parse(text).ok_or(EvaluationRefusal::Quantity(index))?;
        let input = RatingInput {
            quantity: quantity.value(),
            rolled_over: Quantity::ZERO,
            any_event: true,
            trial: false,
        };
        match rate(config, &input) {
            Ok(rating) => Ok((quantity, rating)),
            Err(RatingRefusal::TooLarge) => Err(EvaluationRefusal::TooLarge(index)),
            Err(refusal) => Err(refusal.into()),
        }
    });
    rated.collect()
}
