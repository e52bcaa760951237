use actors::domain::billing::subscription::{
    CollectionMethod, Frequency, Subscription, SubscriptionStatus, TrialEndBehavior,
};
use actors::domain::money::Currency;
use actors::domain::quantity::{Quantity, TaxRate};
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};

/// A subscription. What has no value is left out.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    id: u64,
    contract_id: u64,
    seller_customer_id: u64,
    status: SubscriptionStatus,
    frequency: Frequency,
    /// Minor units for one unit and one term, before tax.
    price_minor: i64,
    quantity: Quantity,
    currency: Currency,
    description: Option<String>,
    start_date: Date,
    /// The last day served.
    end_date: Option<Date>,
    /// The first paid day after the trial.
    trial_end: Option<Date>,
    trial_end_behavior: TrialEndBehavior,
    /// Whether the trial may only become paid with a saved card.
    require_payment_method: bool,
    /// Percent; absent where the seller's rate holds.
    tax_rate: Option<TaxRate>,
    collection_method: CollectionMethod,
    /// First day of the running period: the trial, or the latest begun term.
    current_period_start: Option<Date>,
    /// First day after that period.
    current_period_end: Option<Date>,
    /// The first day not served, once a cancel is scheduled.
    cancel_at: Option<Date>,
    /// An instant of the contract's clock.
    canceled_at: Option<Timestamp>,
    cancel_reason: Option<String>,
    /// An instant of the contract's clock; only while paused.
    paused_at: Option<Timestamp>,
    /// First day served again; only while paused.
    resumes_at: Option<Date>,
    pending_change: Option<PendingChangeView>,
    created_at: Timestamp,
}

/// The plan that a change which waits for its day leads to.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingChangeView {
    price_minor: i64,
    quantity: Quantity,
    frequency: Frequency,
    tax_rate: Option<TaxRate>,
    /// First day of the first term that has it.
    effective_date: Date,
}

pub type SubscriptionList = List<SubscriptionView>;

impl Listed for SubscriptionView {
    const LIST: &'static str = "SubscriptionList";
    const ITEMS: &'static str = "subscriptions";
}

impl From<Subscription> for SubscriptionView {
    fn from(of: Subscription) -> Self {
        Self::from(&of)
    }
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
