//! The links to the pages on which customers see what is theirs.

use super::{LinkTokens, Opens};
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::time::Timestamp;

impl LinkTokens {
    /// The address of a customer's portal, good until then.
    pub fn portal_url(&self, seller: SellerId, customer: CustomerId, until: Timestamp) -> String {
        let token = self.dated(Opens::Portal, (seller, customer.0), until);
        format!("{}/portal/{token}", self.address())
    }

    /// The customer whose portal has this token; `None` when it is not ours, or is over at `now`.
    pub fn portal_of(&self, token: &str, now: Timestamp) -> Option<(SellerId, CustomerId)> {
        let (seller, customer) = self.dated_of(Opens::Portal, token, now)?;
        Some((seller, CustomerId(customer)))
    }

    /// The seller of the portal that has, or had, this token.
    pub fn portal_seller(&self, token: &str) -> Option<SellerId> {
        let ever = Timestamp::from_micros(i64::MIN);
        self.dated_of(Opens::Portal, token, ever).map(|(seller, _)| seller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::VendorId;

    #[test]
    fn a_link_opens_the_portal_of_its_customer_for_its_time_and_nothing_else() {
        let links = LinkTokens::new(b"secret");
        links.listen_at("https://pay.example.com");
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let customer = (SellerId(3), CustomerId(77));
        let url = links.portal_url(customer.0, customer.1, at(100));
        let token = url.strip_prefix("https://pay.example.com/portal/").expect("a page");
        assert_eq!(links.portal_of(token, at(99)), Some(customer));
        assert_eq!(links.portal_of(token, at(100)), None);
        assert_eq!(links.portal_seller(token), Some(customer.0));
        assert_eq!(LinkTokens::new(b"other").portal_seller(token), None);
        assert_eq!(LinkTokens::new(b"other").portal_of(token, at(99)), None);
        assert_eq!(links.vendor_of(token, at(99)), None);
        let vendor = links.of_vendor(SellerId(3), VendorId(77), at(100));
        assert_eq!(links.portal_of(&vendor, at(99)), None);
    }
}
