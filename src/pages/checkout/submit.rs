//! `POST /checkout/{sessionId}`: an attempt, giving one up, or leaving the checkout.

use std::sync::Arc;

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{BuyerAnswer, NewAttempt, Payment, PaymentStatus};
use actors::domain::payments::source::Source;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use hyper::StatusCode;

use super::form::{CheckoutForm, OtherProblem};
use super::state::{Session, Stage};
use super::{NEXT, load, logo, phone, stand, unknown};
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, blocking};
use crate::pages::context::{PageContext, html, instead, wants_json};
use crate::pages::fields::Fields;
use crate::pages::outcome::Outcome;

/// What a form asks for beside paying (`action`).
const CANCEL: &str = "cancel";
const LEAVE: &str = "leave";

/// What is wrong with a form, as the page shows it and as a program is told.
struct Wrong {
    form: CheckoutForm,
    told: String,
}

/// Makes an attempt, gives up the one under way (`cancel`) or ends the session (`leave`). `303`,
/// or `200` in JSON; `400` with a message beside each wrong field; `409` when nothing can be paid
/// or an attempt is under way; `500` when nobody knows how the attempt ended.
pub(in crate::pages) async fn submit(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let Some(session) = load(cx, request).await? else { return unknown(request) };
    let Ok(fields) = Fields::of(request) else {
        return instead(
            request,
            ApiError::invalid("invalid request body"),
            &Outcome::unreadable(session.t),
        );
    };
    match fields.text("action") {
        CANCEL => give_up(cx, request, &session).await,
        LEAVE => leave(cx, request, &session).await,
        _ => pay(cx, request, &session, &fields).await,
    }
}

async fn pay(
    cx: &Arc<PageContext>,
    request: &Request,
    session: &Session,
    fields: &Fields,
) -> ApiResult {
    if !matches!(session.stage, Stage::Open(_)) {
        return in_the_way(cx, request, session, session.stage.words());
    }
    let (method, source, phone) = match read(session, fields) {
        Ok(read) => read,
        Err(wrong) => return wrong_fields(request, session, &wrong),
    };
    let payment = &session.payment;
    let (seller, id) = (payment.seller, payment.id);
    let (currency, country) = (payment.amount.currency, payment.country);
    let mode = if payment.demo { Mode::Demo } else { Mode::Live };
    let reader = Arc::clone(cx);
    let route =
        blocking(move || reader.app.payments.route(seller, mode, method, currency, country))
            .await?;
    let saves_for = session.checkout.customer.filter(|_| fields.is_set("saveCard"));
    let saves_for = saves_for.filter(|_| source.card().is_some());
    let consent = saves_for.map(|customer| cx.app.payments.consent_of(seller, Some(customer)));
    let attempt = NewAttempt { method, source, country, phone, route, consent };
    let asked = cx.app.payments.attempt(seller, id, attempt).await;
    answered(cx, request, session, asked).await
}

/// What the buyer chose and typed; who chose nothing pays as the page would without a choice.
fn read(
    session: &Session,
    fields: &Fields,
) -> Result<(Method, Source, Option<String>), Box<Wrong>> {
    let chosen = Method::parse(fields.text("paymentMethod"));
    let form = CheckoutForm {
        chosen,
        typed: fields.typed(),
        phone: fields.text("phone").to_owned(),
        ..CheckoutForm::default()
    };
    let first = session.methods.first().copied();
    let stated = if fields.text("paymentMethod").is_empty() { first } else { chosen };
    let Some(method) = stated.filter(|method| session.methods.contains(method)) else {
        return Err(Box::new(Wrong::other(form, OtherProblem::Method)));
    };
    match method {
        Method::Card => match fields.card().check() {
            Ok(card) => Ok((method, Source::Card(Arc::new(card)), None)),
            Err(problems) => Err(Box::new(Wrong::card(form, problems))),
        },
        Method::MbWay => match phone::e164(&form.phone) {
            Some(number) => Ok((method, Source::Local, Some(number))),
            None => Err(Box::new(Wrong::other(form, OtherProblem::Phone))),
        },
        _ => Ok((method, Source::Local, None)),
    }
}

