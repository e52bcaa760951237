//! Attempts at collecting an invoice: made once, wherever the process ends.

use std::sync::Arc;

use futures::FutureExt;
use storage::{Scan, Store};

use super::house::House;
use crate::backfill::{Backfill, undo};
use crate::contract::changes::Changes;
use crate::contract::collection::Seen;
use crate::contract::room::{Context, ContractRoom};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus};
use crate::domain::billing::mail::{MailKind, MailRetries, MailStatus};
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::messages::{ContractMessage, PaymentNotice};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::testing::card;
use crate::kernel::AskError;
use crate::mail::{Bounce, Carrier, MailSettings, Taken};
use crate::passes::{Pass, Scope};
use crate::payment::InvoiceOrder;
use crate::query;
use crate::system::{System, SystemSettings};
use crate::tables::{
    CARDS_ON_FILE, COLLECTING_CONTRACTS, MAILS, NO_PAYMENT, OUTBOX, SAVED_CHARGES,
};
use crate::testing::until;

pub(super) const GOOD: &str = "4242424242424242";

impl House {
    /// Pays an invoice with a card that is saved, and waits until the contract knows of both.
    pub(super) async fn saves_card(&self, invoice: &Invoice, number: &str) {
        let order = InvoiceOrder {
            seller: self.seller.id,
            contract: invoice.contract,
            invoice: invoice.id,
            number: invoice.number.expect("a number").to_string(),
            amount: Money { minor: invoice.outstanding_minor, currency: Currency::EUR },
            saves_for: Some(self.customer.id),
        };
        let card = card(number, 12, 2030);
        self.system.payments.pay_invoice(&order, card).await.expect("paid");
        let on_file = (self.seller.id, invoice.contract);
        let is_known = || self.store.contains(CARDS_ON_FILE, &on_file).expect("read");
        until("the card is known", is_known).await;
        self.all_told().await;
    }

    /// Until no message is on its way.
    pub(super) async fn all_told(&self) {
        let waiting = || self.store.scan(OUTBOX, Scan::prefix(&(self.seller.id,))).count();
        until("the messages are taken", || waiting() == 0).await;
    }

