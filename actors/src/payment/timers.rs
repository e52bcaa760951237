//! What time brings to a payment: it settles, its buyer is looked after and given up, its provider is
//! asked again, and whether the funds of a live one are available.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::Payments;
use super::calls::Ended;
use super::room::{PaymentRoom, Step};
use crate::connector::{Funds, Processor};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Payment, PaymentTimer};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision};
use crate::timers::{Due, TimerKind};

impl Payments {
    /// Does what a timer of [`TimerKind::Payment`] says; refused when nothing is due, which is no
    /// fault. A call to the provider that this leads to is made behind it.
    pub async fn run_timer(&self, timer: Due) -> Result<bool, AskError> {
        let (step, timer) = self.timer_step(timer).await?;
        match timer {
            Some(PaymentTimer::Look) => {
                let (payments, payment) = (self.clone(), step.payment);
                let id = (payment.seller, payment.id);
                go_on_behind(id, async move { payments.look(payment).await });
            }
            _ => self.call_behind(step),
        }
        Ok(true)
    }

    /// The same, to the end of the call.
    #[cfg(test)]
    pub(crate) async fn run_timer_to_the_end(&self, timer: Due) -> Result<(), AskError> {
        let (step, timer) = self.timer_step(timer).await?;
        let done = match timer {
            Some(PaymentTimer::Look) => self.look(step.payment).await,
            _ => self.call_provider(step, None).await,
        };
        done.map(|_| ())
    }

    /// What was decided, and what for.
    async fn timer_step(&self, timer: Due) -> Result<(Step, Option<PaymentTimer>), AskError> {
        let decide = |room: &PaymentRoom, cx: &Context<PaymentRoom>| {
            let timer = room.payment()?.next_timer().map(|(_, timer)| timer);
            let left_alone = !room.is_called(cx)?;
            let decided = room.change(cx, |payment| match timer {
                Some(PaymentTimer::AskAgain) if left_alone => payment.ask_later(cx.now()),
                _ => payment.run_timer(cx.now()),
            })?;
            Ok(decided.map(move |step| (step, timer)))
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
        let funds = self.inquire(&payment, |processor, token| processor.funds(token)).await;
        let (available, captured) = (funds == Some(Funds::Available), payment.captured());
        self.to_the_end(move |payments| async move {
            let decided = payments.rooms.command_in_passing((seller, id), move |room, cx| {
                room.change(cx, |payment| match available {
                    true => payment.funds_available(captured, cx.now()),
                    false => payment.funds_pending(cx.now()),
                })
            });
            payments.call_provider(decided.await?, None).await
        })
        .await
    }

    /// Asks the processor whether the buyer has acted, when the look has its turn, and goes on with
    /// the payment if so.
    async fn look(&self, payment: Payment) -> Result<Payment, AskError> {
        let key = (payment.seller, payment.terminal);
        let Some(turn) = self.tools().calls.turn_to_look(key).await else { return Ok(payment) };
        let acted = self.inquire(&payment, |processor, token| processor.has_acted(token)).await;
        drop(turn);
        let Some(token) = payment.processor_token.clone().filter(|_| acted == Some(true)) else {
            return Ok(payment);
        };
        let gone_on = self.change(payment.seller, payment.id, None, move |payment, _, now| {
            payment.seen_acting(&token, now)
        });
        match gone_on.await {
            // The buyer came back meanwhile, or was given up.
            Err(AskError::Refused(_)) => Ok(payment),
            gone_on => gone_on,
        }
    }

    /// Asks the processor about a payment, which changes nothing; `None` where it does not answer.
    async fn inquire<T: Send>(
        &self,
        payment: &Payment,
        question: impl for<'p> FnOnce(&'p dyn Processor, String) -> BoxFuture<'p, T> + Send,
    ) -> Option<T> {
        let processor: Arc<dyn Processor> = self.processor(payment)?;
        let token = payment.processor_token.clone()?;
        if self.store().is_held() {
            return None;
        }
        let (tools, key) = (self.tools(), (payment.seller, payment.terminal));
        let asked = question(&*processor, token);
        match tools.calls.make(key, tools.provider_timeout, asked, |_| false).await {
            Ended::Answered(answer) => Some(answer),
            Ended::TimedOut | Ended::NotMade => None,
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
        let (payments, id) = (self.clone(), (step.payment.seller, step.payment.id));
        go_on_behind(id, async move { payments.call_provider(step, None).await });
    }
}

fn go_on_behind(
    (seller, payment): (SellerId, PaymentId),
    work: impl Future<Output = Result<Payment, AskError>> + Send + 'static,
) {
    tokio::spawn(async move {
        if let Err(error) = work.await {
            let (seller, payment) = (seller.0, payment.0);
            tracing::warn!(seller, payment, %error, "a provider's answer was not taken");
        }
    });
}

impl PaymentRoom {
    /// Whether the payment's processor is called at the moment.
    fn is_called(&self, cx: &Context<Self>) -> Result<bool, Refusal> {
        let key = (self.seller, self.payment()?.terminal);
        Ok(!cx.store().is_held() && cx.tools().calls.are_made(key))
    }
}
