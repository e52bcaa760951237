//! Refusals: of a rule, and of a processor that said no to a question as such.

use super::{Payment, PaymentStatus, Trigger};
use crate::domain::payments::failure::{FailureCode, Retry};
use crate::domain::refusal::{Cause, RefusalKind, Refuse};

/// The longest text of a processor that is kept, in characters.
const MAX_TEXT: usize = 500;

/// Digits in a row that may be a card's number, or part of one.
const CARD_DIGITS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefusal {
    #[error("invalid status transition from {from} to {trigger}")]
    Move {
        from: PaymentStatus,
        /// What was tried.
        trigger: Trigger,
    },
    /// The provider has been asked and not answered: giving up now could lose money taken.
    #[error("the payment is being processed")]
    InFlight,
    #[error("the payment does not wait for the buyer")]
    NoChallenge,
    #[error("the challenge has been answered already")]
    ChallengeOver,
    /// The buyer has not approved yet; the processor would say so.
    #[error("upstream card processor returned 400")]
    NotApproved,
    #[error("amount cannot be stated with manual capture")]
    ManualAmount,
    #[error("manual settlement required")]
    ManualCapture,
    #[error("capture amount exceeds remaining authorized amount")]
    AboveAuthorized,
    #[error("this processor captures once: send final true")]
    CapturesOnce,
    #[error("this processor takes the whole amount: refund a part afterwards")]
    TakesTheWhole,
    #[error("capture is not allowed while a refund is in progress")]
    CaptureDuringRefund,
    #[error("capture is not allowed after a successful refund")]
    CaptureAfterRefund,
    #[error("refund is already in progress")]
    RefundUnderWay,
    #[error("payment is already refunded")]
    Refunded,
    #[error("refund is not allowed for a payment in status {from}")]
    NotRefundable { from: PaymentStatus },
    #[error("refund amount exceeds remaining refundable amount")]
    AboveRefundable,
    #[error("the payment has no checkout session")]
    NoSession,
    #[error("another attempt is in progress")]
    AttemptUnderWay,
    #[error("the checkout session is over")]
    SessionOver,
    #[error("no provider call awaits an answer")]
    NotAsked,
    #[error("the time for this has not come")]
    NotDue,
}

impl Refuse for PaymentRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ManualAmount => RefusalKind::Invalid,
            _ => RefusalKind::Conflict,
        }
    }

    fn cause(&self) -> Cause {
        match self {
            Self::InFlight => Cause::InFlight,
            Self::NotApproved => Cause::NotApproved,
            Self::Move { trigger: Trigger::Retry | Trigger::Refund, .. }
            | Self::NotDue
            | Self::RefundUnderWay
            | Self::AboveRefundable => Cause::Overtaken,
            _ => Cause::Other,
        }
    }
}

/// A refusal that is certain: nothing was done. Its words are the operator's alone.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ProcessorRefusal {
    /// The HTTP status, 4xx.
    #[n(0)]
    pub status: u16,
    /// The processor's own name for what is wrong.
    #[n(1)]
    pub code: Option<String>,
    #[n(2)]
    pub text: Option<String>,
    /// Whether what was asked about cannot be had any more, however it is asked for.
    #[n(3)]
    pub is_final: bool,
}

impl ProcessorRefusal {
    fn is_of_account(&self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// A refusal in words that are cut to a length, and that show no number of a card.
    pub fn new(status: u16, code: Option<&str>, text: Option<&str>, is_final: bool) -> Self {
        Self { status, code: code.map(masked), text: text.map(masked), is_final }
    }
}

impl Payment {
    /// Whether the request that failed can succeed as it is. What the processor refuses for
    /// certain it refuses again, unless it turned the account away, which is not the seller's to
    /// mend.
    pub fn retry_advice(&self) -> Option<Retry> {
        let code = self.failure?.code;
        let of_processor = matches!(code, FailureCode::CaptureFailed | FailureCode::ProviderError);
        Some(match self.refusal.as_ref().filter(|_| of_processor) {
            Some(refusal) if refusal.is_final => Retry::Never,
            Some(refusal) if !refusal.is_of_account() => Retry::FixFirst,
            _ => code.retry(),
        })
    }
}

/// The words cut to a length, and without the number of a card.
fn masked(words: &str) -> String {
    let mut kept = String::with_capacity(words.len().min(MAX_TEXT));
    let mut digits = 0;
    for letter in words.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT) {
        match letter {
            '0'..='9' => digits += 1,
            ' ' | '-' => (),
            _ => digits = 0,
        }
        kept.push(if digits >= CARD_DIGITS && letter.is_ascii_digit() { '*' } else { letter });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{PaymentRefusal, PaymentStatus, Trigger, masked};
    use crate::domain::refusal::{Cause, Refusal};

    #[test]
    fn callers_know_a_refusal_that_they_act_upon_by_its_cause() {
        let wrong = |trigger| PaymentRefusal::Move { from: PaymentStatus::Refunded, trigger };
        for (refusal, cause) in [
            (PaymentRefusal::InFlight, Cause::InFlight),
            (PaymentRefusal::NotApproved, Cause::NotApproved),
            (PaymentRefusal::NotDue, Cause::Overtaken),
            (PaymentRefusal::RefundUnderWay, Cause::Overtaken),
            (PaymentRefusal::AboveRefundable, Cause::Overtaken),
            (wrong(Trigger::Refund), Cause::Overtaken),
            (wrong(Trigger::Retry), Cause::Overtaken),
            (wrong(Trigger::Cancel), Cause::Other),
            (PaymentRefusal::Refunded, Cause::Other),
        ] {
            assert_eq!(Refusal::from(refusal).cause, cause, "{refusal}");
        }
    }

    #[test]
    fn words_are_kept_and_the_number_of_a_card_is_not() {
        for (words, kept) in [
            ("Your card was declined.", "Your card was declined."),
            ("amount_to_capture (1250) is above 400", "amount_to_capture (1250) is above 400"),
            ("4242424242424242 is no card", "4242424********* is no card"),
            ("4242 4242-4242 4242", "4242 424*-**** ****"),
            ("a\r\nb", "ab"),
        ] {
            assert_eq!(masked(words), kept);
        }
        assert_eq!(masked(&"x".repeat(2_000)).len(), super::MAX_TEXT);
    }
}
