//! The referee's own books, and how they are kept.

use storage::Record;

use std::collections::{BTreeMap, BTreeSet};

use super::super::fixtures::{at, good_card, windows};
use super::*;
use crate::domain::ids::{PayeeId, RefundId};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::source::Source;
use crate::domain::platform::event::EventType;

/// Every step from one status to another that is allowed.
const STEPS: [(&str, &str); 24] = [
    ("provider_pending", "authorized"),
    ("provider_pending", "provider_completed"),
    ("provider_pending", "failed"),
    ("provider_pending", "cancelled"),
    ("authorized", "provider_completed"),
    ("authorized", "cancelled"),
    ("authorized", "failed"),
    ("provider_completed", "settled"),
    ("provider_completed", "deposit_confirmed"),
    ("provider_completed", "failed"),
    ("provider_completed", "refund_pending"),
    ("settled", "refund_pending"),
    ("deposit_confirmed", "refund_pending"),
    ("refund_failed", "refund_pending"),
    ("refund_cancelled", "refund_pending"),
    ("refund_failed", "failed"),
    ("refund_cancelled", "failed"),
    ("refund_pending", "provider_completed"),
    ("refund_pending", "settled"),
    ("refund_pending", "deposit_confirmed"),
    ("refund_pending", "refunded"),
    ("refund_pending", "refund_failed"),
    ("refund_pending", "refund_cancelled"),
    ("failed", "provider_pending"),
];

/// A payment under the referee's eyes.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) payment: Payment,
    pub(super) refunds: BTreeMap<RefundId, Refund>,
    now: i64,
    keys: BTreeSet<String>,
    /// What the provider took and gave back, as its answers said.
    pub(super) taken: i64,
    pub(super) returned: i64,
    /// The sum of what each party was notified of.
    pub(super) shares: BTreeMap<PayeeId, i64>,
    /// Whether the seller was told that it settled.
    settlement_told: bool,
}

impl Watched {
    pub(super) fn begin(new: NewPayment) -> Self {
        let source = match (&new.checkout, new.method.rail()) {
            (Some(_), _) => None,
            (None, Rail::Card) => Some(good_card()),
            (None, Rail::Apm) => Some(Source::Local),
        };
        let begun = Payment::start(new, source.as_ref(), &windows(), at(0));
        let mut watched = Self {
            payment: begun.payment.clone(),
            refunds: BTreeMap::new(),
            now: 0,
            keys: BTreeSet::new(),
            taken: 0,
            returned: 0,
            shares: BTreeMap::new(),
            settlement_told: false,
        };
        watched.see(begun, false);
        watched
    }

    /// Tries to do it; whether it was allowed.
    pub(super) fn carry_out(&mut self, action: Action) -> bool {
        let before = self.payment.clone();
        let Some(result) = self.attempt_deed(action) else { return false };
        let Ok(change) = result else { return false };
        self.count(&before, action);
        let repeats = matches!(action, Action::Retry | Action::RefundAgain);
        self.see(change, repeats);
        self.try_twice(&before, action);
        true
    }

    fn attempt_deed(&mut self, action: Action) -> Option<Result<Change, PaymentRefusal>> {
        let (payment, now, windows) = (self.payment.clone(), at(self.now), windows());
        if let Some(call) = payment.call.as_ref().filter(|_| payment.awaits_provider())
            && let Some(outcome) = action.answer(call)
        {
            return Some(match action {
                Action::Resolve => payment.resolved(outcome, &windows, now),
                _ => payment.answered(&call.key, outcome, &windows, now),
            });
        }
        Some(match action {
            Action::Buyer(which) => payment.buyer_answered(buyer(which), now),
            Action::Finalize(hundredths) => {
                let minor = part(payment.amount.minor, hundredths);
                let done = payment.finalize(minor, None, now);
                done.map(|change| change.unwrap_or_else(|| Change::nothing(&payment)))
            }
            Action::Capture(hundredths, last) => {
                let minor = part(payment.capturable(), hundredths);
                payment.capture(CaptureOrder { minor, last, in_parts: true, spent: None }, now)
            }
            Action::Refund(hundredths) => {
                payment.refund(self.next_refund(part(payment.refundable(), hundredths)), now)
            }
            Action::GiveBack => payment.give_back(self.next_refund(None), now),
            // No request has a key to try again what goes back by itself.
            Action::RefundAgain if payment.auto_refund.is_some() => return None,
            Action::RefundAgain => payment.refund_again(self.refunds.values().last()?, None, now),
            Action::Cancel => payment.cancel(now),
            Action::Withdraw => payment.call_off(None, now),
            Action::Retry => payment.retry(&windows, now),
            Action::Attempt(which) => payment.attempt(&attempt(which), &windows, now),
            Action::Settle => payment.settle(now),
            Action::Ring => {
                let (when, _) = payment.next_timer()?;
                self.now = self.now.max(when.unix_seconds() - at(0).unix_seconds());
                payment.run_timer(at(self.now))
            }
            Action::Wait(seconds) => {
                self.now += i64::from(seconds);
                return None;
            }
            _ => return None,
        })
    }

    fn next_refund(&self, minor: Option<i64>) -> NewRefund {
        let id = RefundId(u64::try_from(self.refunds.len()).expect("few") + 1);
        NewRefund { id, minor, reason: None, forced: None }
    }

