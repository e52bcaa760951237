//! Events as they are kept: once each, in the order in which they came about.

use std::sync::Arc;

use bytes::Bytes;
use minicbor::{Decode, Decoder, Encode, Encoder};
use serde::Deserialize;
use serde::de::IgnoredAny;
use storage::{Key, KeyError, KeyReader, KeyWriter, Shard};

use super::{EventType, NewEvent};
use crate::domain::ids::{EventId, SellerId, WebhookId};
use crate::domain::names::names;
use crate::domain::platform::seller::Scope;
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::filter::known_type;
use crate::domain::time::Timestamp;

names! {
    /// What events are told of. What has no kind of its own is told of the seller.
    ObjectKind;
    0 Seller = "seller",
    1 Contract = "contract",
    2 Payment = "payment",
    3 Payee = "payee",
    4 Vendor = "vendor",
    5 LinkSubscription = "linkSubscription",
}

/// The object that an event tells of: what is in order where an endpoint asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct EventObject {
    #[n(0)]
    pub kind: ObjectKind,
    #[n(1)]
    pub id: u64,
}

/// An event as it is kept. Its sequence is in its key.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Event {
    #[n(0)]
    pub id: EventId,
    #[cbor(n(1), with = "kind_name")]
    pub kind: EventType,
    #[n(2)]
    pub object: EventObject,
    #[n(3)]
    pub occurred_at: Timestamp,
    #[n(4)]
    pub created_at: Timestamp,
    /// JSON, kept as it was first written: every delivery carries the same bytes.
    #[cbor(n(5), with = "payload_bytes")]
    pub payload: Bytes,
    /// Who subscribed when it came about. A webhook's place here is part of the id of its
    /// delivery.
    #[n(6)]
    pub webhooks: Vec<WebhookId>,
    /// The epoch of the store in which it came about; none before its first restore.
    #[n(7)]
    pub epoch: Option<u64>,
}

/// The key of the gapless sequence of a seller's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventSequence(pub SellerId);

impl EventObject {
    /// The object of an event that a room tells of its own object. Links and promo codes have no
    /// order of their own.
    pub fn of(seller: SellerId, room: Self, event: EventType) -> Self {
        match room.kind {
            _ if event.is_of_link() => Self { kind: ObjectKind::Seller, id: seller.0 },
            ObjectKind::Payee if event.is_of_vendor() => Self { kind: ObjectKind::Vendor, ..room },
            _ => room,
        }
    }
}

impl Event {
    pub fn new(
        id: EventId,
        object: EventObject,
        event: &NewEvent,
        webhooks: &[Arc<Webhook>],
        (now, epoch): (Timestamp, Option<u64>),
    ) -> Self {
        let payload =
            serde_json::to_vec(&event.payload).expect("a JSON value has text for its keys");
        let subscribed = webhooks.iter().filter(|webhook| webhook.subscribes_to(event.kind));
        Self {
            id,
            kind: event.kind,
            object,
            occurred_at: event.occurred_at,
            created_at: now,
            payload: Bytes::from(payload),
            webhooks: subscribed.map(|webhook| webhook.id).collect(),
            epoch,
        }
    }

    /// What a key needs to read it: it is of the side of the API that shows what it tells of.
    pub fn scope(&self) -> Scope {
        match self.object.kind {
            ObjectKind::Contract => Scope::BillingRead,
            // Links are told of the seller, and one that an invoice is paid by is the invoice's.
            ObjectKind::Seller if self.kind.is_of_link() && self.names_an_invoice() => {
                Scope::BillingRead
            }
            ObjectKind::Seller
            | ObjectKind::Payment
            | ObjectKind::Payee
            | ObjectKind::Vendor
            | ObjectKind::LinkSubscription => Scope::PaymentsRead,
        }
    }

    fn names_an_invoice(&self) -> bool {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Named {
            invoice_id: Option<IgnoredAny>,
        }
        let named = serde_json::from_slice::<Named>(&self.payload);
        named.is_ok_and(|named| named.invoice_id.is_some())
    }
}

