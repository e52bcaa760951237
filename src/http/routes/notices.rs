//! Webhooks, their deliveries and the allowlist.

use crate::api::payments::{allowlist, deliveries, webhooks};
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/webhooks", webhooks::register)
            .tag("Webhooks")
            .summary("Register a webhook")
            .describe(
                "A URL that is registered and active is answered as it is, without its secret. \
                 One that was disabled becomes active again with the event types sent, and its \
                 original secret is shown. A replay shows no secret.",
            )
            .idempotent()
            .body::<webhooks::RegisterBody>()
            .answer::<webhooks::WebhookView>(201, "The webhook, with its secret, shown once.")
            .answer::<webhooks::WebhookView>(200, "The webhook that was there, or a replay.")
            .refuses(400, "A field is wrong, or an event type unknown.")
            .refuses(404, "The webhook of a replay is gone.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/webhooks", webhooks::list)
            .tag("Webhooks")
            .summary("List webhooks")
            .answer::<webhooks::WebhookList>(200, "All of them, newest first."),
        Route::get("/payments-api/v1/webhooks/{webhookId}", webhooks::get)
            .tag("Webhooks")
            .summary("Read a webhook")
            .path_id("webhookId")
            .answer::<webhooks::WebhookView>(200, "The webhook, without its secret."),
        Route::patch("/payments-api/v1/webhooks/{webhookId}", webhooks::patch)
            .tag("Webhooks")
            .summary("Change a webhook")
            .describe(
                "`eventTypes` replaces the list as a whole; an empty one is the default again. \
                 Disabling ends deliveries that wait.",
            )
            .path_id("webhookId")
            .body::<webhooks::PatchBody>()
            .answer::<webhooks::WebhookView>(200, "The webhook as it is now.")
            .refuses(400, "A field is wrong or `null`."),
        Route::post(
            "/payments-api/v1/webhooks/{webhookId}/redeliver-failed",
            deliveries::redeliver_failed,
        )
        .tag("Webhooks")
        .summary("Send failed deliveries again")
        .path_id("webhookId")
        .idempotent()
        .body::<deliveries::RedeliverFailedBody>()
        .answer::<deliveries::Redelivered>(200, "How many are sent again; 0 on a replay.")
        .refuses(409, "The webhook is disabled, or the key was used for a different request."),
        Route::get("/payments-api/v1/webhook-deliveries", deliveries::list)
            .tag("Webhooks")
            .summary("List deliveries")
            .query_id("webhookId", "Only those to this webhook.")
            .query_text("eventType", "Only those of this event type.")
            .query_one_of(
                "status",
                &["pending", "delivered", "failed"],
                "Only those that stand so.",
            )
            .paged("beforeId")
            .answer::<deliveries::DeliveryList>(200, "Newest first."),
        Route::get("/payments-api/v1/webhook-deliveries/{deliveryId}", deliveries::get)
            .tag("Webhooks")
            .summary("Read a delivery")
            .path_id("deliveryId")
            .answer::<deliveries::DeliveryView>(200, "The delivery."),
        Route::post(
            "/payments-api/v1/webhook-deliveries/{deliveryId}/redeliver",
            deliveries::redeliver,
        )
        .tag("Webhooks")
        .summary("Send a delivery again")
        .describe("A new series of attempts with the same event id and body.")
        .path_id("deliveryId")
        .idempotent()
        .answer::<deliveries::DeliveryView>(200, "The delivery, pending again.")
        .refuses(409, "The webhook is disabled, or the key was used for a different request."),
        Route::post("/payments-api/v1/webhook-allowlist", allowlist::create)
            .tag("Webhooks")
            .summary("Allow a network")
            .describe(
                "With entries, deliveries go only into their networks. An entry never opens what \
                 the operator's guard keeps shut.",
            )
            .idempotent()
            .body::<allowlist::AllowBody>()
            .answer::<allowlist::AllowlistEntryView>(201, "The entry.")
            .answer::<allowlist::AllowlistEntryView>(200, "The entry that was there, or a replay.")
            .refuses(400, "No network.")
            .refuses(404, "The entry of a replay was deleted.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/webhook-allowlist", allowlist::list)
            .tag("Webhooks")
            .summary("List allowed networks")
            .paged("beforeId")
            .answer::<allowlist::EntryList>(200, "Newest first."),
        Route::delete("/payments-api/v1/webhook-allowlist/{entryId}", allowlist::delete)
            .tag("Webhooks")
            .summary("Take a network from the allowlist")
            .path_id("entryId")
            .answer::<allowlist::Deleted>(200, "It is gone."),
    ]
}
