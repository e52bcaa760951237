//! Invoices that are corrected, voided and written off, and what they let go.

use super::house::House;
use crate::backfill::{Backfill, is_complete, undo};
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::credit::{CreditType, NewTopup};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, LineChunk, PaidVia};
use crate::domain::billing::subscription::{Frequency, PlanChange};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::topup::NewDeposit;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::kernel::AskError;
use crate::query::{self, Paging};
use crate::tables::{
    CONTRACT_INVOICES, FOLLOWABLE_INVOICES, FOLLOWED_INVOICES, INVOICE_LINES, INVOICES,
};
use crate::verify::{Fault, Rows, verify};
use storage::{Batch, Scan, Store};

const ALL: Paging = Paging { limit: 1_000, cursor: None };

impl House {
    pub(super) async fn void(&self, invoice: &Invoice) -> Result<Invoice, Refusal> {
        let contracts = &self.system.contracts;
        let (seller, reason) = (self.seller.id, "made out twice".to_owned());
        let voided = contracts.void_invoice(seller, invoice.contract, invoice.id, reason).await;
        voided.map_err(AskError::refusal)
    }

    pub(super) async fn deposit(
        &self,
        invoice: &Invoice,
        minor: i64,
        reference: &str,
    ) -> Result<Invoice, Refusal> {
        let amount = Money::new(minor, Currency::EUR).expect("money");
        let new = NewDeposit { amount, reference: reference.to_owned() };
        let contracts = &self.system.contracts;
        let taken = contracts.deposit(self.seller.id, invoice.contract, invoice.id, new).await;
        taken.map_err(AskError::refusal)
    }

    pub(super) fn now(&self, invoice: &Invoice) -> Invoice {
        let row = self.store.get(INVOICES, &(self.seller.id, invoice.id));
        row.expect("read").expect("there")
    }

    pub(super) fn kinds(&self, contract: ContractId) -> Vec<TimelineKind> {
        let page = query::timeline(&self.store, self.seller.id, contract, ALL).expect("read");
        page.items.iter().rev().map(|(_, entry)| entry.kind).collect()
    }

    pub(super) fn lots(&self, contract: ContractId) -> Vec<(CreditType, i64, String)> {
        let page = query::credit_entries(&self.store, self.seller.id, contract, ALL);
        let items = page.expect("read").items.into_iter().rev();
        items.map(|one| (one.credit_type, one.signed_delta_minor, one.reason)).collect()
    }

    async fn grant(&self, contract: ContractId, credit_type: CreditType, amount_minor: i64) {
        let new = NewTopup {
            credit_type,
            amount_minor,
            currency: Currency::EUR,
            expires_at: None,
            reason: "granted".to_owned(),
            customer: self.customer.id,
        };
        let key = format!("{credit_type}-{amount_minor}");
        let granted = self.system.contracts.top_up_credit(self.seller.id, contract, new, key);
        granted.await.expect("granted");
    }
}

