//! Promo codes: a part or an amount off what a payment link asks for, as often as they may be
//! redeemed.
//!
//! A payment that is begun with a code reserves one redemption, and gives it back when it comes to
//! nothing: redeemed and reserved together never pass the maximum. A discount is rounded half up
//! to whole minor units, and must leave something to pay.

mod draft;
mod refusal;
#[cfg(test)]
mod tests;

use storage::CborRecord;

pub use draft::NewPromoCode;
pub use refusal::PromoRefusal;

use serde_json::json;

use crate::domain::ids::{PaymentLinkId, PromoCodeId, SellerId};
use crate::domain::money::{Money, share_half_up};
use crate::domain::names::names;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

/// A whole, in basis points.
const WHOLE_BPS: i64 = 10_000;

names! {
    PromoStatus;
    0 Active = "active",
    1 Expired = "expired",
    /// Redeemed, or about to be, as often as may be.
    2 UsedUp = "used_up",
}

/// What a code takes off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Off {
    /// In basis points, from 1 to 9999.
    #[n(0)]
    Part(#[n(0)] u32),
    /// Above 0; of prices in its currency alone.
    #[n(1)]
    Amount(#[n(0)] Money),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PromoCode {
    #[n(0)]
    pub id: PromoCodeId,
    #[n(1)]
    pub seller: SellerId,
    /// As it was made; whoever types it need not mind capitals.
    #[n(2)]
    pub code: String,
    #[n(3)]
    pub off: Off,
    #[n(4)]
    pub most: Option<u64>,
    #[n(5)]
    pub redeemed: u64,
    /// Of payments that are under way.
    #[n(6)]
    pub reserved: u64,
    #[n(7)]
    pub expires_at: Option<Timestamp>,
    /// The links that take it; all where none is named.
    #[n(8)]
    pub links: Vec<PaymentLinkId>,
    #[n(9)]
    pub created_at: Timestamp,
}

impl CborRecord for PromoCode {}

/// One use of a code, by its payment: reserved, then redeemed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PromoUse {
    #[n(0)]
    pub link: PaymentLinkId,
    /// What it takes off.
    #[n(1)]
    pub discount: Money,
    #[n(2)]
    pub reserved_at: Timestamp,
    #[n(3)]
    pub redeemed_at: Option<Timestamp>,
}

impl CborRecord for PromoUse {}

/// What a code is looked up by, however it was typed.
pub fn folded(code: &str) -> String {
    code.trim().to_uppercase()
}

impl PromoCode {
    pub fn status(&self, now: Timestamp) -> PromoStatus {
        if self.expires_at.is_some_and(|at| at <= now) {
            PromoStatus::Expired
        } else if self.is_used_up() {
            PromoStatus::UsedUp
        } else {
            PromoStatus::Active
        }
    }

    pub fn is_used_up(&self) -> bool {
        self.most.is_some_and(|most| self.redeemed + self.reserved >= most)
    }

    /// What it takes off `price` at a link; whether any redemption is left is not looked at.
    pub fn discount(
        &self,
        link: PaymentLinkId,
        price: Money,
        now: Timestamp,
    ) -> Result<Money, PromoRefusal> {
        if !self.links.is_empty() && !self.links.contains(&link) {
            return Err(PromoRefusal::NotHere);
        }
        if self.expires_at.is_some_and(|at| at <= now) {
            return Err(PromoRefusal::Expired);
        }
        let minor = match self.off {
            Off::Part(bps) => share_half_up(price.minor, i64::from(bps), WHOLE_BPS),
            Off::Amount(off) if off.currency == price.currency => off.minor,
            Off::Amount(_) => return Err(PromoRefusal::OtherCurrency),
        };
        if minor >= price.minor {
            return Err(PromoRefusal::NothingLeft);
        }
        Ok(Money { minor, ..price })
    }

    /// With one more redemption under way.
    pub fn reserve(&self) -> Result<Self, PromoRefusal> {
        if self.is_used_up() {
            return Err(PromoRefusal::UsedUp);
        }
        Ok(Self { reserved: self.reserved + 1, ..self.clone() })
    }

    /// With `count` of those under way given back.
    #[must_use]
    pub fn release(&self, count: u64) -> Self {
        Self { reserved: self.reserved.saturating_sub(count), ..self.clone() }
    }

    /// With one of those under way redeemed.
    #[must_use]
    pub fn redeem(&self) -> Self {
        Self { redeemed: self.redeemed + 1, ..self.release(1) }
    }

    /// With one that was redeemed given back: its payment failed at settlement.
    #[must_use]
    pub fn take_back(&self) -> Self {
        Self { redeemed: self.redeemed.saturating_sub(1), ..self.clone() }
    }

    /// That it was redeemed, after it was; `paid` is what the payment brought.
    pub fn redeemed_event(
        &self,
        one: &PromoUse,
        (reference, paid): (&str, Money),
        at: Timestamp,
    ) -> NewEvent {
        let mut payload = json!({
            "promoCodeId": self.id,
            "code": self.code,
            "paymentLinkId": one.link,
            "paymentId": reference,
            "discountMinor": one.discount.minor,
            "amountMinor": paid.minor,
            "currency": paid.currency,
            "redemptions": self.redeemed,
        });
        if let Some(most) = self.most {
            payload["maxRedemptions"] = most.into();
        }
        NewEvent { kind: EventType::PromoCodeRedeemed, occurred_at: at, payload }
    }
}
