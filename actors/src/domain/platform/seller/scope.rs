//! What an API key may be used for.

use std::fmt;

use minicbor::decode::Error as DecodeError;
use minicbor::encode::{Error as EncodeError, Write};
use minicbor::{Decoder, Encoder};

use crate::domain::names::names;

names! {
    /// What a key may do. One that writes may read the same.
    Scope, "expected billing:read, billing:write, usage:write, payments:read or payments:write";
    0 BillingRead = "billing:read",
    1 BillingWrite = "billing:write",
    /// Recording usage, and nothing else.
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
    use super::*;

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
