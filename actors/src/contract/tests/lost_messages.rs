//! What payments and invoices do not know of each other is a fault, unless a message is on its way.

use storage::{Batch, Store};

use super::house::House;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, PaidVia};
use crate::domain::ids::{MessageId, PaymentId};
use crate::domain::messages::{ContractMessage, Envelope, PaymentMessage, PaymentNotice};
use crate::domain::payments::payment::{Payment, PaymentStatus};
use crate::outbox::Outbox;
use crate::tables::{INVOICES, OUTBOX, PAYMENTS};
use crate::verify::{Rows, verify};

const UNCOUNTED: &str = "payment of an invoice that is counted or goes back";
const UNMET: &str = "payment that counts";
const UNREFUNDED: &str = "refunds that an invoice knows of";

/// A paid invoice and its payment, in a store that nobody uses for now.
struct Paid<'a> {
    store: &'a Store,
    invoice: Invoice,
    payment: Payment,
}

impl Paid<'_> {
    fn change(&self, change: impl FnOnce(&mut Invoice, &mut Payment)) {
        let (mut invoice, mut payment) = (self.invoice.clone(), self.payment.clone());
        change(&mut invoice, &mut payment);
        let mut batch = Batch::new();
        batch.put(INVOICES, &(payment.seller, invoice.id), &invoice);
        batch.put(PAYMENTS, &(payment.seller, payment.id), &payment);
        self.store.write_blocking(batch).expect("durable");
    }

    /// Whether a fault is found, without a message on its way and with this one.
    fn is_wrong(&self, what: &str, message: ContractMessage) -> [bool; 2] {
        let to_it = Envelope::to_contract(self.payment.seller, self.invoice.contract, message);
        [self.finds(what), self.finds_beside(what, &to_it)]
    }

    fn finds_beside(&self, what: &str, sent: &Envelope) -> bool {
        let id = MessageId(900_000);
        let mut batch = Batch::new();
        Outbox::stage(&mut batch, id, sent);
        self.store.write_blocking(batch).expect("durable");
        let finds = self.finds(what);
        let mut batch = Batch::new();
        batch.delete(OUTBOX, &sent.to.row(id));
        self.store.write_blocking(batch).expect("durable");
        finds
    }

    fn finds(&self, what: &str) -> bool {
        let report = verify(self.store, Rows::Still).expect("it could look");
        report.faults.iter().any(|fault| fault.what == what)
    }

    fn notice(&self, payment: PaymentId) -> PaymentNotice {
        PaymentNotice {
            payment,
            reference: self.payment.reference.clone(),
            invoice: self.invoice.id,
            amount: self.payment.amount,
            at: self.payment.created_at,
            attempt: None,
        }
    }
}

async fn looking(look: impl FnOnce(Paid<'_>)) {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    let payment = house.pay(&invoice, 1_000, None).await;
    house.until("the payment", || house.now(&invoice).status == InvoiceStatus::Paid).await;
    house.until_told().await;
    let (id, seller) = (invoice.id, house.seller.id);
    let look = |store: &Store| {
        let invoice = store.get(INVOICES, &(seller, id)).expect("read").expect("there");
        let payment = store.get(PAYMENTS, &(seller, payment)).expect("read").expect("there");
        let paid = Paid { store, invoice: invoice.clone(), payment: payment.clone() };
        look(paid);
        Paid { store, invoice, payment }.change(|_, _| ());
    };
    house.restart_with(look).await;
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn money_that_its_invoice_never_heard_of_is_a_fault() {
    looking(|paid| {
        let of = |id| ContractMessage::PaymentSucceeded(paid.notice(id));
        let own = paid.payment.id;
        assert_eq!(paid.is_wrong(UNCOUNTED, of(own)), [false, false], "it is counted");
        paid.change(|invoice, _| invoice.payments.clear());
        assert_eq!(paid.is_wrong(UNCOUNTED, of(own)), [true, false]);
        assert_eq!(paid.is_wrong(UNCOUNTED, of(PaymentId(own.0 + 1))), [true, true]);
        let number = paid.invoice.number.expect("issued");
        let back = PaymentMessage::NotNeeded(number);
        let back = Envelope::to_payment(paid.payment.seller, own, back);
        assert!(!paid.finds_beside(UNCOUNTED, &back), "it is to go back");
        paid.change(|invoice, payment| {
            invoice.payments.clear();
            payment.refunds.open_minor = 1_000;
        });
        assert!(!paid.finds(UNCOUNTED), "it goes back");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_that_counts_the_failed_charge_of_a_saved_card_is_a_fault() {
    looking(|paid| {
        paid.change(|invoice, payment| {
            invoice.payments[0].via = PaidVia::SavedCard;
            payment.status = PaymentStatus::Failed;
        });
        let reversed = ContractMessage::PaymentReversed(paid.notice(paid.payment.id));
        assert_eq!(paid.is_wrong(UNMET, reversed), [true, false]);
        paid.change(|invoice, _| {
            invoice.payments[0].via = PaidVia::SavedCard;
            invoice.payments[0].payment = PaymentId(paid.payment.id.0 + 1);
        });
        assert!(paid.finds("payment of an invoice"), "there is no such payment");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_its_invoice_never_heard_of_is_a_fault() {
    looking(|paid| {
        paid.change(|_, payment| payment.refunds.refunded_minor = 300);
        let refunded = ContractMessage::PaymentRefunded(paid.notice(paid.payment.id));
        assert_eq!(paid.is_wrong(UNREFUNDED, refunded.clone()), [true, false]);
        // What an invoice knows too much of no message explains.
        paid.change(|invoice, _| invoice.payments[0].refunded_minor = 300);
        assert_eq!(paid.is_wrong(UNREFUNDED, refunded), [true, true]);
    })
    .await;
}
