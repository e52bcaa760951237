//! Verification: begun with the payee and with each change of who it is, decided by the operator,
//! and in demo mode passed by itself.

use super::create::VerificationSetting;
use super::event::verification_event;
use super::{Payee, PayeeChange, PayeeRefusal, RejectType, Verification};
use crate::domain::names::names;
use crate::domain::platform::event::EventType;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

names! {
    Decision;
    0 Approved = "approved",
    /// Not to be paid out until it sends better data.
    1 RejectedRetry = "rejected_retry",
    2 RejectedFinal = "rejected_final",
    3 ManualReview = "manual_review",
}

impl Payee {
    /// Begins verification anew in an account of this `mode`; in demo mode it passes by itself
    /// after `verification_seconds`.
    #[must_use]
    pub fn verify_anew(self, mode: Mode, verification_seconds: i64, now: Timestamp) -> PayeeChange {
        self.start_verification(&VerificationSetting { mode, verification_seconds }, now)
    }

    pub(super) fn start_verification(
        self,
        setting: &VerificationSetting,
        now: Timestamp,
    ) -> PayeeChange {
        let demo = setting.mode == Mode::Demo;
        let payee = Self {
            verification: Verification::Pending,
            reject_type: None,
            mode: Some(setting.mode),
            verifies_at: demo.then(|| now.plus_seconds(setting.verification_seconds)),
            ..self
        };
        let kinds = [EventType::KYBVerificationStarted, EventType::KYBVerificationPending];
        let events = kinds.map(|kind| verification_event(&payee, kind, now));
        PayeeChange { payee, events: events.into() }
    }

    /// Takes the operator's decision; `None` when it has been taken before.
    pub fn decide(
        &self,
        decision: Decision,
        mode: Mode,
        now: Timestamp,
    ) -> Result<Option<PayeeChange>, PayeeRefusal> {
        if self.is_archived() {
            return Err(PayeeRefusal::Archived);
        }
        let (verification, reject_type) = match decision {
            Decision::Approved => (Verification::Approved, None),
            Decision::RejectedRetry => (Verification::Rejected, Some(RejectType::Retry)),
            Decision::RejectedFinal => (Verification::Rejected, Some(RejectType::Final)),
            Decision::ManualReview => (Verification::ManualReview, None),
        };
        if self.verification_in(mode) == (verification, reject_type) {
            return Ok(None);
        }
        Ok(Some(self.decided(verification, reject_type, mode, now)))
    }

    /// What the timer of a demo payee brings in an account of this `mode`; `None` when nothing is
    /// due. Where the account went live meanwhile nothing passes: the operator decides.
    pub fn verification_due(&self, mode: Mode, now: Timestamp) -> Option<PayeeChange> {
        if self.is_archived() || self.verifies_at.is_none_or(|at| now < at) {
            return None;
        }
        Some(match mode {
            Mode::Demo => self.decided(Verification::Approved, None, mode, now),
            Mode::Live => {
                let payee = Self { verifies_at: None, ..self.clone() };
                PayeeChange { payee, events: Vec::new() }
            }
        })
    }

    fn decided(
        &self,
        verification: Verification,
        reject_type: Option<RejectType>,
        mode: Mode,
        now: Timestamp,
    ) -> PayeeChange {
        let mode = Some(mode);
        let payee = Self { verification, reject_type, mode, verifies_at: None, ..self.clone() };
        let kind = match verification {
            Verification::Pending => EventType::KYBVerificationPending,
            Verification::Approved => EventType::KYBVerificationApproved,
            Verification::ManualReview => EventType::KYBVerificationManualReview,
            Verification::Rejected => EventType::KYBVerificationRejected,
        };
        let events = vec![verification_event(&payee, kind, now)];
        PayeeChange { payee, events }
    }
}
