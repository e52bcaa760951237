//! Verification links: signed addresses of a page on which a vendor says who it is.

use std::sync::Arc;

use actors::domain::ids::{SellerId, VendorId};
use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::{LINK_SECONDS, VerificationLink};
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::Spent;
use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::load_vendor;
use crate::api::payments::idempotency_key;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};
use crate::pages::TokenKey;
use crate::pages::token::SIGNATURE_BYTES;

const ENDPOINT: &str = "vendors/verification-link";

const MEANING: &str = "a vendor's verification link";
/// Bytes of what a link says: seller, vendor, expiry.
const SAID_BYTES: usize = 8 + 8 + 8;

/// A link to be handed to the vendor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    url: String,
    expires_at: Timestamp,
}

/// What the last part of a link's address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkToken {
    /// Whose vendor it is.
    pub seller: SellerId,
    pub vendor: VendorId,
}

pub async fn issue(app: Arc<App>, call: Call) -> Answer {
    let payee = load_vendor(&app, &call)?;
    let vendor = payee.vendor.as_ref().ok_or_else(Problem::missing)?.id;
    let claim =
        idempotency_key::claim(&call, ENDPOINT, &[("vendorId", vendor.to_string())], vendor.0);
    if idempotency_key::used(&app, &call, &claim).await?.is_some() {
        return replay(&app, &call, vendor);
    }
    let token = LinkToken { seller: call.seller_id(), vendor };
    let expires_at = call.now.plus_seconds(LINK_SECONDS);
    let path = token.sign(&app.page_key, expires_at);
    let link = VerificationLink { url: format!("{}/verify/{path}", app.public_url()), expires_at };
    let home = (call.seller_id(), payee.id);
    match app.payees.issue_verification_link(home, link, claim.clone()).await? {
        Spent::Made(payee) => Ok(Reply::created(&view(&payee)?)),
        Spent::Before => {
            idempotency_key::winner(&app, &call, &claim).await?;
            replay(&app, &call, vendor)
        }
    }
}

/// A replay answers the vendor's link as it is now, which may be a newer one.
fn replay(app: &App, call: &Call, vendor: VendorId) -> Answer {
    let payee = query::vendor(&app.store, call.seller_id(), vendor)?;
    Ok(Reply::replayed(&view(&payee.ok_or_else(Problem::missing)?)?))
}

fn view(payee: &Payee) -> Result<LinkView, Problem> {
    let link = payee.vendor.as_ref().and_then(|vendor| vendor.link.clone());
    let VerificationLink { url, expires_at } = link.ok_or_else(Problem::missing)?;
    Ok(LinkView { url, expires_at })
}

impl LinkToken {
    /// The last part of the address, good until `expires_at`.
    fn sign(self, key: &TokenKey, expires_at: Timestamp) -> String {
        let mut bytes = Vec::with_capacity(SAID_BYTES + SIGNATURE_BYTES);
        for number in [self.seller.0, self.vendor.0] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&expires_at.micros().to_be_bytes());
        let mark = key.mark(MEANING, &bytes);
        bytes.extend_from_slice(&mark);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// What `text` says; `None` when it is not ours, or is over at `now`.
    pub fn open(key: &TokenKey, text: &str, now: Timestamp) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let bytes: &[u8; SAID_BYTES + SIGNATURE_BYTES] = bytes.as_slice().try_into().ok()?;
        let (said, mark) = bytes.split_at(SAID_BYTES);
        if !bool::from(key.mark(MEANING, said).ct_eq(mark)) {
            return None;
        }
        let part = |from: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&said[from..from + 8]);
            number
        };
        let expires_at = Timestamp::from_micros(i64::from_be_bytes(part(16)));
        (now < expires_at).then(|| Self {
            seller: SellerId(u64::from_be_bytes(part(0))),
            vendor: VendorId(u64::from_be_bytes(part(8))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_its_vendor_until_it_is_over() {
        let key = TokenKey::derive(b"secret");
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let link = LinkToken { seller: SellerId(3), vendor: VendorId(77) };
        let text = link.sign(&key, at(100));
        assert_eq!(LinkToken::open(&key, &text, at(99)), Some(link));
        assert_eq!(LinkToken::open(&key, &text, at(100)), None);
        assert_eq!(LinkToken::open(&TokenKey::derive(b"other"), &text, at(99)), None);
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).expect("bytes");
        for place in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[place] ^= 1;
            let bent = BASE64URL_NOPAD.encode(&bent);
            assert_eq!(LinkToken::open(&key, &bent, at(99)), None, "byte {place}");
        }
        assert_eq!(LinkToken::open(&key, "x", at(99)), None);
    }
}
