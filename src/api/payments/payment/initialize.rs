//! `POST /initialize-payment`.

use std::sync::Arc;

use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::initiation::{Initiation, ReturnRules, forced_failure};
use actors::domain::payments::payment::Payment;
use actors::domain::platform::seller::{Mode, Seller};
use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use actors::kernel::Once;
use actors::payment::{BeginRefusal, PaymentOrder};

use super::body::InitiationBody;
use super::{failure, shown};
use crate::api::payments::split;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// What the key is for under which replays are told from other cards.
const HASHING: &str = "cards and tokens of payments";

pub async fn initialize(app: Arc<App>, call: Call) -> Answer {
    let mut body: InitiationBody = call.json()?;
    let order_data = body.order_data.take();
    let seller = &call.seller().seller;
    let initiation = body.parse(&rules(seller)).map_err(Refusal::from)?;
    let forced = forced(&call, seller)?;
    if let Some(first) = app.payments.by_key(seller.id, call.idempotency_key())? {
        return replay(&app, &call, &first, &initiation).await;
    }
    let split = split::applied(&app, seller.id, initiation.amount, order_data.as_ref())?;
    let key = hash_key(&app);
    let order = PaymentOrder {
        method: initiation.method,
        country: initiation.country,
        capture: initiation.capture,
        terms: Some(initiation.terms(call.idempotency_key(), &key, split.stated)),
        split: split.inputs,
        forced,
        ..PaymentOrder::new(seller.id, initiation.reference.clone(), initiation.amount)
    };
    match app.payments.initiate(order, initiation.source.clone()).await {
        Ok(Once::Made(payment)) => begun(&app, &call, &payment),
        Ok(Once::Before) => {
            let first = app.payments.by_key(seller.id, call.idempotency_key())?;
            replay(&app, &call, &first.ok_or_else(Problem::unanswered)?, &initiation).await
        }
        Err(AskError::Refused(refusal))
            if refusal == Refusal::from(BeginRefusal::ReferenceUsed) =>
        {
            Err(failure::reference_used(initiation.reference))
        }
        Err(error) => Err(error.into()),
    }
}

/// Answers the payment that the key has made before, behind the commit that made it. What failed
/// for a passing reason is tried again.
async fn replay(app: &App, call: &Call, first: &Payment, again: &Initiation) -> Answer {
    if let Err(differs) = first.check_intent(&again.intent(&hash_key(app))) {
        return Err(Problem::conflict(differs.to_string()));
    }
    let payment = app.payments.once_answered(first.seller, first.id).await?;
    failure::known(&payment, |call| failure::begins(&payment, call.kind))?;
    if !payment.is_retryable() {
        return Ok(Reply::replayed(&shown(app, call, &payment)?));
    }
    if payment.lacks_address() {
        // The address of the first request counts, so that it would be refused again.
        return begun(app, call, &payment);
    }
    let source = again.source.clone();
    match app.payments.retry(first.seller, first.id, source).await {
        // Somebody else tries it again at this moment.
        Err(AskError::Refused(refusal)) if refusal.kind == RefusalKind::Conflict => {
            let payment = app.payments.once_answered(first.seller, first.id).await?;
            failure::known(&payment, |call| failure::begins(&payment, call.kind))?;
            Ok(Reply::replayed(&shown(app, call, &payment)?))
        }
        asked => begun(app, call, &asked?),
    }
}

fn begun(app: &App, call: &Call, payment: &Payment) -> Answer {
    match failure::of_payment(payment) {
        Some(problem) => Err(problem),
        None => Ok(Reply::accepted(&shown(app, call, payment)?)),
    }
}

fn rules(seller: &Seller) -> ReturnRules<'_> {
    ReturnRules {
        demo: seller.mode == Mode::Demo,
        hosts: &seller.allowed_return_hosts,
        defaults: &seller.default_return_links,
    }
}

/// What the header `Simulator` forces; live accounts have no simulator.
fn forced(call: &Call, seller: &Seller) -> Result<Option<FailureCode>, Problem> {
    let header = call.header("simulator").filter(|_| seller.mode == Mode::Demo);
    let forced = header.map(forced_failure).transpose();
    forced.map_err(|refusal| Refusal::from(refusal).into())
}

fn hash_key(app: &App) -> [u8; 16] {
    app.page_key.mark(HASHING, &[])
}
