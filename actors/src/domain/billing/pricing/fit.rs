use super::config::{PriceConfig, Scheme};
use super::refusal::ConfigRefusal;
use crate::domain::billing::usage::MetricName;
use crate::domain::money::Currency;

/// Checks the configuration against the metric that it is to price and the currency of its
/// contract. Seats, and nothing else, are priced by the seat.
pub fn check_fit(
    config: &PriceConfig,
    metric: &MetricName,
    currency: Currency,
) -> Result<(), ConfigRefusal> {
    match (metric.is_seats(), matches!(config.scheme, Scheme::Seats(_))) {
        (true, false) => return Err(ConfigRefusal::SeatsOnly),
        (false, true) => return Err(ConfigRefusal::NotForSeats),
        _ => {}
    }
    if config.currency != currency {
        return Err(ConfigRefusal::OtherCurrency(currency));
    }
    Ok(())
}
