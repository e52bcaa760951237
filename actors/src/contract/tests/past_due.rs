//! Collections that end in vain: what falls past due by them, and what another card does.

use storage::Batch;

use super::collection::GOOD;
use super::house::House;
use crate::contract::Once;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom};
use crate::domain::billing::collection::Collection;
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, collect};
use crate::domain::billing::subscription::{
    Frequency, Subscription, SubscriptionStatus, fall_past_due,
};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{ContractId, InvoiceId, MessageId, PaymentId, SavedCardId};
use crate::domain::messages::{CardNotice, ChargeNotice, ContractMessage, Envelope, PaymentNotice};
use crate::domain::payments::failure::FailureCode;
use crate::domain::platform::event::EventType;
use crate::domain::platform::switches::Switch;
use crate::domain::time::Date;
use crate::outbox::Outbox;
use crate::query;
use crate::tables::{NO_PAYMENT, SAVED_CHARGES};

impl House {
    /// A subscription, and the invoice of its first term, which its customer has a card for.
    async fn with_invoiced_term(&self) -> (Subscription, Invoice) {
        let contract = self.contract("c").await;
        let first = self.issue_one_time(contract, "first", 700).await;
        self.saves_card(&first, GOOD).await;
        let Once::Made(made) = self.subscribe(contract, "s", Frequency::Monthly, 1_000).await
        else {
            panic!("made")
        };
        let invoice = self.issue_recurring(contract, "term").await.expect("issued");
        (made, invoice)
    }

    /// Ends an invoice over 10.00 without its charge, if it does not stay open.
    async fn ends(&self, invoice: &Invoice, end: &str) {
        match end {
            "paid" => drop(self.deposit(invoice, 1_000, "T1").await.expect("taken")),
            "credited" => drop(self.credit(invoice, "note", 1_000).await.expect("credited")),
            "written off" => self.write_off(invoice).await,
            _ => {}
        }
    }

    fn as_it_is(&self, of: &Subscription) -> Subscription {
        let known = query::subscription(&self.store, self.seller.id, of.id).expect("read");
        known.expect("there")
    }

