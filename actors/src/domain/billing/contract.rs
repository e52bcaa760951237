//! Contracts: what a seller and a customer agreed on, as a list of versions that only grows.

mod amend;
mod create;
mod dates;
mod details;
mod line_item;
mod priced;
mod refusal;
mod replay;
mod work;

use storage::CborRecord;

pub use amend::{AmendedLineItem, Amendment, amend};
pub use create::{NewContract, create, create_for_ad_hoc};
pub use details::{Details, StatedDetails};
pub use line_item::{ComponentConfig, ComponentType, LineItem, LineItemContent, MAX_LINE_ITEMS};
pub use priced::PricedItem;
pub use refusal::{ContractRefusal, LineProblem};
pub use replay::replay_difference;
pub use work::complete_work;

use crate::domain::ids::{ContractId, CustomerId, SellerId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::time::{Date, Timestamp};

names! {
    /// Where a contract stands. No billing engine reads it.
    ContractStatus;
    0 Draft = "draft",
    1 Active = "active",
    2 Suspended = "suspended",
    /// Over; takes no amendment any more.
    3 Closed = "closed",
}

/// One version of a contract: its full content.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ContractVersion {
    /// Rises by one with each amendment; from 1.
    #[n(0)]
    pub version: u64,
    #[n(1)]
    pub created_at: Timestamp,
    #[n(2)]
    pub status: ContractStatus,
    #[n(3)]
    pub start_date: Date,
    /// The last day; absent on an open-ended contract.
    #[n(4)]
    pub end_date: Option<Date>,
    #[n(5)]
    pub details: Details,
    #[n(6)]
    pub line_items: Vec<LineItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Contract {
    #[n(0)]
    pub id: ContractId,
    #[n(1)]
    pub seller: SellerId,
    /// Its place in the seller's own order, when it is numbered; from 1.
    #[n(2)]
    pub order: Option<u64>,
    #[n(3)]
    pub customer: CustomerId,
    /// The one currency of all that belongs to the contract; never changes.
    #[n(4)]
    pub currency: Currency,
    #[n(5)]
    pub created_at: Timestamp,
    #[n(6)]
    pub current: ContractVersion,
}

impl ContractStatus {
    /// Whether an amendment may bring a contract from here to `to`. Staying is no move, and
    /// nothing leaves `closed`.
    pub fn may_become(self, to: Self) -> bool {
        use ContractStatus::{Active, Closed, Draft, Suspended};
        match (self, to) {
            (Draft, Active) | (Active, Suspended) | (Suspended, Active) => true,
            (Draft | Active | Suspended, Closed) => true,
            _ => self == to,
        }
    }
}

impl Contract {
    /// `C-` and at least six digits; absent on a contract without a number.
    pub fn contract_number(&self) -> Option<String> {
        self.order.map(|order| format!("C-{order:06}"))
    }

    /// The order that a number says, in either case and with any zeros in front.
    pub fn order_in(number: &str) -> Option<u64> {
        let digits = number.strip_prefix(['C', 'c'])?.strip_prefix('-')?;
        digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

impl CborRecord for Contract {}

impl CborRecord for ContractVersion {}

#[cfg(test)]
mod tests;
