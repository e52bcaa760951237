//! A buyer who pays and does not come back: the processor is asked meanwhile whether they have
//! acted, with growing pauses, so that their payment goes on before its time is over.

use super::{BuyerAnswer, Change, Payment, PaymentRefusal};
use crate::domain::payments::method::Method;
use crate::domain::time::Timestamp;

/// The first pause and the longest, in seconds. An app is answered within moments, or not at all.
const APP_PAUSES: (i64, i64) = (5, 60);

/// The same where the buyer is on another page, or is to pay at a bank.
const PAUSES: (i64, i64) = (60, 3600);

/// When the processor is asked next whether the buyer has acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Look {
    #[n(0)]
    pub at: Timestamp,
    /// How long that is after the look before, in seconds.
    #[n(1)]
    pub pause: i64,
}

impl Payment {
    /// The first look after a buyer who is asked to act now. The simulator has pages of its own
    /// that tell, and a seller finalizes a card payment of its own.
    pub(super) fn first_look(&self, now: Timestamp) -> Option<Look> {
        let (pause, _) = pauses(self.method);
        let is_looked_after = self.is_carried_out_outside() && self.finalizes_itself();
        is_looked_after.then(|| Look { at: now.plus_seconds(pause), pause })
    }

    /// When the processor is asked whether the buyer has acted; `None` while nobody is to act.
    pub(super) fn looks_at(&self) -> Option<Timestamp> {
        self.look.filter(|_| self.requires_action()).map(|look| look.at)
    }

    /// The processor is asked now, and after a longer pause again.
    pub(super) fn look_again(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let look = self.look.ok_or(PaymentRefusal::NotDue)?;
        let (_, longest) = pauses(self.method);
        let pause = (look.pause + look.pause / 2).min(longest);
        let mut change = Change::nothing(self);
        change.payment.look = Some(Look { at: now.plus_seconds(pause), pause });
        Ok(change)
    }

    /// The processor tells that the buyer has acted on what it calls `token`: it goes on as if the
    /// buyer had come back.
    pub fn seen_acting(&self, token: &str, now: Timestamp) -> Result<Change, PaymentRefusal> {
        if self.processor_token.as_deref() != Some(token) {
            return Err(PaymentRefusal::NotDue);
        }
        self.buyer_answered(BuyerAnswer::Approve, now)
    }
}

fn pauses(method: Method) -> (i64, i64) {
    match method {
        Method::MbWay => APP_PAUSES,
        _ => PAUSES,
    }
}
