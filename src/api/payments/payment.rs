mod act;
mod body;
mod failure;
mod initialize;
mod refund;
mod view;

use std::sync::Arc;

use actors::domain::payments::payment::{Payment, PaymentStatus, Refund};
use actors::query;

pub use act::{CaptureBody, FinalizeBody, cancel, capture, finalize};
pub use body::InitiationBody;
pub use failure::FailureView;
pub use initialize::initialize;
pub use refund::{RefundBody, refund};
pub use view::{PaymentList, PaymentView, RefundView};

use super::major::Major;
use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let status = call.query_as("status", "a payment status", PaymentStatus::parse)?;
    let found = apart(&app, move |store| query::payments(store, seller, status, paging)).await?;
    let view = |(payment, refunds): (Payment, Vec<Refund>)| {
        PaymentView::new(&app, &payment, &refunds, call.now)
    };
    Ok(Reply::ok(&PaymentList::of(found, view)))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let payment = act::payment_of_path(&app, &call)?;
    Ok(Reply::ok(&shown(&app, &call, &payment)?))
}

/// The payment with its refunds, as it is answered.
///
/// # Errors
/// When the refunds cannot be read.
pub fn shown(app: &App, call: &Call, payment: &Payment) -> Result<PaymentView, Problem> {
    let refunds = query::refunds(&app.store, payment)?;
    Ok(PaymentView::new(app, payment, &refunds, call.now))
}

/// The payment of this reference.
fn load_payment(app: &App, call: &Call, reference: &str) -> Result<Payment, Problem> {
    let found = app.payments.by_reference(call.seller_id(), reference)?;
    found.ok_or_else(Problem::missing)
}

fn required<'a>(field: &str, value: Option<&'a str>) -> Result<&'a str, Problem> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| Problem::invalid(format!("{field} is required")))
}

/// The minor units of an amount of the payment's currency, if one was stated.
fn minor(amount: Option<&Major>, payment: &Payment) -> Result<Option<i64>, Problem> {
    let minor = amount.map(|amount| amount.minor(payment.amount.currency)).transpose();
    minor.map_err(|refusal| Problem::invalid(refusal.to_string()))
}
