//! Of what is sold by a link: payment links, subscriptions, promo codes.

use actors::domain::billing::subscription::Frequency;
use actors::domain::money::Currency;
use actors::domain::payments::link_subscription::{CancelledBy, LinkSubscriptionStatus};
use actors::domain::payments::payment_link::PaymentLinkStatus;
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use super::{BillingTrialPayload, InvoicePayload};
use crate::api::wire::words;

/// A payment link as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkPayload {
    payment_link_id: u64,
    status: PaymentLinkStatus,
    title: String,
    amount_minor: i64,
    currency: Currency,
    single_use: bool,
    /// How often it was paid.
    usage_count: u64,
    expires_at: Option<Timestamp>,
    recipient_email: Option<String>,
    /// Of the link of an invoice, with the three that follow.
    invoice_id: Option<u64>,
    invoice_number: Option<String>,
    contract_id: Option<u64>,
    seller_customer_id: Option<u64>,
}

/// A payment link, with the payment that came. `amountMinor` and `currency` are those of the
/// payment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkPaidPayload {
    #[serde(flatten)]
    link: PaymentLinkPayload,
    payment_id: String,
    promo_code: Option<String>,
}

/// What the link is of whose mail could not be delivered: an invoice, a payment link or a
/// subscription.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum LinkMailPayload {
    Invoice(InvoiceMailPayload),
    Link(PaymentLinkMailPayload),
    Subscription(LinkSubscriptionMailPayload),
}

/// An invoice whose mail could not be delivered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceMailPayload {
    #[serde(flatten)]
    invoice: InvoicePayload,
    mail_id: u64,
    payment_link_id: Option<u64>,
}

/// A payment link whose mail could not be delivered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkMailPayload {
    #[serde(flatten)]
    link: PaymentLinkPayload,
    mail_id: u64,
}

/// A subscription whose mail could not be delivered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSubscriptionMailPayload {
    #[serde(flatten)]
    subscription: LinkSubscriptionPayload,
    mail_id: u64,
}

/// A subscription that is sold by a link, as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSubscriptionPayload {
    #[schema(schema_with = payment_links)]
    source: String,
    subscription_id: u64,
    status: LinkSubscriptionStatus,
    title: String,
    /// What a term costs.
    amount_minor: i64,
    currency: Currency,
    frequency: Frequency,
    terms_paid: u32,
    trial_end: Option<Date>,
    installments: Option<u32>,
    commitment_terms: Option<u32>,
    next_charge_on: Option<Date>,
    recipient_email: Option<String>,
}

/// A subscription that is sold by a link, with the payment of a term.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSubscriptionChargedPayload {
    #[serde(flatten)]
    subscription: LinkSubscriptionPayload,
    payment_id: String,
    /// From 1.
    term: u32,
    /// The same, of a subscription in instalments.
    installment: Option<u32>,
    /// `true` where it was past due until then.
    recovered: Option<bool>,
}

/// A subscription that is sold by a link, with who cancelled it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSubscriptionCancelledPayload {
    #[serde(flatten)]
    subscription: LinkSubscriptionPayload,
    cancelled_by: CancelledBy,
}

/// A subscription that is sold by a link, with why its last charge failed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSubscriptionPastDuePayload {
    #[serde(flatten)]
    subscription: LinkSubscriptionPayload,
    /// 0 where nothing was charged, as where its card was kept in demo mode and the account is
    /// live.
    failure_code: u16,
}

/// A subscription whose trial ends: one of a contract, or one that is sold by a link.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum TrialPayload {
    Billing(BillingTrialPayload),
    Link(LinkSubscriptionPayload),
}

/// A promo code, with what it was used for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromoCodePayload {
    promo_code_id: u64,
    code: String,
    payment_link_id: u64,
    payment_id: String,
    discount_minor: i64,
    /// What was paid.
    amount_minor: i64,
    currency: Currency,
    /// How often it was used, with this time.
    redemptions: u64,
    max_redemptions: Option<u64>,
}

fn payment_links() -> Object {
    words(["payment_links"].into_iter())
}
