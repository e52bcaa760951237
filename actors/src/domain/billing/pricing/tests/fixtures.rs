//! Configurations for tests, in a line each.

use crate::domain::billing::pricing::{
    AllotmentRequest, CommitmentRequest, PriceConfig, PriceConfigRequest, Rating, RatingInput,
    TierRequest, rate,
};
use crate::domain::quantity::Quantity;
pub(super) use crate::domain::testing::day;

pub(super) fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(super) fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

/// A request with what every scheme needs: euros, rounded half up.
pub(super) fn request(scheme: &str) -> PriceConfigRequest {
    PriceConfigRequest {
        scheme: text(scheme),
        currency: text("EUR"),
        rounding: text("half_up"),
        ..PriceConfigRequest::default()
    }
}

/// A request with one price.
pub(super) fn priced(scheme: &str, unit_price: &str) -> PriceConfigRequest {
    PriceConfigRequest { unit_price: text(unit_price), ..request(scheme) }
}

pub(super) fn package(size: &str, unit_price: &str) -> PriceConfigRequest {
    PriceConfigRequest { package_size: text(size), ..priced("package", unit_price) }
}

pub(super) fn percentage(bps: i64) -> PriceConfigRequest {
    PriceConfigRequest { percent_bps: Some(bps), ..request("percentage") }
}

/// A request with bands: up to where, empty for the last, and the price.
pub(super) fn banded(scheme: &str, bands: &[(&str, &str)]) -> PriceConfigRequest {
    let tiers = bands.iter().map(|(up_to, price)| {
        let (unit_price, flat_amount) =
            if scheme == "tiered" { (None, text(price)) } else { (text(price), None) };
        let up_to = text(up_to).filter(|up_to| !up_to.is_empty());
        TierRequest { up_to, unit_price, flat_amount }
    });
    PriceConfigRequest { tiers: Some(tiers.collect()), ..request(scheme) }
}

impl PriceConfigRequest {
    pub(super) fn including(mut self, units: &str, rollover: &str) -> Self {
        let allotment = AllotmentRequest { included_units: text(units), rollover: text(rollover) };
        self.allotment = Some(allotment);
        self
    }

    pub(super) fn committed(mut self, minimum: Option<i64>, spend_cap: Option<i64>) -> Self {
        let commitment = self.commitment.get_or_insert_with(CommitmentRequest::default);
        (commitment.minimum_minor, commitment.spend_cap_minor) = (minimum, spend_cap);
        self
    }

    pub(super) fn capped(mut self, units: &str) -> Self {
        let commitment = self.commitment.get_or_insert_with(CommitmentRequest::default);
        commitment.usage_cap = text(units);
        self
    }

    pub(super) fn rounded(mut self, rounding: &str) -> Self {
        self.rounding = text(rounding);
        self
    }

    pub(super) fn in_currency(mut self, currency: &str) -> Self {
        self.currency = text(currency);
        self
    }

    pub(super) fn right(&self) -> PriceConfig {
        self.check().expect("a configuration")
    }
}

/// A period with events, not a trial, that was left nothing.
pub(super) fn used(units: &str) -> RatingInput {
    RatingInput {
        quantity: quantity(units).value(),
        rolled_over: Quantity::ZERO,
        any_event: true,
        trial: false,
    }
}

pub(super) fn rated(request: &PriceConfigRequest, units: &str) -> Rating {
    rate(&request.right(), &used(units)).expect("an amount")
}
