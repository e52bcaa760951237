//! Payments of invoices: what comes second goes back, and what fails at settlement takes along the
//! credit that was made of it.

use storage::{Batch, Scan};

use super::house::House;
use crate::contract::Once;
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, PaidVia};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::MessageId;
use crate::domain::ids::PaymentId;
use crate::domain::messages::{Envelope, PaymentMessage};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{Payment, PaymentStatus, PaysFor};
use crate::domain::payments::source::Source;
use crate::domain::platform::event::EventType;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::RefusalKind;
use crate::domain::testing::card;
use crate::kernel::{AskError, KeyClaim};
use crate::outbox::Outbox;
use crate::payment::PaymentOrder;
use crate::query::{self, Paging};
use crate::tables::{EVENTS, REFUNDS};
use crate::testing::{told, until, until_told};

const ALL: Paging = Paging { limit: 1_000, cursor: None };

impl House {
    /// Pays so much for an invoice by a card that is good.
    pub(super) async fn pay(
        &self,
        invoice: &Invoice,
        minor: i64,
        forced: Option<FailureCode>,
    ) -> PaymentId {
        let reference = format!("p-{}-{minor}", invoice.id.0);
        self.pay_under(reference, invoice, minor, forced).await
    }

    pub(super) async fn pay_under(
        &self,
        reference: String,
        invoice: &Invoice,
        minor: i64,
        forced: Option<FailureCode>,
    ) -> PaymentId {
        match self.try_to_pay(reference, invoice, minor, forced).await.expect("begun") {
            Once::Made(payment) => payment.id,
            Once::Before => panic!("the key was used"),
        }
    }

    pub(super) async fn try_to_pay(
        &self,
        reference: String,
        invoice: &Invoice,
        minor: i64,
        forced: Option<FailureCode>,
    ) -> Result<Once<Payment>, AskError> {
        let source = Source::Card(card("4242424242424242", 12, 2040).into());
        let amount = Money::new(minor, Currency::EUR).expect("money");
        let pays_for = PaysFor::Invoice { contract: invoice.contract, invoice: invoice.id };
        let order = PaymentOrder::new(self.seller.id, reference, amount);
        let order = PaymentOrder { pays_for, forced, ..order };
        self.system.payments.initiate(order, source).await
    }

    /// Begins to give so much of a payment back.
    pub(super) async fn refund(&self, payment: PaymentId, minor: i64, key: &str) {
        let spend = KeyClaim::testing("/refund", key);
        let (payments, seller) = (&self.system.payments, self.seller.id);
        let given = payments.refund(seller, payment, Some(minor), None, None, spend).await;
        assert!(matches!(given, Ok(Once::Made(_))), "{given:?}");
    }

