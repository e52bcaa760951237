//! The arithmetic of limits: hourly budgets that refill drop by drop, and daily write quotas that
//! count in a rolling 24 hours.

mod bucket;
mod quota;

use std::net::{IpAddr, Ipv6Addr};

pub use bucket::{Budget, Standing, TokenBucket, Verdict};
pub use quota::{EXACT_UP_TO, QuotaVerdict, RollingCounter};

/// A set of routes with a rate budget of its own. `/usage/v1` shares billing's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// `/billing-api/v1` and `/usage/v1`.
    Billing,
    /// `/payments-api/v1`.
    Payments,
    /// What the people of a seller ask for with their sessions.
    Dashboard,
}

/// A kind of write with a daily quota of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotaKind {
    Contracts,
    Amendments,
    Invoices,
}

impl QuotaKind {
    pub const ALL: [Self; 3] = [Self::Contracts, Self::Amendments, Self::Invoices];

    /// The number that stands for this kind in keys; never reused.
    pub const fn tag(self) -> u8 {
        match self {
            Self::Contracts => 0,
            Self::Amendments => 1,
            Self::Invoices => 2,
        }
    }
}

/// What is limited for each client address rather than for a seller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// Minting a sandbox account; counted by the hour.
    SandboxMint,
    /// A hosted page or an event stream; counted by the minute.
    Page,
    /// A wrong operator's token; counted by the minute.
    WrongToken,
}

/// The time in which the mints of a client address are counted.
pub const MINT_SECONDS: i64 = 3_600;

impl AddressKind {
    /// The budget that lets `per_period` requests through in this kind's period, with the whole
    /// of it as burst.
    pub fn budget(self, per_period: u32) -> Budget {
        let per_hour = match self {
            Self::SandboxMint => per_period,
            Self::Page | Self::WrongToken => per_period.saturating_mul(60),
        };
        Budget { per_hour, burst: per_period }
    }
}

/// What stands for a client: an IPv4 address whole, of an IPv6 address the network part, which one
/// client holds as a whole.
pub fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}
