//! The events that webhooks carry.

mod kept;

use serde_json::Value;

pub(crate) use kept::kind_name;
pub use kept::{Event, EventObject, EventSequence, ObjectKind};

use crate::domain::time::Timestamp;

macro_rules! event_types {
    ($($(#[doc = $about:literal])+ $name:ident),+ $(,)?) => {
        /// What an event tells of. The name on the wire is the variant's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType { $($(#[doc = $about])+ $name),+ }

        impl EventType {
            /// Every event type, in the order of the documents.
            pub const ALL: &[Self] = &[$(Self::$name),+];
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];

            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }

            /// When it is told.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => concat!($($about),+).trim_ascii()),+ }
            }
        }
    };
}

// What stands here of each is read in the API document.
event_types! {
    /// An invoice or a credit note was issued, and has its number.
    InvoiceIssued,
    /// An invoice or a credit note was sent to its buyer.
    InvoiceSent,
    /// Nothing of an invoice is outstanding any more.
    InvoicePaid,
    /// An invoice was not paid by its due date.
    InvoiceOverdue,
    /// The buyer of an invoice was reminded of it.
    InvoiceReminderSent,
    /// An invoice was voided.
    InvoiceVoided,
    /// What was outstanding of an invoice was given up.
    InvoiceWrittenOff,
    /// Stored credit paid for an invoice, or for a part of it.
    CreditApplied,
    /// A contract has no credit of one type any more.
    CreditDepleted,
    /// The pack that was to top stored credit up could not be paid: no other one is bought.
    CreditAutoTopUpFailed,
    /// A subscription of a contract was made.
    BillingSubscriptionCreated,
    /// The first paid term of a subscription began.
    BillingSubscriptionActivated,
    /// A further term of a subscription began.
    BillingSubscriptionRenewed,
    /// Another price, quantity, tax rate or frequency of a subscription took effect.
    BillingSubscriptionPlanChanged,
    /// A subscription was paused.
    BillingSubscriptionPaused,
    /// A subscription goes on after a pause.
    BillingSubscriptionResumed,
    /// A subscription has ended by being canceled.
    BillingSubscriptionCanceled,
    /// A subscription has ended at the end that it had from its beginning.
    BillingSubscriptionExpired,
    /// A subscription is owed money that is overdue.
    BillingSubscriptionPastDue,
    /// What a subscription was owed has come.
    BillingSubscriptionRecovered,
    /// A trial ends in a day: that of a subscription of a contract (`source` is `billing`), or of
    /// one that was sold by a link (`payment_links`).
    SubscriptionTrialWillEnd,
    /// A payment came to `provider_completed`, `settled` or `deposit_confirmed`, and its money is
    /// taken, or to `failed` or `cancelled`, and nothing is: `status` says which.
    PaymentCompleted,
    /// The money of a payment is held, and waits for its capture.
    PaymentAuthorized,
    /// A payment, or a part of it, went back.
    PaymentRefunded,
    /// A payment link was made, or an invoice was sent with one.
    PaymentLinkCreated,
    /// Title, amount, expiry or recipient of a payment link changed.
    PaymentLinkUpdated,
    /// Somebody paid by a payment link.
    PaymentLinkPaid,
    /// A payment link has expired.
    PaymentLinkExpired,
    /// A payment link was cancelled, or its invoice was voided or written off.
    PaymentLinkCancelled,
    /// The mail with a payment link could not be delivered.
    PaymentLinkEmailFailed,
    /// A subscription was offered by a link.
    SubscriptionCreated,
    /// A term of a subscription that was sold by a link was paid.
    SubscriptionCharged,
    /// An instalment of a subscription that was sold by a link was paid.
    SubscriptionInstallmentCharged,
    /// The trial of a subscription that was sold by a link is over.
    SubscriptionTrialEnded,
    /// The terms that the buyer had bound themselves to, or all instalments, are paid.
    SubscriptionCommitmentCompleted,
    /// A subscription that was sold by a link was cancelled.
    SubscriptionCancelled,
    /// The last permitted charge of a payment-link subscription failed, or a payment of it was lost
    /// at settlement.
    SubscriptionPastDue,
    /// The verification of a payee began.
    KYBVerificationStarted,
    /// The verification of a payee is under way.
    KYBVerificationPending,
    /// A person looks at the verification of a payee.
    KYBVerificationManualReview,
    /// A payee is verified, and can be paid out.
    KYBVerificationApproved,
    /// A payee was rejected: `reviewRejectType` says whether other data may help.
    KYBVerificationRejected,
    /// Nothing tells it so far: it can be named, and does not come.
    KYBVerificationLevelChanged,
    /// A vendor can be paid out.
    MarketplaceVendorActivated,
    /// A vendor has to say who it is, or has got a link on which it does.
    MarketplaceVendorVerificationRequired,
    /// The verification of a vendor is under way.
    MarketplaceVendorVerificationInProgress,
    /// A person looks at the verification of a vendor.
    MarketplaceVendorVerificationPendingReview,
    /// A vendor is verified.
    MarketplaceVendorVerificationComplete,
    /// A vendor was rejected for good.
    MarketplaceVendorBlocked,
    /// What a vendor may be paid out changed.
    MarketplaceVendorPayoutAllowanceChanged,
    /// A payment came with a promo code.
    PromoCodeRedeemed,
    /// Nothing tells it so far: it can be named, and does not come.
    TaxLocationResolved,
    /// A payout has arrived.
    PayoutCompleted,
    /// A payout failed, was not approved, or came back from the bank.
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

    /// Whether nothing tells it so far, so that it can be named and does not come.
    pub fn is_reserved(self) -> bool {
        matches!(self, Self::KYBVerificationLevelChanged | Self::TaxLocationResolved)
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
