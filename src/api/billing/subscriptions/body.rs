//! What requests say of a subscription.

use actors::contract::SubscriptionAction;
use actors::domain::billing::subscription::{
    Cancel, CancelMode, ChangeTiming, CollectionMethod, Frequency, NewSubscription, Pause,
    PlanChange, TrialEndBehavior,
};
use actors::domain::money::Currency;
use actors::domain::quantity::{Quantity, TaxRate};
use actors::domain::refusal::Refusal;
use actors::domain::time::Date;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::wire::accepted_currencies;
use crate::http::ApiError;

/// A subscription to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscriptionBody {
    frequency: Frequency,
    /// Minor units for one unit and one term, before tax.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    price_minor: i64,
    #[schema(schema_with = accepted_currencies)]
    currency: Currency,
    /// First day, of the trial if there is one: up to one year past and ten years ahead.
    start_date: Date,
    /// A decimal, not negative; `"1"` by default.
    quantity: Option<Quantity>,
    #[schema(max_length = 256)]
    description: Option<String>,
    /// The last day served.
    end_date: Option<Date>,
    /// Not together with `trialEnd`.
    #[schema(minimum = 1, maximum = 730)]
    trial_days: Option<i64>,
    /// The first paid day, after `startDate` by ten years at most.
    trial_end: Option<Date>,
    /// `activate` by default.
    trial_end_behavior: Option<TrialEndBehavior>,
    /// Whether the trial may only become paid with a saved card; false by default.
    require_payment_method: Option<bool>,
    /// Percent, `"0"` to `"100"` with at most 4 decimals; by default the seller's rate at issue.
    tax_rate: Option<TaxRate>,
    /// How documents are collected whose oldest subscription this is; `payment_link` by default.
    collection_method: Option<CollectionMethod>,
}

/// How a subscription is to end.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelBody {
    /// `period_end` by default.
    mode: Option<CancelMode>,
    /// The first day not served; with `at_date`, and only with it.
    at: Option<Date>,
    /// Where the same cancel is scheduled already, it stays without one as it is.
    #[schema(max_length = 512)]
    reason: Option<String>,
    /// Whether unused days are given back; false by default.
    prorate: Option<bool>,
}

/// How long a subscription is to rest.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PauseBody {
    /// First day served again; without it the subscription waits for a resume.
    resumes_at: Option<Date>,
}

/// Nothing has to be said.
#[derive(Deserialize, ToSchema)]
pub struct ResumeBody {}

/// Nothing has to be said.
#[derive(Deserialize, ToSchema)]
pub struct EndTrialBody {}

/// The new plan. What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangePlanBody {
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    price_minor: Option<i64>,
    quantity: Option<Quantity>,
    /// In a paid term with `period_end` only.
    frequency: Option<Frequency>,
    tax_rate: Option<TaxRate>,
    /// `immediately` by default.
    effective: Option<ChangeTiming>,
    /// Whether an immediate change is charged and credited by days; true by default.
    prorate: Option<bool>,
}

impl NewSubscriptionBody {
    /// The command, and its shape judged: all that depends on neither time nor state.
    pub(super) fn parse(self) -> Result<NewSubscription, ApiError> {
        let new = NewSubscription {
            frequency: self.frequency,
            price_minor: self.price_minor,
            currency: self.currency,
            start_date: self.start_date,
            quantity: self.quantity,
            description: self.description.filter(|words| !words.is_empty()),
            end_date: self.end_date,
            trial_days: self.trial_days,
            trial_end: self.trial_end,
            trial_end_behavior: self.trial_end_behavior,
            require_payment_method: self.require_payment_method.unwrap_or(false),
            tax_rate: self.tax_rate,
            collection_method: self.collection_method,
        };
        new.check().map_err(Refusal::from)?;
        Ok(new)
    }
}

impl From<CancelBody> for SubscriptionAction {
    fn from(body: CancelBody) -> Self {
        Self::Cancel(Cancel {
            mode: body.mode.unwrap_or(CancelMode::PeriodEnd),
            at: body.at,
            reason: body.reason.filter(|words| !words.is_empty()),
            prorate: body.prorate.unwrap_or(false),
        })
    }
}

impl From<PauseBody> for SubscriptionAction {
    fn from(body: PauseBody) -> Self {
        Self::Pause(Pause { resumes_at: body.resumes_at })
    }
}

impl From<ResumeBody> for SubscriptionAction {
    fn from(_: ResumeBody) -> Self {
        Self::Resume
    }
}

impl From<EndTrialBody> for SubscriptionAction {
    fn from(_: EndTrialBody) -> Self {
        Self::EndTrial
    }
}

impl From<ChangePlanBody> for SubscriptionAction {
    fn from(body: ChangePlanBody) -> Self {
        Self::ChangePlan(PlanChange {
            price_minor: body.price_minor,
            quantity: body.quantity,
            frequency: body.frequency,
            tax_rate: body.tax_rate,
            effective: body.effective.unwrap_or(ChangeTiming::Immediately),
            prorate: body.prorate.unwrap_or(true),
        })
    }
}
