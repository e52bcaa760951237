//! The events that webhooks carry.

use serde_json::Value;

use crate::domain::time::Timestamp;

/// Declares the event types with their wire names, once.
macro_rules! event_types {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What an event tells of. The name on the wire is the variant's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType { $($(#[$doc])* $name),+ }

        impl EventType {
            /// Every event type, in the order of the documents.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

event_types! {
    /// An invoice got its number.
    InvoiceIssued,
    /// An invoice went to its customer with a payment link.
    InvoiceSent,
    /// An invoice is paid.
    InvoicePaid,
    /// An invoice's due date passed with something outstanding.
    InvoiceOverdue,
    /// An invoice was voided.
    InvoiceVoided,
    /// An invoice was written off.
    InvoiceWrittenOff,
    /// Stored credit paid a part of an invoice.
    CreditApplied,
    /// A contract's credit of one type is used up.
    CreditDepleted,
    /// A subscription was created.
    BillingSubscriptionCreated,
    /// A subscription's first paid term began.
    BillingSubscriptionActivated,
    /// A subscription's next term began.
    BillingSubscriptionRenewed,
    /// A subscription's plan changed.
    BillingSubscriptionPlanChanged,
    /// A subscription was paused.
    BillingSubscriptionPaused,
    /// A paused subscription goes on.
    BillingSubscriptionResumed,
    /// A subscription was canceled.
    BillingSubscriptionCanceled,
    /// A subscription came to its end date.
    BillingSubscriptionExpired,
    /// A subscription's collection failed.
    BillingSubscriptionPastDue,
    /// A past-due subscription was collected.
    BillingSubscriptionRecovered,
    /// A trial ends in a day.
    SubscriptionTrialWillEnd,
    /// A payment reached a terminal state.
    PaymentCompleted,
    /// A manually captured payment is authorized.
    PaymentAuthorized,
    /// A refund succeeded.
    PaymentRefunded,
    /// A payment link was made.
    PaymentLinkCreated,
    /// A payment link's amount, title, expiry or recipient changed.
    PaymentLinkUpdated,
    /// A payment link was paid.
    PaymentLinkPaid,
    /// A payment link's time ran out.
    PaymentLinkExpired,
    /// A payment link was cancelled.
    PaymentLinkCancelled,
    /// The mail with a payment link could not be delivered.
    PaymentLinkEmailFailed,
    /// A payment-link subscription was made.
    SubscriptionCreated,
    /// A payment-link subscription was charged.
    SubscriptionCharged,
    /// An instalment of a payment-link subscription was charged.
    SubscriptionInstallmentCharged,
    /// The trial of a payment-link subscription ended.
    SubscriptionTrialEnded,
    /// The commitment of a payment-link subscription is fulfilled.
    SubscriptionCommitmentCompleted,
    /// A payment-link subscription was cancelled.
    SubscriptionCancelled,
    /// The last permitted charge of a payment-link subscription failed.
    SubscriptionPastDue,
    /// A payee's verification began.
    KYBVerificationStarted,
    /// A payee's verification is being worked on.
    KYBVerificationPending,
    /// A person looks at a payee's verification.
    KYBVerificationManualReview,
    /// A payee is verified.
    KYBVerificationApproved,
    /// A payee was rejected.
    KYBVerificationRejected,
    /// A payee's verification level changed.
    KYBVerificationLevelChanged,
    /// A vendor may be paid out.
    MarketplaceVendorActivated,
    /// A vendor must verify.
    MarketplaceVendorVerificationRequired,
    /// A vendor's verification is under way.
    MarketplaceVendorVerificationInProgress,
    /// A vendor's verification waits for review.
    MarketplaceVendorVerificationPendingReview,
    /// A vendor is verified.
    MarketplaceVendorVerificationComplete,
    /// A vendor is blocked.
    MarketplaceVendorBlocked,
    /// A vendor's payout allowance changed.
    MarketplaceVendorPayoutAllowanceChanged,
    /// A promo code was redeemed.
    PromoCodeRedeemed,
    /// A tax location was found.
    TaxLocationResolved,
    /// A payout was completed.
    PayoutCompleted,
    /// A payout failed.
    PayoutFailed,
    /// A payout moved; goes to its own call-back alone.
    PayoutUpdated,
}

impl EventType {
    /// The type of this name, exactly as written.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether only webhooks that name the type receive it.
    pub fn is_opt_in(self) -> bool {
        self.name().starts_with("MarketplaceVendor") || self.is_call_back()
    }

    /// Whether it goes to an address of the object's own and to no webhook.
    pub fn is_call_back(self) -> bool {
        self == Self::PayoutUpdated
    }
}

/// An event as a rule makes it, before it has an id and deliveries.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// What it tells of.
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
