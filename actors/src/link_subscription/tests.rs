//! Subscriptions by payment link in a running system: charged by their timers, past due, paid again,
//! cancelled, and by processes that end in between. A sandbox account lasts two weeks, so that their
//! terms are weeks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use storage::testing::TempStore;
use storage::{Batch, Scan};

use crate::clock::Clock;
use crate::domain::billing::mail::{MailRetries, MailStatus};
use crate::domain::billing::subscription::Frequency;
use crate::domain::email::Email;
use crate::domain::ids::SellerId;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::card::CardData;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::link_subscription::{
    CancelledBy, LinkSubscription, LinkSubscriptionStatus, NewLinkSubscription,
};
use crate::domain::payments::payment::{BuyerAnswer, Payment, PaymentStatus};
use crate::domain::platform::event::EventType;
use crate::domain::platform::seller::{Mode, Seller};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::link_subscription::LinkSubscriptionRoom;
use crate::mail::{Bounce, Carrier, MailSettings};
use crate::query;
use crate::system::{System, SystemSettings};
use crate::tables::{LINK_SUBSCRIPTIONS, MAILS, SELLERS, SUBSCRIPTION_ORDERS};
use crate::testing::{self, Running, close, read_room, told, until, until_told};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const DECLINED_LATER: &str = "4000000000000341";
const TIMES_OUT_LATER: &str = "4000000000009979";
const CHALLENGED: &str = "4000000000003220";

const DAY: i64 = 24 * 3_600;

struct House {
    store: TempStore,
    clock: Clock,
    system: System,
    seller: SellerId,
}

fn card(number: &str) -> CardData {
    crate::domain::testing::card(number, 12, 2040)
}

fn weekly() -> NewLinkSubscription {
    NewLinkSubscription {
        title: "Coffee".to_owned(),
        amount: Money { minor: 1_900, currency: Currency::EUR },
        frequency: Frequency::Weekly,
        trial_days: None,
        installments: None,
        commitment_terms: None,
        recipient: None,
    }
}

impl House {
    async fn open() -> Self {
        Self::with_mail(MailSettings::default()).await
    }

    async fn with_mail(mail: MailSettings) -> Self {
        let settings = SystemSettings { mail, ..SystemSettings::testing() };
        let Running { store, clock, system, minted } = Running::open(settings).await;
        let seller = minted.seller.id;
        system.links.listen_at("https://pay.example.com");
        Self { store, clock, system, seller }
    }

    async fn make(&self, new: NewLinkSubscription) -> LinkSubscription {
        let made = self.store.scan(LINK_SUBSCRIPTIONS, Scan::all()).keys().count();
        self.ask(new, &format!("subscription {made}")).await.expect("made").made()
    }

    async fn ask(
        &self,
        new: NewLinkSubscription,
        key: &str,
    ) -> Result<Once<LinkSubscription>, AskError> {
        let claim = KeyClaim::testing("link-subscriptions", key);
        self.system.link_subscriptions.create(self.seller, new, claim).await
    }

    async fn pay(&self, of: &LinkSubscription, number: &str) -> Result<Payment, Refusal> {
        let seen = self.now(of).asks().expect("it asks for a card");
        let payments = &self.system.payments;
        let paid = payments.pay_subscription(of.seller, of.id, seen, card(number)).await;
        paid.map_err(AskError::refusal)
    }

    /// A weekly subscription whose first term this card has paid.
    async fn signed(&self, number: &str) -> LinkSubscription {
        let of = self.make(weekly()).await;
        self.pay(&of, number).await.expect("paid");
        self.until("it is signed", || self.now(&of).terms_paid == 1).await;
        of
    }

    fn now(&self, of: &LinkSubscription) -> LinkSubscription {
        query::link_subscription(&self.store, of.seller, of.id).expect("read").expect("there")
    }

