//! Payment links and promo codes in a running system, with payments that fail when they settle and
//! processes that end in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use storage::testing::TempStore;
use storage::{Batch, Scan};

use crate::clock::Clock;
use crate::domain::billing::mail::{MailRetries, MailStatus};
use crate::domain::email::Email;
use crate::domain::ids::{PaymentId, PromoCodeId, SellerId};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::card::CardData;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{PaymentStatus, PaysFor};
use crate::domain::payments::payment_link::{
    NewPaymentLink, PaymentLink, PaymentLinkOrder, PaymentLinkPatch, PaymentLinkStatus,
};
use crate::domain::payments::promo_code::{NewPromoCode, Off, PromoCode, PromoUse};
use crate::domain::payments::source::Source;
use crate::domain::platform::event::EventType;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::mail::{Bounce, Carrier, MailSettings, Taken};
use crate::payment::PaymentOrder;
use crate::query;
use crate::seller::RESERVED;
use crate::system::{System, SystemSettings};
use crate::tables::{EVENTS, MAILS, PAYMENT_LINKS, PROMO_CODES, PROMO_USES};
use crate::testing::{Running, close, told, until, until_told};

struct House {
    store: TempStore,
    clock: Clock,
    system: System,
    seller: SellerId,
}

fn eur(minor: i64) -> Money {
    Money { minor, currency: Currency::EUR }
}

const GOOD: &str = "4242424242424242";

fn card() -> CardData {
    card_of(GOOD)
}

