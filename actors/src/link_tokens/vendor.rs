//! The verification links of vendors: signed, so that they need no row. Events are kept without
//! them and get them when they are told.

use std::borrow::Cow;

use serde_json::Value;

use super::{LinkTokens, Opens};
use crate::domain::ids::{SellerId, VendorId};
use crate::domain::platform::event::{Event, NewEvent};
use crate::domain::time::Timestamp;

/// Under this name an event keeps, beside the end of its link, the address of when it came about.
const ADDRESS: &str = "actionAddress";

impl LinkTokens {
    /// The address of the page on which a vendor says who it is, good until then.
    pub fn verification_url(&self, seller: SellerId, vendor: VendorId, until: Timestamp) -> String {
        self.url_at(self.address(), (seller, vendor), until)
    }

    fn url_at(
        &self,
        address: &str,
        (seller, vendor): (SellerId, VendorId),
        until: Timestamp,
    ) -> String {
        format!("{address}/verify/{}", self.of_vendor(seller, vendor, until))
    }

    /// What stands behind `/verify/` in the address of a vendor's link.
    pub fn of_vendor(&self, seller: SellerId, vendor: VendorId, until: Timestamp) -> String {
        self.dated(Opens::Vendor, (seller, vendor.0), until)
    }

    /// The vendor whose link has this token; `None` when it is not ours, or is over at `now`.
    pub fn vendor_of(&self, token: &str, now: Timestamp) -> Option<(SellerId, VendorId)> {
        let (seller, vendor) = self.dated_of(Opens::Vendor, token, now)?;
        Some((seller, VendorId(vendor)))
    }

    /// Keeps with an event what its link begins with, so that every attempt tells the same.
    pub fn keep_address(&self, event: &mut NewEvent) {
        let address = self.address();
        if event.kind.is_of_vendor()
            && !address.is_empty()
            && let Some(verification) = event.payload["verification"].as_object_mut()
            && verification.contains_key("actionExpiresAt")
        {
            verification.insert(ADDRESS.to_owned(), address.into());
        }
    }

    /// An event as it is told: with the link that it tells of, whose end alone is kept.
    pub fn with_link<'e>(&self, seller: SellerId, event: &'e Event) -> Cow<'e, Event> {
        let payload = event.kind.is_of_vendor().then(|| self.linked(seller, &event.payload));
        match payload.flatten() {
            Some(payload) => Cow::Owned(Event { payload: payload.into(), ..event.clone() }),
            None => Cow::Borrowed(event),
        }
    }

    /// A payload with its link; `None` for one that tells of none.
    fn linked(&self, seller: SellerId, payload: &[u8]) -> Option<Vec<u8>> {
        let mut payload: Value = serde_json::from_slice(payload).ok()?;
        let vendor = VendorId(payload["vendorId"].as_u64()?);
        let verification = payload["verification"].as_object_mut()?;
        let until = Timestamp::parse(verification.get("actionExpiresAt")?.as_str()?)?;
        let kept = verification.remove(ADDRESS);
        // Events of earlier versions have kept none.
        let address = kept.as_ref().and_then(Value::as_str).unwrap_or_else(|| self.address());
        let url = self.url_at(address, (seller, vendor), until);
        verification.insert("actionUrl".to_owned(), url.into());
        serde_json::to_vec(&payload).ok()
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64URL_NOPAD;
    use serde_json::json;

    use super::*;
    use crate::domain::ids::EventId;
    use crate::domain::platform::event::{EventObject, EventType, ObjectKind};

    #[test]
    fn a_link_opens_its_vendor_until_it_is_over() {
        let links = LinkTokens::new(b"secret");
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let vendor = (SellerId(3), VendorId(77));
        let token = links.of_vendor(vendor.0, vendor.1, at(100));
        assert_eq!(links.vendor_of(&token, at(99)), Some(vendor));
        assert_eq!(links.vendor_of(&token, at(100)), None);
        assert_eq!(LinkTokens::new(b"other").vendor_of(&token, at(99)), None);
        let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).expect("bytes");
        for place in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[place] ^= 1;
            let bent = BASE64URL_NOPAD.encode(&bent);
            assert_eq!(links.vendor_of(&bent, at(99)), None, "byte {place}");
        }
        assert_eq!(links.vendor_of("x", at(99)), None);
        links.listen_at("https://pay.example.com");
        let url = links.verification_url(vendor.0, vendor.1, at(100));
        assert_eq!(url, format!("https://pay.example.com/verify/{token}"));
    }

    #[test]
    fn an_event_is_told_the_same_wherever_the_server_has_moved() {
        let at = |address: &str| {
            let links = LinkTokens::new(b"secret");
            links.listen_at(address);
            links
        };
        let (before, after) = (at("https://a.example.com"), at("https://b.example.com"));
        let now = Timestamp::from_micros(5);
        let verification = json!({ "status": "required", "actionExpiresAt": now });
        let mut new = NewEvent {
            kind: EventType::MarketplaceVendorVerificationRequired,
            occurred_at: now,
            payload: json!({ "vendorId": 77, "verification": verification }),
        };
        let object = EventObject { kind: ObjectKind::Vendor, id: 77 };
        let kept = |new: &NewEvent| Event::new(EventId(1), object, new, &[], (now, None));
        let told =
            |links: &LinkTokens, event: &Event| links.with_link(SellerId(3), event).payload.clone();
        let earlier = kept(&new);
        before.keep_address(&mut new);
        let event = kept(&new);
        assert_eq!(told(&after, &event), told(&before, &event));
        assert_eq!(told(&before, &event), told(&before, &earlier));
        assert_ne!(told(&after, &earlier), told(&before, &earlier));
    }
}
