//! `/return/{token}`: where a buyer comes back to from the bank. The buyer
//! goes on to the address that the seller named; where there is none, a page tells how the
//! payment stands. A checkout that can still be paid takes its buyer back.

mod destination;

use std::sync::Arc;

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{BuyerAnswer, Payment, PaymentStatus, PaysFor};
use actors::domain::time::Timestamp;
use actors::query;
use hyper::StatusCode;
use storage::ReadError;

use self::destination::destination;
use super::context::{PageContext, for_people, instead, page, refused};
use super::ending::Ending;
use super::language::Words;
use super::outcome::Outcome;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response, blocking};
use crate::signed_link::Purpose;

async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let named = match request.text_param("token") {
        Ok(token) => cx.app.page_key.open(Purpose::Return, &token, request.now),
        Err(_) => None,
    };
    let Some(named) = named else { return invalid(request) };
    let reader = Arc::clone(cx);
    let found = blocking(move || reader.app.payments.get(named.seller, named.payment)).await?;
    let Some(payment) = found else { return invalid(request) };
    if cx.is_closed(payment.seller, request.now)? {
        let t = Words::of_payment(&payment, Words::of_browser(request));
        return page(StatusCode::OK, &Outcome::page_closed(t));
    }
    let payment = brought_up(cx, payment).await;
    if let Some(back) = back_to_checkout(cx, &payment, request.now) {
        return Ok(Response::found(&back).unstored());
    }
    if let Some(own) = back_to_subscription(cx, &payment)? {
        return Ok(Response::found(&own).unstored());
    }
    if let Some(address) = destination(&payment) {
        return Ok(Response::found(&address).unstored());
    }
    let status = status_page(cx, request, payment.seller, payment.id).await?;
    page(StatusCode::OK, &status)
}

/// The payment after what the buyer's return tells: a live provider sends the buyer back when it
/// is done with them, so it is asked how that went. Nothing is taken for paid because of it.
async fn brought_up(cx: &PageContext, payment: Payment) -> Payment {
    let (seller, id) = (payment.seller, payment.id);
    let asked = if payment.is_carried_out_outside() && payment.requires_action() {
        cx.app.payments.buyer_answered(seller, id, BuyerAnswer::Approve).await
    } else if payment.asking().is_some() {
        cx.app.payments.once_answered(seller, id).await
    } else {
        return payment;
    };
    asked.unwrap_or(payment)
}

/// The page of a checkout at which another attempt can be made.
fn back_to_checkout(cx: &PageContext, payment: &Payment, now: Timestamp) -> Option<String> {
    let checkout = payment.checkout.as_ref()?;
    let open = payment.status == PaymentStatus::ProviderPending
        && !checkout.trying
        && now < checkout.expires_at;
    open.then(|| format!("/checkout/{}", cx.app.links.of_checkout(payment)))
}

/// The page of the subscription that is paid, which tells how it stands.
fn back_to_subscription(cx: &PageContext, payment: &Payment) -> Result<Option<String>, ReadError> {
    let Some((id, _)) = payment.pays_for.subscription() else { return Ok(None) };
    let of = query::link_subscription(&cx.app.store, payment.seller, id)?;
    Ok(of.map(|of| {
        let token = cx.app.links.of_link_subscription(&of);
        format!("/pay/{token}?payment={}", payment.reference)
    }))
}

fn invalid(request: &Request) -> ApiResult {
    instead(request, ApiError::missing(), &Outcome::invalid_link(Words::of_browser(request)))
}

pub(super) async fn status_page(
    cx: &Arc<PageContext>,
    request: &Request,
    seller: SellerId,
    id: PaymentId,
) -> Result<Outcome, ApiError> {
    let (cx, browser, now) = (Arc::clone(cx), Words::of_browser(request), request.now);
    blocking(move || read(&cx, browser, (seller, id), now)).await
}

fn read(
    cx: &PageContext,
    browser: &'static Words,
    (seller, id): (SellerId, PaymentId),
    now: Timestamp,
) -> Result<Outcome, ReadError> {
    let Some(payment) = cx.app.payments.get(seller, id)? else {
        return Ok(Outcome::invalid_link(browser));
    };
    let t = Words::of_payment(&payment, browser);
    let invoice = match payment.pays_for.invoice() {
        Some((_, invoice)) => query::invoice(&cx.app.store, seller, invoice)?,
        None => None,
    };
    let own = match payment.pays_for.link() {
        Some(link) => query::payment_link(&cx.app.store, seller, link)?,
        None => None,
    };
    let code = promo_of(cx, &payment)?;
    let pay_again = || {
        let link = invoice.as_ref().and_then(|it| cx.app.links.of_invoice(seller, it));
        let checkout = back_to_checkout(cx, &payment, now);
        let own = own.as_ref().filter(|own| own.is_payable(now));
        let link = link.or_else(|| own.map(|own| cx.app.links.of_payment_link(own)));
        link.map(|token| format!("/pay/{token}{}", code.as_deref().unwrap_or_default()))
            .or(checkout)
    };
    let number = invoice.as_ref().and_then(|invoice| invoice.number);
    let outcome = match Ending::of(payment.status) {
        Ending::Pending => match cx.action(&payment, now) {
            Some(action) => Outcome::waiting(t, payment.amount, action),
            None => Outcome::under_way(t, payment.amount),
        },
        Ending::Failed => {
            let code = payment.failure.map_or(FailureCode::Declined, |failure| failure.code);
            Outcome::failed(t, code, pay_again())
        }
        Ending::Cancelled => Outcome::cancelled(t, pay_again()),
        Ending::Succeeded => Outcome::came(t, &payment, number.map(|number| number.to_string())),
    };
    let (view, demo) = cx.seller(t, seller)?;
    Ok(outcome.of(view, demo))
}

/// What names the promo code of a payment in the address of its link's page.
fn promo_of(cx: &PageContext, payment: &Payment) -> Result<Option<String>, ReadError> {
    let PaysFor::Link { promo: Some(promo), .. } = payment.pays_for else { return Ok(None) };
    let code = query::promo_code(&cx.app.store, payment.seller, promo)?;
    Ok(code.map(|code| format!("?promoCode={}", code.code)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/return/{token}", for_people(show))
            .refuses_with(refused)
            .summary("Where a buyer comes back to from the bank")
            .path_text("token", "Signed token of the payment.")
            .answer_empty(302, "On to the seller's address, or back to the checkout.")
            .answer_as(200, "text/html", "How the payment stands.")
            .refuses_as(404, "text/html", "Not a token of ours, or over."),
    ]
}
