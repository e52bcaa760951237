//! Having a card forgotten that was kept.

use super::Stripe;
use super::form::{Form, segment};
use super::http::Trouble;
use super::intent::Named;
use crate::connector::Forgotten;
use crate::domain::payments::saved_card::OpenedCard;
use crate::entropy::Entropy;

impl Stripe {
    /// Takes the card off the processor's customer, who stays behind with nothing. Each try has a
    /// key of its own: twice is no harm, and under one key a failure would be told again.
    pub(super) async fn card_forgotten(&self, card: &OpenedCard) -> Forgotten {
        let (_, method) = card.token().split_once('/').unwrap_or(("", card.token()));
        let path = format!("/v1/payment_methods/{}/detach", segment(method));
        match self.endpoint.post::<Named>(&path, &Entropy.token(), Form::new()).await {
            Ok(_) => Forgotten::Gone,
            // There is no such card, or nobody has it any more.
            Err(Trouble::Refused(declined)) if !declined.is_of_account() => Forgotten::Gone,
            Err(_) => Forgotten::Unknown,
        }
    }
}