impl storage::CborRecord for Event {}

impl Key for EventSequence {
    const SHARDED: bool = true;

    fn shard(&self) -> Option<Shard> {
        Some(self.0.shard())
    }

    /// The first part keeps the sequence apart from those of other meanings.
    fn write(&self, out: &mut KeyWriter) {
        out.fixed(b"events");
        self.0.write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        if &from.fixed()? != b"events" {
            return Err(KeyError::Invalid("a sequence of events"));
        }
        Key::read(from).map(Self)
    }
}

/// Event types are stored by name: names outlive the order of a list.
pub(crate) mod kind_name {
    use super::{Decoder, Encoder, EventType, known_type};

    pub(crate) fn encode<C, W: minicbor::encode::Write>(
        kind: &EventType,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(kind.name())?.ok()
    }

    pub(crate) fn decode<C>(
        d: &mut Decoder<'_>,
        _: &mut C,
    ) -> Result<EventType, minicbor::decode::Error> {
        known_type(d.str()?)
    }
}

mod payload_bytes {
    use super::{Bytes, Decoder, Encoder};

    pub(super) fn encode<C, W: minicbor::encode::Write>(
        payload: &Bytes,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.bytes(payload)?.ok()
    }

    pub(super) fn decode<C>(
        d: &mut Decoder<'_>,
        _: &mut C,
    ) -> Result<Bytes, minicbor::decode::Error> {
        d.bytes().map(Bytes::copy_from_slice)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_read_by_the_side_that_shows_what_it_tells_of() {
        use EventType::{
            BillingSubscriptionRenewed, CreditApplied, InvoiceIssued, KYBVerificationApproved,
            MarketplaceVendorActivated, PaymentCompleted, PaymentLinkCreated,
            PaymentLinkEmailFailed, PayoutCompleted, PromoCodeRedeemed, SubscriptionCharged,
            SubscriptionTrialWillEnd,
        };
        use ObjectKind::{Contract, LinkSubscription, Payee, Payment, Seller};
        let of_invoice = json!({"invoiceId": 5});
        for (kind, room, payload, scope) in [
            (InvoiceIssued, Contract, of_invoice.clone(), Scope::BillingRead),
            (CreditApplied, Contract, json!({}), Scope::BillingRead),
            (BillingSubscriptionRenewed, Contract, json!({}), Scope::BillingRead),
            (SubscriptionTrialWillEnd, Contract, json!({}), Scope::BillingRead),
            (PaymentLinkCreated, Contract, of_invoice.clone(), Scope::BillingRead),
            (PaymentLinkEmailFailed, Contract, of_invoice.clone(), Scope::BillingRead),
            (PaymentLinkCreated, Seller, json!({"paymentLinkId": 5}), Scope::PaymentsRead),
            (PaymentLinkEmailFailed, LinkSubscription, json!({}), Scope::PaymentsRead),
            (PromoCodeRedeemed, Seller, json!({}), Scope::PaymentsRead),
            (SubscriptionTrialWillEnd, LinkSubscription, json!({}), Scope::PaymentsRead),
            (SubscriptionCharged, LinkSubscription, json!({}), Scope::PaymentsRead),
            // Also of a payment by which an invoice is paid.
            (PaymentCompleted, Payment, of_invoice, Scope::PaymentsRead),
            (PayoutCompleted, Payee, json!({}), Scope::PaymentsRead),
            (KYBVerificationApproved, Payee, json!({}), Scope::PaymentsRead),
            (MarketplaceVendorActivated, Payee, json!({}), Scope::PaymentsRead),
        ] {
            let (room, now) = (EventObject { kind: room, id: 7 }, Timestamp::from_micros(5));
            let object = EventObject::of(SellerId(1), room, kind);
            let new = NewEvent { kind, occurred_at: now, payload };
            let event = Event::new(EventId(1), object, &new, &[], (now, None));
            assert_eq!(event.scope(), scope, "{} of {room:?}", kind.name());
        }
    }
}
