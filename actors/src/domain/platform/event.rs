//! The events that webhooks carry.

mod kept;

use serde_json::Value;

pub(crate) use kept::kind_name;
pub use kept::{Event, EventObject, EventSequence, ObjectKind};

use crate::domain::time::Timestamp;

macro_rules! event_types {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What an event tells of. The name on the wire is the variant's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType { $($(#[$doc])* $name),+ }

        impl EventType {
            /// Every event type, in the order of the documents.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

event_types! {
    InvoiceIssued,
    InvoiceSent,
    InvoicePaid,
    InvoiceOverdue,
    /// Its buyer was reminded of an invoice.
    InvoiceReminderSent,
    InvoiceVoided,
    InvoiceWrittenOff,
    CreditApplied,
    CreditDepleted,
    /// The pack that was to top stored credit up could not be paid: no other one is bought.
    CreditAutoTopUpFailed,
    BillingSubscriptionCreated,
    BillingSubscriptionActivated,
    BillingSubscriptionRenewed,
    BillingSubscriptionPlanChanged,
    BillingSubscriptionPaused,
    BillingSubscriptionResumed,
    BillingSubscriptionCanceled,
    BillingSubscriptionExpired,
    BillingSubscriptionPastDue,
    BillingSubscriptionRecovered,
    /// A trial ends in a day.
    SubscriptionTrialWillEnd,
    PaymentCompleted,
    PaymentAuthorized,
    PaymentRefunded,
    PaymentLinkCreated,
    PaymentLinkUpdated,
    PaymentLinkPaid,
    PaymentLinkExpired,
    PaymentLinkCancelled,
    /// The mail with a payment link could not be delivered.
    PaymentLinkEmailFailed,
    SubscriptionCreated,
    SubscriptionCharged,
    SubscriptionInstallmentCharged,
    SubscriptionTrialEnded,
    SubscriptionCommitmentCompleted,
    SubscriptionCancelled,
    /// The last permitted charge of a payment-link subscription failed.
    SubscriptionPastDue,
    KYBVerificationStarted,
    KYBVerificationPending,
    KYBVerificationManualReview,
    KYBVerificationApproved,
    KYBVerificationRejected,
    KYBVerificationLevelChanged,
    MarketplaceVendorActivated,
    MarketplaceVendorVerificationRequired,
    MarketplaceVendorVerificationInProgress,
    MarketplaceVendorVerificationPendingReview,
    MarketplaceVendorVerificationComplete,
    MarketplaceVendorBlocked,
    MarketplaceVendorPayoutAllowanceChanged,
    PromoCodeRedeemed,
    TaxLocationResolved,
    PayoutCompleted,
    PayoutFailed,
    /// A payout moved; goes to its own call-back alone.
    PayoutUpdated,
}

impl EventType {
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether only webhooks that name the type receive it.
    pub fn is_opt_in(self) -> bool {
        self.is_of_vendor() || self.is_call_back()
    }

    pub fn is_of_vendor(self) -> bool {
        self.name().starts_with("MarketplaceVendor")
    }

    pub fn is_of_link(self) -> bool {
        self.name().starts_with("PaymentLink") || self.name().starts_with("PromoCode")
    }

    /// Whether it goes to an address of the object's own and to no webhook.
    pub fn is_call_back(self) -> bool {
        self == Self::PayoutUpdated
    }
}

/// An event as a rule makes it, before it has an id and a place in the sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    pub kind: EventType,
    /// When it happened; repeated unchanged on every attempt.
    pub occurred_at: Timestamp,
    /// The fields of the event; money in integer minor units.
    pub payload: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_type() {
        for kind in EventType::ALL {
            assert_eq!(EventType::parse(kind.name()), Some(*kind));
        }
        assert_eq!(EventType::parse("invoiceissued"), None);
    }
}
