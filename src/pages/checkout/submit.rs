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
use crate::app::App;
use crate::http::Answer;
use crate::http::error::Problem;
use crate::http::request::Call;
use crate::pages::desk::{PageDesk, for_people, instead, page, reading, wants_json};
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

/// `POST /checkout/{sessionId}`: makes an attempt with `paymentMethod`, gives the one under way
/// up (`action` `cancel`) or ends the session (`leave`); then `303`, or `200` in JSON. `400` with
/// the page and a message beside each wrong field; `409` when nothing can be paid, or an attempt
/// is under way.
///
/// # Errors
/// The same as JSON for those who ask for it; `500` when nobody knows how the attempt ended.
pub async fn submit(app: Arc<App>, call: Call) -> Answer {
    let answer = submitted(&app, &call).await;
    for_people(&call, answer)
}

async fn submitted(app: &Arc<App>, call: &Call) -> Answer {
    let desk = &PageDesk::of(app);
    let Some(session) = load(desk, call).await? else { return unknown(call) };
    let content_type = call.header("content-type").unwrap_or_default();
    let Ok(fields) = Fields::parse(content_type, &call.body) else {
        return instead(call, Problem::invalid("invalid request body"), &Outcome::unreadable());
    };
    match fields.text("action") {
        CANCEL => give_up(desk, call, &session).await,
        LEAVE => leave(desk, call, &session).await,
        _ => pay(desk, call, &session, &fields).await,
    }
}

async fn pay(desk: &Arc<PageDesk>, call: &Call, session: &Session, fields: &Fields) -> Answer {
    if !matches!(session.stage, Stage::Open(_)) {
        return in_the_way(desk, call, session, session.stage.words());
    }
    let (method, source, phone) = match read(session, fields) {
        Ok(read) => read,
        Err(wrong) => return wrong_fields(call, session, &wrong),
    };
    let payment = &session.payment;
    let (seller, id) = (payment.seller, payment.id);
    let (currency, country) = (payment.amount.currency, payment.country);
    let mode = if payment.demo { Mode::Demo } else { Mode::Live };
    let reader = Arc::clone(desk);
    let route =
        reading(move || reader.payments.route(seller, mode, method, currency, country)).await?;
    let attempt = NewAttempt { method, source, country, phone, route };
    let asked = desk.payments.attempt(seller, id, attempt).await;
    answered(desk, call, session, asked).await
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
async fn give_up(desk: &Arc<PageDesk>, call: &Call, session: &Session) -> Answer {
    let (seller, id) = (session.payment.seller, session.payment.id);
    match session.stage {
        Stage::Open(_) => went_on(desk, call, &session.payment),
        Stage::Elsewhere | Stage::Voucher { .. } | Stage::App { .. } => {
            let asked = desk.payments.buyer_answered(seller, id, BuyerAnswer::Cancel).await;
            answered(desk, call, session, asked).await
        }
        _ => in_the_way(desk, call, session, session.stage.words()),
    }
}

/// Ends a session at which nothing is under way.
async fn leave(desk: &Arc<PageDesk>, call: &Call, session: &Session) -> Answer {
    if !matches!(session.stage, Stage::Open(_)) {
        return in_the_way(desk, call, session, session.stage.words());
    }
    let (seller, id) = (session.payment.seller, session.payment.id);
    let asked = desk.payments.cancel(seller, id).await;
    answered(desk, call, session, asked).await
}

async fn answered(
    desk: &Arc<PageDesk>,
    call: &Call,
    session: &Session,
    asked: Result<Payment, AskError>,
) -> Answer {
    match asked {
        Ok(payment) => went_on(desk, call, &payment),
        Err(AskError::Refused(refusal)) => refused(desk, call, refusal).await,
        Err(error) => {
            let again = Outcome::out_of_order(Some(session.path()));
            instead(call, error.into(), &again.of(session.seller.clone(), session.demo))
        }
    }
}

/// The browser goes on to a bank on this origin, else back to the page, which leads on by
/// itself: to the seller once there is nothing left to do, or to a bank elsewhere.
fn went_on(desk: &PageDesk, call: &Call, payment: &Payment) -> Answer {
    let session = payment.checkout.as_ref().map_or("", |checkout| checkout.session.as_str());
    let action = desk.action(payment, call.now).filter(|_| payment.instructions.is_none());
    let own = format!("/checkout/{session}");
    let over = payment.status != PaymentStatus::ProviderPending;
    let next = match action {
        Some(bank) if bank.starts_with('/') => bank,
        Some(_) => format!("{own}?{NEXT}"),
        None if over && wants_json(call) => desk.return_path(payment, call.now),
        None if over => format!("{own}?{NEXT}"),
        None => own,
    };
    Ok(desk.attempted(call, payment, &next))
}

/// The attempt was overtaken by another: the page shows how the session stands now.
async fn refused(desk: &Arc<PageDesk>, call: &Call, refusal: Refusal) -> Answer {
    if refusal.kind != RefusalKind::Conflict || wants_json(call) {
        return Err(refusal.into());
    }
    let Some(session) = load(desk, call).await? else { return unknown(call) };
    stand(desk, call, &session, StatusCode::CONFLICT, false)
}

fn in_the_way(desk: &PageDesk, call: &Call, session: &Session, why: &str) -> Answer {
    if wants_json(call) {
        return Err(Problem::conflict(why));
    }
    stand(desk, call, session, StatusCode::CONFLICT, false)
}

fn wrong_fields(call: &Call, session: &Session, wrong: &Wrong) -> Answer {
    if wants_json(call) {
        return Err(Problem::invalid(wrong.told.clone()));
    }
    page(StatusCode::BAD_REQUEST, wrong.form.render(session, logo::address(session)))
}

impl Wrong {
    fn card(form: CheckoutForm, problems: Vec<CardProblem>) -> Self {
        let told = problems.first().map_or_else(String::new, ToString::to_string);
        Self { form: CheckoutForm { card_problems: problems, ..form }, told }
    }

    fn other(form: CheckoutForm, problem: OtherProblem) -> Self {
        let told = problem.told().to_owned();
        Self { form: CheckoutForm { other: Some(problem), ..form }, told }
    }
}
