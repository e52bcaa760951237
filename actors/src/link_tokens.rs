//! The tokens in links that are handed out: whoever has one may pay, or speak for a vendor.
//!
//! The token of a payment link or a hosted checkout is an HMAC, under the server's secret key, of
//! what it opens and of a number that was drawn for it, as is that of an invitation; those of a
//! [`vendor`] and of a [`portal`] say themselves what they open. Each can be made again whenever
//! it is to be shown, and what is
//! kept on disk, the number and a hash of the token or the end of the link, opens nothing.

mod dated;
mod portal;
mod vendor;

use std::fmt;
use std::sync::{Arc, OnceLock};

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::domain::billing::invoice::{Invoice, PaymentLink};
use crate::domain::ids::{InvoiceId, PaymentId, SellerId};
use crate::domain::payments::link_subscription::LinkSubscription;
use crate::domain::payments::payment::Payment;
use crate::domain::payments::payment_link;
use crate::domain::platform::person::InviteToken;
use crate::domain::token::{Hashed, mark, token_hash};
use crate::entropy::Entropy;

/// What is drawn for a token begins with this, unless it was drawn before tokens had shards.
const SHARDED: char = '.';

const MEANING: &[u8] = b"tokens of payment links and checkouts";

/// What a token opens. One kind never opens what another does.
#[derive(Clone, Copy)]
enum Opens {
    Invoice = 1,
    Checkout = 2,
    Vendor = 3,
    PaymentLink = 4,
    Portal = 5,
    LinkSubscription = 6,
    Invitation = 8,
}

/// Makes the tokens. Clones have the same key and the same address.
#[derive(Clone)]
pub struct LinkTokens(Arc<Inner>);

struct Inner {
    key: Zeroizing<[u8; 32]>,
    /// What links begin with; known at last when the port is.
    address: OnceLock<String>,
}

impl LinkTokens {
    /// With a key of their own, made of the server's `secret`.
    pub fn new(secret: &[u8]) -> Self {
        let key = Zeroizing::new(keyed(secret, &[MEANING]));
        Self(Arc::new(Inner { key, address: OnceLock::new() }))
    }

    /// Says what links begin with from now on, without a slash at its end; the first word counts.
    pub fn listen_at(&self, address: &str) -> &str {
        self.0.address.get_or_init(|| address.to_owned())
    }

    /// What links begin with; nothing before the server listens.
    pub fn address(&self) -> &str {
        self.0.address.get().map_or("", String::as_str)
    }

    /// What stands behind `/pay/` in the address of an invoice's link.
    pub fn of_link(&self, seller: SellerId, invoice: InvoiceId, link: &PaymentLink) -> String {
        self.token(Opens::Invoice, seller, invoice.0, &link.drawn)
    }

    /// The token of an invoice's link, if it was sent with one.
    pub fn of_invoice(&self, seller: SellerId, invoice: &Invoice) -> Option<String> {
        let link = invoice.link.as_ref()?;
        Some(self.of_link(seller, invoice.id, link))
    }

    /// What stands behind `/pay/` in the address of a link that the seller made.
    pub fn of_payment_link(&self, link: &payment_link::PaymentLink) -> String {
        self.token(Opens::PaymentLink, link.seller, link.id.0, &link.drawn)
    }

    /// What stands behind `/pay/` in the address of a subscription's page.
    pub fn of_link_subscription(&self, of: &LinkSubscription) -> String {
        self.token(Opens::LinkSubscription, of.seller, of.id.0, &of.drawn)
    }

    /// `sessionId`, of a payment at a hosted checkout.
    pub fn of_checkout(&self, payment: &Payment) -> String {
        self.of_session(payment.seller, payment.id, &payment.provider_key)
    }

    pub(crate) fn of_session(&self, seller: SellerId, payment: PaymentId, drawn: &str) -> String {
        self.token(Opens::Checkout, seller, payment.0, drawn)
    }

    /// By which an invitation is accepted, made of what was drawn for it.
    pub fn of_invitation(&self, seller: SellerId, drawn: &str) -> InviteToken {
        InviteToken::from_random(seller, &self.bytes(Opens::Invitation, seller, 0, drawn))
    }

    /// What a token is made of, by which it is made again.
    pub(crate) fn draw(entropy: Entropy) -> String {
        format!("{SHARDED}{}", entropy.token())
    }

    fn token(&self, opens: Opens, seller: SellerId, object: u64, drawn: &str) -> String {
        let mut bytes = self.bytes(opens, seller, object, drawn);
        if drawn.starts_with(SHARDED) {
            mark(&mut bytes, seller.shard());
        }
        BASE64URL_NOPAD.encode(&bytes)
    }

    fn bytes(&self, opens: Opens, seller: SellerId, object: u64, drawn: &str) -> [u8; 32] {
        let (seller, object) = (seller.0.to_be_bytes(), object.to_be_bytes());
        let said: [&[u8]; 4] = [&[opens as u8], &seller, &object, drawn.as_bytes()];
        keyed(self.0.key.as_slice(), &said)
    }
}

impl fmt::Debug for LinkTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkTokens")
    }
}

token_hash!(
    /// What is kept of a token, to find what it opens.
    LinkHash
);

impl LinkHash {
    pub fn of(token: &str) -> Self {
        Self(Hashed::of(token))
    }
}

fn keyed(key: &[u8], said: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length is taken");
    for part in said {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use storage::Key;

    use super::*;

    #[test]
    fn a_token_is_made_again_and_is_of_its_key_its_object_and_what_was_drawn() {
        let ours = LinkTokens::new(&[7; 32]);
        let link = |drawn: &str| PaymentLink { id: 1, drawn: drawn.to_owned() };
        let (seller, invoice) = (SellerId(3), InvoiceId(77));
        let token = ours.of_link(seller, invoice, &link("x"));
        assert_eq!(LinkTokens::new(&[7; 32]).of_link(seller, invoice, &link("x")), token);
        assert_eq!(token.len(), 43, "256 bits");
        for other in [
            LinkTokens::new(&[8; 32]).of_link(seller, invoice, &link("x")),
            ours.of_link(seller, invoice, &link("y")),
            ours.of_link(seller, InvoiceId(78), &link("x")),
            ours.of_link(SellerId(4), invoice, &link("x")),
            ours.of_session(seller, PaymentId(77), "x"),
        ] {
            assert_ne!(other, token);
        }
    }

    #[test]
    fn a_token_says_its_shard_unless_it_was_drawn_before_there_were_any() {
        let ours = LinkTokens::new(&[7; 32]);
        let token = |drawn: &str| ours.of_session(SellerId(1_030), PaymentId(9), drawn);
        let shard = |drawn: &str| LinkHash::of(&token(drawn)).shard();
        let drawn = LinkTokens::draw(Entropy);
        assert_eq!(shard(&drawn), Some(SellerId(1_030).shard()));
        assert_eq!((token(&drawn).len(), token(&drawn)), (43, token(&drawn)));
        assert_eq!(shard("x"), Some(SellerId(0).shard()));
        assert_eq!(token("x"), "h5w7QZ5DcCmd5zMC_qIlF-C-QOIpz1h2x0Xz4JZEYpM");
    }
}
