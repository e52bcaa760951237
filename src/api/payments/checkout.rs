mod body;
mod events;

use std::sync::Arc;

use actors::domain::ids::PaymentId;
use actors::domain::payments::payment::Payment;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::kernel::Once;
use actors::payment::PaymentOrder;

pub use body::{CheckoutBody, CheckoutView};
pub use events::events;

use super::{idempotency_key, split};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

const ENDPOINT: &str = "checkout";

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let mut body: CheckoutBody = call.json()?;
    let claim = idempotency_key::claim(&call, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &call, &claim).await? {
        return replay(&app, &call, PaymentId(made));
    }
    let seller = &call.seller().seller;
    let order_data = body.order_data.take();
    let draft = body
        .parse(app.entropy.token(), seller.mode == Mode::Demo, call.now)
        .map_err(Refusal::from)?;
    let split = split::applied(&app, seller.id, draft.amount, order_data.as_ref())?;
    let order = PaymentOrder {
        country: draft.country,
        capture: draft.capture,
        split: split.inputs,
        checkout: Some(draft.checkout),
        ..PaymentOrder::new(seller.id, draft.reference, draft.amount)
    };
    match app.payments.open_session(order, claim.clone()).await? {
        Once::Made(payment) => Ok(Reply::created(&view(&app, &payment)?)),
        Once::Before => {
            let made = idempotency_key::winner(&app, &call, &claim).await?;
            replay(&app, &call, PaymentId(made))
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
