//! How the invoices of packs of credit end otherwise than by their charge: nobody pays for credit
//! that they do not have, nor has credit that they did not pay for.

use super::collection::GOOD;
use super::house::House;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, PaidVia};
use crate::domain::ids::{ContractId, PaymentId};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::platform::event::EventType;
use crate::query;

impl House {
    /// A contract whose customer has a good card, and the invoice of a pack that nobody has charged
    /// yet; no other is bought.
    async fn with_ordered_pack(&self) -> (ContractId, Invoice) {
        let contract = self.with_card(GOOD).await;
        self.tops_up(contract).await;
        let pack = self.orders_pack(contract).await;
        let off = self.system.contracts.set_auto_topup(self.seller.id, contract, false, None);
        off.await.expect("switched off");
        (contract, pack)
    }

    /// The same, half of whose invoice a credit note has taken.
    async fn with_half_credited_pack(&self) -> (ContractId, Invoice) {
        let (contract, pack) = self.with_ordered_pack().await;
        self.credit(&pack, "note", 900).await.expect("credited");
        (contract, pack)
    }

    /// A pack whose payment failed at settlement, after 300 of its credit were used.
    async fn with_pack_owed_again(&self) -> (ContractId, Invoice) {
        let (contract, pack) = self.with_ordered_pack().await;
        self.pay(&pack, 1_800, Some(FailureCode::SettlementFailed)).await;
        self.until("the payment", || self.balance(contract) == 2_000).await;
        self.issue_one_time(contract, "second", 300).await;
        self.pass(6);
        self.until("the reversal", || self.now(&pack).status == InvoiceStatus::Issued).await;
        self.until_told().await;
        (contract, pack)
    }

    async fn removes_card(&self) {
        let (seller, customer) = (self.seller.id, self.customer.id);
        let cards = query::saved_cards(&self.store, seller, customer).expect("read");
        self.system.sellers.remove_card(seller, customer, cards[0].id).await.expect("removed");
    }

    /// Gives so much of a payment back, until so much is refunded of what the invoice counts.
    async fn refunds(&self, of: &Invoice, (payment, minor): (PaymentId, i64), counted: i64) {
        self.refund(payment, minor, &format!("{counted} in all")).await;
        self.pass(10);
        self.until("the refund", || self.now(of).refunded_minor() == counted).await;
    }