/// Gives up the attempt under way. Asked twice, it does so once: the question to the buyer is
/// over then.
async fn give_up(cx: &Arc<PageContext>, request: &Request, session: &Session) -> ApiResult {
    let (seller, id) = (session.payment.seller, session.payment.id);
    match session.stage {
        Stage::Open(_) => went_on(cx, request, &session.payment),
        Stage::Elsewhere | Stage::Voucher { .. } | Stage::App { .. } => {
            let asked = cx.app.payments.buyer_answered(seller, id, BuyerAnswer::Cancel).await;
            answered(cx, request, session, asked).await
        }
        _ => in_the_way(cx, request, session, session.stage.words()),
    }
}

/// Ends a session at which nothing is under way.
async fn leave(cx: &Arc<PageContext>, request: &Request, session: &Session) -> ApiResult {
    if !matches!(session.stage, Stage::Open(_)) {
        return in_the_way(cx, request, session, session.stage.words());
    }
    let (seller, id) = (session.payment.seller, session.payment.id);
    let asked = cx.app.payments.leave(seller, id).await;
    answered(cx, request, session, asked).await
}

async fn answered(
    cx: &Arc<PageContext>,
    request: &Request,
    session: &Session,
    asked: Result<Payment, AskError>,
) -> ApiResult {
    match asked {
        Ok(payment) => went_on(cx, request, &payment),
        Err(AskError::Refused(refusal)) => refused(cx, request, refusal).await,
        Err(error) => {
            let again = Outcome::out_of_order(session.t, Some(session.path()));
            instead(request, error.into(), &again.of(session.seller.clone(), session.payment.demo))
        }
    }
}

/// The browser goes on to a bank on this origin, else back to the page, which leads on by
/// itself: to the seller once there is nothing left to do, or to a bank elsewhere.
fn went_on(cx: &PageContext, request: &Request, payment: &Payment) -> ApiResult {
    let action = cx.action(payment, request.now).filter(|_| payment.instructions.is_none());
    let own = format!("/checkout/{}", cx.app.links.of_checkout(payment));
    let over = payment.status != PaymentStatus::ProviderPending;
    let next = match action {
        Some(bank) if bank.starts_with('/') => bank,
        Some(_) => format!("{own}?{NEXT}"),
        None if over && wants_json(request) => cx.return_path(payment, request.now),
        None if over => format!("{own}?{NEXT}"),
        None => own,
    };
    Ok(cx.attempted(request, payment, &next))
}

/// The attempt was overtaken by another: the page shows how the session stands now.
async fn refused(cx: &Arc<PageContext>, request: &Request, refusal: Refusal) -> ApiResult {
    if refusal.kind != RefusalKind::Conflict || wants_json(request) {
        return Err(refusal.into());
    }
    let Some(session) = load(cx, request).await? else { return unknown(request) };
    stand(cx, request, &session, StatusCode::CONFLICT, false)
}

fn in_the_way(cx: &PageContext, request: &Request, session: &Session, why: &str) -> ApiResult {
    if wants_json(request) {
        return Err(ApiError::conflict(why));
    }
    stand(cx, request, session, StatusCode::CONFLICT, false)
}

fn wrong_fields(request: &Request, session: &Session, wrong: &Wrong) -> ApiResult {
    if wants_json(request) {
        return Err(ApiError::invalid(wrong.told.clone()));
    }
    html(StatusCode::BAD_REQUEST, wrong.form.render(session, logo::address(session)))
}

impl Wrong {
    fn card(form: CheckoutForm, problems: Vec<CardProblem>) -> Self {
        let told = problems.first().map_or_else(String::new, ToString::to_string);
        Self { form: CheckoutForm { card_problems: problems, ..form }, told }
    }

    fn other(form: CheckoutForm, problem: OtherProblem) -> Self {
        let told = problem.message().to_owned();
        Self { form: CheckoutForm { other: Some(problem), ..form }, told }
    }
}
