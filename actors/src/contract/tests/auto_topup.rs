//! Credit that tops itself up: each pack is charged once, wherever the process ends, and is credit
//! only if it is paid.

use storage::Scan;

use super::collection::GOOD;
use super::house::House;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom};
use crate::domain::billing::credit::{AutoTopup, CreditType, PackTerms};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, Origin, PaidVia};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::ContractId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::platform::event::EventType;
use crate::domain::platform::switches::Switch;
use crate::kernel::AskError;
use crate::passes::{Pass, Scope};
use crate::query;
use crate::tables::{AUTO_TOPUPS, MAILS};

/// Pays when it is saved; later it is declined.
const DECLINED_LATER: &str = "4000000000000341";

const TERMS: PackTerms =
    PackTerms { threshold_minor: 500, amount_minor: 2_000, price_minor: 1_800 };

impl House {
    pub(super) async fn tops_up(&self, contract: ContractId) {
        let set = self.system.contracts.set_auto_topup(self.seller.id, contract, true, Some(TERMS));
        set.await.expect("switched on");
    }

    pub(super) async fn runs_topup(&self) {
        self.system.passes.run(Pass::AutoTopup, Scope::Schedule).await.expect("read");
        self.all_told().await;
    }

    /// A contract whose customer has saved this card.
    pub(super) async fn with_card(&self, number: &str) -> ContractId {
        let contract = self.contract("c").await;
        let first = self.issue_one_time(contract, "first", 1_000).await;
        self.saves_card(&first, number).await;
        contract
    }

    /// A contract whose customer has saved a card that is good, and a pack that was bought with it.
    async fn with_pack(&self) -> (ContractId, Invoice) {
        let contract = self.with_card(GOOD).await;
        self.tops_up(contract).await;
        self.runs_topup().await;
        (contract, self.packs(contract).remove(0))
    }

    /// The invoices of packs, oldest first.
    pub(super) fn packs(&self, contract: ContractId) -> Vec<Invoice> {
        let mut all = self.invoices(contract);
        all.retain(|invoice| invoice.origin == Origin::Adhoc);
        all.reverse();
        all
    }

    /// What was written to the buyer of an invoice, and over how much.
    pub(super) fn mails_of(&self, invoice: &Invoice) -> Vec<(MailKind, i64)> {
        let mails = self.store.scan(MAILS, Scan::all()).values().expect("read");
        let about = mails.into_iter().filter(|mail| mail.invoice == Some(invoice.id));
        about.map(|mail| (mail.kind, mail.amount_minor)).collect()
    }

    pub(super) fn auto_topup(&self, contract: ContractId) -> AutoTopup {
        let known = self.store.get(AUTO_TOPUPS, &(self.seller.id, contract)).expect("read");
        known.expect("it was set")
    }

    /// Issues the invoice of a pack and lets nobody charge it, as a process that ends just then.
    pub(super) async fn orders_pack(&self, contract: ContractId) -> Invoice {
        let rooms = &self.system.contracts.rooms;
        let ordered = rooms.command((self.seller.id, contract), ContractRoom::buy_pack).await;
        ordered.expect("issued");
        self.packs(contract).pop().expect("a pack")
    }

