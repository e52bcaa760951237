//! Subscriptions.

use crate::api::billing::subscriptions;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/billing-api/v1/subscriptions", subscriptions::list)
            .tag("Subscriptions")
            .summary("List subscriptions")
            .query_id("contractId", "Only those of this contract.")
            .paged("beforeId")
            .answer::<subscriptions::SubscriptionList>(200, "Newest first."),
        Route::get("/billing-api/v1/subscriptions/{subscriptionId}", subscriptions::get)
            .tag("Subscriptions")
            .summary("Read a subscription")
            .path_id("subscriptionId")
            .answer::<subscriptions::SubscriptionView>(200, "The subscription."),
        Route::post("/billing-api/v1/contracts/{contractId}/subscriptions", subscriptions::create)
            .tag("Subscriptions")
            .summary("Make a subscription")
            .describe(
                "A repeated key answers the subscription as it is now and is not held against the \
             body; under another contract it is refused. A start in the past begins every term \
             up to today. Terms are counted from the first paid day, so a short month never \
             moves the others. A trial that is over counts as over.",
            )
            .path_id("contractId")
            .idempotent()
            .body::<subscriptions::NewSubscriptionBody>()
            .answer::<subscriptions::SubscriptionView>(201, "The subscription.")
            .answer::<subscriptions::SubscriptionView>(
                200,
                "A replay: the subscription as it is now.",
            )
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The contract is closed, or the key was used under another contract."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/cancel", subscriptions::cancel)
            .tag("Subscriptions")
            .summary("Cancel a subscription")
            .describe(
                "At the end of the running period or trial, at once, or on a day. What has not \
             started is canceled at once. A begun term stays due in full unless `prorate` gives \
             the unused days back: one that is not billed is cut; for a billed one that takes \
             stored credits. Asking again replaces a scheduled cancel.",
            )
            .path_id("subscriptionId")
            .body_optional::<subscriptions::CancelBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "A field is malformed, or `at` lies before the contract's day.")
            .refuses(422, "It has ended, or unused days cannot be given back."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/pause", subscriptions::pause)
            .tag("Subscriptions")
            .summary("Pause a subscription")
            .describe("The running term is finished, and none begins until it is resumed.")
            .path_id("subscriptionId")
            .body_optional::<subscriptions::PauseBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "`resumesAt` is malformed or before the contract's day.")
            .refuses(422, "It is not active."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/resume", subscriptions::resume)
            .tag("Subscriptions")
            .summary("Resume a subscription")
            .describe("Ends a pause, the running term billed from this day on; or undoes a cancel.")
            .path_id("subscriptionId")
            .body_optional::<subscriptions::ResumeBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(422, "There is neither a pause nor a scheduled cancel, or it has ended."),
        Route::post(
            "/billing-api/v1/subscriptions/{subscriptionId}/end-trial",
            subscriptions::end_trial,
        )
        .tag("Subscriptions")
        .summary("End a trial now")
        .path_id("subscriptionId")
        .body_optional::<subscriptions::EndTrialBody>()
        .answer::<subscriptions::SubscriptionView>(200, "The subscription in its first paid term.")
        .refuses(422, "There is no trial, or it may not become paid without a saved card."),
        Route::post(
            "/billing-api/v1/subscriptions/{subscriptionId}/change-plan",
            subscriptions::change_plan,
        )
        .tag("Subscriptions")
        .summary("Change the plan of a subscription")
        .describe(
            "At once, with the days left of the term credited at the old price and charged at \
             the new one, this day counted; or with the next term. Before the first paid day \
             nothing is prorated; while paused the change waits. A later change at the period's \
             end replaces an earlier one, and one to the present plan clears it.",
        )
        .path_id("subscriptionId")
        .body_optional::<subscriptions::ChangePlanBody>()
        .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
        .refuses(400, "A field is malformed or out of bounds.")
        .refuses(422, "It has ended, or the frequency is to change within a paid term."),
    ]
}