    pub(super) async fn write_off(&self, invoice: &Invoice) {
        let (seller, contract) = (self.seller.id, invoice.contract);
        let reason = "nobody pays".to_owned();
        let ended = self.system.contracts.write_off_invoice(seller, contract, invoice.id, reason);
        assert_eq!(ended.await.expect("written off").status, InvoiceStatus::WrittenOff);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deposited_for_a_pack_that_cannot_be_bought_is_credit() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_ordered_pack().await;
    house.deposit(&pack, 500, "T1").await.expect("taken");
    house.removes_card().await;
    house.runs_topup().await;
    let now = house.now(&pack);
    assert_eq!((now.status, now.given_back_minor), (InvoiceStatus::Voided, 500));
    assert_eq!(house.balance(contract), 500);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deposited_for_a_pack_stays_when_the_rest_fails_at_settlement() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_ordered_pack().await;
    house.deposit(&pack, 500, "T1").await.expect("taken");
    house.pay(&pack, 1_300, Some(FailureCode::SettlementFailed)).await;
    house.until("the payment", || house.balance(contract) == 2_000).await;
    house.pass(6);
    house.until("the reversal", || house.now(&pack).status == InvoiceStatus::Voided).await;
    house.until_told().await;
    assert_eq!(house.balance(contract), 500);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_note_before_the_payment_leaves_the_rest_of_a_pack_to_buy() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_half_credited_pack().await;
    house.runs_topup().await;
    assert_eq!((house.now(&pack).status, house.balance(contract)), (InvoiceStatus::Paid, 1_000));
    // A third of the whole pack goes, and a third of its price comes.
    house.credit(&house.now(&pack), "another note", 600).await.expect("credited");
    assert_eq!(house.balance(contract), 1_000 - 667 + 600);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_pays_more_than_a_credit_note_leaves_of_a_pack_has_the_surplus_back_and_no_more() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_half_credited_pack().await;
    house.pay(&pack, 1_800, None).await;
    house.until("the payment", || house.now(&pack).status == InvoiceStatus::Paid).await;
    assert_eq!(house.balance(contract), 1_000 + 900);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_takes_its_part_of_what_a_credit_note_had_left_of_a_pack_to_buy() {
    for (minor, balance) in [(900, 0), (450, 500)] {
        let mut house = House::open().await;
        let (contract, pack) = house.with_half_credited_pack().await;
        house.runs_topup().await;
        assert_eq!(house.balance(contract), 1_000);
        let payment = house.now(&pack).payments[0].payment;
        house.refunds(&pack, (payment, minor), minor).await;
        assert_eq!(house.balance(contract), balance, "{minor} refunded");
        house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_more_than_a_credit_note_left_of_a_pack_takes_the_surplus_and_then_the_pack() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_half_credited_pack().await;
    let payment = house.pay(&pack, 1_800, None).await;
    house.until("the payment", || house.now(&pack).status == InvoiceStatus::Paid).await;
    house.refunds(&pack, (payment, 1_350), 450).await;
    assert_eq!(house.balance(contract), 500);
    house.refunds(&pack, (payment, 450), 900).await;
    assert_eq!(house.balance(contract), 0);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_is_owed_again_and_credited_goes_as_the_payment_of_its_rest_is_refunded() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_pack_owed_again().await;
    house.credit(&house.now(&pack), "note", 900).await.expect("credited");
    assert_eq!(house.balance(contract), 1_700 - 1_000);
    let rest = house.pay(&house.now(&pack), 900, None).await;
    house.until("the rest", || house.now(&pack).status == InvoiceStatus::Paid).await;
    house.refunds(&pack, (rest, 450), 450).await;
    assert_eq!(house.balance(contract), 700 - 500);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_whose_whole_invoice_is_credited_is_not_bought_and_its_payment_goes_back() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_ordered_pack().await;
    house.credit(&pack, "note", 1_800).await.expect("credited");
    let now = house.now(&pack);
    assert_eq!((now.status, now.paid_via), (InvoiceStatus::Paid, Some(PaidVia::CreditNote)));
    assert_eq!((house.balance(contract), house.auto_topup(contract).buying), (0, None));
    assert_eq!(house.mails_of(&pack), []);
    let late = house.pay(&pack, 1_800, None).await;
    let goes_back = || {
        house.pass(1);
        house.status(late) == PaymentStatus::Refunded
    };
    house.until("the payment goes back", goes_back).await;
    house.until_told().await;
    assert_eq!(house.balance(contract), 0);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_was_written_off_is_credit_once_it_is_paid_all_the_same() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_ordered_pack().await;
    house.write_off(&pack).await;
    assert_eq!((house.balance(contract), house.auto_topup(contract).buying), (0, None));
    house.deposit(&house.now(&pack), 1_800, "T1").await.expect("taken");
    assert_eq!((house.now(&pack).status, house.balance(contract)), (InvoiceStatus::Paid, 2_000));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_pack_goes_when_its_unpaid_invoice_is_voided() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_pack_owed_again().await;
    assert_eq!(house.balance(contract), 1_700);
    house.void(&house.now(&pack)).await.expect("voided");
    assert_eq!(house.balance(contract), 0);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_credit_note_leaves_of_a_pack_that_cannot_be_bought_is_written_off() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_half_credited_pack().await;
    house.removes_card().await;
    house.runs_topup().await;
    let now = house.now(&pack);
    assert_eq!((now.status, now.outstanding_minor), (InvoiceStatus::WrittenOff, 0));
    assert_eq!((house.balance(contract), house.told(EventType::CreditAutoTopUpFailed)), (0, 1));
    house.assert_right_at_rest().await;
}
