//! What a worker was told of payments, kept for the proof.

use super::ledger::Mark;
use super::sales::Kind;

/// One worker's record of payments.
#[derive(Clone, Debug, Default)]
pub(super) struct Till {
    /// Payments that were acknowledged.
    pub(super) begun: Vec<(Kind, Mark)>,
    /// Payments without an answer, or one that leaves it open whether they were made.
    pub(super) unsure: Vec<(Kind, Mark)>,
    /// Refunds that were acknowledged: the payment's mark.
    pub(super) refunded: Vec<Mark>,
    /// Refunds without an answer: the payment's mark and their own.
    pub(super) refunds_unsure: Vec<(Mark, Mark)>,
}

impl Till {
    /// Whether payments were asked for at all.
    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_empty() && self.unsure.is_empty()
    }

    /// Takes another worker's record in.
    pub(super) fn merge(&mut self, other: Self) {
        self.begun.extend(other.begun);
        self.unsure.extend(other.unsure);
        self.refunded.extend(other.refunded);
        self.refunds_unsure.extend(other.refunds_unsure);
    }
}
