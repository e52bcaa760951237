//! Subscriptions as they are answered (decisions 4).

use actors::domain::billing::subscription::{
    CollectionMethod, Frequency, Subscription, SubscriptionStatus, TrialEndBehavior,
};
use actors::domain::money::Currency;
use actors::domain::quantity::{Quantity, TaxRate};
use actors::domain::time::{Date, Timestamp};
use actors::query::Page;
use serde::Serialize;
use utoipa::ToSchema;

/// A subscription. What has no value is left out.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    id: u64,
    contract_id: u64,
    seller_customer_id: u64,
    /// `scheduled`, `trialing`, `active`, `past_due`, `paused`, `canceled` or `expired`.
    #[schema(value_type = String)]
    status: SubscriptionStatus,
    /// `weekly`, `monthly`, `quarterly`, `semiannual` or `annual`.
    #[schema(value_type = String)]
    frequency: Frequency,
    /// Minor units for one unit and one term, before tax.
    price_minor: i64,
    #[schema(value_type = String)]
    quantity: Quantity,
    #[schema(value_type = String)]
    currency: Currency,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[schema(value_type = String, format = Date)]
    start_date: Date,
    /// The last day served.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    end_date: Option<Date>,
    /// The first paid day after the trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    trial_end: Option<Date>,
    /// `activate` or `cancel`.
    #[schema(value_type = String)]
    trial_end_behavior: TrialEndBehavior,
    /// Whether the trial may only become paid with a saved card.
    require_payment_method: bool,
    /// Percent; absent where the seller's rate holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    tax_rate: Option<TaxRate>,
    /// `payment_link` or `bank_transfer`.
    #[schema(value_type = String)]
    collection_method: CollectionMethod,
    /// First day of the running period: the trial, or the latest begun term.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    current_period_start: Option<Date>,
    /// First day after that period.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    current_period_end: Option<Date>,
    /// The first day not served, once a cancel is scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    cancel_at: Option<Date>,
    /// An instant of the contract's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    canceled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_reason: Option<String>,
    /// An instant of the contract's clock; only while paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    paused_at: Option<Timestamp>,
    /// First day served again; only while paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    resumes_at: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_change: Option<PendingChangeView>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// The plan that a change which waits for its day leads to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingChangeView {
    price_minor: i64,
    #[schema(value_type = String)]
    quantity: Quantity,
    #[schema(value_type = String)]
    frequency: Frequency,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    tax_rate: Option<TaxRate>,
    /// First day of the first term that has it.
    #[schema(value_type = String, format = Date)]
    effective_date: Date,
}

/// A page of subscriptions, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionList {
    subscriptions: Vec<SubscriptionView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

impl From<&Subscription> for SubscriptionView {
    fn from(of: &Subscription) -> Self {
        Self {
            id: of.id.0,
            contract_id: of.contract.0,
            seller_customer_id: of.customer.0,
            status: of.status,
            frequency: of.frequency,
            price_minor: of.price_minor,
            quantity: of.quantity,
            currency: of.currency,
            description: of.description.clone(),
            start_date: of.start_date,
            end_date: of.end_date,
            trial_end: of.trial_end,
            trial_end_behavior: of.trial_end_behavior,
            require_payment_method: of.require_payment_method,
            tax_rate: of.tax_rate,
            collection_method: of.collection_method,
            current_period_start: of.current_period_start,
            current_period_end: of.current_period_end,
            cancel_at: of.cancel_at(),
            canceled_at: of.canceled_at,
            cancel_reason: of.cancel_reason.clone(),
            paused_at: of.paused_at,
            resumes_at: of.resumes_at,
            pending_change: of.pending_plan().map(|(plan, effective_date)| PendingChangeView {
                price_minor: plan.price.price_minor,
                quantity: plan.price.quantity,
                frequency: plan.frequency,
                tax_rate: plan.price.tax_rate,
                effective_date,
            }),
            created_at: of.created_at,
        }
    }
}

impl From<Page<Subscription>> for SubscriptionList {
    fn from(page: Page<Subscription>) -> Self {
        Self {
            subscriptions: page.items.iter().map(SubscriptionView::from).collect(),
            has_more: page.next.is_some(),
            next_cursor: page.next,
            next_before_id: page.next,
        }
    }
}
