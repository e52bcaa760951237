//! What time brings to a payment: it settles, its buyer is given up, its provider is asked again,
//! and whether the funds of a live one are available.

use super::Payments;
use super::calls::Ended;
use super::room::{PaymentRoom, Step};
use crate::connector::Funds;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Payment, PaymentTimer};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision};
use crate::timers::{Due, TimerKind};

impl Payments {
    /// Does what a timer of [`TimerKind::Payment`] says; refused when nothing is due, which is no
    /// fault. A call to the provider that this leads to is made behind it.
    pub async fn run_timer(&self, timer: Due) -> Result<bool, AskError> {
        let step = self.timer_step(timer).await?;
        self.call_behind(step);
        Ok(true)
    }

    /// The same, to the end of the call.
    #[cfg(test)]
    pub(crate) async fn run_timer_to_the_end(&self, timer: Due) -> Result<(), AskError> {
        let step = self.timer_step(timer).await?;
        self.call_provider(step, None).await.map(|_| ())
    }

    async fn timer_step(&self, timer: Due) -> Result<Step, AskError> {
        let decide = |room: &PaymentRoom, cx: &Context<PaymentRoom>| {
            let asks = |(_, timer)| timer == PaymentTimer::AskAgain;
            let left_alone = !room.is_called(cx)?;
            room.change(cx, |payment| match payment.next_timer().is_some_and(asks) {
                true if left_alone => payment.ask_later(cx.now()),
                _ => payment.run_timer(cx.now()),
            })
        };
        self.rooms.command_in_passing((timer.seller, PaymentId(timer.object)), decide).await
    }

    /// Asks for the answer to a call that an earlier process made, or one that is overdue; whether
    /// there was one. A call that this process makes is left to it until it is overdue.
    pub async fn ask_if_lost(&self, timer: Due) -> Result<bool, AskError> {
        let decide = move |room: &PaymentRoom, cx: &Context<PaymentRoom>| {
            let payment = room.payment()?;
            let Some(call) = payment.asking() else { return Ok(Decision::unchanged(None)) };
            let is_made = room.asking.as_ref() == Some(&call.key);
            if is_made && cx.now() < timer.at {
                let step = Step { payment: payment.clone(), call: None };
                return Ok(Decision::unchanged(Some(step)));
            }
            let asked = match room.is_called(cx)? {
                true => room.change(cx, |payment| payment.ask_again(cx.now())),
                false => room.change(cx, |payment| payment.ask_later(cx.now())),
            };
            Ok(asked?.map(Some))
        };
        let id = (timer.seller, PaymentId(timer.object));
        let Some(step) = self.rooms.command_in_passing(id, decide).await? else { return Ok(false) };
        self.call_behind(step);
        Ok(true)
    }

    /// Asks for the funds of a live payment: it settles when they are available, else they are
    /// asked for again later. What is left of a hold is let go then.
    pub async fn check_funds(&self, seller: SellerId, id: PaymentId) -> Result<Payment, AskError> {
        let payment =
            self.read(seller, id.0, self.get(seller, id))?.ok_or_else(Refusal::missing)?;
        let available = self.funds(&payment).await == Funds::Available;
        self.to_the_end(move |payments| async move {
            let decided = payments.rooms.command_in_passing((seller, id), move |room, cx| {
                room.change(cx, |payment| match available {
                    true => payment.settle(cx.now()),
                    false => payment.funds_pending(cx.now()),
                })
            });
            payments.call_provider(decided.await?, None).await
        })
        .await
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

    /// Deletes the row of a timer that the payment does not want; true if that was so.
    pub async fn mend_timer(&self, kind: TimerKind, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, PaymentId(timer.object));
        self.rooms.mend_timer(id, kind, timer.at).await
    }

    /// Makes the call of a step, if there is one, while its caller goes on.
    fn call_behind(&self, step: Step) {
        if step.call.is_none() {
            return;
        }
        let payments = self.clone();
        tokio::spawn(async move {
            let (seller, payment) = (step.payment.seller.0, step.payment.id.0);
            if let Err(error) = payments.call_provider(step, None).await {
                tracing::warn!(seller, payment, %error, "a provider's answer was not taken");
            }
        });
    }
}

impl PaymentRoom {
    /// Whether the payment's processor is called at the moment.
    fn is_called(&self, cx: &Context<Self>) -> Result<bool, Refusal> {
        let route = (self.seller, self.payment()?.terminal);
        Ok(!cx.store().is_held() && cx.tools().calls.are_made(route))
    }
}
