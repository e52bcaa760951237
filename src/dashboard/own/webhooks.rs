//! The secrets of webhooks.

use std::sync::Arc;

use actors::domain::ids::WebhookId;

use crate::api::payments::webhooks::WebhookView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

async fn rotate(app: Arc<App>, request: Request) -> ApiResult {
    let webhook = request.id("webhookId", WebhookId)?;
    let rotated = app.sellers.rotate_webhook_secret(request.seller_id(), webhook).await?;
    let mut view = WebhookView::of(&request.seller().seller, &rotated.webhook);
    view.secret_key = rotated.secret;
    Ok(Response::ok(&view).unstored())
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhooks/{webhookId}/rotate-secret", rotate)
            .summary("Give a webhook another secret; the old one stops verifying")
            .path_id("webhookId")
            .answer::<WebhookView>(200, "The webhook with its secret, which is shown once."),
    ]
}