    /// Makes a subscription past due for an invoice, whether that asks for money or not, as it once
    /// came about.
    async fn was_past_due(&self, of: &Subscription, invoice: InvoiceId) {
        let (of, key) = (of.id, (self.seller.id, of.contract));
        let fall = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let known = changes.subscription_now(of).expect("there");
            let change = fall_past_due(known, invoice, changes.moment);
            changes.subscription(change);
            Ok(changes.finish().answer(()))
        };
        self.system.contracts.rooms.command(key, fall).await.expect("written");
    }

    /// Lets a contract hear this, as its message says it.
    async fn hears(&self, contract: ContractId, content: ContractMessage) {
        let (seller, id) = (self.seller.id, MessageId(900_000));
        let mut batch = Batch::new();
        let told = Envelope::to_contract(seller, contract, content.clone());
        Outbox::stage(&mut batch, id, &told);
        self.store.write_blocking(batch).expect("durable");
        self.system.contracts.receive(seller, contract, id, content).await.expect("heard");
    }

    /// The attempt under way at an invoice has failed with this, and no payment is left of it.
    pub(super) async fn fails(&self, invoice: &Invoice, code: FailureCode) {
        let charge = self.now(invoice).collection.expect("known").under_way.expect("begun");
        let row = (self.seller.id, invoice.id, charge.attempt);
        let mut batch = Batch::new();
        batch.put(SAVED_CHARGES, &row, &NO_PAYMENT);
        self.store.write_blocking(batch).expect("durable");
        let notice = ChargeNotice {
            payment: PaymentId(1),
            invoice: invoice.id,
            charge,
            failure: Some(code),
            at: self.start(),
        };
        self.hears(invoice.contract, ContractMessage::ChargeFailed(notice)).await;
    }

    async fn declines(&self, invoice: &Invoice) {
        self.fails(invoice, FailureCode::Declined).await;
        assert!(self.now(invoice).collection.expect("known").gave_up);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_past_due_for_an_invoice_that_asked_for_no_money_when_its_charge_was_declined() {
    for end in ["paid", "credited", "written off", "open"] {
        let house = House::open().await;
        let (subscription, invoice) = house.with_invoiced_term().await;
        house.orders(invoice.contract).await;
        house.ends(&invoice, end).await;
        house.declines(&invoice).await;
        let expected = match end {
            "open" => (SubscriptionStatus::PastDue, vec![invoice.id]),
            _ => (SubscriptionStatus::Active, Vec::new()),
        };
        let now = house.as_it_is(&subscription);
        assert_eq!((now.status, now.past_due_for), expected, "{end}");
        let told = house.told(EventType::BillingSubscriptionPastDue);
        assert_eq!(told, usize::from(end == "open"), "{end}");
        house.assert_right();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_is_taken_back_from_a_credited_invoice_makes_nothing_past_due() {
    let house = House::open().await;
    let (subscription, invoice) = house.with_invoiced_term().await;
    assert_eq!(house.charges().await, [("charged", 1)]);
    house.all_told().await;
    house.credit(&house.now(&invoice), "note", 1_000).await.expect("credited");
    let payment = house.system.payments.of_invoice(house.seller.id, invoice.id).expect("read");
    let notice = PaymentNotice {
        payment: payment[0].id,
        reference: payment[0].reference.clone(),
        invoice: invoice.id,
        amount: payment[0].amount,
        at: house.start(),
        attempt: Some(1),
    };
    house.hears(invoice.contract, ContractMessage::PaymentReversed(notice)).await;
    let now = house.now(&invoice);
    assert_eq!((now.status, now.outstanding_minor), (InvoiceStatus::Paid, 0));
    assert!(now.payments[0].reversed_at.is_some());
    assert_eq!(house.as_it_is(&subscription).status, SubscriptionStatus::Active);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_past_due_for_nothing_that_asks_for_money_recovers_with_the_next_paid_invoice() {
    for (end, by_credit) in [
        ("paid", false),
        ("paid", true),
        ("credited", false),
        ("written off", false),
        ("open", false),
    ] {
        let mut house = House::open().await;
        let (subscription, invoice) = house.with_invoiced_term().await;
        let contract = invoice.contract;
        house.switch(Switch::AutoCharge, false).await;
        house.ends(&invoice, end).await;
        house.was_past_due(&subscription, invoice.id).await;
        if by_credit {
            house.top_up(contract, "t", CreditType::Gift, 1_000, None).await.expect("granted");
        }
        let next = house.start().date().plus_months(1).start();
        house.advance(contract, next).await.expect("advanced");
        let next = house.invoices(contract).remove(0);
        assert_ne!(next.id, invoice.id);
        if !by_credit {
            assert_eq!(house.as_it_is(&subscription).status, SubscriptionStatus::PastDue);
            house.deposit(&next, 1_000, "T2").await.expect("taken");
        }
        let expected = match end {
            "open" => (SubscriptionStatus::PastDue, vec![invoice.id]),
            _ => (SubscriptionStatus::Active, Vec::new()),
        };
        let now = house.as_it_is(&subscription);
        assert_eq!((now.status, now.past_due_for), expected, "{end}, by credit: {by_credit}");
        let told = house.told(EventType::BillingSubscriptionRecovered);
        assert_eq!(told, usize::from(end != "open"), "{end}");
        house.assert_right_at_rest().await;
    }
}

/// More than one batch takes, and than one command reads.
const MANY: usize = 250;

impl House {
    /// A contract with many invoices whose first charge has failed today, with this.
    async fn many_failed(&self, code: FailureCode) -> (ContractId, Vec<Invoice>) {
        self.switch(Switch::AutoCharge, false).await;
        let contract = self.contract("c").await;
        let mut invoices = Vec::new();
        for key in 0..MANY {
            invoices.push(self.issue_one_time(contract, &key.to_string(), 1_000).await);
        }
        let (today, failing) = (self.start().date(), invoices.clone());
        let fail = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            for invoice in &failing {
                let failed = |before: Collection| before.failed(SavedCardId(1), Some(code), today);
                let change = collect(invoice, failed).expect("it is collected");
                changes.invoice(invoice, change)?;
            }
            Ok(changes.finish().answer(()))
        };
        let rooms = &self.system.contracts.rooms;
        rooms.command((self.seller.id, contract), fail).await.expect("failed");
        let again = Some(today.plus_days(3));
        assert!(invoices.iter().all(|one| self.next_on(one) == again));
        (contract, invoices)
    }

    fn next_on(&self, invoice: &Invoice) -> Option<Date> {
        self.now(invoice).collection.expect("known").next_on
    }

    fn another_card(&self) -> CardNotice {
        CardNotice { card: SavedCardId(2), title: "Visa 4242".to_owned(), at: self.start() }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_saved_reaches_every_invoice_that_waits_for_another() {
    let house = House::open().await;
    let (contract, invoices) = house.many_failed(FailureCode::AuthenticationRequired).await;
    let today = house.start().date();
    house.hears(contract, ContractMessage::CardSaved(house.another_card())).await;
    assert!(invoices.iter().all(|one| house.next_on(one) == Some(today)));
    let told = house.kinds(contract).into_iter().filter(|kind| *kind == TimelineKind::CardSaved);
    assert_eq!(told.count(), 1);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn invoices_that_wait_for_no_other_card_are_looked_at_some_at_a_time_and_once() {
    let house = House::open().await;
    let (contract, invoices) = house.many_failed(FailureCode::ProviderError).await;
    let again = house.start().date().plus_days(3);
    let rooms = &house.system.contracts.rooms;
    let mut reached = Vec::new();
    loop {
        let (notice, last) = (house.another_card(), reached.last().copied());
        let hear = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let last = changes.card_saved(&notice, last)?;
            Ok(changes.finish().answer(last))
        };
        match rooms.command((house.seller.id, contract), hear).await.expect("heard") {
            Some(last) => reached.push(last),
            None => break,
        }
    }
    assert_eq!(reached, [(again, invoices[199].id)]);
    assert!(invoices.iter().all(|one| house.next_on(one) == Some(again)));
    let told = house.kinds(contract).into_iter().filter(|kind| *kind == TimelineKind::CardSaved);
    assert_eq!(told.count(), 1);
    house.assert_right();
}
