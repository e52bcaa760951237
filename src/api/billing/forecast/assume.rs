//! What a forecast is to assume, as it is asked for.

use actors::contract::{AssumedChange, ForecastOrder, NewPrice, SubscriptionAction};
use actors::domain::billing::pricing::PriceConfigRequest;
use actors::domain::billing::usage::{AssumedUsage, MetricName};
use actors::domain::ids::SubscriptionId;
use actors::domain::quantity::Quantity;
use actors::domain::refusal::Refusal;
use actors::domain::time::{Date, Timestamp};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::billing::subscriptions::{
    CancelBody, ChangePlanBody, EndTrialBody, PauseBody, ResumeBody,
};
use crate::http::ApiError;
use crate::http::json::{RawObject, read_part};

/// What is assumed until the end of a forecast; nothing by default.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumeBody {
    #[schema(max_items = 100)]
    usage: Option<Vec<AssumedUsageBody>>,
    #[schema(max_items = 100, value_type = Option<Vec<AssumedChangeBody>>)]
    changes: Option<Vec<RawObject>>,
    #[schema(max_items = 100)]
    prices: Option<Vec<AssumedPriceBody>>,
    /// Whether the seller makes the contract's first recurring invoice on the day its terms are
    /// due; false by default.
    first_invoice: Option<bool>,
}

/// What is used of a metric each day.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumedUsageBody {
    metric: String,
    /// The quantity of one event; of a `count` metric how many events, at most 10^15, of a
    /// `count_unique` one how many values, the same ones on each day.
    per_day: Quantity,
}

/// An action on a subscription, with the fields of its body beside its name.
// The document is made of this shape; it is read part by part.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumedChangeBody {
    /// Between the day of the contract's clock and that of `to`.
    on: Date,
    subscription_id: u64,
    #[serde(flatten)]
    action: AssumedActionBody,
}

#[derive(Deserialize, ToSchema)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum AssumedActionBody {
    Cancel(CancelBody),
    Pause(PauseBody),
    Resume(ResumeBody),
    EndTrial(EndTrialBody),
    ChangePlan(ChangePlanBody),
}

/// What a change is, whichever fields it has besides.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeHead {
    on: Date,
    subscription_id: u64,
    action: Action,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Action {
    Cancel,
    Pause,
    Resume,
    EndTrial,
    ChangePlan,
}

/// A metric's price from a day on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumedPriceBody {
    metric: String,
    effective_from: Date,
    config: PriceConfigRequest,
}

impl AssumeBody {
    pub(super) fn parse(self, to: Timestamp) -> Result<ForecastOrder, ApiError> {
        let usage = self.usage.unwrap_or_default().into_iter().enumerate();
        let prices = self.prices.unwrap_or_default().into_iter().enumerate();
        let changes = self.changes.unwrap_or_default().into_iter().enumerate();
        let changes = changes.map(|(index, one)| AssumedChangeBody::read(index, &one));
        Ok(ForecastOrder {
            to,
            usage: usage.map(|(index, one)| one.parse(index)).collect::<Result<_, _>>()?,
            changes: changes.map(|one| one.map(AssumedChange::from)).collect::<Result<_, _>>()?,
            prices: prices.map(|(index, one)| one.parse(index)).collect::<Result<_, _>>()?,
            first_invoice: self.first_invoice.unwrap_or(false),
        })
    }
}

impl AssumedUsageBody {
    fn parse(self, index: usize) -> Result<AssumedUsage, ApiError> {
        let metric = metric("usage", index, &self.metric)?;
        Ok(AssumedUsage { metric, per_day: self.per_day })
    }
}

impl AssumedPriceBody {
    fn parse(self, index: usize) -> Result<NewPrice, ApiError> {
        let metric = metric("prices", index, &self.metric)?;
        let config = self.config.check().map_err(|refusal| {
            let refusal = Refusal::from(refusal);
            let text = format!("assume.prices[{index}].{}", refusal.text);
            ApiError::from(Refusal { text, ..refusal })
        })?;
        Ok(NewPrice { metric, effective_from: self.effective_from, config })
    }
}

impl AssumedChangeBody {
    /// First what it is, and then the fields of its action, as the action's own route reads them.
    fn read(index: usize, change: &RawObject) -> Result<Self, ApiError> {
        let place = format!("assume.changes[{index}]");
        let ChangeHead { on, subscription_id, action } = read_part(&place, change)?;
        let action = match action {
            Action::Cancel => AssumedActionBody::Cancel(read_part(&place, change)?),
            Action::Pause => AssumedActionBody::Pause(read_part(&place, change)?),
            Action::Resume => AssumedActionBody::Resume(read_part(&place, change)?),
            Action::EndTrial => AssumedActionBody::EndTrial(read_part(&place, change)?),
            Action::ChangePlan => AssumedActionBody::ChangePlan(read_part(&place, change)?),
        };
        Ok(Self { on, subscription_id, action })
    }
}

impl From<AssumedChangeBody> for AssumedChange {
    fn from(body: AssumedChangeBody) -> Self {
        let action = match body.action {
            AssumedActionBody::Cancel(body) => SubscriptionAction::from(body),
            AssumedActionBody::Pause(body) => body.into(),
            AssumedActionBody::Resume(body) => body.into(),
            AssumedActionBody::EndTrial(body) => body.into(),
            AssumedActionBody::ChangePlan(body) => body.into(),
        };
        let subscription = SubscriptionId(body.subscription_id);
        Self { on: body.on, subscription, action }
    }
}

/// A name that cannot be registered is that of no metric.
fn metric(list: &str, index: usize, name: &str) -> Result<MetricName, ApiError> {
    let unknown = || {
        let text = format!("assume.{list}[{index}].metric {name} is not registered");
        ApiError::invalid(text)
    };
    MetricName::parse(name).ok_or_else(unknown)
}
