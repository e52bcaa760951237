//! Making a code.

use super::{Off, PromoCode, PromoRefusal, WHOLE_BPS};
use crate::domain::ids::{PaymentLinkId, PromoCodeId, SellerId};
use crate::domain::money::PRICE_LIMIT;
use crate::domain::time::Timestamp;

const MOST_REDEMPTIONS: u64 = 1_000_000_000;
/// A code names few links; what is for all of them names none.
const MOST_LINKS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPromoCode {
    pub code: String,
    pub off: Off,
    pub most: Option<u64>,
    pub expires_at: Option<Timestamp>,
    /// `None` where it is for all links.
    pub links: Option<Vec<PaymentLinkId>>,
}

impl PromoCode {
    /// A new code. That it is free, and its links the seller's, is for the caller to know.
    pub fn create(
        new: NewPromoCode,
        (seller, id): (SellerId, PromoCodeId),
        now: Timestamp,
    ) -> Result<Self, PromoRefusal> {
        let code = new.code.trim();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !(3..=40).contains(&code.len()) || !code.bytes().all(plain) {
            return Err(PromoRefusal::Code);
        }
        match new.off {
            Off::Part(bps) if !(1..WHOLE_BPS).contains(&i64::from(bps)) => {
                return Err(PromoRefusal::Percent);
            }
            Off::Amount(off) if !(1..=PRICE_LIMIT).contains(&off.minor) => {
                return Err(PromoRefusal::Amount);
            }
            _ => {}
        }
        if new.most.is_some_and(|most| !(1..=MOST_REDEMPTIONS).contains(&most)) {
            return Err(PromoRefusal::Most);
        }
        if new.expires_at.is_some_and(|at| at <= now) {
            return Err(PromoRefusal::ExpiresInThePast);
        }
        Ok(Self {
            id,
            seller,
            code: code.to_owned(),
            off: new.off,
            most: new.most,
            redeemed: 0,
            reserved: 0,
            expires_at: new.expires_at,
            links: new.links.map(links).transpose()?.unwrap_or_default(),
            created_at: now,
        })
    }
}

fn links(mut named: Vec<PaymentLinkId>) -> Result<Vec<PaymentLinkId>, PromoRefusal> {
    let count = named.len();
    named.sort_unstable();
    named.dedup();
    if count == 0 || count > MOST_LINKS || named.len() < count {
        return Err(PromoRefusal::Links);
    }
    Ok(named)
}