    fn payments(&self, of: &LinkSubscription) -> Vec<Payment> {
        query::payments_of_subscription(&self.store, of.seller, of.id, 100).expect("read")
    }

    fn told(&self, kind: EventType) -> usize {
        told(&self.store, kind)
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        until(what, is_so).await;
    }

    async fn has_status(&self, of: &LinkSubscription, status: LinkSubscriptionStatus) {
        let what = format!("that it is {status}");
        self.until(&what, || self.now(of).status == status).await;
    }

    fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Stops, and proves that what is stored is right.
    async fn close(self) {
        until_told(&self.store).await;
        close(self.system, self.store).await;
    }
}

async fn start(store: &TempStore, clock: &Clock) -> System {
    testing::start(store, clock, SystemSettings::testing()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_subscription_is_charged_each_week_until_it_is_cancelled() {
    let house = House::open().await;
    let of = house.signed(GOOD).await;
    // From the hour of the signing to an hour before the first day of the next term.
    house.pass(7 * DAY - 10 * 3_600);
    assert_eq!(house.now(&of).due_at(), Some(house.clock.now().plus_seconds(3_600)));
    for (pause, term) in [(3_600, 2), (7 * DAY, 3)] {
        assert_eq!(house.now(&of).terms_paid, term - 1);
        house.pass(pause);
        house.until("the charge", || house.now(&of).terms_paid == term).await;
    }
    let all = house.payments(&of);
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|payment| payment.amount == of.amount));
    assert_eq!(all.iter().filter(|payment| payment.saved_charge.is_some()).count(), 2);
    assert_eq!(house.told(EventType::SubscriptionCharged), 3);
    let cancel = house.system.link_subscriptions.cancel(of.seller, of.id, CancelledBy::Seller);
    cancel.await.expect("cancelled");
    assert_eq!(house.now(&of).status, LinkSubscriptionStatus::Cancelled);
    assert_eq!(house.told(EventType::SubscriptionCancelled), 1);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_card_signs_nothing_and_two_payments_of_a_term_are_one() {
    let house = House::open().await;
    let of = house.make(weekly()).await;
    let declined = house.pay(&of, DECLINED).await.expect("answered");
    assert_eq!(declined.status, PaymentStatus::Failed);
    assert_eq!(house.now(&of).status, LinkSubscriptionStatus::Pending);
    let both = futures::future::join(house.pay(&of, GOOD), house.pay(&of, GOOD)).await;
    let paid = [both.0, both.1].into_iter().filter(Result::is_ok).count();
    assert_eq!(paid, 1);
    house.has_status(&of, LinkSubscriptionStatus::Active).await;
    let taken = house.payments(&of).iter().map(Payment::captured).sum::<i64>();
    assert_eq!(taken, of.amount.minor);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_verifies_the_card_and_charges_it_when_it_ends() {
    let house = House::open().await;
    let of = house.make(NewLinkSubscription { trial_days: Some(3), ..weekly() }).await;
    let verified = house.pay(&of, CHALLENGED).await.expect("answered");
    assert!(verified.requires_action() && verified.amount.minor == 0);
    let approved =
        house.system.payments.buyer_answered(of.seller, verified.id, BuyerAnswer::Approve).await;
    assert_eq!(approved.expect("answered").status, PaymentStatus::ProviderCompleted);
    house.has_status(&of, LinkSubscriptionStatus::Trialing).await;
    assert_eq!(house.told(EventType::PaymentCompleted), 0, "nothing was charged");
    house.pass(2 * DAY);
    house.until("it is told", || house.told(EventType::SubscriptionTrialWillEnd) == 1).await;
    house.pass(DAY);
    // Nobody is there to confirm the charge with the bank.
    house.until("it waits for a card", || house.now(&of).waits_for_another_card()).await;
    assert_eq!(house.told(EventType::SubscriptionTrialEnded), 1);
    house.pay(&of, GOOD).await.expect("paid");
    house.until("it is paid", || house.now(&of).terms_paid == 1).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passing_failure_is_tried_again_until_it_is_past_due_and_the_buyer_recovers_it() {
    let house = House::open().await;
    let of = house.signed(TIMES_OUT_LATER).await;
    // From the hour of the signing to the beginning of a day.
    house.pass(7 * DAY - 9 * 3_600);
    for (tried, pause) in [(1, 3), (2, 2), (3, 2)] {
        let open = || {
            house
                .now(&of)
                .collection
                .is_some_and(|open| open.attempts == tried && open.under_way.is_none())
        };
        house.until("the charge fails", open).await;
        assert_eq!(house.now(&of).status, LinkSubscriptionStatus::Active);
        house.pass(pause * DAY);
    }
    house.has_status(&of, LinkSubscriptionStatus::PastDue).await;
    assert_eq!(house.told(EventType::SubscriptionPastDue), 1);
    assert_eq!(house.payments(&of).len(), 5);
    house.pay(&of, GOOD).await.expect("paid");
    house.has_status(&of, LinkSubscriptionStatus::Active).await;
    assert_eq!(house.now(&of).terms_paid, 2);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_is_declined_later_makes_it_past_due_at_once() {
    let house = House::open().await;
    let of = house.signed(DECLINED_LATER).await;
    house.pass(7 * DAY);
    house.has_status(&of, LinkSubscriptionStatus::PastDue).await;
    assert_eq!(house.payments(&of).len(), 2);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn instalments_are_charged_until_all_are_paid() {
    let house = House::open().await;
    let of = house.make(NewLinkSubscription { installments: Some(2), ..weekly() }).await;
    house.pay(&of, GOOD).await.expect("paid");
    house.until("it is signed", || house.now(&of).terms_paid == 1).await;
    house.pass(7 * DAY);
    house.has_status(&of, LinkSubscriptionStatus::Completed).await;
    assert_eq!(house.told(EventType::SubscriptionInstallmentCharged), 2);
    assert_eq!(house.told(EventType::SubscriptionCommitmentCompleted), 1);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_was_ordered_before_the_process_ended_is_made_once() {
    let house = House::open().await;
    let of = house.signed(GOOD).await;
    let House { mut store, clock, system, seller } = house;
    system.stop().await;
    store.reopen();
    clock.push(clock.now().plus_seconds(7 * DAY));
    let known = query::link_subscription(&store, seller, of.id).expect("read").expect("there");
    let (ordered, charge) = known.fall_due(Mode::Demo, clock.now()).expect("due");
    assert!(charge.is_some());
    // What a process leaves behind that ended between the order and its payment.
    let mut batch = Batch::new();
    batch.put(LINK_SUBSCRIPTIONS, &(seller, of.id), &ordered.subscription);
    store.write_blocking(batch).expect("durable");
    let system = start(&store, &clock).await;
    let house = House { store, clock, system, seller };
    house.until("the charge", || house.now(&of).terms_paid == 2).await;
    let made = house.payments(&of);
    assert_eq!(made.iter().filter(|payment| payment.saved_charge == charge).count(), 1);
    assert_eq!((made.len(), house.store.scan(SUBSCRIPTION_ORDERS, Scan::all()).count()), (2, 1));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_signed_in_demo_mode_brings_nothing_once_the_account_is_live() {
    let house = House::open().await;
    let (waiting, under_way) = (house.signed(GOOD).await, house.signed(GOOD).await);
    let House { mut store, clock, system, seller } = house;
    system.stop().await;
    store.reopen();
    clock.push(clock.now().plus_seconds(7 * DAY));
    let known = query::link_subscription(&store, seller, under_way.id).expect("read");
    let due = known.expect("there").fall_due(Mode::Demo, clock.now());
    let account = store.get(SELLERS, &seller).expect("read").expect("there");
    let mut batch = Batch::new();
    batch.put(LINK_SUBSCRIPTIONS, &(seller, under_way.id), &due.expect("due").0.subscription);
    batch.put(SELLERS, &seller, &Seller { mode: Mode::Live, ..account });
    store.write_blocking(batch).expect("durable");
    let system = start(&store, &clock).await;
    let house = House { store, clock, system, seller };
    house.has_status(&waiting, LinkSubscriptionStatus::PastDue).await;
    let asks = || house.now(&under_way).waits_for_another_card();
    house.until("a charge that was ordered fails", asks).await;
    assert_eq!(house.told(EventType::SubscriptionCharged), 2, "in demo mode");
    for payment in house.payments(&waiting).into_iter().chain(house.payments(&under_way)) {
        let unserved = Some(FailureCode::NoTerminal.into());
        assert!(payment.demo || payment.failure == unserved, "{payment:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_charged_while_it_is_switched_off() {
    let house = House::open().await;
    let of = house.signed(GOOD).await;
    let switch = async |on| {
        let one = house.system.sellers.switch(house.seller, Switch::LinkRecurringBilling, on);
        one.await.expect("switched");
    };
    switch(false).await;
    house.pass(7 * DAY);
    house.until("it is put off", || house.now(&of).rests_until.is_some()).await;
    let refused = house.ask(weekly(), "another").await;
    assert!(refused.expect_err("refused").refusal().text.contains("switched off"));
    switch(true).await;
    house.pass(3_600);
    house.until("it is charged", || house.now(&of).terms_paid == 2).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn its_address_is_mailed_to_its_recipient_until_it_is_given_up_or_signed() {
    let tried = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tried);
    let carrier = Carrier::new(move |letter| {
        assert!(letter.url.is_some_and(|url| url.starts_with("https://pay.example.com/pay/")));
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err(Bounce { reason: "full".to_owned(), for_good: false }) }.boxed()
    });
    let retries = MailRetries([60, 600, 3_600]);
    let house = House::with_mail(MailSettings { carrier: Some(carrier), retries }).await;
    let recipient = Email::parse("ada@example.com");
    let mailed = NewLinkSubscription { recipient, ..weekly() };
    house.make(mailed.clone()).await;
    let mails = || {
        let mails = house.store.scan(MAILS, Scan::all()).values().expect("read");
        mails.iter().map(|mail| (mail.status, mail.attempts)).collect::<Vec<_>>()
    };
    for (attempts, pause) in [(1, 60), (2, 600), (3, 3_600)] {
        house.until("it is tried", || mails() == [(MailStatus::Queued, attempts)]).await;
        house.pass(pause);
    }
    house.until("it is given up", || mails() == [(MailStatus::Failed, 4)]).await;
    assert_eq!(house.told(EventType::PaymentLinkEmailFailed), 1);
    let signed = house.make(mailed).await;
    house.until("it is tried", || mails()[1..] == [(MailStatus::Queued, 1)]).await;
    house.pay(&signed, GOOD).await.expect("paid");
    house.has_status(&signed, LinkSubscriptionStatus::Active).await;
    house.pass(60);
    house.until("it is not sent", || mails()[1..] == [(MailStatus::NotSent, 1)]).await;
    assert_eq!(tried.load(Ordering::SeqCst), 5);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_is_read_with_one_request_and_its_mail_with_another() {
    let mut house = House::open().await;
    let alone = house.signed(GOOD).await;
    let recipient = Email::parse("ada@example.com");
    let mailed = house.make(NewLinkSubscription { recipient, ..weekly() }).await;
    house.system.stop().await;
    house.store.reopen();
    let read = |of: &LinkSubscription| {
        read_room::<LinkSubscriptionRoom>(&house.store, (of.seller, of.id), &())
    };
    let (room, requests) = read(&alone);
    assert_eq!((room.mail.is_none(), requests), (true, [1, 1]));
    let (room, [rows, _]) = read(&mailed);
    assert_eq!((room.mail.is_some(), rows), (true, 2));
}
