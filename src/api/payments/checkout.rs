mod body;
mod events;

use std::sync::Arc;

use actors::domain::ids::{CustomerId, PaymentId, SellerId};
use actors::domain::payments::payment::{Checkout, Payment};
use actors::domain::payments::session::SessionDraft;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::kernel::Once;
use actors::payment::PaymentOrder;
use actors::query;
use hyper::StatusCode;

pub use body::{CheckoutBody, CheckoutView};
pub use events::events;

use super::{idempotency_key, split};
use crate::app::App;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "checkout";

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let mut body: CheckoutBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, PaymentId(made));
    }
    let seller = &request.seller().seller;
    let (order_data, customer) = (body.order_data.take(), body.seller_customer_id);
    let draft = body.parse(seller.mode == Mode::Demo, request.now).map_err(Refusal::from)?;
    let draft = match seller_customer(&app, seller.id, customer)? {
        None => draft,
        customer => SessionDraft { checkout: Checkout { customer, ..draft.checkout }, ..draft },
    };
    let split = split::applied(&app, seller.id, draft.amount, order_data.as_ref())?;
    let order = PaymentOrder {
        country: draft.country,
        capture: draft.capture,
        split: split.inputs,
        checkout: Some(draft.checkout),
        ..PaymentOrder::new(seller.id, draft.reference, draft.amount)
    };
    match app.payments.open_session(order, claim.clone()).await? {
        Once::Made(payment) => Ok(Response::created(&view(&app, &payment)?)),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, PaymentId(made))
        }
    }
}

/// One of the seller's own customers, if one is named.
fn seller_customer(
    app: &App,
    seller: SellerId,
    named: Option<u64>,
) -> Result<Option<CustomerId>, ApiError> {
    let Some(id) = named.map(CustomerId) else { return Ok(None) };
    let found = query::customer(&app.store, seller, id)?;
    let unknown = || ApiError::new(StatusCode::NOT_FOUND, "sellerCustomerId is unknown");
    Ok(Some(found.ok_or_else(unknown)?.id))
}

fn replay(app: &App, request: &Request, made: PaymentId) -> ApiResult {
    let payment = app.payments.get(request.seller_id(), made)?.ok_or_else(ApiError::unanswered)?;
    Ok(Response::replayed(&view(app, &payment)?))
}

fn view(app: &App, payment: &Payment) -> Result<CheckoutView, ApiError> {
    let no_session = || ApiError::internal(&"a session's payment has no session");
    let checkout = payment.checkout.as_ref().ok_or_else(no_session)?;
    Ok(CheckoutView::of(checkout, app.links.of_checkout(payment), app.public_url()))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/checkout", create)
            .named("createCheckout")
            .summary("Open a hosted checkout")
            .describe(
                "Answers the page to send the buyer to. The session is one payment, to be read \
                 under its `externalOrderRef` from now on; the buyer may try up to ten times in 24 \
                 hours. The `Idempotency-Key` is checked before the caller is.",
            )
            .idempotent_first()
            .body::<CheckoutBody>()
            .answer::<CheckoutView>(201, "The session.")
            .answer::<CheckoutView>(200, "A replay: the same session.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "A payee of `orderData`, or the `sellerCustomerId`, is unknown.")
            .refuses(
                409,
                "The `externalOrderRef` is already used, a payee is archived, or the key was used \
                 for a different request.",
            ),
        Route::get("/checkout/{session_id}/events", events)
            .named("followCheckout")
            .on(Surface::Page)
            .open()
            .summary("Follow a hosted checkout")
            .describe(
                "Server-sent events, for the buyer's browser: an event `status` at once and at \
                 each change, with a JSON object as data (`sessionId`, `status`, `paymentId`, \
                 `failureCode` if it or the last attempt failed, `requiresAction`, `attempts`). A \
                 comment line every 15 seconds keeps the connection. The stream ends once the \
                 payment is paid, has failed or is cancelled. No key is needed: the session id is \
                 the capability.",
            )
            .path_text("session_id", "Id of the session.")
            .answer_as(200, "text/event-stream", "The events.")
            .refuses(404, "No such session."),
    ]
}
