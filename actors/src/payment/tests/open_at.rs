//! Which terminals have payments that are open at their processors.

use storage::{Batch, Scan};

use super::APPROVES;
use super::house::{House, SELLER};
use super::processor::{Behavior, TestProcessor};
use crate::backfill::{self, Backfill, undo};
use crate::domain::ids::{PaymentId, TerminalId};
use crate::domain::payments::payment::{Payment, PaymentStatus};
use crate::listing::relist;
use crate::query;
use crate::tables::{BACKFILLS, OPEN_AT_TERMINALS, PAYMENTS};

const TERMINAL: TerminalId = TerminalId(1);

impl House {
    fn has_open_payments(&self) -> bool {
        query::has_open_payments(&self.store, SELLER, TERMINAL).expect("readable")
    }

    /// Leaves payments at the terminal that ended there.
    fn leave_ended(&self, payment: &Payment, count: u64) {
        let mut batch = Batch::new();
        for number in 1..=count {
            let ended = Payment {
                id: PaymentId(payment.id.0 + 100_000 * number),
                status: PaymentStatus::RefundFailed,
                call: None,
                processor_token: None,
                ..payment.clone()
            };
            batch.put(PAYMENTS, &(SELLER, ended.id), &ended);
            relist(&mut batch, SELLER, None, &ended);
        }
        self.store.write_blocking(batch).expect("durable");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whether_payments_are_open_at_a_terminal_is_known_however_many_have_ended_there() {
    let processor = TestProcessor::new(Behavior::LosesRequests);
    let house = House::open(processor.clone()).await;
    assert!(!house.has_open_payments());
    let lost = house.pay(1, APPROVES).await.expect("answered");
    assert_eq!((lost.status, lost.terminal), (PaymentStatus::ProviderPending, Some(TERMINAL)));
    assert!(house.has_open_payments());
    processor.turn(Behavior::Answers);
    house.pass(5);
    assert_eq!(house.ring_due().await, 1);
    assert!(!house.has_open_payments(), "it is known to have failed");

    house.leave_ended(&lost, 60);
    house.stop().await;
    let before = house.store.stats().rows_read;
    assert!(!house.has_open_payments());
    assert_eq!(house.store.stats().rows_read - before, 0, "none of those that ended is read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_from_before_open_payments_were_listed_lists_them_once() {
    let house = House::open(TestProcessor::new(Behavior::LosesRequests)).await;
    let lost = house.pay(1, APPROVES).await.expect("answered");
    house.leave_ended(&lost, 3);
    house.stop().await;
    let mut batch = Batch::new();
    batch.delete(OPEN_AT_TERMINALS, &(SELLER, TERMINAL, lost.id));
    // What broke off behind this account goes on with the next.
    batch.put(BACKFILLS, &(Backfill::OpenAtTerminals as u8), &SELLER.0);
    house.store.write_blocking(batch).expect("durable");
    backfill::run(&house.store).expect("gone through");
    assert!(!house.has_open_payments());

    undo(&house.store, Backfill::OpenAtTerminals, OPEN_AT_TERMINALS, |_| true);
    for _ in 0..2 {
        backfill::run(&house.store).expect("gone through");
        let listed = house.store.scan(OPEN_AT_TERMINALS, Scan::all()).keys();
        let listed: Vec<_> = listed.map(|key| key.expect("readable")).collect();
        assert_eq!(listed, [(SELLER, TERMINAL, lost.id)]);
    }
}
