//! What a capture, a refund or a settlement does to the wallets of those a payment is shared by.

use std::borrow::Cow;

use super::{Change, Payment};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::split::{Plan, capture_moves, credited, refund_moves};

impl Payment {
    fn plan(&self) -> Cow<'_, Plan> {
        self.split.as_ref().map_or_else(|| Cow::Owned(Plan::default()), Cow::Borrowed)
    }
}

impl Change {
    /// With the shares of what was captured since `before`.
    pub(super) fn with_capture_shares(mut self, before: &Payment) -> Self {
        let (plan, whole) = (before.plan(), before.amount.minor);
        let (was, is) = (before.captured_minor.unwrap_or(0), self.payment.captured());
        self.shares = capture_moves(&plan, whole, was, is);
        self
    }

    /// With the shares of what was refunded since `before`.
    pub(super) fn with_refund_shares(mut self, before: &Payment) -> Self {
        let had = credited(&before.plan(), before.amount.minor, before.captured());
        let (was, is) = (before.refunds.refunded_minor, self.payment.refunds.refunded_minor);
        self.shares = refund_moves(&had, was, is);
        self
    }

    /// With all shares available from now on.
    pub(super) fn with_settled_shares(mut self) -> Self {
        let payment = &self.payment;
        let had = credited(&payment.plan(), payment.amount.minor, payment.captured());
        let parties = had.into_iter().filter(|(_, minor)| *minor > 0);
        self.shares = parties.map(|(who, minor)| (who, ShareMove::Settled, minor)).collect();
        self
    }

    /// With all shares gone: what was captured did not settle.
    pub(super) fn with_lost_shares(mut self, before: &Payment) -> Self {
        let had = credited(&before.plan(), before.amount.minor, before.captured());
        let back = before.refunds.refunded_minor;
        self.shares = refund_moves(&had, back, before.captured());
        self
    }
}
