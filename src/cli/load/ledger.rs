//! What the server acknowledged to a worker, kept for the proof.

use std::collections::BTreeMap;

use super::mix::Operation;
use super::sales::Kind;
use super::tally::Usage;

/// A number that occurs in one write only; it is stored with the write and found again.
pub(super) type Mark = u64;

/// One worker's record of a run. Contracts are named by their place in the list.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    pub(super) amended: Vec<Amended>,
    /// Amendments without an answer: they may be there or not.
    pub(super) amends_unsure: Vec<(u32, Mark)>,
    /// Acknowledged subscriptions: contract and id.
    pub(super) subscribed: Vec<(u32, u64)>,
    /// Subscriptions without an answer: contract and mark.
    pub(super) subscribes_unsure: Vec<(u32, Mark)>,
    /// Acknowledged invoices: contract and id.
    pub(super) invoiced: Vec<(u32, u64)>,
    /// Invoices without an answer: contract and mark.
    pub(super) invoices_unsure: Vec<(u32, Mark)>,
    pub(super) usage: Usage,
    pub(super) payments: Payments,
    /// Amendments that met another base version, where contention was asked for.
    pub(super) stale: u64,
    /// Answers that were no success, by operation and status; 0 is a lost connection.
    pub(super) refused: BTreeMap<(usize, u16), u64>,
    /// Answers that contradict what was acknowledged before.
    pub(super) contradictions: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Amended {
    pub(super) contract: u32,
    pub(super) version: u32,
    pub(super) mark: Mark,
}

impl Ledger {
    pub(super) fn refuse(&mut self, operation: Operation, status: u16) {
        *self.refused.entry((operation.index(), status)).or_default() += 1;
    }

    /// Keeps a contradiction, the first ones in words.
    pub(super) fn contradict(&mut self, text: impl FnOnce() -> String) {
        if self.contradictions.len() < 20 {
            self.contradictions.push(text());
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.amended.extend(other.amended);
        self.amends_unsure.extend(other.amends_unsure);
        self.subscribed.extend(other.subscribed);
        self.subscribes_unsure.extend(other.subscribes_unsure);
        self.invoiced.extend(other.invoiced);
        self.invoices_unsure.extend(other.invoices_unsure);
        self.usage.merge(other.usage);
        self.payments.merge(other.payments);
        self.stale += other.stale;
        for (kind, count) in other.refused {
            *self.refused.entry(kind).or_default() += count;
        }
        self.contradictions.extend(other.contradictions);
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Payments {
    /// Payments that were acknowledged.
    pub(super) begun: Vec<(Kind, Mark)>,
    /// Payments without an answer, or one that leaves it open whether they were made.
    pub(super) unsure: Vec<(Kind, Mark)>,
    /// Refunds that were acknowledged: the payment's mark.
    pub(super) refunded: Vec<Mark>,
    /// Refunds without an answer: the payment's mark and their own.
    pub(super) refunds_unsure: Vec<(Mark, Mark)>,
}

impl Payments {
    /// Whether payments were asked for at all.
    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_empty() && self.unsure.is_empty()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.begun.extend(other.begun);
        self.unsure.extend(other.unsure);
        self.refunded.extend(other.refunded);
        self.refunds_unsure.extend(other.refunds_unsure);
    }
}
