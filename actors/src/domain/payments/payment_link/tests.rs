use super::*;
use crate::domain::money::Currency;
use crate::domain::testing::instant;

fn eur(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("EUR").expect("a currency") }
}

fn noon() -> Timestamp {
    instant("2027-01-15T12:00:00Z")
}

fn later(hours: i64) -> Timestamp {
    noon().plus_seconds(hours * 3_600)
}

fn new() -> NewPaymentLink {
    NewPaymentLink {
        title: "A poster".to_owned(),
        amount: eur(2_500),
        single_use: true,
        expires_at: None,
        recipient: None,
    }
}

fn made(new: NewPaymentLink) -> PaymentLink {
    let of = (SellerId(1), PaymentLinkId(7));
    PaymentLink::create(new, of, "drawn".to_owned(), noon()).expect("a link").link
}

fn sale(reference: &str) -> Sale<'_> {
    Sale { reference, amount: eur(2_500), promo: None }
}

fn kinds(change: &PaymentLinkChange) -> Vec<&'static str> {
    change.events.iter().map(|event| event.kind.name()).collect()
}

#[test]
fn a_link_is_made_of_what_can_be_sold() {
    let refused = |change: fn(&mut NewPaymentLink)| {
        let mut asked = new();
        change(&mut asked);
        let of = (SellerId(1), PaymentLinkId(7));
        PaymentLink::create(asked, of, String::new(), noon()).expect_err("refused")
    };
    for (change, expected) in [
        ((|new| new.title = "  ".to_owned()) as fn(&mut NewPaymentLink), PaymentLinkRefusal::Title),
        (|new| new.title = "x".repeat(201), PaymentLinkRefusal::Title),
        (|new| new.title = "a\nb".to_owned(), PaymentLinkRefusal::Title),
        (|new| new.amount.minor = 0, PaymentLinkRefusal::Amount),
        (|new| new.amount.minor = 1_000_000_000_001, PaymentLinkRefusal::Amount),
        (|new| new.expires_at = Some(noon()), PaymentLinkRefusal::ExpiresInThePast),
    ] {
        assert_eq!(refused(change), expected);
    }
    let named = NewPaymentLink { title: " A poster ".to_owned(), ..new() };
    assert_eq!(made(named).title, "A poster");
}

#[test]
fn a_link_for_one_is_paid_once_and_one_for_many_counts() {
    let one = made(new()).count(sale("a"), later(1)).expect("counted");
    assert_eq!(kinds(&one), ["PaymentLinkPaid"]);
    assert_eq!(one.events[0].payload["paymentId"], "a");
    assert_eq!((one.link.status, one.link.usage_count), (PaymentLinkStatus::Paid, 1));
    let ended = PaymentLinkRefusal::Ended(PaymentLinkStatus::Paid);
    assert_eq!(one.link.count(sale("b"), later(2)), Err(ended));

    let many = made(NewPaymentLink { single_use: false, ..new() });
    let twice = many.count(sale("a"), later(1)).expect("counted").link;
    let twice = twice.count(sale("b"), later(2)).expect("counted").link;
    assert_eq!((twice.status, twice.usage_count), (PaymentLinkStatus::Active, 2));
}

#[test]
fn what_was_begun_before_the_end_counts_and_what_comes_after_a_cancel_goes_back() {
    let ends = made(NewPaymentLink { expires_at: Some(later(1)), ..new() });
    assert_eq!(ends.expire(noon()), None);
    let over = ends.expire(later(1)).expect("over");
    assert_eq!(kinds(&over), ["PaymentLinkExpired"]);
    assert_eq!(over.link.expire(later(2)), None, "told once");
    assert!(!ends.is_payable(later(1)) && ends.is_payable(noon()));
    let counted = over.link.count(sale("a"), later(2)).expect("counted").link;
    assert_eq!(counted.status, PaymentLinkStatus::Paid);

    let cancelled = made(new()).cancel(later(1)).expect("allowed").expect("a change");
    assert_eq!(kinds(&cancelled), ["PaymentLinkCancelled"]);
    assert_eq!(cancelled.link.cancel(later(2)), Ok(None));
    let ended = PaymentLinkRefusal::Ended(PaymentLinkStatus::Cancelled);
    assert_eq!(cancelled.link.count(sale("a"), later(2)), Err(ended));
    let ended = PaymentLinkRefusal::Ended(PaymentLinkStatus::Paid);
    assert_eq!(counted.cancel(later(3)), Err(ended));
}

#[test]
fn a_payment_that_fails_at_settlement_opens_its_link_again_while_it_lasts() {
    let ends = made(NewPaymentLink { expires_at: Some(later(2)), ..new() });
    let paid = ends.count(sale("a"), later(1)).expect("counted").link;
    let open = paid.take_back(later(1)).link;
    assert_eq!((open.status, open.usage_count), (PaymentLinkStatus::Active, 0));
    assert_eq!(paid.take_back(later(2)).link.status, PaymentLinkStatus::Expired);
}

#[test]
fn an_update_tells_what_a_buyer_sees_and_nothing_else() {
    let link = made(new());
    let told = |patch| link.update(patch, later(1)).expect("allowed");
    let none = PaymentLinkPatch::default();
    assert_eq!(told(none.clone()), None);
    assert_eq!(told(PaymentLinkPatch { title: Some("A poster".to_owned()), ..none.clone() }), None);
    let dearer = told(PaymentLinkPatch { amount_minor: Some(3_000), ..none.clone() });
    let dearer = dearer.expect("a change");
    assert_eq!((kinds(&dearer), dearer.mails), (vec!["PaymentLinkUpdated"], false));
    let many = told(PaymentLinkPatch { single_use: Some(false), ..none.clone() });
    assert_eq!(kinds(&many.expect("a change")), [""; 0]);
    let ada = Email::parse("ada@example.com");
    let mailed = told(PaymentLinkPatch { recipient: Some(ada.clone()), ..none.clone() });
    let mailed = mailed.expect("a change");
    assert_eq!((kinds(&mailed), mailed.mails), (vec!["PaymentLinkUpdated"], true));
    let gone = PaymentLinkPatch { recipient: Some(None), ..none.clone() };
    let gone = mailed.link.update(gone, later(2)).expect("allowed").expect("a change");
    assert_eq!((gone.link.recipient, gone.mails), (None, false));

    let many = made(NewPaymentLink { single_use: false, ..new() });
    let used = many.count(sale("a"), later(1)).expect("counted").link;
    let once = PaymentLinkPatch { single_use: Some(true), ..none.clone() };
    assert_eq!(used.update(once, later(2)), Err(PaymentLinkRefusal::SingleUse));
    let paid = link.count(sale("a"), later(1)).expect("counted").link;
    let ended = PaymentLinkRefusal::Ended(PaymentLinkStatus::Paid);
    assert_eq!(paid.update(none, later(2)), Err(ended));
}