fn number(invoice: &Invoice) -> String {
    invoice.number.expect("it is issued").to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_invoice_lets_its_terms_be_billed_again() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let first = house.issue_recurring(contract, "1").await.expect("issued");
    let day = house.start().date();
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let second = house.invoices(contract)[0].clone();
    assert_eq!(house.void(&first).await.expect("voided").status, InvoiceStatus::Voided);
    house.assert_right();
    // Both the settled term and the running one come back, after a restart too.
    house.restart().await;
    house.void(&second).await.expect("voided");
    house.assert_right();
    for start in [day, day.plus_months(1)] {
        let again = house.issue_recurring(contract, &format!("again-{start}")).await;
        let again = again.expect("issued");
        assert_eq!(again.period_start, Some(start));
        assert_eq!(again.totals, first.totals);
    }
    let nothing = house.issue_recurring(contract, "nothing").await.expect_err("all is billed");
    assert_eq!(nothing.kind, RefusalKind::Unprocessable);
    let twice = house.void(&second).await.expect_err("it is voided");
    assert_eq!(twice.text, "void does not apply: the invoice is voided");
    house.assert_listed();
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pass_goes_on_from_the_invoice_before_a_voided_one() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let day = house.start().date();
    let first = house.issue_recurring(contract, "1").await.expect("issued");
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    house.void(&house.invoices(contract)[0].clone()).await.expect("voided");
    house.advance(contract, day.plus_months(2).start()).await.expect("advanced");
    assert_eq!(house.invoices(contract)[0].period_start, Some(day.plus_months(1)));
    house.assert_right();
    for invoice in house.invoices(contract) {
        if invoice.id != first.id && invoice.status != InvoiceStatus::Voided {
            house.void(&invoice).await.expect("voided");
        }
    }
    house.void(&first).await.expect("voided");
    // Nothing is left to go on from.
    let advanced = house.advance(contract, day.plus_months(3).start()).await.expect("advanced");
    assert_eq!((advanced.invoices.issued, advanced.invoices.skipped), (0, 1));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_go_on_from_is_voided_as_cheaply_behind_a_thousand_that_nothing_follows() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let first = house.issue_recurring(contract, "1").await.expect("issued");
    let last = house.issue_one_time(contract, "2", 500).await;
    let (seller, newest) = (house.seller.id, last.id.0);
    let head = house.store.get(CONTRACT_INVOICES, &(seller, contract, last.id)).expect("read");
    let (head, mut batch) = (head.expect("there"), Batch::new());
    for number in newest + 1..=newest + 1_000 {
        batch.put(CONTRACT_INVOICES, &(seller, contract, InvoiceId(number)), &head);
    }
    house.store.write_blocking(batch).expect("durable");
    let before = house.store.stats().rows_read;
    house.void(&first).await.expect("voided");
    let read = house.store.stats().rows_read - before;
    assert!(read < 500, "{read} rows are read");
    assert_eq!(house.store.get(FOLLOWED_INVOICES, &(seller, contract)).expect("read"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_from_before_it_lists_the_invoices_that_may_be_followed_once() {
    let mut house = House::open().await;
    let (contract, other) = (house.contract("c").await, house.contract("d").await);
    for (of, key) in [(contract, "s"), (other, "t")] {
        house.subscribe(of, key, Frequency::Monthly, 1_000).await;
        house.issue_recurring(of, key).await.expect("issued");
    }
    let day = house.start().date();
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let second = house.invoices(contract)[0].clone();
    house.issue_one_time(contract, "o", 500).await;
    let listed = |store: &Store| {
        let keys = store.scan(FOLLOWABLE_INVOICES, Scan::all()).keys();
        keys.collect::<Result<Vec<_>, _>>().expect("read")
    };
    let all = listed(house.store.store());
    assert_eq!(all.len(), 3);
    // As they were before, and as a crash on the way has left them.
    for done in 0..3 {
        let before = |store: &Store| {
            let is_left = |key: &_| all[done..].contains(key);
            undo(store, Backfill::FollowableInvoices, FOLLOWABLE_INVOICES, is_left);
        };
        house.restart_with(before).await;
        assert_eq!(listed(house.store.store()), all, "{done} were listed");
        let complete = is_complete(house.store.store(), Backfill::FollowableInvoices);
        assert_eq!(complete, Ok(true));
    }
    house.void(&second).await.expect("voided");
    assert_eq!(listed(house.store.store()).len(), 2);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_invoice_lets_its_plan_changes_go() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 3_000).await else {
        panic!("made")
    };
    house.issue_recurring(contract, "1").await.expect("issued");
    let change = PlanChange { price_minor: Some(6_000), ..PlanChange::default() };
    let action = SubscriptionAction::ChangePlan(change);
    let contracts = &house.system.contracts;
    let acted = contracts.change_subscription(house.seller.id, contract, made.id, action).await;
    acted.expect("acted");
    let day = house.start().date();
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let second = house.invoices(contract)[0].clone();
    assert_eq!(second.totals.grand_total_minor, 6_000 + 3_000);
    house.void(&second).await.expect("voided");
    house.assert_right();
    let again = house.issue_recurring(contract, "again").await.expect("issued");
    assert_eq!(again.totals, second.totals);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_stored_credit_counts_among_what_was_taken_of_a_plan_change() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let made = house.subscribe(contract, "s", Frequency::Monthly, 3_000).await;
    let Once::Made(made) = made else { panic!("the key was used") };
    // Another one, so that no document is paid at once and cannot be voided.
    house.subscribe(contract, "other", Frequency::Monthly, 5_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let less = PlanChange { price_minor: Some(300), ..PlanChange::default() };
    let contracts = &house.system.contracts;
    let action = SubscriptionAction::ChangePlan(less);
    let changed = contracts.change_subscription(house.seller.id, contract, made.id, action).await;
    changed.expect("changed");
    let day = house.start().date();
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let second = house.invoices(contract)[0].clone();
    assert_eq!((second.totals.discount_minor, house.balance(contract)), (300, 2_400));
    house.void(&second).await.expect("voided");
    let again = house.issue_recurring(contract, "again").await.expect("issued");
    let lines = query::invoice_lines(&house.store, house.seller.id, again.id).expect("read");
    let Some([credit]) = lines.first().map(|line| &line.credits[..]) else { panic!("{lines:?}") };
    assert_eq!((credit.breakdown.earlier_minor, credit.breakdown.left_minor), (2_400, 0));
    assert_eq!((credit.breakdown.carried_minor(), credit.amount_minor), (-300, 300));
    house.assert_right();

    // A document from before that was so is no fault; one with any other figure is.
    let told = |earlier_minor| {
        let mut lines = lines.clone();
        lines[0].credits[0].breakdown.earlier_minor = earlier_minor;
        let (mut batch, key) = (Batch::new(), (house.seller.id, again.id, 0));
        batch.put(INVOICE_LINES, &key, &LineChunk(lines));
        house.store.write_blocking(batch).expect("durable");
        let report = verify(&house.store, Rows::Still).expect("it could look");
        let of_plan = |fault: &&Fault| fault.what.contains("plan change");
        report.faults.iter().filter(of_plan).count()
    };
    assert_eq!((told(0), told(2_399)), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn drawn_credit_comes_back_with_a_void_and_the_money_that_came_becomes_credit() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.grant(contract, CreditType::Gift, 300).await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    house.deposit(&invoice, 200, "T1").await.expect("taken");
    house.void(&invoice).await.expect("voided");
    let of = number(&invoice);
    let expected = [
        (CreditType::Gift, 300, "granted".to_owned()),
        (CreditType::Gift, -300, format!("applied to {of}")),
        (CreditType::Gift, 300, format!("returned from {of}")),
        (CreditType::Purchased, 200, format!("paid for the voided {of}")),
    ];
    assert_eq!(house.lots(contract), expected);
    // Money that comes later is credit as well.
    let late = house.deposit(&invoice, 50, "T2").await.expect("taken");
    assert_eq!((late.status, late.outstanding_minor), (InvoiceStatus::Voided, 0));
    assert_eq!(house.lots(contract)[4].1, 50);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_note_lowers_what_is_open_and_gives_back_what_was_paid() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.grant(contract, CreditType::Gift, 300).await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    house.deposit(&invoice, 200, "T1").await.expect("taken");
    let note = house.credit(&invoice, "n1", 400).await.expect("credited");
    assert_eq!((note.totals.grand_total_minor, note.corrects), (-400, invoice.number));
    assert_eq!(house.now(&invoice).outstanding_minor, 100);
    house.credit(&invoice, "n2", 400).await.expect("credited");
    let after = house.now(&invoice);
    assert_eq!((after.status, after.paid_via), (InvoiceStatus::Paid, Some(PaidVia::CreditNote)));
    let of = number(&invoice);
    let back = [
        (CreditType::Gift, 100, format!("returned from {of}")),
        (CreditType::Purchased, 200, format!("credit note for {of}")),
    ];
    assert_eq!(house.lots(contract)[2..], back);
    let beyond = house.credit(&invoice, "n3", 201).await.expect_err("too much");
    assert_eq!(beyond.kind, RefusalKind::Unprocessable);
    assert!(beyond.text.contains("200 more minor units"), "{beyond}");
    house.credit(&invoice, "n4", 200).await.expect("credited");
    assert_eq!(house.lots(contract)[4].1, 200);
    house.assert_listed();
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_at_once_never_exceed_their_invoice() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    let keys: Vec<_> = (0..40).map(|n| format!("n{n}")).collect();
    let notes = keys.iter().map(|key| house.credit(&invoice, key, 70));
    let made = futures::future::join_all(notes).await.iter().filter(|one| one.is_ok()).count();
    assert_eq!((made, house.now(&invoice).outstanding_minor), (14, 20));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_credits_are_off_money_is_owed_back() {
    let house = House::open().await;
    house.switch(Switch::Credits, false).await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    house.deposit(&invoice, 1_000, "T1").await.expect("taken");
    house.credit(&invoice, "n", 400).await.expect("credited");
    assert!(house.kinds(contract).contains(&TimelineKind::RefundDue));
    assert!(house.lots(contract).is_empty());
    let surplus = house.deposit(&invoice, 1, "T2").await.expect_err("too much");
    assert_eq!(surplus.kind, RefusalKind::Unprocessable);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn money_for_a_written_off_invoice_makes_it_paid() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    let contracts = &house.system.contracts;
    let reason = "insolvent".to_owned();
    let off = contracts.write_off_invoice(house.seller.id, contract, invoice.id, reason).await;
    let off = off.expect("written off");
    assert_eq!((off.status, off.outstanding_minor), (InvoiceStatus::WrittenOff, 0));
    house.assert_right();
    let paid = house.deposit(&invoice, 1_000, "T1").await.expect("taken");
    assert_eq!((paid.status, paid.paid_via), (InvoiceStatus::Paid, Some(PaidVia::BankDeposit)));
    let kinds =
        [TimelineKind::InvoiceIssued, TimelineKind::InvoiceWrittenOff, TimelineKind::InvoicePaid];
    assert_eq!(house.kinds(contract), kinds);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_issued_never_changes() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "1", 1_000).await;
    let seller = house.seller.id;
    let lines = query::invoice_lines(&house.store, seller, invoice.id).expect("read");
    house.credit(&invoice, "n", 100).await.expect("credited");
    house.deposit(&invoice, 300, "T1").await.expect("taken");
    house.clock.push(house.start().date().plus_days(60).start());
    house.system.contracts.run_overdue(seller, contract).await.expect("run");
    let reason = "insolvent".to_owned();
    let contracts = &house.system.contracts;
    contracts.write_off_invoice(seller, contract, invoice.id, reason).await.expect("written off");
    let after = house.now(&invoice);
    assert_eq!(after.status, InvoiceStatus::WrittenOff);
    let issued = |invoice: &Invoice| Invoice {
        status: InvoiceStatus::Sent,
        outstanding_minor: 0,
        overdue_told_at: None,
        credited_minor: 0,
        credited_taxes: Vec::new(),
        deposits: Vec::new(),
        ..invoice.clone()
    };
    assert_eq!(issued(&after), issued(&invoice));
    let now = query::invoice_lines(&house.store, seller, invoice.id).expect("read");
    assert_eq!(now, lines);
    house.assert_right();
}
