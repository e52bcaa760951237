//! Card payments that the seller gives back, as the test counts them itself.

use super::Life;
use crate::domain::billing::invoice::GivenBack;
use crate::domain::ids::{InvoiceId, PaymentId};
use crate::kernel::{KeyClaim, Once};

#[derive(Debug, Default)]
pub(super) struct Refunds(Vec<Paid>);

#[derive(Clone, Copy, Debug)]
struct Paid {
    payment: PaymentId,
    invoice: InvoiceId,
    /// What its invoice counts, and what was more than that.
    came: (i64, i64),
    gone: i64,
    /// How much of that was taken off the credit that the surplus had become.
    gone_of_surplus: i64,
}

impl Paid {
    fn left(self) -> i64 {
        self.came.0 + self.came.1 - self.gone
    }

    fn gone_of_counted(self) -> i64 {
        (self.gone - self.gone_of_surplus).min(self.came.0)
    }
}

impl Refunds {
    pub(super) fn paid(&mut self, payment: PaymentId, invoice: InvoiceId, came: (i64, i64)) {
        self.0.push(Paid { payment, invoice, came, gone: 0, gone_of_surplus: 0 });
    }
}

impl Life {
    /// Gives some of a payment back, or asks for more than is left of it. Its invoice stays paid,
    /// and credit that was made of the same money goes.
    pub(super) async fn refund(&mut self) {
        let Some(index) = self.random.of(&self.refunds.0) else { return };
        let of = self.refunds.0[index];
        let minor = self.about(of.left());
        let spend = KeyClaim::testing("/refund", &self.key("g"));
        let (payments, seller) = (&self.house.system.payments, self.house.seller.id);
        let given = payments.refund(seller, of.payment, Some(minor), None, None, spend).await;
        if minor > of.left() {
            assert!(given.is_err(), "{minor} of {}", of.left());
            return;
        }
        assert!(matches!(given, Ok(Once::Made(_))), "{given:?}");
        self.house.pass(10);
        let gone = of.gone + minor;
        let counted = || {
            let payment = self.house.system.payments.get(seller, of.payment);
            let payment = payment.expect("read").expect("there");
            assert_eq!(payment.refundable(), of.left() - minor);
            let invoice = self.house.invoice(of.invoice);
            let known = invoice.payments.iter().find(|known| known.payment == of.payment);
            known.is_some_and(|known| known.refunded_minor == gone)
        };
        self.house.until("the refund", counted).await;
        self.house.until_told().await;
        let before = self.books.reversed;
        self.books.look(&self.house, self.contract);
        let taken = self.books.reversed - before;
        self.books.refunded += taken;
        // The surplus goes first, as far as it is credit still.
        let now = self.house.invoice(of.invoice);
        let is_surplus = |given: &&GivenBack| given.payment == Some(of.payment);
        let left = now.given_back.iter().filter(is_surplus).map(|given| given.amount_minor);
        let gone_of_surplus = of.came.1 - left.sum::<i64>();
        let of_surplus = gone_of_surplus - of.gone_of_surplus;
        assert!((0..=minor).contains(&of_surplus), "{of_surplus} of {minor}");
        let after = Paid { gone, gone_of_surplus, ..of };
        self.refunds.0[index] = after;
        let of_counted = after.gone_of_counted() - of.gone_of_counted();
        let of_notes = self.books.account(&now).refund(of_counted, &now);
        assert_eq!(taken, of_surplus + of_notes);
    }
}
