//! What a request says of the split of a payment (`orderData`), or else the rule in force
//! (payments 2.3 and 2.6, decisions 7 and 13).

use actors::domain::ids::{PayeeId, SellerId};
use actors::domain::money::Money;
use actors::domain::payments::payee::PayeeRefusal;
use actors::domain::payments::split::{
    DistributionRefusal, Inputs, PlanShare, check_distribution, is_splittable,
};
use actors::domain::refusal::Refusal;
use actors::query;
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::major::Major;
use crate::app::App;
use crate::http::Problem;

/// How a payment is to be shared.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderData {
    /// If it is stated, the same as `amount`.
    total_amount: Option<Major>,
    /// What each payee gets; the rest is yours. An empty list leaves all of it with you; without
    /// any list the active split rule counts.
    payee_distribution: Option<Vec<ShareBody>>,
}

/// A payee's part.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ShareBody {
    #[schema(required)]
    payee_id: Option<u64>,
    /// Major units, above 0.
    #[schema(required)]
    amount: Option<Major>,
}

/// How a payment is shared.
#[derive(Default)]
pub(super) struct Split {
    /// What the evaluation goes by; absent when all of it stays with the seller.
    pub(super) inputs: Option<Inputs>,
    /// The distribution as it was stated.
    pub(super) stated: Vec<PlanShare>,
}

/// The split of a payment of `amount`: what the request states, else the active rule where the
/// currency can be split.
///
/// # Errors
/// `400` for a wrong distribution, `404` for a payee that is not the seller's, `409` for one that
/// is archived.
pub(super) fn decide(
    app: &App,
    seller: SellerId,
    amount: Money,
    order: Option<&OrderData>,
) -> Result<Split, Problem> {
    let lines = match order {
        Some(order) => order.lines(amount)?,
        None => None,
    };
    let Some(lines) = lines else {
        let snapshot = app.directory.seller(seller)?;
        let rule = snapshot.as_ref().and_then(|snapshot| snapshot.split_rule.as_ref());
        let rule = rule.filter(|_| is_splittable(amount.currency));
        let inputs = rule.map(|rule| Inputs::of_rule(rule, amount.minor));
        return Ok(Split { inputs, stated: Vec::new() });
    };
    for line in &lines {
        let payee = query::payee(&app.store, seller, line.payee)?;
        let missing = || Problem::new(StatusCode::NOT_FOUND, "payeeId not found");
        if payee.ok_or_else(missing)?.is_archived() {
            return Err(Refusal::from(PayeeRefusal::Archived).into());
        }
    }
    let inputs = (!lines.is_empty()).then(|| Inputs::of_distribution(&lines, amount.minor));
    Ok(Split { inputs, stated: lines })
}

impl OrderData {
    /// The lines that were stated, if any were.
    fn lines(&self, amount: Money) -> Result<Option<Vec<PlanShare>>, Problem> {
        let total = match &self.total_amount {
            Some(total) => match total.minor(amount.currency) {
                Ok(minor) => Some(minor),
                Err(_) => return Err(refused(DistributionRefusal::Total)),
            },
            None => None,
        };
        let stated = self.payee_distribution.as_deref();
        let lines = stated.unwrap_or_default().iter().enumerate();
        let lines: Vec<PlanShare> =
            lines.map(|(at, line)| line.share(at, amount)).collect::<Result<_, _>>()?;
        check_distribution(amount, total, &lines).map_err(refused)?;
        Ok(stated.map(|_| lines))
    }
}

impl ShareBody {
    fn share(&self, at: usize, amount: Money) -> Result<PlanShare, Problem> {
        let field = format!("orderData.payeeDistribution[{at}]");
        let required = |name| Problem::invalid(format!("{field}.{name} is required"));
        let payee = self.payee_id.ok_or_else(|| required("payeeId"))?;
        let stated = self.amount.as_ref().ok_or_else(|| required("amount"))?;
        let minor = stated
            .minor(amount.currency)
            .map_err(|refusal| Problem::invalid(format!("{field}.{refusal}")))?;
        Ok(PlanShare { payee: PayeeId(payee), minor })
    }
}

fn refused(refusal: DistributionRefusal) -> Problem {
    Refusal::from(refusal).into()
}
