//! What holds of a payment at every moment.

use super::super::*;
use super::watched::Watched;

impl Watched {
    /// Compares the payment with the books.
    pub(super) fn check(&self) {
        let payment = &self.payment;
        let status = payment.status;
        let reversed = status == PaymentStatus::Failed && self.taken > 0;
        assert_eq!(payment.captured(), self.taken, "{payment:#?}");
        assert_eq!(payment.refunds.refunded_minor, self.returned);
        let kept = if reversed { 0 } else { self.taken - self.returned };
        assert_eq!(self.shares.values().sum::<i64>(), kept, "{:?} of {payment:#?}", self.shares);
        assert!(self.taken <= payment.amount.minor && self.returned <= self.taken);
        assert!(payment.refundable() >= 0 && payment.capturable() >= 0);
        let rows = |wanted| {
            let rows = self.refunds.values().filter(move |row| row.status == wanted);
            rows.map(|row| row.amount.minor).sum::<i64>()
        };
        assert_eq!(rows(RefundStatus::Succeeded), self.returned);
        assert_eq!(rows(RefundStatus::Pending), payment.refunds.open_minor);
        assert_eq!(status == PaymentStatus::RefundPending, payment.refunds.open.is_some());
        assert_eq!(
            status == PaymentStatus::Refunded,
            self.taken > 0 && self.taken == self.returned
        );
        let rests = matches!(
            status,
            PaymentStatus::Failed
                | PaymentStatus::Cancelled
                | PaymentStatus::Refunded
                | PaymentStatus::Settled
                | PaymentStatus::DepositConfirmed
        );
        // What was not taken of a hold is let go of afterwards.
        let releases = payment.call.as_ref().is_some_and(ProviderCall::releases);
        let awaits = payment.awaits_provider() && !releases;
        assert!(!rests || !awaits, "an answer is awaited: {payment:#?}");
        let goes_on = payment.next_timer().is_some() && !(releases && payment.awaits_provider());
        assert!(!rests || !goes_on, "a timer is left: {payment:#?}");
        assert!(!status.is_lost() || self.taken == 0 || reversed, "lost with money taken");
        self.check_waiting();
    }

    /// What is under way goes on by itself or is left to a person.
    fn check_waiting(&self) {
        let payment = &self.payment;
        let by_itself = payment.next_timer().is_some();
        let by_hand = payment.call.as_ref().is_some_and(|call| call.state == CallState::Manual);
        let unfinished = payment.status.is_open() || payment.status == PaymentStatus::RefundPending;
        assert!(!unfinished || by_itself || by_hand, "it hangs: {payment:#?}");
        if let Some((when, _)) = payment.next_timer() {
            assert!(payment.run_timer(when).is_ok(), "its timer is refused: {payment:#?}");
        }
        let tries = payment.checkout.as_ref().map_or(0, |checkout| checkout.attempts.len());
        assert!(tries <= ATTEMPTS);
    }
}
