//! `/return/{token}`: where a buyer comes back to from the bank (payments 4.1, rule 7). A payment
//! of an invoice has nowhere else to go on to, so the page tells how it ended.

use std::sync::Arc;

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{Payment, PaymentStatus, PaysFor};
use actors::domain::time::Timestamp;
use actors::query;
use hyper::StatusCode;
use storage::ReadError;

use super::desk::{PageDesk, for_people, instead, page, reading};
use super::outcome::{Outcome, Receipt};
use super::token::Purpose;
use crate::app::App;
use crate::http::Answer;
use crate::http::error::Problem;
use crate::http::request::Call;

/// `GET /return/{token}`: `200` with how the payment stands; `404` with an "Invalid link" page
/// for a token that is not ours or is over.
///
/// # Errors
/// `500` when rows cannot be read.
pub async fn show(app: Arc<App>, call: Call) -> Answer {
    let answer = shown(&app, &call).await;
    for_people(&call, answer)
}

async fn shown(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let named = match call.text_param("token") {
        Ok(token) => desk.key.open(Purpose::Return, &token, call.now),
        Err(_) => None,
    };
    let Some(named) = named else {
        return instead(call, Problem::missing(), &Outcome::invalid_link());
    };
    let status = status_page(desk, call, named.seller, named.payment).await?;
    page(StatusCode::OK, status.render())
}

/// How a payment stands, as a page.
///
/// # Errors
/// `500` when rows cannot be read.
pub(super) async fn status_page(
    desk: &Arc<PageDesk>,
    call: &Call,
    seller: SellerId,
    id: PaymentId,
) -> Result<Outcome, Problem> {
    let (desk, now) = (Arc::clone(desk), call.now);
    reading(move || read(&desk, seller, id, now)).await
}

fn read(
    desk: &PageDesk,
    seller: SellerId,
    id: PaymentId,
    now: Timestamp,
) -> Result<Outcome, ReadError> {
    let Some(payment) = desk.payments.get(seller, id)? else {
        return Ok(Outcome::invalid_link());
    };
    let PaysFor::Invoice { invoice, .. } = payment.pays_for;
    let invoice = query::invoice(&desk.store, seller, invoice)?;
    let pay_again = || {
        let link = invoice.as_ref().and_then(|invoice| invoice.link.as_ref());
        link.map(|link| format!("/pay/{}", link.token))
    };
    let number = invoice.as_ref().and_then(|invoice| invoice.number);
    let outcome = match payment.status {
        PaymentStatus::ProviderPending => match desk.action_path(&payment, now) {
            Some(action) => Outcome::waiting(payment.amount, action),
            None => Outcome::under_way(payment.amount),
        },
        PaymentStatus::Failed => {
            let code = payment.failure.map_or(FailureCode::Declined, |failure| failure.code);
            Outcome::failed(code, pay_again())
        }
        PaymentStatus::Cancelled => Outcome::cancelled(pay_again()),
        PaymentStatus::Authorized
        | PaymentStatus::ProviderCompleted
        | PaymentStatus::Settled
        | PaymentStatus::DepositConfirmed
        | PaymentStatus::RefundPending
        | PaymentStatus::RefundFailed
        | PaymentStatus::RefundCancelled
        | PaymentStatus::Refunded => Outcome::paid(
            payment.amount,
            receipt(&payment, number.map(|number| number.to_string()).unwrap_or_default()),
        ),
    };
    let (view, demo) = desk.seller(seller)?;
    Ok(outcome.of(view, demo))
}

fn receipt(payment: &Payment, invoice_number: String) -> Receipt {
    Receipt {
        invoice_number,
        paid_on: Some(payment.updated_at.date()),
        card: payment.card.clone(),
        reference: Some(payment.reference.clone()),
    }
}
