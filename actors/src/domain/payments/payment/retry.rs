use super::{
    CallKind, Change, Payment, PaymentRefusal, PaymentStatus, ProviderCall, Trigger, Windows,
};
use crate::domain::payments::failure::{FailureCode, Retry};
use crate::domain::time::Timestamp;

impl Payment {
    /// Whether a replay of its request tries it again.
    pub fn is_retryable(&self) -> bool {
        let passing = matches!(
            self.failure.map(|failure| failure.code),
            Some(
                FailureCode::Interrupted
                    | FailureCode::ProviderError
                    | FailureCode::ProviderTimeout
            )
        );
        let safe = self.retry_advice() == Some(Retry::Safe);
        self.status == PaymentStatus::Failed && passing && safe && self.order.is_some()
    }

    /// The call that tries it again, from its beginning: the processor knows by the key what it
    /// opened before, and whether that can still be charged.
    fn stage_retry(&mut self, now: Timestamp) {
        let call = ProviderCall::staged(&self.provider_key, CallKind::Create, None, now);
        self.call = Some(call);
    }

    /// Tries again what failed for a passing reason (1006, 2002, 2003), under the same provider
    /// key: never a second charge.
    pub fn retry(&self, windows: &Windows, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let refused = PaymentRefusal::Move { from: self.status, trigger: Trigger::Retry };
        if !self.is_retryable() {
            return Err(refused);
        }
        Change::by(self, Trigger::Retry, now, |payment| {
            // What a demo request forced has happened by now.
            payment.refusal = None;
            let over = payment.failure.take().map(|failure| failure.code);
            payment.forced = payment.forced.filter(|forced| Some(*forced) != over);
            payment.expires_at = Some(now.plus_seconds(windows.buyer(payment.method)));
            payment.retries = payment.retries.saturating_add(1);
            payment.stage_retry(now);
        })
    }
}
