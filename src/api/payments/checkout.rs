//! Hosted checkout sessions (payments 2.3, decisions 7 and 13).

mod body;
mod events;

use std::sync::Arc;

use actors::domain::ids::PaymentId;
use actors::domain::payments::payment::Payment;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::payment::{Initiated, NewSession};

pub use body::{CheckoutBody, CheckoutView};
pub use events::events;

use super::{key, split};
use crate::app::App;
use crate::gate::{Route, Surface};
use crate::http::{Answer, Call, Problem, Reply};

const ENDPOINT: &str = "checkout";

/// `POST /checkout`.
pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let body: CheckoutBody = call.json()?;
    let spend = key::spend(&call, ENDPOINT, &[], 0);
    if let Some(made) = key::before(&app, &call, &spend).await? {
        return replay(&app, &call, PaymentId(made));
    }
    let seller = &call.seller().seller;
    let (request, order_data) = body.request();
    let draft = request
        .check(app.entropy.token(), seller.mode == Mode::Demo, call.now)
        .map_err(|refusal| Problem::from(Refusal::from(refusal)))?;
    let split = split::decide(&app, seller.id, draft.amount, order_data.as_ref())?;
    let session = NewSession {
        seller: seller.id,
        reference: draft.reference,
        amount: draft.amount,
        country: draft.country,
        capture: draft.capture,
        split: split.inputs,
        checkout: draft.checkout,
        spend: spend.clone(),
    };
    match app.payments.open_session(session).await? {
        Initiated::Made(payment) => Ok(Reply::created(&view(&app, &payment)?)),
        // Two requests with one key have one reference too, and either claim may be the first
        // that fails.
        Initiated::KeyUsed | Initiated::ReferenceUsed => {
            match key::before(&app, &call, &spend).await? {
                Some(made) => replay(&app, &call, PaymentId(made)),
                None => Err(Problem::conflict("externalOrderRef is already used")),
            }
        }
    }
}

fn replay(app: &App, call: &Call, made: PaymentId) -> Answer {
    let payment = app.payments.get(call.seller_id(), made)?.ok_or_else(Problem::unanswered)?;
    Ok(Reply::replayed(&view(app, &payment)?))
}

fn view(app: &App, payment: &Payment) -> Result<CheckoutView, Problem> {
    let no_session = || Problem::internal(&"a session's payment has no session");
    let checkout = payment.checkout.as_ref().ok_or_else(no_session)?;
    Ok(CheckoutView::of(checkout, app.public_url()))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/checkout", create)
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
            .refuses(404, "A payee of `orderData` is unknown.")
            .refuses(
                409,
                "The `externalOrderRef` is already used, a payee is archived, or the key was used \
                 for a different request.",
            ),
        Route::get("/checkout/{session_id}/events", events)
            .on(Surface::Page)
            .open()
            .summary("Follow a hosted checkout")
            .describe(
                "Server-sent events, for the buyer's browser: an event `status` at once and at \
                 each change, with a JSON object as data (`sessionId`, `status`, `paymentId`, \
                 `failureCode` if it or the last attempt failed, `requiresAction`, `attempts`). A \
                 comment line every 15 seconds keeps the connection. The stream ends at a \
                 terminal state. No key is needed: the session id is the capability.",
            )
            .path_text("session_id", "Id of the session.")
            .answer_as(200, "text/event-stream", "The events.")
            .refuses(404, "No such session."),
    ]
}
