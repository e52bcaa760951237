//! What an API key opens: whether it lets its bearer in, and what it may be used for.

use std::fmt;

use minicbor::decode::Error as DecodeError;
use minicbor::encode::{Error as EncodeError, Write};
use minicbor::{Decoder, Encoder};

use super::{ApiKeyRecord, Seller, SellerStatus};
use crate::domain::names::names;
use crate::domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Ok,
    /// The key is of no use (`401`); nothing is said of the account.
    NotAuthorized,
    /// The key is right, but the account is not active (`403`).
    NotActive,
}

/// Judges a stored key and its seller at `now`. A key works in the mode of its form only, and
/// not from its end on; only then does the state of the account show.
pub fn admit(key: &ApiKeyRecord, seller: &Seller, now: Timestamp) -> Admission {
    let over = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
    if key.seller != seller.id || key.mode != seller.mode {
        return Admission::NotAuthorized;
    }
    if over(key.expires_at) || over(seller.expires_at) {
        return Admission::NotAuthorized;
    }
    if seller.status != SellerStatus::Active {
        return Admission::NotActive;
    }
    Admission::Ok
}

names! {
    /// What a key may do. One that writes may read the same.
    Scope, "expected billing:read, billing:write, usage:write, payments:read or payments:write";
    0 BillingRead = "billing:read",
    1 BillingWrite = "billing:write",
    /// Recording usage and following what becomes of it, and nothing else.
    2 UsageWrite = "usage:write",
    3 PaymentsRead = "payments:read",
    4 PaymentsWrite = "payments:write",
}

impl Scope {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The scopes of which each includes this one.
    const fn given_by(self) -> u8 {
        match self {
            Self::BillingRead => Self::BillingRead.bit() | Self::BillingWrite.bit(),
            Self::PaymentsRead => Self::PaymentsRead.bit() | Self::PaymentsWrite.bit(),
            Self::BillingWrite | Self::UsageWrite | Self::PaymentsWrite => self.bit(),
        }
    }
}

/// Some scopes, as bits by the numbers of their list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    pub const ALL: Self = Self(0b1_1111);

    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |bits, scope| bits | scope.bit()))
    }

    pub const fn allow(self, scope: Scope) -> bool {
        self.0 & scope.given_by() != 0
    }

    /// Those that were given, without what they include.
    pub fn stated(self) -> Vec<Scope> {
        Scope::ALL.iter().copied().filter(|scope| self.0 & scope.bit() != 0).collect()
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.stated().iter().map(|scope| scope.name())).finish()
    }
}

impl<C> minicbor::Encode<C> for Scopes {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), EncodeError<W::Error>> {
        e.u8(self.0)?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Scopes {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, DecodeError> {
        d.u8().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, NewSeller};
    use super::*;
    use crate::domain::ids::{ApiKeyId, SellerId};

    const NOW: i64 = 1_000_000;

    #[test]
    fn every_combination_has_its_answer() {
        use Admission::{NotActive, NotAuthorized, Ok};
        use Mode::{Demo, Live};
        use SellerStatus::{Active, Inactive, Pending};
        for (key_of, key_mode, key_end, mode, status, end, expected) in [
            (1, Live, None, Live, Active, None, Ok),
            (1, Demo, None, Demo, Active, None, Ok),
            (1, Demo, Some(NOW + 1), Demo, Active, Some(NOW + 1), Ok),
            (1, Demo, Some(NOW), Demo, Active, None, NotAuthorized),
            (1, Demo, None, Demo, Active, Some(NOW), NotAuthorized),
            (1, Demo, None, Live, Active, None, NotAuthorized),
            (1, Live, None, Demo, Active, None, NotAuthorized),
            (2, Live, None, Live, Active, None, NotAuthorized),
            (1, Live, None, Live, Pending, None, NotActive),
            (1, Live, None, Live, Inactive, None, NotActive),
            (1, Demo, Some(NOW), Demo, Inactive, None, NotAuthorized),
            (1, Demo, None, Live, Inactive, None, NotAuthorized),
        ] {
            let start = Timestamp::from_micros(0);
            let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
            let seller = Seller {
                mode,
                status,
                expires_at: end.map(Timestamp::from_micros),
                ..new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, start)
            };
            let key = ApiKeyRecord {
                seller: SellerId(key_of),
                id: ApiKeyId(1),
                expires_at: key_end.map(Timestamp::from_micros),
                mode: key_mode,
                scopes: Scopes::ALL,
            };
            assert_eq!(admit(&key, &seller, Timestamp::from_micros(NOW)), expected, "{key:?}");
        }
    }

    #[test]
    fn who_may_write_may_read_the_same_and_nothing_else() {
        use Scope::{BillingRead, BillingWrite, PaymentsRead, PaymentsWrite, UsageWrite};
        for (given, allowed) in [
            (&[][..], &[][..]),
            (&[BillingRead], &[BillingRead]),
            (&[BillingWrite], &[BillingRead, BillingWrite]),
            (&[UsageWrite], &[UsageWrite]),
            (&[PaymentsWrite], &[PaymentsRead, PaymentsWrite]),
            (&[UsageWrite, PaymentsRead], &[UsageWrite, PaymentsRead]),
            (Scope::ALL, Scope::ALL),
        ] {
            let scopes = Scopes::of(given);
            for scope in Scope::ALL {
                assert_eq!(scopes.allow(*scope), allowed.contains(scope), "{given:?} {scope}");
            }
            assert_eq!(scopes.stated(), given);
        }
        assert_eq!(Scopes::of(Scope::ALL), Scopes::ALL);
    }
}
