//! The moves of a payout after it was made, as one table: approved or rejected while it waits,
//! completed or failed while it is on its way, failed when the bank sends it back.

use super::{ApprovalStatus, Payout, PayoutRefusal, PayoutStatus, payout_event};
use crate::domain::payments::book::{self, Movement, WalletFull};
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The operator agrees.
    Approve,
    /// The operator does not.
    Reject,
    /// The bank has it.
    Complete {
        /// What the bank calls it.
        provider_reference: Option<String>,
    },
    /// The bank does not take it, or has sent it back.
    Fail { failure_code: Option<String> },
}

/// A payout after a move, what that moved in its wallet, and what normal webhooks hear of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PayoutChange {
    pub payout: Payout,
    /// The movement of its wallet; absent when no money moved.
    pub movement: Option<Movement>,
    pub events: Vec<NewEvent>,
}

impl Payout {
    /// Does what is to be done; `None` when it has been done before, and says nothing more of it now.
    /// `wallet` is the payout's, `payout_seconds` how long a demo payout is under way.
    pub fn act(
        &self,
        action: &Action,
        wallet: &Wallet,
        payout_seconds: i64,
        now: Timestamp,
    ) -> Result<Option<PayoutChange>, PayoutRefusal> {
        let change = match (action, self.approval, self.status) {
            (Action::Approve, ApprovalStatus::AwaitingApproval, _) => {
                let approved = Self { approval: ApprovalStatus::Approved, ..self.clone() };
                self.change(approved.sent(payout_seconds, now), None)
            }
            (Action::Approve, ApprovalStatus::Approved, _)
            | (Action::Reject, ApprovalStatus::Rejected, _) => return Ok(None),
            (Action::Reject, ApprovalStatus::AwaitingApproval, _) => {
                let movement = book::release(wallet, self.amount_minor, &self.spans)?;
                let approval = ApprovalStatus::Rejected;
                let rejected = Self { approval, ..self.ended(PayoutStatus::Cancelled, now) };
                self.change(rejected, movement)
            }
            (Action::Approve | Action::Reject, _, _) => return Err(PayoutRefusal::NotAwaiting),
            (Action::Complete { provider_reference: sent }, _, PayoutStatus::Completed) => {
                let known = &self.provider_reference;
                let Some(filled) = filled("providerReference", known, sent)? else {
                    return Ok(None);
                };
                Self::told_more(Self { provider_reference: Some(filled), ..self.clone() }, now)
            }
            (Action::Fail { failure_code: sent }, _, PayoutStatus::Failed) => {
                let Some(filled) = filled("failureCode", &self.failure_code, sent)? else {
                    return Ok(None);
                };
                Self::told_more(Self { failure_code: Some(filled), ..self.clone() }, now)
            }
            (Action::Complete { provider_reference }, _, PayoutStatus::Processing) => {
                let movement = book::complete(wallet, self.amount_minor)?;
                let completed = Self {
                    provider_reference: provider_reference.clone(),
                    completed_at: Some(now),
                    ..self.ended(PayoutStatus::Completed, now)
                };
                self.change(completed, movement)
            }
            (Action::Fail { failure_code }, _, PayoutStatus::Processing) => {
                let movement = book::release(wallet, self.amount_minor, &self.spans)?;
                self.failed(failure_code.as_ref(), movement, now)
            }
            (Action::Fail { failure_code }, _, PayoutStatus::Completed) => {
                let movement = book::returned(wallet, self.amount_minor, &self.spans)?;
                self.failed(failure_code.as_ref(), movement, now)
            }
            (Action::Complete { .. } | Action::Fail { .. }, _, from) => {
                return Err(PayoutRefusal::Move { from, to: action.verb() });
            }
        };
        Ok(Some(change))
    }

    /// What the timer of a demo payout brings; `None` when nothing is due.
    pub fn due(&self, now: Timestamp) -> Option<Action> {
        let due = self.completes_at.is_some_and(|at| at <= now);
        due.then(|| Action::Complete { provider_reference: Some(format!("demo-{}", self.id)) })
    }

    /// On its way; a demo payout arrives by itself.
    pub(super) fn sent(self, payout_seconds: i64, now: Timestamp) -> Self {
        let demo = self.mode == Mode::Demo;
        let completes_at = demo.then(|| now.plus_seconds(payout_seconds));
        Self { status: PayoutStatus::Processing, completes_at, updated_at: now, ..self }
    }

    /// Something more is known of it; its end was told before.
    fn told_more(payout: Self, now: Timestamp) -> PayoutChange {
        let payout = Self { updated_at: now, ..payout };
        PayoutChange { payout, movement: None, events: Vec::new() }
    }

    fn ended(&self, status: PayoutStatus, now: Timestamp) -> Self {
        Self { status, completes_at: None, updated_at: now, ..self.clone() }
    }

    fn failed(
        &self,
        failure_code: Option<&String>,
        movement: Option<Movement>,
        now: Timestamp,
    ) -> PayoutChange {
        let failure_code = failure_code.cloned();
        let failed = Self { failure_code, ..self.ended(PayoutStatus::Failed, now) };
        self.change(failed, movement)
    }

    fn change(&self, payout: Self, movement: Option<Movement>) -> PayoutChange {
        let kind = match payout.status {
            PayoutStatus::Completed => Some(EventType::PayoutCompleted),
            PayoutStatus::Failed | PayoutStatus::Cancelled => Some(EventType::PayoutFailed),
            PayoutStatus::Pending | PayoutStatus::Processing => None,
        };
        let events = kind.map(|kind| payout_event(&payout, kind)).into_iter().collect();
        PayoutChange { payout, movement, events }
    }
}

/// What of a move that was made before is filled in by its repetition; `None` where nothing is.
/// What is known already stays, and what differs from it is refused.
fn filled(
    field: &'static str,
    known: &Option<String>,
    sent: &Option<String>,
) -> Result<Option<String>, PayoutRefusal> {
    match (known, sent) {
        (None, Some(new)) => Ok(Some(new.clone())),
        (Some(known), Some(other)) if known != other => {
            Err(PayoutRefusal::KnownOtherwise { field, known: known.clone() })
        }
        _ => Ok(None),
    }
}

impl Action {
    /// The last word of a refusal.
    fn verb(&self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Complete { .. } => "complete",
            Self::Fail { .. } => "fail",
        }
    }
}

impl From<WalletFull> for PayoutRefusal {
    fn from(_: WalletFull) -> Self {
        Self::WalletFull
    }
}