    /// Orders the charge of a pack, and says that a payment makes it.
    async fn begins_charge(&self, pack: &Invoice) {
        let id = pack.id;
        let begin = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let ordered = changes.order_pack()?.is_some();
            changes.pack_is_charged(id);
            Ok(changes.finish().answer(ordered))
        };
        let rooms = &self.system.contracts.rooms;
        let begun = rooms.command((self.seller.id, pack.contract), begin).await;
        assert_eq!(begun.map_err(AskError::refusal), Ok(true));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn less_credit_than_there_is_to_be_buys_one_pack() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.top_up(contract, "g", CreditType::Gift, 600, None).await.expect("granted");
    house.tops_up(contract).await;
    house.runs_topup().await;
    assert_eq!(house.packs(contract), [], "there is enough");
    house.issue_one_time(contract, "second", 101).await;
    house.runs_topup().await;
    house.runs_topup().await;
    let packs = house.packs(contract);
    assert_eq!(packs.len(), 1);
    let pack = &packs[0];
    assert_eq!((pack.status, pack.paid_via), (InvoiceStatus::Paid, Some(PaidVia::SavedCard)));
    assert_eq!((pack.totals.grand_total_minor, pack.credit_applied_minor), (1_800, 0));
    assert_eq!(house.balance(contract), 499 + 2_000);
    assert_eq!(house.payments_of(pack.id), [PaymentStatus::ProviderCompleted]);
    assert_eq!(house.auto_topup(contract).buying, None);
    assert_eq!(house.mails_of(pack), [(MailKind::PaidInvoice, 1_800)]);
    // It never asks for the switch of automatic charges, but for that of stored credit.
    house.switch(Switch::AutoCharge, false).await;
    house.issue_one_time(contract, "third", 2_000).await;
    house.switch(Switch::Credits, false).await;
    house.runs_topup().await;
    assert_eq!(house.packs(contract).len(), 1);
    house.switch(Switch::Credits, true).await;
    house.runs_topup().await;
    assert_eq!(house.packs(contract).len(), 2);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_cannot_be_paid_is_the_last() {
    let mut house = House::open().await;
    let contract = house.with_card(DECLINED_LATER).await;
    house.tops_up(contract).await;
    house.runs_topup().await;
    house.runs_topup().await;
    let packs = house.packs(contract);
    assert_eq!(packs.iter().map(|pack| pack.status).collect::<Vec<_>>(), [InvoiceStatus::Voided]);
    assert_eq!(house.payments_of(packs[0].id), [PaymentStatus::Failed]);
    assert_eq!((house.balance(contract), house.auto_topup(contract).enabled), (0, false));
    assert_eq!(house.told(EventType::CreditAutoTopUpFailed), 1);
    assert_eq!(house.mails_of(&packs[0]), []);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_was_ordered_when_the_process_ended_is_charged_once() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let pack = house.orders_pack(contract).await;
    assert_eq!(pack.status, InvoiceStatus::Issued);
    house.restart().await;
    house.runs_topup().await;
    house.restart().await;
    house.runs_topup().await;
    assert_eq!(house.payments_of(pack.id), [PaymentStatus::ProviderCompleted]);
    assert_eq!((house.packs(contract).len(), house.balance(contract)), (1, 2_000));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_whose_charge_was_interrupted_is_charged_anew() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let pack = house.orders_pack(contract).await;
    house.begins_charge(&pack).await;
    house.fails(&pack, FailureCode::Interrupted).await;
    assert_eq!(house.now(&pack).status, InvoiceStatus::Issued);
    assert!(house.auto_topup(contract).enabled);
    house.runs_topup().await;
    assert_eq!(house.now(&pack).status, InvoiceStatus::Paid);
    assert_eq!((house.packs(contract).len(), house.balance(contract)), (1, 2_000));
    assert_eq!(house.told(EventType::CreditAutoTopUpFailed), 0);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_run_it_at_once_buy_one_pack() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let runs = (0..16).map(|_| {
        let (contracts, seller) = (house.system.contracts.clone(), house.seller.id);
        tokio::spawn(async move { contracts.run_auto_topup(seller, contract).await })
    });
    for run in futures::future::join_all(runs).await {
        run.expect("no panic").expect("answered");
    }
    house.all_told().await;
    assert_eq!((house.packs(contract).len(), house.balance(contract)), (1, 2_000));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_card_it_waits_for_one() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    house.tops_up(contract).await;
    house.runs_topup().await;
    assert!(house.auto_topup(contract).lacks_card);
    assert_eq!(house.packs(contract), []);
    let invoice = house.issue_one_time(contract, "first", 1_000).await;
    house.saves_card(&invoice, GOOD).await;
    house.runs_topup().await;
    assert_eq!((house.packs(contract).len(), house.balance(contract)), (1, 2_000));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_removed_before_the_charge_ends_it() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let pack = house.orders_pack(contract).await;
    let (seller, customer) = (house.seller.id, house.customer.id);
    let cards = query::saved_cards(&house.store, seller, customer).expect("read");
    house.system.sellers.remove_card(seller, customer, cards[0].id).await.expect("removed");
    house.runs_topup().await;
    assert_eq!(house.payments_of(pack.id), []);
    assert_eq!(house.packs(contract)[0].status, InvoiceStatus::Voided);
    assert_eq!(house.told(EventType::CreditAutoTopUpFailed), 1);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_is_voided_by_hand_is_no_failure_and_another_one_is_bought() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let pack = house.orders_pack(contract).await;
    let contracts = &house.system.contracts;
    let voided = contracts.void_invoice(house.seller.id, contract, pack.id, "no".to_owned()).await;
    voided.expect("voided");
    assert_eq!(house.auto_topup(contract).buying, None);
    house.runs_topup().await;
    let statuses: Vec<_> = house.packs(contract).iter().map(|pack| pack.status).collect();
    assert_eq!(statuses, [InvoiceStatus::Voided, InvoiceStatus::Paid]);
    assert_eq!(house.told(EventType::CreditAutoTopUpFailed), 0);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_whose_payment_fails_at_settlement_goes_unless_it_was_drawn_from() {
    for (drawn, left, status) in
        [(0, 0, InvoiceStatus::Voided), (300, 1_700, InvoiceStatus::Issued)]
    {
        let mut house = House::open().await;
        let contract = house.with_card(GOOD).await;
        house.tops_up(contract).await;
        let pack = house.orders_pack(contract).await;
        house.pay(&pack, 1_800, Some(FailureCode::SettlementFailed)).await;
        house.until("the payment", || house.balance(contract) == 2_000).await;
        if drawn > 0 {
            house.issue_one_time(contract, "second", drawn).await;
        }
        house.pass(6);
        house.until("the reversal", || !house.auto_topup(contract).enabled).await;
        house.until_told().await;
        let now = house.packs(contract).remove(0);
        assert_eq!((now.status, house.balance(contract)), (status, left));
        assert_eq!(house.told(EventType::CreditAutoTopUpFailed), 1);
        house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_buys_what_its_invoices_have_drawn() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    house.runs_topup().await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_900).await;
    house.issue_recurring(contract, "r").await.expect("issued");
    assert_eq!(house.balance(contract), 100);
    house.advance(contract, house.start().plus_seconds(40 * 86_400)).await.expect("advanced");
    house.all_told().await;
    assert_eq!(house.packs(contract).len(), 2);
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_to_where_the_clock_stands_buys_nothing() {
    let mut house = House::open().await;
    let contract = house.with_card(GOOD).await;
    house.tops_up(contract).await;
    let stays = async |house: &House, at| {
        let answer = house.advance(contract, at).await.expect("answered");
        assert!(!answer.advanced);
        assert_eq!(house.packs(contract), []);
    };
    stays(&house, house.start()).await;
    let off = house.system.contracts.set_auto_topup(house.seller.id, contract, false, None);
    off.await.expect("switched off");
    let ahead = house.start().plus_seconds(86_400);
    house.advance(contract, ahead).await.expect("advanced");
    house.tops_up(contract).await;
    stays(&house, ahead).await;
    house.runs_topup().await;
    assert_eq!((house.packs(contract).len(), house.balance(contract)), (1, 2_000));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_note_over_a_pack_takes_its_part_of_the_credit_back_as_far_as_it_is_there() {
    // What is drawn of the pack, then what is left behind each note.
    for (drawn, notes) in
        [(0, vec![(600, 1_933), (1_200, 1_800)]), (1_500, vec![(900, 900), (900, 1_800)])]
    {
        let mut house = House::open().await;
        let (contract, pack) = house.with_pack().await;
        let off = house.system.contracts.set_auto_topup(house.seller.id, contract, false, None);
        off.await.expect("switched off");
        if drawn > 0 {
            house.issue_one_time(contract, "second", drawn).await;
        }
        for (minor, balance) in notes {
            let key = format!("note over {minor}, {balance} left");
            house.credit(&house.now(&pack), &key, minor).await.expect("credited");
            assert_eq!(house.balance(contract), balance, "{drawn} drawn, {key}");
        }
        // What is given back is of the same type.
        assert_eq!(house.told(EventType::CreditDepleted), 0, "{drawn} drawn");
        house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_is_refunded_goes_and_no_other_is_bought() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_pack().await;
    let payment = house.now(&pack).payments[0].payment;
    house.refund(payment, 900, "half of it").await;
    house.pass(10);
    house.until("the refund", || house.balance(contract) == 1_000).await;
    assert!(!house.auto_topup(contract).enabled);
    // The note says why, and gives nothing again.
    house.credit(&house.now(&pack), "note", 900).await.expect("credited");
    house.runs_topup().await;
    let packs = house.packs(contract).iter().filter(|pack| !pack.is_credit_note()).count();
    assert_eq!((house.balance(contract), packs), (1_000, 1));
    house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_is_being_bought_while_an_older_one_is_refunded_becomes_credit() {
    let mut house = House::open().await;
    let (contract, pack) = house.with_pack().await;
    house.issue_one_time(contract, "second", 1_600).await;
    house.orders_pack(contract).await;
    let payment = house.now(&pack).payments[0].payment;
    house.refund(payment, 900, "half of it").await;
    house.pass(10);
    house.until("the refund", || !house.auto_topup(contract).enabled).await;
    assert_eq!(house.balance(contract), 0, "what was left of the first");
    house.runs_topup().await;
    house.until("the second pack", || house.balance(contract) == 2_000).await;
    house.assert_right_at_rest().await;
}
