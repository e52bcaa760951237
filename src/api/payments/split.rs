//! What a request says of the split of a payment (`orderData`).

use actors::domain::ids::{PayeeId, SellerId};
use actors::domain::money::Money;
use actors::domain::payments::split::{
    AppliedSplit, DistributionRefusal, PlanShare, check_distribution, check_payee,
};
use actors::domain::refusal::Refusal;
use actors::query;
use serde::Deserialize;
use utoipa::ToSchema;

use super::major::Major;
use crate::app::App;
use crate::http::ApiError;

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

/// The split of a payment of `amount`; `400` for a wrong distribution, `404` for a payee that is
/// not the seller's, `409` for one that is archived.
pub(super) fn applied(
    app: &App,
    seller: SellerId,
    amount: Money,
    order: Option<&OrderData>,
) -> Result<AppliedSplit, ApiError> {
    let stated = match order {
        Some(order) => order.lines(amount)?,
        None => None,
    };
    let named = stated.iter().flatten().map(|line| line.payee);
    for payee in query::payees_of(&app.store, seller, named)? {
        check_payee(payee.as_ref()).map_err(Refusal::from)?;
    }
    let snapshot = app.directory.seller(seller)?;
    let rule = snapshot.as_ref().and_then(|snapshot| snapshot.split_rule.as_ref());
    Ok(AppliedSplit::of(amount, stated, rule))
}

impl OrderData {
    fn lines(&self, amount: Money) -> Result<Option<Vec<PlanShare>>, ApiError> {
        let total = self.total_amount.as_ref().map(|total| {
            total.minor(amount.currency).map_err(|_| Refusal::from(DistributionRefusal::Total))
        });
        let total = total.transpose()?;
        let stated = self.payee_distribution.as_deref();
        let lines = stated.unwrap_or_default().iter().enumerate();
        let lines: Vec<PlanShare> =
            lines.map(|(at, line)| line.share(at, amount)).collect::<Result<_, _>>()?;
        check_distribution(amount, total, &lines).map_err(Refusal::from)?;
        Ok(stated.map(|_| lines))
    }
}

impl ShareBody {
    fn share(&self, at: usize, amount: Money) -> Result<PlanShare, ApiError> {
        let field = format!("orderData.payeeDistribution[{at}]");
        let required = |name| ApiError::invalid(format!("{field}.{name} is required"));
        let payee = self.payee_id.ok_or_else(|| required("payeeId"))?;
        let stated = self.amount.as_ref().ok_or_else(|| required("amount"))?;
        let minor = stated
            .minor(amount.currency)
            .map_err(|refusal| ApiError::invalid(format!("{field}.{refusal}")))?;
        Ok(PlanShare { payee: PayeeId(payee), minor })
    }
}