    pub(super) async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        until(what, is_so).await;
    }

    pub(super) fn status(&self, payment: PaymentId) -> PaymentStatus {
        let payment = self.system.payments.get(self.seller.id, payment).expect("read");
        payment.expect("there").status
    }

    /// The refunds of a payment that went through, in minor units.
    fn refunded(&self, payment: PaymentId) -> Vec<i64> {
        let refunds = self.store.scan(REFUNDS, Scan::prefix(&(self.seller.id, payment)));
        let refunds = refunds.values().expect("read");
        refunds.iter().map(|refund| refund.amount.minor).collect()
    }

    pub(super) async fn until_told(&self) {
        until_told(&self.store).await;
    }

    pub(super) fn told(&self, kind: EventType) -> usize {
        told(&self.store, kind)
    }

    pub(super) fn entered(&self, of: &Invoice, kind: TimelineKind) -> Vec<Option<i64>> {
        let page = query::timeline(&self.store, self.seller.id, of.contract, ALL).expect("read");
        let entries = page.items.iter().rev().filter(|(_, entry)| entry.kind == kind);
        entries.map(|(_, entry)| entry.amount_minor).collect()
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_payments_one_pays_and_the_other_goes_back_once() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    house.deposit(&invoice, 1_000, "T1").await.expect("taken");
    let second = house.pay(&invoice, 1_000, None).await;
    house.until("the refund begins", || !house.refunded(second).is_empty()).await;
    house.pass(10);
    house.until("the refund", || house.status(second) == PaymentStatus::Refunded).await;
    house.until_told().await;
    let now = house.now(&invoice);
    assert_eq!((now.status, now.paid_via), (InvoiceStatus::Paid, Some(PaidVia::BankDeposit)));
    assert!(now.payments.is_empty() && house.lots(contract).is_empty());
    assert_eq!(house.refunded(second), [1_000]);
    assert_eq!(house.entered(&invoice, TimelineKind::PaymentReturned), [Some(1_000)]);
    let events = [EventType::PaymentRefunded, EventType::InvoicePaid, EventType::PaymentLinkPaid];
    assert_eq!(events.map(|kind| house.told(kind)), [1, 1, 0]);
    house.assert_right_at_rest().await;

    // Killed after the contract has decided, and again before anybody knew that it was told.
    let other = house.issue_one_time(contract, "2", 700).await;
    let paid = house.pay(&other, 700, None).await;
    house.until("the payment", || house.now(&other).status == InvoiceStatus::Paid).await;
    let (seller, number) = (house.seller.id, other.number.expect("issued"));
    for _ in 0..2 {
        let told = Envelope::to_payment(seller, paid, PaymentMessage::NotNeeded(number));
        let again = |store: &storage::Store| {
            let mut batch = Batch::new();
            Outbox::stage(&mut batch, MessageId(900_000), &told);
            store.write_blocking(batch).expect("durable");
        };
        house.restart_with(again).await;
        house.until_told().await;
        house.pass(10);
        house.until("the refund", || house.status(paid) == PaymentStatus::Refunded).await;
        assert_eq!(house.refunded(paid), [700]);
    }
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_void_and_a_payment_that_come_together_one_is_done() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    for turn in 0..20 {
        let invoice = house.issue_one_time(contract, &turn.to_string(), 1_000).await;
        let paying = house.try_to_pay(format!("r-{turn}"), &invoice, 1_000, None);
        // In turns one of them is some steps ahead.
        let steps = async |so_many: u32| {
            for _ in 0..so_many {
                tokio::task::yield_now().await;
            }
        };
        let voiding = async {
            steps(turn % 5).await;
            house.void(&invoice).await
        };
        let paying = async {
            steps(turn / 5).await;
            paying.await.map_err(AskError::refusal)
        };
        let (paid, voided) = tokio::join!(paying, voiding);
        match (paid, voided) {
            // It is under way, or counted by then.
            (Ok(_), Err(refused)) => {
                let kinds = [RefusalKind::Conflict, RefusalKind::Unprocessable];
                assert!(kinds.contains(&refused.kind), "{refused:?}");
            }
            (Err(refused), Ok(_)) => assert_eq!(refused.text, "the invoice is voided"),
            other => panic!("{other:?}"),
        }
        let late = house.try_to_pay(format!("l-{turn}"), &invoice, 1_000, None).await;
        assert_eq!(late.map_err(AskError::refusal).expect_err("late").kind, RefusalKind::Conflict);
    }
    house.until_told().await;
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_told_of_when_it_is_made_paid_and_closed() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    let link = invoice.link.as_ref().expect("sent").id;
    house.pay(&invoice, 1_000, None).await;
    house.until("the payment", || house.now(&invoice).status == InvoiceStatus::Paid).await;
    let other = house.issue_one_time(contract, "2", 500).await;
    house.void(&other).await.expect("voided");
    let events = house.store.scan(EVENTS, Scan::all()).values().expect("read");
    let told: Vec<_> = events
        .iter()
        .filter(|event| event.kind.is_of_link())
        .map(|event| {
            let said: serde_json::Value = serde_json::from_slice(&event.payload).expect("JSON");
            (event.kind, said)
        })
        .collect();
    let kinds: Vec<_> = told.iter().map(|(kind, _)| *kind).collect();
    use EventType::{PaymentLinkCancelled, PaymentLinkCreated, PaymentLinkPaid};
    let expected = [PaymentLinkCreated, PaymentLinkPaid, PaymentLinkCreated, PaymentLinkCancelled];
    assert_eq!(kinds, expected);
    let (made, paid, closed) = (&told[0].1, &told[1].1, &told[3].1);
    assert_eq!((&made["paymentLinkId"], &made["status"]), (&link.into(), &"active".into()));
    assert_eq!((&made["amountMinor"], &made["usageCount"]), (&1_000.into(), &0.into()));
    let number = invoice.number.expect("issued").to_string();
    assert_eq!(
        (&made["invoiceNumber"], &made["invoiceId"]),
        (&number.into(), &invoice.id.0.into())
    );
    assert_eq!((&paid["paymentLinkId"], &paid["status"]), (&link.into(), &"paid".into()));
    assert_eq!((&paid["amountMinor"], &paid["usageCount"]), (&1_000.into(), &1.into()));
    assert_eq!(paid["paymentId"], format!("p-{}-1000", invoice.id.0));
    assert_eq!(closed["status"], "cancelled");
    let token = house.system.links.of_invoice(house.seller.id, &invoice).expect("a link");
    for event in &events {
        assert!(!String::from_utf8_lossy(&event.payload).contains(&token), "a secret is told");
    }
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_fails_at_settlement_takes_its_surplus_along() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    house.deposit(&invoice, 400, "T1").await.expect("taken");
    house.pay(&invoice, 1_000, Some(FailureCode::SettlementFailed)).await;
    house.until("the payment", || house.now(&invoice).status == InvoiceStatus::Paid).await;
    assert_eq!(house.balance(contract), 400);
    // Some of it is spent: what was there is taken, and the rest is told of.
    let spent = house.issue_one_time(contract, "2", 150).await;
    assert_eq!(spent.credit_applied_minor, 150);
    house.pass(6);
    house.until("the reversal", || house.now(&invoice).status == InvoiceStatus::Sent).await;
    house.until_told().await;
    let now = house.now(&invoice);
    assert_eq!((now.outstanding_minor, house.balance(contract)), (600, 0));
    assert_eq!(house.entered(&invoice, TimelineKind::CreditReversed), [Some(250)]);
    assert_eq!(house.entered(&invoice, TimelineKind::CreditNotRecovered), [Some(150)]);
    assert_eq!(house.told(EventType::CreditDepleted), 1);
    let (kind, minor, reason) = house.lots(contract).pop().expect("entries");
    assert_eq!((kind, minor), (CreditType::Purchased, -250));
    assert_eq!(reason, format!("payment p-{}-1000 failed at settlement", invoice.id.0));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_of_a_note_and_money_owed_are_taken_back_with_the_payment() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let forced = Some(FailureCode::SettlementFailed);
    let noted = house.issue_one_time(contract, "1", 1_000).await;
    let whole = house.issue_one_time(contract, "2", 500).await;
    let owed = house.issue_one_time(contract, "3", 300).await;
    for (invoice, minor) in [(&noted, 1_000), (&whole, 500), (&owed, 300)] {
        house.pay(invoice, minor, forced).await;
        house.until("the payment", || house.now(invoice).status == InvoiceStatus::Paid).await;
    }
    house.credit(&noted, "n1", 250).await.expect("credited");
    house.credit(&whole, "n2", 500).await.expect("credited");
    house.switch(Switch::Credits, false).await;
    house.credit(&owed, "n3", 100).await.expect("credited");
    house.switch(Switch::Credits, true).await;
    assert_eq!(house.balance(contract), 750);
    house.pass(6);
    house.until("the reversals", || house.balance(contract) == 0).await;
    house.until_told().await;
    let stands = |invoice| {
        let now = house.now(invoice);
        (now.status, now.outstanding_minor, now.given_back_minor)
    };
    house.until("the last one", || stands(&owed).0 == InvoiceStatus::Sent).await;
    // Nobody is asked for what the notes took off.
    assert_eq!(stands(&noted), (InvoiceStatus::Sent, 750, 0));
    assert_eq!(stands(&whole), (InvoiceStatus::Paid, 0, 0));
    assert_eq!(house.now(&whole).paid_via, Some(PaidVia::CreditNote));
    assert_eq!(stands(&owed), (InvoiceStatus::Sent, 200, 0));
    assert_eq!(house.entered(&owed, TimelineKind::RefundDue), [Some(100), Some(-100)]);
    assert!(house.entered(&noted, TimelineKind::CreditNotRecovered).is_empty());
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn money_is_refunded_or_becomes_credit_of_a_note_and_never_both() {
    // What is refunded and credited, in order; what is credit afterwards.
    for (moves, balance) in [
        (vec![("refund", 1_000), ("credit", 1_000)], 0),
        (vec![("credit", 1_000), ("refund", 1_000)], 0),
        (vec![("refund", 400), ("credit", 1_000)], 600),
        (vec![("credit", 700), ("refund", 200), ("credit", 300), ("refund", 800)], 0),
        (vec![("credit", 300), ("refund", 500)], 0),
    ] {
        let mut house = House::open().await;
        let contract = house.contract("c").await;
        let invoice = house.issue_one_time(contract, "1", 1_000).await;
        let payment = house.pay(&invoice, 1_000, None).await;
        house.until("the payment", || house.now(&invoice).status == InvoiceStatus::Paid).await;
        let mut refunded = 0;
        for (index, (act, minor)) in moves.iter().enumerate() {
            let key = format!("move {index}");
            if *act == "credit" {
                house.credit(&house.now(&invoice), &key, *minor).await.expect("credited");
                continue;
            }
            refunded += minor;
            house.refund(payment, *minor, &key).await;
            house.pass(10);
            house.until("the refund", || house.now(&invoice).refunded_minor() == refunded).await;
        }
        house.until_told().await;
        assert_eq!(house.balance(contract), balance, "{moves:?}");
        assert_eq!(house.now(&invoice).status, InvoiceStatus::Paid);
        house.assert_right_at_rest().await;
    }
}
