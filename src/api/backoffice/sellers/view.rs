//! Accounts as the operator sees them.

use actors::domain::country::Country;
use actors::domain::platform::limits::{QuotaKind, Surface};
use actors::domain::platform::seller::{
    Mode, PortalAction, ReturnLink, Seller, SellerStatus, TaxMode,
};
use actors::domain::quantity::TaxRate;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::wire::{List, Listed};

use crate::config::{LimitSettings, Settings};

/// A seller account.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SellerView {
    seller_account_id: u64,
    #[schema(value_type = String, format = "uuid")]
    uuid: Uuid,
    name: String,
    email: String,
    phone: Option<String>,
    mode: Mode,
    status: SellerStatus,
    /// The digits before the dash of invoice numbers.
    agreement_number: String,
    #[schema(value_type = Option<String>)]
    country: Option<Country>,
    tax_id: Option<String>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    tax_mode: TaxMode,
    /// Percent.
    default_tax_rate: TaxRate,
    payment_terms_days: u32,
    /// Days from the due date on which a buyer is reminded, negative before it.
    reminder_days: Vec<i32>,
    /// What buyers may do on their portal.
    portal_actions: Vec<PortalAction>,
    contract_numbering: bool,
    allowed_return_hosts: Vec<String>,
    default_return_links: Vec<ReturnLinkView>,
    vendors_enabled: bool,
    projection_enabled: bool,
    /// Days that a top-up invoice may stay unpaid after it is due.
    grace_days: u32,
    quotas: QuotasView,
    rate_limits: RateLimitsView,
    payout_approval: PayoutApprovalView,
    /// How long after its end a usage period waits for late arrivals before it closes.
    usage_grace_minutes: u32,
    created_at: Timestamp,
    /// When its owner asked for live mode: `PATCH` with `mode` `live` grants it.
    go_live_requested_at: Option<Timestamp>,
    /// When a minted sandbox account ends; absent on others.
    expires_at: Option<Timestamp>,
}

/// Where buyers are sent when a payment names no links.
#[derive(Serialize, ToSchema)]
struct ReturnLinkView {
    rel: String,
    href: String,
}

/// Writes in a rolling day, as they hold for the seller: its own, or those of the settings.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuotasView {
    contracts_per_day: u32,
    amendments_per_day: u32,
    invoices_per_day: u32,
}

/// Rate budgets, as they hold for the seller: its own, or those of the settings.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RateLimitsView {
    billing_per_hour: u32,
    billing_burst: u32,
    payments_per_hour: u32,
    payments_burst: u32,
}

/// Whose payouts wait for the operator.
#[derive(Serialize, ToSchema)]
struct PayoutApprovalView {
    /// Payouts to the seller itself.
    #[serde(rename = "self")]
    own: bool,
    /// Payouts to payees.
    payee: bool,
}

pub type SellerList = List<SellerView>;

impl Listed for SellerView {
    const LIST: &'static str = "SellerList";
    const ITEMS: &'static str = "sellers";
}

impl SellerView {
    /// `seller` under the limits of the settings.
    pub(crate) fn new(seller: &Seller, settings: &Settings) -> Self {
        let (approval, limits) = (seller.payout_approval, &settings.limits);
        let grace = seller.usage_grace_minutes;
        Self {
            seller_account_id: seller.id.0,
            uuid: seller.uuid,
            name: seller.name.clone(),
            email: seller.email.as_str().to_owned(),
            phone: seller.phone.clone(),
            mode: seller.mode,
            status: seller.status,
            agreement_number: seller.agreement_number.to_string(),
            country: seller.country,
            tax_id: seller.tax_id.clone(),
            address_line1: seller.address.line1.clone(),
            address_line2: seller.address.line2.clone(),
            city: seller.address.city.clone(),
            postal_code: seller.address.postal_code.clone(),
            tax_mode: seller.tax_mode,
            default_tax_rate: seller.default_tax_rate,
            payment_terms_days: seller.payment_terms_days,
            reminder_days: seller.reminder_days().to_vec(),
            portal_actions: seller.portal_actions.clone(),
            contract_numbering: seller.contract_numbering,
            allowed_return_hosts: seller.allowed_return_hosts.clone(),
            default_return_links: seller.default_return_links.iter().map(Into::into).collect(),
            vendors_enabled: seller.vendors_enabled,
            projection_enabled: seller.projection_enabled,
            grace_days: seller.grace_days,
            quotas: QuotasView::new(seller, limits),
            rate_limits: RateLimitsView::new(seller, limits),
            payout_approval: PayoutApprovalView { own: approval.own, payee: approval.payee },
            usage_grace_minutes: grace.unwrap_or(settings.usage.grace_minutes),
            created_at: seller.created_at,
            go_live_requested_at: seller.go_live_requested_at,
            expires_at: seller.expires_at,
        }
    }
}

impl QuotasView {
    fn new(seller: &Seller, limits: &LimitSettings) -> Self {
        Self {
            contracts_per_day: seller.quota(QuotaKind::Contracts, limits.contracts_per_day),
            amendments_per_day: seller.quota(QuotaKind::Amendments, limits.amendments_per_day),
            invoices_per_day: seller.quota(QuotaKind::Invoices, limits.invoices_per_day),
        }
    }
}

impl RateLimitsView {
    fn new(seller: &Seller, limits: &LimitSettings) -> Self {
        let billing = seller.budget(Surface::Billing, limits.billing);
        let payments = seller.budget(Surface::Payments, limits.payments);
        Self {
            billing_per_hour: billing.per_hour,
            billing_burst: billing.burst,
            payments_per_hour: payments.per_hour,
            payments_burst: payments.burst,
        }
    }
}

impl From<&ReturnLink> for ReturnLinkView {
    fn from(link: &ReturnLink) -> Self {
        Self { rel: link.rel.clone(), href: link.href.clone() }
    }
}
