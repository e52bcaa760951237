//! Rating seats: the price of one for a whole period, by the days that seats were there.

use super::config::{PriceConfig, Scheme};
use super::exact::Exact;
use super::names::Rounding;
use super::rating::{Basis, Flags, Rating, SeatBasis, bounded};
use super::refusal::RatingRefusal;
use super::rounding::{divided, minor_units};

/// Decimals of seats that were there for a part of the period.
const EQUIVALENT_DECIMALS: u32 = 9;

/// Rates the seats of a period: `seat_days` are the seats of each of its days together,
/// `period_days` the days of the whole term, above 0, also where the period is a part of it. A
/// trial bills nothing.
pub fn rate_seats(
    config: &PriceConfig,
    seat_days: i64,
    period_days: i64,
    trial: bool,
) -> Result<Rating, RatingRefusal> {
    let Scheme::Seats(unit_price) = config.scheme else { return Err(RatingRefusal::NotPerSeat) };
    let basis = SeatBasis { unit_price, seat_days, period_days };
    let mut flags = Flags::default();
    let amount_minor = if trial {
        0
    } else {
        let product = Exact::from(unit_price).times(&Exact::whole(at_least(seat_days, 0)));
        let days = at_least(period_days, 1);
        let rounded = minor_units(&product, days, config.currency, config.rounding);
        bounded(rounded, config.commitment, &mut flags)?
    };
    Ok(Rating {
        amount_minor,
        scheme: config.scheme_name(),
        rounding: config.rounding,
        basis: Basis::Seats(basis),
        commitment: config.commitment,
        flags,
        trial,
    })
}

impl SeatBasis {
    /// How many seats for the whole term the seat-days come to, rounded half up to 9 decimals.
    /// It is for reading: the amount is computed from the days themselves.
    pub fn equivalents(&self) -> Exact {
        let (number, parts) =
            Exact::whole(at_least(self.seat_days, 0)).fraction(EQUIVALENT_DECIMALS);
        let by = parts * at_least(self.period_days, 1);
        Exact::of(divided(&number, &by, Rounding::HalfUp), EQUIVALENT_DECIMALS)
    }
}

fn at_least(number: i64, floor: u64) -> u64 {
    u64::try_from(number).unwrap_or(0).max(floor)
}
