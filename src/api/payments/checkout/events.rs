//! `GET /checkout/{session_id}/events`: how a session stands, as it changes.

use std::sync::Arc;

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::payments::payment::Payment;
use actors::payment::Payments;
use bytes::Bytes;
use serde::Serialize;
use serde_with::skip_serializing_none;
use tokio::sync::watch;
use tokio::time::Interval;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::gate::Request;
use crate::http::event_stream::{COMMENT, EventSource, comments};
use crate::http::response::BodyError;
use crate::http::{ApiError, ApiResult, Response};
use crate::pages::failure_of;

#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusEvent {
    session_id: String,
    status: &'static str,
    /// Your `externalOrderRef`.
    payment_id: String,
    /// Why the payment failed, or the last attempt if another can be made.
    failure_code: Option<u16>,
    /// Whether the buyer must act elsewhere.
    requires_action: bool,
    /// How many attempts were begun.
    attempts: u32,
}

/// What there is to tell of a session.
#[derive(Debug, PartialEq, Eq)]
enum News {
    Change(StatusEvent),
    Nothing,
    /// There will be no more.
    End,
}

struct Following {
    payments: Payments,
    session: String,
    of: (SellerId, PaymentId),
    changed: watch::Receiver<u64>,
    comments: Interval,
    stop: CancellationToken,
    told: Option<StatusEvent>,
}

/// `GET /checkout/{session_id}/events`: one event at once and one at each change, until the
/// payment comes to its end or the server does.
pub async fn events(app: Arc<App>, request: Request) -> ApiResult {
    let session = request.text_param("session_id")?;
    let payment = app.payments.by_session(&session)?.ok_or_else(ApiError::missing)?;
    // Watched first and read afterwards, so that no change falls in between.
    let changed = app.payments.watch(payment.seller, payment.id);
    let following = Following {
        payments: app.payments.clone(),
        session: session.into_owned(),
        of: (payment.seller, payment.id),
        changed,
        comments: comments(),
        stop: app.stopping(),
        told: None,
    };
    Ok(Response::events(following))
}

impl EventSource for Following {
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            match self.news().await? {
                News::Change(event) => return self.tell(event).map(Some),
                News::End => return Ok(None),
                News::Nothing => (),
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Ok(None),
                changed = self.changed.changed() => if changed.is_err() {
                    return Ok(None);
                },
                _ = self.comments.tick() => return Ok(Some(COMMENT)),
            }
        }
    }
}

impl Following {
    async fn news(&self) -> Result<News, BodyError> {
        let (payments, (seller, id)) = (self.payments.clone(), self.of);
        let read = tokio::task::spawn_blocking(move || payments.get(seller, id)).await??;
        Ok(News::of(&self.session, read.as_ref(), self.told.as_ref()))
    }

    fn tell(&mut self, event: StatusEvent) -> Result<Bytes, BodyError> {
        let text = format!("event: status\ndata: {}\n\n", serde_json::to_string(&event)?);
        self.told = Some(event);
        Ok(Bytes::from(text))
    }
}

impl News {
    /// What of a payment as it is now was not `told` before. It may be gone, with its account.
    fn of(session: &str, payment: Option<&Payment>, told: Option<&StatusEvent>) -> Self {
        let Some(payment) = payment else { return Self::End };
        let event = StatusEvent::of(session, payment);
        match told == Some(&event) {
            false => Self::Change(event),
            // A buyer waits for nothing but the payment.
            true if payment.status.is_open() => Self::Nothing,
            true => Self::End,
        }
    }
}

impl StatusEvent {
    fn of(session: &str, payment: &Payment) -> Self {
        let checkout = payment.checkout.as_ref();
        Self {
            session_id: session.to_owned(),
            status: payment.status.name(),
            payment_id: payment.reference.clone(),
            failure_code: failure_of(payment).map(|code| code.code()),
            requires_action: payment.requires_action(),
            attempts: checkout.map_or(0, |checkout| checkout.begun),
        }
    }
}

#[cfg(test)]
mod tests;
