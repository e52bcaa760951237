//! Split rules: saved, looked at, put in force.

use std::sync::Arc;

use actors::domain::ids::{PayeeId, SplitRuleId};
use actors::domain::payments::split::{
    AllocationMode, AllocationType, AmountBase, Inputs, OverAllocationPolicy, RemainderPolicy,
    RuleDraft, SplitLine, SplitRule, evaluate,
};
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::idempotency_key::{self, Done};
use crate::api::payments::split_decisions::{OutcomeView, SplitLineView};
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "split-rules";

/// What is shared in a preview where no amount is stated: 100 of a currency.
const EXAMPLE_MINOR: i64 = 10_000;

/// A split rule.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SplitRuleView {
    id: u64,
    name: String,
    /// Whether payments begun over the API without a distribution of their own follow it.
    active: bool,
    version: u32,
    /// The version that payments follow, while it is in force: an edited one is followed when it
    /// is activated anew.
    version_in_force: Option<u32>,
    allocation_mode: AllocationMode,
    amount_base: AmountBase,
    over_allocation_policy: OverAllocationPolicy,
    remainder_policy: RemainderPolicy,
    lines: Vec<SplitLineView>,
}

impl Listed for SplitRuleView {
    const LIST: &'static str = "SplitRuleList";
    const ITEMS: &'static str = "splitRules";
    const CURSOR: Option<&'static str> = None;
}

/// What a rule does, and with what it is put in force.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PreviewView {
    rule: SplitRuleView,
    /// Of the amount of the preview.
    outcome: OutcomeView,
    /// Puts the rule in force as it is now, once, within 10 minutes, by the login that previewed it.
    activation_receipt: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RuleBody {
    /// The one that gets its next version; a new rule is made without it.
    rule_id: Option<u64>,
    name: String,
    allocation_mode: AllocationMode,
    amount_base: AmountBase,
    over_allocation_policy: Option<OverAllocationPolicy>,
    remainder_policy: Option<RemainderPolicy>,
    lines: Vec<RuleLineBody>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RuleLineBody {
    payee_id: u64,
    /// Lower comes first.
    priority: u32,
    is_enabled: Option<bool>,
    allocation_type: AllocationType,
    allocation_percent_bps: Option<u32>,
    allocation_fixed_amount_minor: Option<i64>,
    fee_percent_bps: Option<u32>,
    fee_fixed_amount_minor: Option<i64>,
    min_amount_minor: Option<i64>,
    max_amount_minor: Option<i64>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ActivateBody {
    activation_receipt: String,
}

impl From<SplitRule> for SplitRuleView {
    fn from(rule: SplitRule) -> Self {
        Self {
            id: rule.id.0,
            active: rule.active,
            version: rule.version,
            version_in_force: rule.active.then(|| rule.clone().followed().version),
            allocation_mode: rule.allocation_mode,
            amount_base: rule.amount_base,
            over_allocation_policy: rule.over_allocation,
            remainder_policy: rule.remainder,
            lines: rule.lines.iter().map(SplitLineView::from).collect(),
            name: rule.name,
        }
    }
}

impl RuleLineBody {
    fn line(&self) -> SplitLine {
        SplitLine {
            payee: PayeeId(self.payee_id),
            priority: self.priority,
            is_enabled: self.is_enabled.unwrap_or(true),
            allocation_type: self.allocation_type,
            percent_bps: self.allocation_percent_bps.unwrap_or(0),
            fixed_minor: self.allocation_fixed_amount_minor.unwrap_or(0),
            fee_percent_bps: self.fee_percent_bps.unwrap_or(0),
            fee_fixed_minor: self.fee_fixed_amount_minor.unwrap_or(0),
            min_minor: self.min_amount_minor,
            max_minor: self.max_amount_minor,
        }
    }
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let rules = rules(&app, &request).await?.into_iter().map(SplitRuleView::from).collect();
    Ok(Response::ok(&List::<SplitRuleView>::whole(rules)))
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("ruleId", SplitRuleId)?;
    Ok(Response::ok(&SplitRuleView::from(find(&app, &request, id).await?)))
}

async fn find(app: &App, request: &Request, id: SplitRuleId) -> Result<SplitRule, ApiError> {
    let found = rules(app, request).await?.into_iter().find(|rule| rule.id == id);
    found.ok_or_else(ApiError::missing)
}

async fn rules(app: &App, request: &Request) -> Result<Vec<SplitRule>, ApiError> {
    let seller = request.seller_id();
    app.blocking(move |store| query::split_rules(store, seller)).await
}

async fn save(app: Arc<App>, request: Request) -> ApiResult {
    let body: RuleBody = request.json()?;
    let draft = RuleDraft {
        name: body.name,
        lines: body.lines.iter().map(RuleLineBody::line).collect(),
        allocation_mode: body.allocation_mode,
        amount_base: body.amount_base,
        over_allocation: body.over_allocation_policy.unwrap_or_default(),
        remainder: body.remainder_policy.unwrap_or_default(),
    };
    let rule = body.rule_id.map(SplitRuleId);
    let save = |claim| app.sellers.save_split_rule(request.seller_id(), rule, draft, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, save).await? {
        Done::Now(saved) => return Ok(Response::ok(&SplitRuleView::from(saved))),
        Done::Before(rule) => find(&app, &request, SplitRuleId(rule)).await?,
    };
    Ok(Response::replayed(&SplitRuleView::from(before)))
}

async fn preview(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("ruleId", SplitRuleId)?;
    let positive = |text: &str| text.parse::<i64>().ok().filter(|minor| *minor > 0);
    let gross = request.query_as("amountMinor", "a positive integer", positive)?;
    let by = (request.session(), request.person().id);
    let (rule, receipt) = app.sellers.preview_split_rule(request.seller_id(), id, by).await?;
    let shown = rule.clone();
    let counting = app.blocking(move |store| query::counting_split_rule(store, shown)).await?;
    let outcome = evaluate(&Inputs::of_rule(&counting, gross.unwrap_or(EXAMPLE_MINOR)));
    Ok(Response::ok(&PreviewView {
        rule: rule.into(),
        outcome: OutcomeView::from(&outcome),
        activation_receipt: receipt,
    })
    .unstored())
}

async fn activate(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("ruleId", SplitRuleId)?;
    let ActivateBody { activation_receipt } = request.json()?;
    let by = (request.session(), request.person().id);
    let seller = request.seller_id();
    let rule = app.sellers.activate_previewed(seller, id, &activation_receipt, by).await?;
    Ok(Response::ok(&SplitRuleView::from(rule)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/split-rules", list)
            .summary("The split rules")
            .answer::<List<SplitRuleView>>(200, "All of them, oldest first."),
        Route::get("/split-rules/{ruleId}", get)
            .summary("A split rule")
            .path_id("ruleId")
            .answer::<SplitRuleView>(200, "The rule."),
        Route::post("/split-rules", save)
            .idempotent()
            .summary("Make a split rule, or the next version of one")
            .body::<RuleBody>()
            .answer::<SplitRuleView>(200, "The rule."),
        Route::get("/split-rules/{ruleId}/preview", preview)
            .summary("What a split rule does, and the receipt that puts it in force")
            .path_id("ruleId")
            .query_amount("amountMinor", "What is shared, in minor units; 10000 by default.")
            .answer::<PreviewView>(200, "The preview."),
        Route::post("/split-rules/{ruleId}/activate", activate)
            .summary("Put a split rule in force")
            .path_id("ruleId")
            .body::<ActivateBody>()
            .answer::<SplitRuleView>(200, "The rule."),
    ]
}