fn card_of(number: &str) -> CardData {
    crate::domain::testing::card(number, 12, 2040)
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

    async fn made(&self, new: NewPaymentLink) -> PaymentLink {
        let links = self.store.scan(PAYMENT_LINKS, Scan::all()).keys().count();
        self.make(new, &format!("link {links}")).await.made()
    }

    async fn make(&self, new: NewPaymentLink, key: &str) -> Once<PaymentLink> {
        let claim = KeyClaim::testing("payment-links", key);
        let made = self.system.sellers.create_payment_link(self.seller, new, claim);
        made.await.expect("made")
    }

    async fn link(&self, single_use: bool) -> PaymentLink {
        let new = NewPaymentLink {
            title: "A poster".to_owned(),
            amount: eur(2_500),
            single_use,
            expires_at: Some(self.clock.now().plus_seconds(3_600)),
            recipient: None,
        };
        self.made(new).await
    }

    async fn code(&self, most: u64) -> PromoCode {
        let (code, off) = ("ONCE".to_owned(), Off::Amount(eur(500)));
        let new = NewPromoCode { code, off, most: Some(most), expires_at: None, links: None };
        let claim = KeyClaim::testing("promo-codes", "once");
        let made = self.system.sellers.create_promo_code(self.seller, new, claim).await;
        made.expect("made").made()
    }

    fn order(&self, link: &PaymentLink, promo: Option<PromoCodeId>) -> PaymentLinkOrder {
        let minor = if promo.is_some() { 2_000 } else { 2_500 };
        let (seller, link, alone) = (self.seller, link.id, link.single_use);
        PaymentLinkOrder { seller, link, amount: eur(minor), alone, promo, attempt: None }
    }

    async fn pay(&self, order: PaymentLinkOrder) -> Result<PaymentId, Refusal> {
        let paid = self.system.sellers.pay_link(&self.system.payments, order, card()).await;
        paid.map(|payment| payment.id).map_err(AskError::refusal)
    }

    /// A payment at a link that is not known to the page: it fails as it is told to.
    async fn forced(&self, link: &PaymentLink, forced: Option<FailureCode>) -> PaymentId {
        let reference =
            format!("forced-{forced:?}-{}", self.store.scan(EVENTS, Scan::all()).count());
        let order = PaymentOrder::new(self.seller, reference, eur(2_500));
        let pays_for = PaysFor::Link { link: link.id, alone: false, promo: None };
        let order = PaymentOrder { pays_for, forced, ..order };
        match self.system.payments.initiate(order, Source::Card(card().into())).await {
            Ok(Once::Made(payment)) => payment.id,
            other => panic!("not begun: {other:?}"),
        }
    }

    /// A reservation behind which the process ended: its payment never began.
    fn leave_reserved(&self, link: &PaymentLink, code: &PromoCode) {
        let (discount, reserved_at) = (eur(500), self.clock.now());
        let one = PromoUse { link: link.id, discount, reserved_at, redeemed_at: None };
        let mut batch = Batch::new();
        batch.put(PROMO_USES, &(self.seller, code.id, RESERVED, PaymentId(999_999)), &one);
        batch.put(PROMO_CODES, &(self.seller, code.id), &PromoCode { reserved: 1, ..code.clone() });
        self.store.write_blocking(batch).expect("durable");
    }

    fn link_now(&self, link: &PaymentLink) -> PaymentLink {
        query::payment_link(&self.store, self.seller, link.id).expect("read").expect("there")
    }

    fn code_now(&self, code: &PromoCode) -> PromoCode {
        query::promo_code(&self.store, self.seller, code.id).expect("read").expect("there")
    }

    fn told(&self, kind: EventType) -> usize {
        told(&self.store, kind)
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        until(what, is_so).await;
    }

    async fn until_told(&self) {
        until_told(&self.store).await;
    }

    fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Stops, and proves that what is stored is right.
    async fn close(self) {
        self.until_told().await;
        close(self.system, self.store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_asked_for_again_under_its_key_is_made_once() {
    let house = House::open().await;
    let link = house.link(true).await;
    let new = NewPaymentLink {
        title: link.title.clone(),
        amount: link.amount,
        single_use: true,
        expires_at: link.expires_at,
        recipient: None,
    };
    for (key, before) in [("link 0", true), ("another", false), ("another", true)] {
        let asked = house.make(new.clone(), key).await;
        assert_eq!(matches!(asked, Once::Before), before, "{key}");
    }
    assert_eq!(house.store.scan(PAYMENT_LINKS, Scan::all()).keys().count(), 2);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_payments_for_one_link_the_second_goes_back() {
    let house = House::open().await;
    let link = house.link(true).await;
    let (first, second) = (house.forced(&link, None).await, house.forced(&link, None).await);
    let status = |payment| {
        let payment = house.system.payments.get(house.seller, payment).expect("read");
        payment.expect("there").status
    };
    let went_back = || {
        house.pass(1);
        [first, second].map(status).iter().filter(|one| **one == PaymentStatus::Refunded).count()
    };
    house.until("one went back", || went_back() == 1).await;
    let now = house.link_now(&link);
    assert_eq!((now.status, now.usage_count), (PaymentLinkStatus::Paid, 1));
    assert_eq!(house.told(EventType::PaymentLinkPaid), 1);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_fails_at_settlement_opens_its_link_again() {
    let house = House::open().await;
    let link = house.link(true).await;
    house.forced(&link, Some(FailureCode::SettlementFailed)).await;
    house.until("it is paid", || house.link_now(&link).status == PaymentLinkStatus::Paid).await;
    house.pass(10);
    house.until("it is open", || house.link_now(&link).status == PaymentLinkStatus::Active).await;
    assert_eq!(house.link_now(&link).usage_count, 0);
    house.pay(house.order(&link, None)).await.expect("paid");
    house.until("it is paid", || house.link_now(&link).usage_count == 1).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_expires_once_by_its_timer_and_not_when_it_was_moved() {
    let house = House::open().await;
    let (link, moved) = (house.link(true).await, house.link(true).await);
    let later = house.clock.now().plus_seconds(7_200);
    let patch = PaymentLinkPatch { expires_at: Some(Some(later)), ..Default::default() };
    house.system.sellers.update_payment_link(house.seller, moved.id, patch).await.expect("moved");
    house.pass(3_600);
    house.until("it expires", || house.link_now(&link).status == PaymentLinkStatus::Expired).await;
    assert_eq!(house.told(EventType::PaymentLinkExpired), 1);
    assert_eq!(house.link_now(&moved).status, PaymentLinkStatus::Active);
    house.pass(3_600);
    house.until("it expires", || house.link_now(&moved).status == PaymentLinkStatus::Expired).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_payments_at_once_never_redeem_a_code_too_often() {
    let house = House::open().await;
    let (link, code) = (house.link(false).await, house.code(5).await);
    let order = house.order(&link, Some(code.id));
    let paid = futures::future::join_all((0..20).map(|_| house.pay(order.clone()))).await;
    assert_eq!(paid.iter().filter(|one| one.is_ok()).count(), 5);
    for refusal in paid.into_iter().filter_map(Result::err) {
        assert_eq!(refusal.text, "promoCode is used up");
    }
    house.until_told().await;
    let now = house.code_now(&code);
    assert_eq!((now.redeemed, now.reserved), (5, 0));
    assert_eq!(house.told(EventType::PromoCodeRedeemed), 5);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_is_sent_again_and_at_once_is_one_payment() {
    let house = House::open().await;
    let (link, code) = (house.link(false).await, house.code(20).await);
    let order = |attempt: &str| PaymentLinkOrder {
        attempt: Some(attempt.to_owned()),
        ..house.order(&link, Some(code.id))
    };
    let paid = futures::future::join_all((0..8).map(|_| house.pay(order("a")))).await;
    let first = paid[0].clone().expect("paid");
    assert!(paid.iter().all(|one| one.as_ref() == Ok(&first)), "{paid:?}");
    assert_eq!(house.pay(order("a")).await, Ok(first));
    assert_ne!(house.pay(order("b")).await.expect("paid"), first);
    house.until_told().await;
    let now = house.code_now(&code);
    assert_eq!((now.redeemed, now.reserved), (2, 0));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_came_to_nothing_is_made_anew_when_it_is_sent_again() {
    let house = House::open().await;
    let link = house.link(false).await;
    let order = PaymentLinkOrder { attempt: Some("a".to_owned()), ..house.order(&link, None) };
    let pay = |number| {
        let payments = &house.system.payments;
        house.system.sellers.pay_link(payments, order.clone(), card_of(number))
    };
    let declined = pay("4000000000000002").await.expect("answered");
    assert!(declined.status.is_lost());
    let (again, once_more) = (pay(GOOD).await.expect("paid"), pay(GOOD).await.expect("paid"));
    assert!(!again.status.is_lost() && again.id != declined.id && once_more.id == again.id);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_of_a_payment_that_never_began_is_given_back_when_it_is_missed() {
    let house = House::open().await;
    let (link, code) = (house.link(false).await, house.code(1).await);
    house.leave_reserved(&link, &code);
    let order = house.order(&link, Some(code.id));
    let early = house.pay(order.clone()).await.expect_err("it may begin yet");
    assert_eq!(early.text, "promoCode is used up");
    house.pass(601);
    house.pay(order).await.expect("paid");
    house.until("it is redeemed", || house.code_now(&code).redeemed == 1).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_of_a_payment_that_never_began_is_given_back_where_nothing_runs_out() {
    let house = House::open().await;
    let (link, code) = (house.link(false).await, house.code(1_000).await);
    house.leave_reserved(&link, &code);
    house.pass(601);
    house.pay(house.order(&link, Some(code.id))).await.expect("paid");
    house.until("it is redeemed", || house.code_now(&code).redeemed == 1).await;
    assert_eq!(house.code_now(&code).reserved, 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_held_against_its_link_as_it_stands() {
    let house = House::open().await;
    let (link, code) = (house.link(true).await, house.code(5).await);
    let dear = PaymentLinkOrder { amount: eur(2_501), ..house.order(&link, None) };
    assert!(house.pay(dear).await.expect_err("refused").text.contains("the amount has changed"));
    let dear = PaymentLinkOrder { amount: eur(2_500), ..house.order(&link, Some(code.id)) };
    assert!(house.pay(dear).await.expect_err("refused").text.contains("the amount has changed"));
    assert_eq!(house.code_now(&code).reserved, 0);
    house.pass(3_600);
    let late = house.pay(house.order(&link, None)).await.expect_err("refused");
    assert_eq!(late.text, "the payment link is expired");
    house.close().await;
}

/// A mail server that takes the `taken`th mail that comes, and none before.
fn carrier(taken: usize) -> (MailSettings, Arc<AtomicUsize>) {
    let came = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&came);
    let carrier = Carrier::new(move |letter| {
        let url = letter.url.unwrap_or_default();
        assert!(url.starts_with("https://pay.example.com/pay/"), "{url}");
        let tried = counted.fetch_add(1, Ordering::SeqCst) + 1;
        let refused = Bounce { reason: "full".to_owned(), for_good: false };
        let answer = if tried < taken { Err(refused) } else { Ok(Taken::default()) };
        async move { answer }.boxed()
    });
    (MailSettings { carrier: Some(carrier), retries: MailRetries([60, 600, 3_600]) }, came)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_with_a_link_is_tried_again_until_it_is_taken() {
    let (settings, came) = carrier(2);
    let house = House::with_mail(settings).await;
    let link = house.mailed().await;
    house.until("it is tried", || came.load(Ordering::SeqCst) == 1).await;
    house.until("that is kept", || house.mails() == [(MailStatus::Queued, 1)]).await;
    house.pass(60);
    house.until("it is sent", || house.mails() == [(MailStatus::Sent, 2)]).await;
    assert_eq!(house.told(EventType::PaymentLinkEmailFailed), 0);
    assert_eq!(house.link_now(&link).status, PaymentLinkStatus::Active);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_is_given_up_is_told_of_and_one_for_a_cancelled_link_is_not_sent() {
    let (settings, _) = carrier(usize::MAX);
    let house = House::with_mail(settings).await;
    house.mailed().await;
    for (attempts, pause) in [(1, 60), (2, 600), (3, 3_600)] {
        house.until("it is tried", || house.mails() == [(MailStatus::Queued, attempts)]).await;
        house.pass(pause);
    }
    house.until("it is given up", || house.mails() == [(MailStatus::Failed, 4)]).await;
    assert_eq!(house.told(EventType::PaymentLinkEmailFailed), 1);
    let second = house.mailed().await;
    let tried = [(MailStatus::Failed, 4), (MailStatus::Queued, 1)];
    house.until("the second is tried", || house.mails() == tried).await;
    house.system.sellers.cancel_payment_link(house.seller, second.id).await.expect("cancelled");
    house.pass(60);
    let pointless = [(MailStatus::Failed, 4), (MailStatus::NotSent, 1)];
    house.until("it is not sent", || house.mails() == pointless).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_waited_says_what_the_link_asks_for_when_it_goes() {
    let (settings, _) = carrier(2);
    let house = House::with_mail(settings).await;
    let link = house.mailed().await;
    house.until("it is tried", || house.mails() == [(MailStatus::Queued, 1)]).await;
    let (amount_minor, currency) = (Some(100_000), Currency::parse("SEK"));
    let patch = PaymentLinkPatch { amount_minor, currency, ..Default::default() };
    house.system.sellers.update_payment_link(house.seller, link.id, patch).await.expect("dearer");
    house.pass(60);
    house.until("it is sent", || house.mails() == [(MailStatus::Sent, 2)]).await;
    let mails = house.store.scan(MAILS, Scan::all()).values().expect("read");
    assert_eq!(mails.first().map(|mail| mail.amount_minor), Some(100_000));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_is_out_keeps_what_it_said() {
    let (settings, _) = carrier(2);
    let house = House::with_mail(settings).await;
    let link = house.mailed().await;
    house.until("it is tried", || house.mails() == [(MailStatus::Queued, 1)]).await;
    let rename = async |title: &str| {
        let patch = PaymentLinkPatch { title: Some(title.to_owned()), ..Default::default() };
        let renamed = house.system.sellers.update_payment_link(house.seller, link.id, patch);
        renamed.await.expect("renamed");
    };
    rename("A print").await;
    house.pass(60);
    house.until("it is sent", || house.mails() == [(MailStatus::Sent, 2)]).await;
    rename("A frame").await;
    let mails = house.store.scan(MAILS, Scan::all()).values().expect("read");
    let content = mails.into_iter().find_map(|mail| mail.content).expect("what it said");
    assert_eq!((content.title.as_str(), content.amount), ("A print", Some(eur(2_500))));
    house.close().await;
}

impl House {
    async fn mailed(&self) -> PaymentLink {
        let new = NewPaymentLink {
            title: "A poster".to_owned(),
            amount: eur(2_500),
            single_use: true,
            expires_at: None,
            recipient: Email::parse("ada@example.com"),
        };
        self.made(new).await
    }

    /// How each mail stands, and how often it was tried, oldest first.
    fn mails(&self) -> Vec<(MailStatus, u32)> {
        let mails = self.store.scan(MAILS, Scan::all()).values().expect("read");
        mails.iter().map(|mail| (mail.status, mail.attempts)).collect()
    }
}
