//! `POST /initialize-payment`.

use std::sync::Arc;

use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::initiation::{Initiation, ReturnRules, forced_failure};
use actors::domain::payments::payment::Payment;
use actors::domain::platform::seller::{Mode, Seller};
use actors::domain::refusal::{Cause, Refusal};
use actors::kernel::AskError;
use actors::kernel::Once;
use actors::payment::PaymentOrder;

use super::body::InitiationBody;
use super::{failure, shown};
use crate::api::payments::split;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// What the key is for under which replays are told from other cards.
const HASHING: &str = "cards and tokens of payments";

pub async fn initialize(app: Arc<App>, request: Request) -> ApiResult {
    let mut body: InitiationBody = request.json()?;
    let order_data = body.order_data.take();
    let seller = &request.seller().seller;
    let first = app.payments.by_key(seller.id, request.idempotency_key()).await?;
    let initiation = body.parse(&rules(seller, first.is_none())).map_err(Refusal::from)?;
    let forced = forced(&request, seller)?;
    if let Some(first) = first {
        return replay(&app, &request, &first, &initiation).await;
    }
    let split = split::applied(&app, seller.id, initiation.amount, order_data.as_ref())?;
    let key = hash_key(&app);
    let order = PaymentOrder {
        method: initiation.method,
        country: initiation.country,
        capture: initiation.capture,
        terms: Some(initiation.terms(request.idempotency_key(), &key, split.stated)),
        split: split.inputs,
        forced,
        ..PaymentOrder::new(seller.id, initiation.reference.clone(), initiation.amount)
    };
    match app.payments.initiate(order, initiation.source.clone()).await {
        Ok(Once::Made(payment)) => begun(&app, &request, &payment),
        Ok(Once::Before) => {
            let first = app.payments.by_key(seller.id, request.idempotency_key()).await?;
            replay(&app, &request, &first.ok_or_else(ApiError::unanswered)?, &initiation).await
        }
        Err(AskError::Refused(refusal)) if refusal.cause == Cause::ReferenceUsed => {
            Err(failure::reference_used(initiation.reference))
        }
        Err(error) => Err(error.into()),
    }
}

/// Answers the payment that the key has made before, behind the commit that made it. What failed
/// for a passing reason is tried again.
async fn replay(app: &App, request: &Request, first: &Payment, again: &Initiation) -> ApiResult {
    if let Err(differs) = first.check_intent(&again.intent(&hash_key(app))) {
        return Err(ApiError::conflict(differs.to_string()));
    }
    let payment = app.payments.once_answered(first.seller, first.id).await?;
    failure::known(&payment, |request| failure::begins(&payment, request.kind))?;
    if !payment.is_retryable() {
        return Ok(Response::replayed(&shown(app, request, &payment)?));
    }
    if payment.lacks_address() {
        // The address of the first request counts, so that it would be refused again.
        return begun(app, request, &payment);
    }
    let source = again.source.clone();
    match app.payments.retry(first.seller, first.id, source).await {
        // Somebody else tries it again at this moment, or has done so.
        Err(AskError::Refused(refusal)) if refusal.cause == Cause::Overtaken => {
            let payment = app.payments.once_answered(first.seller, first.id).await?;
            failure::known(&payment, |request| failure::begins(&payment, request.kind))?;
            Ok(Response::replayed(&shown(app, request, &payment)?))
        }
        asked => begun(app, request, &asked?),
    }
}

fn begun(app: &App, request: &Request, payment: &Payment) -> ApiResult {
    match failure::of_payment(payment) {
        Some(problem) => Err(problem),
        None => Ok(Response::accepted(&shown(app, request, payment)?)),
    }
}

fn rules(seller: &Seller, is_new: bool) -> ReturnRules<'_> {
    ReturnRules {
        demo: seller.mode == Mode::Demo,
        hosts: &seller.allowed_return_hosts,
        defaults: &seller.default_return_links,
        is_new,
    }
}

/// What the header `Simulator` forces; live accounts have no simulator.
fn forced(request: &Request, seller: &Seller) -> Result<Option<FailureCode>, ApiError> {
    let header = request.header("simulator").filter(|_| seller.mode == Mode::Demo);
    let forced = header.map(forced_failure).transpose();
    forced.map_err(|refusal| Refusal::from(refusal).into())
}

fn hash_key(app: &App) -> [u8; 16] {
    app.page_key.mark(HASHING, &[])
}
