//! How a payment was split.

use std::sync::Arc;

use actors::domain::money::Currency;
use actors::domain::payments::split::{
    AllocationMode, AllocationType, AmountBase, AppliedShare, DecisionRecord, Effect, Inputs,
    Outcome, OverAllocationPolicy, RemainderPolicy, SplitLine, Weight,
};
use actors::domain::time::Timestamp;
use actors::query;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// The split decisions of a payment.
#[derive(Serialize, ToSchema)]
pub struct DecisionList {
    decisions: Vec<DecisionView>,
}

/// One evaluation of a split.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DecisionView {
    id: u64,
    /// The seller's `externalOrderRef`.
    payment_id: String,
    currency_code: Currency,
    inputs: InputsView,
    outcome: OutcomeView,
    /// The same as the shares of the outcome.
    applied_rules: Vec<SplitShareView>,
    created_at: Timestamp,
}

/// What went into an evaluation.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct InputsView {
    /// Absent for a payment's own `payeeDistribution`, as is `ruleVersion`.
    rule_id: Option<u64>,
    rule_version: Option<u32>,
    allocation_mode: AllocationMode,
    /// `net_settled` or `gross_payment`; nothing is taken off a payment, so both are its amount.
    amount_base: AmountBase,
    gross_amount_minor: i64,
    /// The lines as they were.
    lines: Vec<SplitLineView>,
    /// In weight mode, what the payees weigh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    distribution: Vec<WeightView>,
    over_allocation_policy: OverAllocationPolicy,
    remainder_policy: RemainderPolicy,
}

/// One line of a rule, or of a payment's own distribution.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SplitLineView {
    payee_id: u64,
    /// Lower comes first.
    priority: u32,
    is_enabled: bool,
    allocation_type: AllocationType,
    allocation_percent_bps: u32,
    allocation_fixed_amount_minor: i64,
    fee_percent_bps: u32,
    fee_fixed_amount_minor: i64,
    min_amount_minor: Option<i64>,
    max_amount_minor: Option<i64>,
}

/// What a payee weighs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WeightView {
    payee_id: u64,
    /// Only its proportion to the others counts.
    distribution_amount: i64,
}

/// What came out of an evaluation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeView {
    gross_amount_minor: i64,
    /// What the seller keeps of the shares.
    total_fee_minor: i64,
    /// What the lines left over; the last share includes it where `remainderPolicy` says so.
    remainder_minor: i64,
    /// Whether the lines came to more than there was.
    over_allocated: bool,
    shares: Vec<SplitShareView>,
}

/// What a payee gets.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SplitShareView {
    payee_id: u64,
    /// Before any policy.
    raw_share_minor: i64,
    /// After all of them.
    share_amount_minor: i64,
    /// What the seller keeps of it.
    fee_amount_minor: i64,
    /// The share without the fee.
    net_amount_minor: i64,
    /// `clamped_to_min`, `clamped_to_max`, `over_allocation_resolved`.
    effects: Vec<&'static str>,
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, reference) = (request.seller_id(), request.text_param("externalOrderRef")?);
    let payment = app.payments.by_reference(seller, &reference)?.ok_or_else(ApiError::missing)?;
    let id = payment.id;
    let found = app.blocking(move |store| query::split_decisions(store, seller, id)).await?;
    let view = |decision| DecisionView::new(decision, &payment.reference);
    Ok(Response::ok(&DecisionList { decisions: found.iter().map(view).collect() }))
}

impl DecisionView {
    fn new(decision: &DecisionRecord, reference: &str) -> Self {
        Self {
            id: decision.id.0,
            payment_id: reference.to_owned(),
            currency_code: decision.currency,
            inputs: InputsView::from(&decision.inputs),
            outcome: OutcomeView::from(&decision.outcome),
            applied_rules: decision.outcome.shares.iter().map(SplitShareView::from).collect(),
            created_at: decision.created_at,
        }
    }
}

impl From<&Inputs> for InputsView {
    fn from(inputs: &Inputs) -> Self {
        Self {
            rule_id: inputs.rule.map(|rule| rule.id.0),
            rule_version: inputs.rule.map(|rule| rule.version),
            allocation_mode: inputs.allocation_mode,
            amount_base: inputs.amount_base,
            gross_amount_minor: inputs.gross_minor,
            lines: inputs.lines.iter().map(SplitLineView::from).collect(),
            distribution: inputs.distribution.iter().map(WeightView::from).collect(),
            over_allocation_policy: inputs.over_allocation,
            remainder_policy: inputs.remainder,
        }
    }
}

impl From<&SplitLine> for SplitLineView {
    fn from(line: &SplitLine) -> Self {
        Self {
            payee_id: line.payee.0,
            priority: line.priority,
            is_enabled: line.is_enabled,
            allocation_type: line.allocation_type,
            allocation_percent_bps: line.percent_bps,
            allocation_fixed_amount_minor: line.fixed_minor,
            fee_percent_bps: line.fee_percent_bps,
            fee_fixed_amount_minor: line.fee_fixed_minor,
            min_amount_minor: line.min_minor,
            max_amount_minor: line.max_minor,
        }
    }
}

impl From<&Weight> for WeightView {
    fn from(weight: &Weight) -> Self {
        Self { payee_id: weight.payee.0, distribution_amount: weight.amount }
    }
}

impl From<&Outcome> for OutcomeView {
    fn from(outcome: &Outcome) -> Self {
        Self {
            gross_amount_minor: outcome.gross_minor,
            total_fee_minor: outcome.total_fee_minor,
            remainder_minor: outcome.remainder_minor,
            over_allocated: outcome.over_allocated,
            shares: outcome.shares.iter().map(SplitShareView::from).collect(),
        }
    }
}

impl From<&AppliedShare> for SplitShareView {
    fn from(share: &AppliedShare) -> Self {
        Self {
            payee_id: share.payee.0,
            raw_share_minor: share.raw_minor,
            share_amount_minor: share.share_minor,
            fee_amount_minor: share.fee_minor,
            net_amount_minor: share.net_minor,
            effects: share.effects.iter().map(|effect: &Effect| effect.name()).collect(),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/payments/{externalOrderRef}/split-decisions",
            list,
        ).named("listSplitDecisions")
        .summary("List the split decisions of a payment")
        .describe(
            "One record for each evaluation; a payment that all stays with the seller has none. A \
             payment follows its own `payeeDistribution`, as a decision with mode `absolute` and \
             no `ruleId`, else the active rule. Parts in basis points are rounded down. In mode \
             `weight` the whole amount is shared in proportion to `distributionAmount`, which is \
             what the payee's line says: its basis points, its minor units, or their sum. When \
             shares are scaled down, and in mode `weight`, units that rounding leaves go to the \
             largest fractions, ties to the first in order of priority. What a `last_payee` gets \
             on top is in its share, whatever its `maxAmountMinor`. Fees are rounded half up, stay \
             with the seller, and never exceed the share.",
        )
        .path_text("externalOrderRef", "The seller's reference of the payment.")
        .answer::<DecisionList>(200, "Oldest first.")
        .refuses(404, "No such payment."),
    ]
}
