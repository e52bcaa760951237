//! How payments were split.

use crate::api::payments::split_decisions;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/payments-api/v1/payments/{externalOrderRef}/split-decisions",
            split_decisions::list,
        )
        .tag("Payments")
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
        .answer::<split_decisions::DecisionList>(200, "Oldest first.")
        .refuses(404, "No such payment."),
    ]
}