    /// Decides what is due and lets nobody make it, as a process that ends just then.
    pub(super) async fn orders(&self, contract: ContractId) {
        let decide = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let decided = changes.collect(&Seen::default())?;
            let orders = decided.done.orders.len();
            Ok(changes.finish().answer(orders))
        };
        let rooms = &self.system.contracts.rooms;
        let ordered = rooms.command((self.seller.id, contract), decide).await;
        assert_eq!(ordered.map_err(AskError::refusal), Ok(1));
    }

    /// Starts again with a mail server that has no room for an invoice that is to be paid.
    async fn restart_with_mail(&mut self) {
        self.system.stop().await;
        self.store.reopen();
        let carrier = Carrier::new(|letter| {
            let full = Bounce { reason: "full".to_owned(), for_good: false };
            let asks = letter.mail.kind == MailKind::Invoice;
            async move { if asks { Err(full) } else { Ok(Taken::default()) } }.boxed()
        });
        let mail = MailSettings { carrier: Some(carrier), retries: MailRetries([60, 600, 3_600]) };
        let settings = SystemSettings { mail, ..SystemSettings::testing() };
        let (store, clock) = (self.store.store().clone(), self.clock.clone());
        self.system = System::start(store, clock, &[7; 32], settings).await.expect("started");
        self.system.links.listen_at("https://pay.example.com");
    }

    fn mails(&self) -> Vec<(MailKind, MailStatus, u32)> {
        let mails = self.store.scan(MAILS, Scan::all()).values().expect("read");
        mails.iter().map(|mail| (mail.kind, mail.status, mail.attempts)).collect()
    }

    pub(super) async fn charges(&self) -> Vec<(&'static str, u64)> {
        let run = self.system.passes.run(Pass::AutoCharge, Scope::Schedule).await;
        run.expect("read").counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    pub(super) fn payments_of(&self, invoice: InvoiceId) -> Vec<PaymentStatus> {
        let found = self.system.payments.of_invoice(self.seller.id, invoice).expect("read");
        found.into_iter().map(|payment| payment.status).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_was_ordered_when_the_process_ended_is_made_once() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    let first = house.issue_one_time(contract, "first", 1_000).await;
    house.saves_card(&first, GOOD).await;
    let second = house.issue_one_time(contract, "second", 4_200).await;
    house.orders(contract).await;
    assert_eq!(house.payments_of(second.id), []);
    house.assert_right();
    // The schedule of the next process may be first.
    house.restart().await;
    house.charges().await;
    house.all_told().await;
    assert_eq!(house.payments_of(second.id), [PaymentStatus::ProviderCompleted]);
    assert_eq!(house.charges().await, []);
    house.restart().await;
    assert_eq!(house.charges().await, []);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_that_ended_before_its_charge_is_gone_on_with_by_the_same_request() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    let first = house.issue_recurring(contract, "first").await.expect("issued");
    house.saves_card(&first, GOOD).await;
    let to = house.start().plus_seconds(32 * 86_400);
    // Its last stride is on the disk, and nobody comes to charge.
    let rooms = &house.system.contracts.rooms;
    let stride = move |room: &ContractRoom, cx: &Context| room.stride_to(cx, to, false);
    while rooms.command((house.seller.id, contract), stride).await.expect("made").more {}
    let second = house.invoices(contract).into_iter().max_by_key(|one| one.id).expect("one");
    assert_eq!((second.id > first.id, second.status), (true, InvoiceStatus::Sent));
    for charged in [1, 0] {
        let again = house.advance(contract, to).await.expect("made");
        assert_eq!((again.advanced, again.collection.charged), (false, charged));
    }
    house.all_told().await;
    assert_eq!(house.payments_of(second.id), [PaymentStatus::ProviderCompleted]);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_removed_before_the_attempt_is_made_was_never_charged() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let first = house.issue_one_time(contract, "first", 1_000).await;
    house.saves_card(&first, GOOD).await;
    let second = house.issue_one_time(contract, "second", 4_200).await;
    house.orders(contract).await;
    let (seller, customer) = (house.seller.id, house.customer.id);
    let cards = query::saved_cards(&house.store, seller, customer).expect("read");
    house.system.sellers.remove_card(seller, customer, cards[0].id).await.expect("removed");
    for _ in 0..2 {
        assert_eq!(house.charges().await, []);
    }
    let now = query::invoice(&house.store, seller, second.id).expect("read").expect("there");
    assert_eq!((now.status, now.collection.expect("known").attempts), (InvoiceStatus::Sent, 1));
    let row = (seller, second.id, 1);
    assert_eq!(house.store.get(SAVED_CHARGES, &row).expect("read"), Some(NO_PAYMENT));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_run_the_pass_at_once_charge_once() {
    let house = Arc::new(House::open().await);
    let contract = house.contract("c").await;
    let first = house.issue_one_time(contract, "first", 1_000).await;
    house.saves_card(&first, GOOD).await;
    let mut all = Vec::new();
    for key in ["a", "b", "c"] {
        all.push(house.issue_one_time(contract, key, 4_200).await);
    }
    let runs = (0..16).map(|_| {
        let house = Arc::clone(&house);
        tokio::spawn(async move {
            house.system.contracts.run_collection(house.seller.id, contract).await
        })
    });
    for run in futures::future::join_all(runs).await {
        run.expect("no panic").expect("answered");
    }
    house.all_told().await;
    for invoice in &all {
        assert_eq!(house.payments_of(invoice.id), [PaymentStatus::ProviderCompleted]);
    }
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_is_told_of_twice_counts_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let first = house.issue_one_time(contract, "first", 1_000).await;
    house.saves_card(&first, GOOD).await;
    let second = house.issue_one_time(contract, "second", 4_200).await;
    assert_eq!(house.charges().await, [("charged", 1)]);
    house.all_told().await;
    let (seller, before) = (house.seller.id, house.invoices(contract));
    let payment = house.system.payments.of_invoice(seller, second.id).expect("read").remove(0);
    let notice = PaymentNotice {
        payment: payment.id,
        reference: payment.reference,
        invoice: second.id,
        amount: payment.amount,
        at: house.start(),
        attempt: Some(1),
    };
    let hear = move |room: &ContractRoom, cx: &Context| {
        let mut changes = Changes::begin(room, cx)?;
        changes.hear(&ContractMessage::PaymentSucceeded(notice.clone()), None)?;
        Ok(changes.finish().answer(()))
    };
    let rooms = &house.system.contracts.rooms;
    rooms.command((seller, contract), hear).await.expect("heard");
    assert_eq!(house.invoices(contract), before);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_that_a_saved_card_pays_before_its_mail_has_gone_is_mailed_as_paid() {
    let mut house = House::open().await;
    house.restart_with_mail().await;
    let contract = house.contract("c").await;
    let tried = (MailKind::Invoice, MailStatus::Queued, 1);
    let first = house.issue_one_time(contract, "first", 1_000).await;
    house.until("it is tried", || house.mails() == [tried]).await;
    house.saves_card(&first, GOOD).await;
    house.issue_one_time(contract, "second", 4_200).await;
    house.until("it is tried", || house.mails() == [tried, tried]).await;
    assert_eq!(house.charges().await, [("charged", 1)]);
    house.all_told().await;
    house.pass(60);
    // Who has paid at the page knows of it. What was under way is looked for a little later.
    let called_off = (MailKind::Invoice, MailStatus::NotSent, 1);
    let paid = (MailKind::PaidInvoice, MailStatus::Sent, 2);
    let through = || {
        house.pass(1);
        house.mails() == [called_off, paid]
    };
    house.until("they are through", through).await;
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_waited_says_what_is_open_when_it_goes() {
    let mut house = House::open().await;
    house.restart_with_mail().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "first", 4_200).await;
    let tried = |times| [(MailKind::Invoice, MailStatus::Queued, times)];
    house.until("it is tried", || house.mails() == tried(1)).await;
    assert_eq!(house.mails_of(&invoice), [(MailKind::Invoice, 4_200)]);
    house.deposit(&invoice, 1_000, "T1").await.expect("taken");
    house.pass(60);
    house.until("it is tried again", || house.mails() == tried(2)).await;
    assert_eq!(house.mails_of(&invoice), [(MailKind::Invoice, 3_200)]);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_contract_with_many_open_invoices_one_row_is_read_for_a_new_card() {
    const INVOICES: usize = 60;
    let mut house = House::open().await;
    let (first, second) = (house.contract("c").await, house.contract("d").await);
    house.contract("e").await;
    for number in 0..INVOICES {
        house.issue_one_time(first, &format!("i{number}"), 1_000).await;
    }
    let last = house.issue_one_time(second, "last", 4_200).await;
    let (seller, customer) = (house.seller.id, house.customer.id);
    // What is told, and the rows that were read for it, where nobody else reads.
    let told = |store: &Store| {
        let before = store.stats().rows_read;
        let told = query::collecting_contracts(store, seller, customer, 100).expect("read");
        (told, store.stats().rows_read - before)
    };
    let both = (vec![first, second], 2);
    house.restart_with(|store| assert_eq!(told(store), both)).await;
    let before =
        |store: &Store| undo(store, Backfill::CollectingContracts, COLLECTING_CONTRACTS, |_| true);
    house.restart_with(before).await;
    house.restart_with(|store| assert_eq!(told(store), both)).await;
    house.assert_right();

    // With its last open invoice a contract collects nothing more, and with the next it does again.
    house.deposit(&last, 4_200, "T1").await.expect("taken");
    house.restart_with(|store| assert_eq!(told(store), (vec![first], 1))).await;
    house.assert_right();
    house.issue_one_time(second, "next", 700).await;
    house.restart_with(|store| assert_eq!(told(store), both)).await;
    house.assert_right();
}
