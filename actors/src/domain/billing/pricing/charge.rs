//! What units cost by each scheme, exactly and band by band.

use super::bands::{Band, Bands};
use super::config::Charge;
use super::exact::Exact;
use super::rating::{LinePrice, RatedLine};
use crate::domain::quantity::Quantity;

const BPS_DECIMALS: u32 = 4;

impl Charge {
    /// What `billable` units cost. `any_event`: whether anything at all was recorded; a flat
    /// amount is not charged for nothing, but is for events that come to nothing.
    pub(super) fn lines(&self, billable: &Exact, any_event: bool) -> Vec<RatedLine> {
        match self {
            Self::PerUnit(price) => {
                let (quantity, amount) = (billable.clone(), billable.times(&(*price).into()));
                vec![whole_line(quantity, LinePrice::Unit(*price), amount)]
            }
            Self::Graduated(bands) => graduated(bands, billable),
            Self::Volume(bands) => vec![unit_line(bands.landing(billable), billable.clone())],
            Self::Tiered(_) if !any_event => Vec::new(),
            Self::Tiered(bands) => vec![flat_line(bands.landing(billable), billable.clone())],
            Self::Package { size, price } => {
                let packages = billable.parts_begun(&(*size).into());
                let amount = packages.times(&(*price).into());
                let price = LinePrice::Package { price: *price, size: *size, packages };
                vec![whole_line(billable.clone(), price, amount)]
            }
            Self::Percentage(bps) => {
                let amount = billable.times(&Exact::of((*bps).into(), BPS_DECIMALS));
                vec![whole_line(billable.clone(), LinePrice::Share(*bps), amount)]
            }
        }
    }
}

/// The bands that units lie in; the first one also without any.
fn graduated(bands: &Bands, billable: &Exact) -> Vec<RatedLine> {
    let shares = bands.iter().map(|band| (band, band.share_of(billable)));
    let touched =
        shares.take_while(|(band, share)| band.from == Quantity::ZERO || !share.is_zero());
    touched.map(|(band, share)| unit_line(band, share)).collect()
}

fn unit_line(band: Band, quantity: Exact) -> RatedLine {
    let amount = quantity.times(&band.price.into());
    let Band { from, up_to, price } = band;
    RatedLine { from, up_to, quantity, price: LinePrice::Unit(price), amount }
}

fn flat_line(band: Band, quantity: Exact) -> RatedLine {
    let Band { from, up_to, price } = band;
    RatedLine { from, up_to, quantity, price: LinePrice::Flat(price), amount: price.into() }
}

fn whole_line(quantity: Exact, price: LinePrice, amount: Exact) -> RatedLine {
    RatedLine { from: Quantity::ZERO, up_to: None, quantity, price, amount }
}
