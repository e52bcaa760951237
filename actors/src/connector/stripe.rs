//! A processor that speaks Stripe's payment intents over HTTP, in live mode.
//!
//! An intent is opened without the card, its name is noted by the payment, and only then it is
//! charged. So whatever is lost on the way, there is either a name to look up or nothing that
//! could have been charged.
//!
//! * `http` sends a question and tells an answer from none; `form` writes its body.
//! * `intent` and `error` read what comes back.
//! * `begin`, `charge`, `after`, `look_up`, `find`, `funds` and `forget` are the questions.

mod after;
mod begin;
mod charge;
mod error;
mod find;
mod forget;
mod form;
mod funds;
mod http;
mod intent;
mod look_up;

use futures::future::BoxFuture;

pub(super) use self::http::{HttpClient, http_client};

use self::http::Endpoint;
use super::{
    Cancel, Capture, Charge, Confirm, Create, Forgotten, Funds, LookUp, Processor, Refund,
};
use crate::domain::payments::payment::ProviderOutcome;
use crate::domain::payments::saved_card::OpenedCard;
use crate::domain::payments::terminal::BaseUrl;

#[derive(Debug)]
pub(super) struct Stripe {
    endpoint: Endpoint,
}

impl Stripe {
    /// The account of `secret_key` at the processor that listens at `base_url`.
    pub(super) fn new(client: HttpClient, base_url: &BaseUrl, secret_key: &str) -> Self {
        Self { endpoint: Endpoint::new(client, base_url, secret_key) }
    }
}

impl Processor for Stripe {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.begin(ask))
    }

    fn charge(&self, ask: Charge) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.charge_card(ask))
    }

    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.confirmed(ask))
    }

    fn capture(&self, ask: Capture) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.captured(ask))
    }

    fn cancel(&self, ask: Cancel) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.given_up(ask.token))
    }

    fn refund(&self, ask: Refund) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.refunded(ask))
    }

    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(self.looked_up(ask))
    }

    fn funds(&self, token: String) -> BoxFuture<'_, Funds> {
        Box::pin(async move { self.funds_of(&token).await })
    }

    fn has_acted(&self, token: String) -> BoxFuture<'_, bool> {
        Box::pin(async move { self.buyer_acted(&token).await })
    }

    fn forget(&self, card: OpenedCard) -> BoxFuture<'_, Forgotten> {
        Box::pin(async move { self.card_forgotten(&card).await })
    }
}
