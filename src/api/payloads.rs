//! What the payload of each event carries, for the API document. The rules make the payloads; every
//! test that runs a server compares those that it has caused with what stands here.

mod contracts;
mod links;
mod payments;

pub use contracts::{
    AutoTopupFailedPayload, BillingTrialPayload, CreditAppliedPayload, CreditDepletedPayload,
    InvoicePayload, InvoiceReminderPayload, SubscriptionPayload,
};
pub use links::{
    LinkMailPayload, LinkSubscriptionCancelledPayload, LinkSubscriptionChargedPayload,
    LinkSubscriptionPastDuePayload, LinkSubscriptionPayload, PaymentLinkPaidPayload,
    PaymentLinkPayload, PromoCodePayload, TrialPayload,
};
pub use payments::{PayeePayload, PaymentPayload, PayoutPayload, RefundPayload, VendorPayload};

use std::fmt::Write as _;

use actors::domain::platform::event::EventType;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::billing::events::EventView;
use crate::gate::Route;

/// What the parameter `eventType` must be.
pub(super) const KNOWN: &str = "an event type (EventType in /openapi.json has all)";

/// An event type that a webhook may name, for the API document.
pub struct WebhookEventType;

impl PartialSchema for WebhookEventType {
    fn schema() -> RefOr<Schema> {
        let all = || EventType::ALL.iter().filter(|kind| !kind.is_call_back());
        let listed = |is_so: fn(EventType) -> bool| {
            all().filter(|kind| is_so(**kind)).fold(String::new(), |mut names, kind| {
                let comma = if names.is_empty() { "" } else { ", " };
                let _ = write!(names, "{comma}`{}`", kind.name());
                names
            })
        };
        let about = format!(
            "An event type that a webhook may name. Opt-in, heard only where they are named: {}. \
             Nothing tells of these so far: {}.",
            listed(EventType::is_opt_in),
            listed(EventType::is_reserved),
        );
        let names = all().map(|kind| kind.name());
        let names = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
        names.description(Some(about)).into()
    }
}

impl ToSchema for WebhookEventType {}

/// `route` with all that webhooks are told.
pub(super) fn told_by(route: Route) -> Route {
    EventType::ALL.iter().fold(route, |route, kind| tell(route, *kind))
}

fn tell(route: Route, kind: EventType) -> Route {
    match kind {
        EventType::InvoiceIssued
        | EventType::InvoiceSent
        | EventType::InvoicePaid
        | EventType::InvoiceOverdue
        | EventType::InvoiceVoided
        | EventType::InvoiceWrittenOff => tells::<InvoicePayload>(route, kind),
        EventType::InvoiceReminderSent => tells::<InvoiceReminderPayload>(route, kind),
        EventType::CreditApplied => tells::<CreditAppliedPayload>(route, kind),
        EventType::CreditDepleted => tells::<CreditDepletedPayload>(route, kind),
        EventType::CreditAutoTopUpFailed => tells::<AutoTopupFailedPayload>(route, kind),
        EventType::BillingSubscriptionCreated
        | EventType::BillingSubscriptionActivated
        | EventType::BillingSubscriptionRenewed
        | EventType::BillingSubscriptionPlanChanged
        | EventType::BillingSubscriptionPaused
        | EventType::BillingSubscriptionResumed
        | EventType::BillingSubscriptionCanceled
        | EventType::BillingSubscriptionExpired
        | EventType::BillingSubscriptionPastDue
        | EventType::BillingSubscriptionRecovered => tells::<SubscriptionPayload>(route, kind),
        EventType::SubscriptionTrialWillEnd => tells::<TrialPayload>(route, kind),
        EventType::PaymentCompleted | EventType::PaymentAuthorized => {
            tells::<PaymentPayload>(route, kind)
        }
        EventType::PaymentRefunded => tells::<RefundPayload>(route, kind),
        EventType::PaymentLinkCreated
        | EventType::PaymentLinkUpdated
        | EventType::PaymentLinkExpired
        | EventType::PaymentLinkCancelled => tells::<PaymentLinkPayload>(route, kind),
        EventType::PaymentLinkPaid => tells::<PaymentLinkPaidPayload>(route, kind),
        EventType::PaymentLinkEmailFailed => tells::<LinkMailPayload>(route, kind),
        EventType::SubscriptionCreated
        | EventType::SubscriptionTrialEnded
        | EventType::SubscriptionCommitmentCompleted => {
            tells::<LinkSubscriptionPayload>(route, kind)
        }
        EventType::SubscriptionCharged | EventType::SubscriptionInstallmentCharged => {
            tells::<LinkSubscriptionChargedPayload>(route, kind)
        }
        EventType::SubscriptionCancelled => tells::<LinkSubscriptionCancelledPayload>(route, kind),
        EventType::SubscriptionPastDue => tells::<LinkSubscriptionPastDuePayload>(route, kind),
        EventType::KYBVerificationStarted
        | EventType::KYBVerificationPending
        | EventType::KYBVerificationManualReview
        | EventType::KYBVerificationApproved
        | EventType::KYBVerificationRejected => tells::<PayeePayload>(route, kind),
        EventType::MarketplaceVendorActivated
        | EventType::MarketplaceVendorVerificationRequired
        | EventType::MarketplaceVendorVerificationInProgress
        | EventType::MarketplaceVendorVerificationPendingReview
        | EventType::MarketplaceVendorVerificationComplete
        | EventType::MarketplaceVendorBlocked
        | EventType::MarketplaceVendorPayoutAllowanceChanged => tells::<VendorPayload>(route, kind),
        EventType::PromoCodeRedeemed => tells::<PromoCodePayload>(route, kind),
        EventType::PayoutCompleted | EventType::PayoutFailed | EventType::PayoutUpdated => {
            tells::<PayoutPayload>(route, kind)
        }
        EventType::KYBVerificationLevelChanged | EventType::TaxLocationResolved => route,
    }
}

fn tells<P: ToSchema>(route: Route, kind: EventType) -> Route {
    let opt_in = if kind.is_opt_in() && !kind.is_call_back() {
        " Opt-in: only a webhook that names it hears it."
    } else {
        ""
    };
    route.tells::<EventView, P>(kind.name(), format!("{}{opt_in}", kind.about()))
}
