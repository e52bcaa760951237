//! Asking the provider of a live payment whether its funds are available.

use super::Payments;
use super::calls::Ended;
use crate::connector::Funds;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::Payment;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Payments {
    /// Asks for the funds of a live payment: it settles when they are available, else they are
    /// asked for again later.
    pub async fn check_funds(&self, seller: SellerId, id: PaymentId) -> Result<Payment, AskError> {
        let payment =
            self.read(seller, id.0, self.get(seller, id))?.ok_or_else(Refusal::missing)?;
        let available = self.funds(&payment).await == Funds::Available;
        let decided = self.rooms.command_in_passing((seller, id), move |room, cx| {
            room.change(cx, |payment| match available {
                true => payment.settle(cx.now()),
                false => payment.funds_pending(cx.now()),
            })
        });
        Ok(decided.await?.payment)
    }

    async fn funds(&self, payment: &Payment) -> Funds {
        let token = payment.processor_token.clone();
        let (Some(processor), Some(token)) = (self.processor(payment), token) else {
            return Funds::Unknown;
        };
        let tools = self.tools();
        let route = (payment.seller, payment.terminal);
        if self.store().is_held() {
            return Funds::Unknown;
        }
        let asked = processor.funds(token);
        match tools.calls.make(route, tools.provider_timeout, asked, |_| false).await {
            Ended::Answered(funds) => funds,
            Ended::TimedOut | Ended::NotMade => Funds::Unknown,
        }
    }
}
