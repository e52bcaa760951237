//! The arithmetic of limits: hourly budgets that refill drop by drop, and daily write quotas that
//! count in a rolling 24 hours.

mod quota;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr};

pub use quota::{EXACT_UP_TO, QuotaVerdict, RollingCounter};

use crate::domain::time::Timestamp;

/// What one token is made of. A bucket gains `per_hour` grains in each microsecond, so an hour
/// brings exactly `per_hour` tokens and nothing is ever rounded.
const GRAINS_OF_A_TOKEN: u64 = 3_600_000_000;
const MICROS_OF_A_SECOND: u64 = 1_000_000;

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
/// The time in which the wrong operator's tokens of one are.
pub const WRONG_TOKEN_SECONDS: i64 = 60;

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

/// How many requests may come in an hour, and how many at once. 0 in either is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens that flow in during an hour.
    pub per_hour: u32,
    /// Tokens that the bucket holds.
    pub burst: u32,
}

impl Budget {
    /// What a client address has for pages, with the whole of a minute as burst.
    pub fn of_pages(per_minute: u32) -> Self {
        Self { per_hour: per_minute.saturating_mul(60), burst: per_minute }
    }

    pub fn is_off(self) -> bool {
        self.per_hour == 0 || self.burst == 0
    }

    fn brim(self) -> u64 {
        u64::from(self.burst) * GRAINS_OF_A_TOKEN
    }

    /// Whole seconds, rounded up, until `grains` have flowed in.
    fn seconds_for(self, grains: u64) -> u64 {
        let per_second = u64::from(self.per_hour.max(1)) * MICROS_OF_A_SECOND;
        grains.div_ceil(per_second)
    }
}

/// Where a seller stands with a budget, as the rate headers tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The hourly budget: `X-RateLimit-Limit` and `q`, with a window of 3,600 seconds.
    pub limit: u32,
    /// Whole tokens now, 0 to the burst: `X-RateLimit-Remaining` and `r`.
    pub remaining: u32,
    /// Seconds until the bucket is full, rounded up: `X-RateLimit-Reset` and `t`.
    pub reset_seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The limit is off; no header is sent.
    Unmetered,
    /// The request took a token.
    Admitted(Standing),
    /// There was no whole token; nothing was taken.
    Refused {
        standing: Standing,
        /// Seconds to the next token, rounded up, at least 1: `Retry-After`.
        retry_after_seconds: u64,
    },
}

/// A bucket that drips. One that was full and one that never was asked are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    grains: u64,
    as_of: Timestamp,
}

impl TokenBucket {
    pub fn full(budget: Budget, now: Timestamp) -> Self {
        Self { grains: budget.brim(), as_of: now }
    }

    /// Takes a token at `now` if there is one. A clock that steps back gains nothing.
    pub fn take(&mut self, budget: Budget, now: Timestamp) -> Verdict {
        if budget.is_off() {
            return Verdict::Unmetered;
        }
        self.fill(budget, now);
        if self.grains < GRAINS_OF_A_TOKEN {
            let missing = GRAINS_OF_A_TOKEN - self.grains;
            let retry_after_seconds = budget.seconds_for(missing).max(1);
            return Verdict::Refused { standing: self.standing(budget), retry_after_seconds };
        }
        self.grains -= GRAINS_OF_A_TOKEN;
        Verdict::Admitted(self.standing(budget))
    }

    /// Whether the bucket is full at `now` and may be forgotten.
    pub fn is_full(mut self, budget: Budget, now: Timestamp) -> bool {
        budget.is_off() || {
            self.fill(budget, now);
            self.grains == budget.brim()
        }
    }

    fn fill(&mut self, budget: Budget, now: Timestamp) {
        let elapsed = now.micros().saturating_sub(self.as_of.micros());
        let gained = u64::try_from(elapsed).unwrap_or(0).saturating_mul(budget.per_hour.into());
        self.grains = self.grains.saturating_add(gained).min(budget.brim());
        self.as_of = self.as_of.max(now);
    }

    fn standing(&self, budget: Budget) -> Standing {
        Standing {
            limit: budget.per_hour,
            remaining: u32::try_from(self.grains / GRAINS_OF_A_TOKEN).unwrap_or(u32::MAX),
            reset_seconds: budget.seconds_for(budget.brim() - self.grains),
        }
    }
}