    /// Books what the provider's answer means.
    fn count(&mut self, before: &Payment, action: Action) {
        let Some(call) = before.call.as_ref().filter(|_| before.awaits_provider()) else { return };
        let whole = before.amount.minor;
        match (call.kind, action.answer(call)) {
            (
                CallKind::Create | CallKind::Charge | CallKind::Confirm | CallKind::Cancel,
                Some(ProviderOutcome::Completed { .. }),
            ) => self.taken += call.minor.unwrap_or(whole),
            (
                CallKind::Capture,
                Some(ProviderOutcome::Captured | ProviderOutcome::Completed { .. }),
            ) => self.taken += call.minor.expect("a capture states its amount"),
            (CallKind::Refund, Some(ProviderOutcome::Refunded { .. })) => {
                self.returned += call.minor.expect("a refund states its amount");
            }
            _ => (),
        }
    }

    fn see(&mut self, change: Change, repeats: bool) {
        let (before, after) = (&self.payment, &change.payment);
        let step = (before.status.name(), after.status.name());
        assert!(step.0 == step.1 || STEPS.contains(&step), "{step:?}");
        if let Some(call) = after.asking().filter(|call| call.asked == 1) {
            let known = before.call.as_ref().is_some_and(|old| old.key == call.key);
            let fresh = self.keys.insert(call.key.clone());
            assert!(fresh || known || repeats || self.may_come_again(&call.key), "{}", call.key);
            let idle = !before.awaits_provider()
                || before.call.as_ref().map(|old| &old.key) != Some(&call.key);
            assert!(idle || known, "two calls at once");
        }
        self.tell(&change);
        let settled =
            matches!(after.status, PaymentStatus::Settled | PaymentStatus::DepositConfirmed);
        let first = step.0 != "refund_pending" || (settled && !self.settlement_told);
        let entered = step.0 != step.1 && after.status.completes() && first;
        self.settlement_told |= settled;
        let completions =
            change.events.iter().filter(|event| event.kind == EventType::PaymentCompleted).count();
        assert_eq!(completions, usize::from(entered), "{step:?}");
        self.note_refund(&change);
        let row = Record::encode(&change.payment);
        assert_eq!(Payment::decode(Payment::VERSION, &row).as_ref(), Ok(&change.payment));
        self.payment = change.payment;
        self.check();
    }

    /// After a retry the whole life may come again, with the keys it had.
    fn may_come_again(&self, key: &str) -> bool {
        self.payment.order.is_some() && !key.contains("refund") && !key.contains("capture")
    }

    fn tell(&mut self, change: &Change) {
        for (who, what, minor) in &change.shares {
            assert!(*minor > 0, "nobody is notified of nothing");
            let has = self.shares.entry(*who).or_default();
            *has += match what {
                ShareMove::Credited => *minor,
                ShareMove::TakenBack => -minor,
                ShareMove::Settled => 0,
            };
            assert!(*has >= 0, "{who:?} has less than nothing");
        }
    }

    fn note_refund(&mut self, change: &Change) {
        self.refunds.extend(change.refund.clone().map(|row| (row.id, row)));
        if let Some(moved) = &change.refund_moved {
            let row = self.refunds.get_mut(&moved.id).expect("a refund that is known");
            assert!(!matches!(row.status, RefundStatus::Succeeded | RefundStatus::Cancelled));
            row.status = moved.status;
            row.failure = moved.failure;
        }
    }

    /// What was done once is not done by doing it again.
    fn try_twice(&self, before: &Payment, action: Action) {
        let (now, payment) = (at(self.now), &self.payment);
        if let Some(call) = before.call.as_ref().filter(|_| before.awaits_provider())
            && let Some(outcome) = action.answer(call)
            && !payment.awaits_provider()
        {
            let again = payment.answered(&call.key, outcome, &windows(), now);
            assert_eq!(again, Err(PaymentRefusal::NotAsked));
        }
        let twice = match action {
            Action::Buyer(which) => payment.buyer_answered(buyer(which), now).is_ok(),
            Action::Retry => payment.retry(&windows(), now).is_ok(),
            Action::Settle => payment.settle(now).is_ok(),
            Action::Cancel => payment.cancel(now).is_ok() && payment.checkout.is_none(),
            Action::Withdraw => payment.call_off(None, now).is_ok(),
            _ => false,
        };
        assert!(!twice, "{action:?} was done twice");
    }

    /// Rings all timers, with an answer to each question, until nothing is left to wait for.
    pub(super) fn bring_to_rest(&mut self) {
        for _ in 0..2_000 {
            if self.payment.asking().is_some() {
                self.carry_out(Action::Succeed);
            } else if !self.carry_out(Action::Ring) {
                break;
            }
        }
        let manual = self.payment.call.as_ref().is_some_and(|call| call.state == CallState::Manual);
        if manual {
            assert!(self.carry_out(Action::Resolve));
            return self.bring_to_rest();
        }
        assert!(self.payment.next_timer().is_none(), "it never rests: {:#?}", self.payment);
        assert!(!self.payment.status.is_open() && !self.payment.awaits_provider());
    }
}

fn buyer(which: u8) -> BuyerAnswer {
    match which % 6 {
        0 => BuyerAnswer::Decline,
        1 => BuyerAnswer::Cancel,
        _ => BuyerAnswer::Approve,
    }
}

/// `hundredths` of an amount; all of it where that is not stated.
fn part(of: i64, hundredths: u8) -> Option<i64> {
    (hundredths > 0).then(|| (of * i64::from(hundredths) / 100).max(1))
}

fn attempt(which: u8) -> NewAttempt {
    let methods = [Method::Card, Method::Card, Method::Multibanco, Method::MbWay, Method::Wero];
    let method = methods[usize::from(which) % methods.len()];
    let source = match method.rail() {
        Rail::Card => good_card(),
        Rail::Apm => Source::Local,
    };
    let served = !which.is_multiple_of(11);
    let route = served.then_some((TerminalId(2), Connector::Simulator));
    NewAttempt { method, source, phone: None, country: None, route, consent: None }
}
