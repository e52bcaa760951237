use crate::domain::money::Currency;
use crate::domain::time::{Date, Timestamp};

/// The instant at which something is done, by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub now: Timestamp,
    /// The contract's clock: its test clock if it has one, else the wall clock.
    pub engine: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub currency: Currency,
    pub contract_closed: bool,
    pub card_saved: bool,
    pub credits_on: bool,
}

impl Moment {
    pub fn today(&self) -> Date {
        self.engine.date()
    }
}
