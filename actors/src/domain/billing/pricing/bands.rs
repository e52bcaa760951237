//! Bands of quantity, each with a price: in order, without gaps, from zero, the last without an
//! end.

use super::exact::Exact;
use super::major_price::MajorPrice;
use crate::domain::quantity::Quantity;

pub const MAX_BANDS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Bands {
    /// Every band but the last: up to where, inclusive, and its price.
    #[n(0)]
    bounded: Vec<(Quantity, MajorPrice)>,
    #[n(1)]
    last: MajorPrice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Where it begins; what it begins with belongs to the band before it, but for 0.
    pub from: Quantity,
    /// Where it ends, inclusive; nothing for the last.
    pub up_to: Option<Quantity>,
    /// What it costs, in major units: each of its units, or the band as a whole.
    pub price: MajorPrice,
}

impl Bands {
    /// Bands up to rising bounds, and the price beyond them; nothing when the bounds do not
    /// rise from above 0.
    pub fn new(bounded: Vec<(Quantity, MajorPrice)>, last: MajorPrice) -> Option<Self> {
        let bounds = || bounded.iter().map(|(up_to, _)| *up_to);
        let mut rise = std::iter::once(Quantity::ZERO).chain(bounds()).zip(bounds());
        let rising = rise.all(|(from, up_to)| from < up_to);
        rising.then_some(Self { bounded, last })
    }

    pub fn iter(&self) -> impl Iterator<Item = Band> + '_ {
        let starts = self.bounded.iter().map(|(up_to, _)| *up_to);
        let ends = self.bounded.iter().map(|(up_to, price)| (Some(*up_to), *price));
        std::iter::once(Quantity::ZERO)
            .chain(starts)
            .zip(ends.chain(std::iter::once((None, self.last))))
            .map(|(from, (up_to, price))| Band { from, up_to, price })
    }

    /// The band that a quantity lands in; nothing at all lands in the first.
    pub fn landing(&self, quantity: &Exact) -> Band {
        let within = |band: &Band| band.up_to.is_none_or(|up_to| *quantity <= up_to.into());
        self.iter().find(within).unwrap_or(Band {
            from: Quantity::ZERO,
            up_to: None,
            price: self.last,
        })
    }
}

impl Band {
    /// The part of a quantity that lies in it.
    pub fn share_of(&self, quantity: &Exact) -> Exact {
        let end = self.up_to.map_or(quantity.clone(), |up_to| quantity.min(&up_to.into()).clone());
        end.less(&self.from.into())
    }
}
