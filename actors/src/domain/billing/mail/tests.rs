use super::*;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::payment_link::PaymentLinkStatus;
use crate::domain::testing::{instant, queued_mail};

const RETRIES: MailRetries = MailRetries([60, 600, 3_600]);

fn queued() -> Mail {
    Mail { amount_minor: 1_210, ..queued_mail(1, instant("2026-11-22T10:00:00Z")) }
}

fn refused(for_good: bool) -> Tried {
    Tried::Refused { reason: "try later".to_owned(), for_good }
}

#[test]
fn a_refused_mail_is_tried_again_after_1_10_and_60_minutes_and_then_given_up() {
    let (mut mail, mut now) = (queued(), instant("2026-11-22T10:00:00Z"));
    for (attempt, at) in [
        (1, Some("2026-11-22T10:01:00Z")),
        (2, Some("2026-11-22T10:11:00Z")),
        (3, Some("2026-11-22T11:11:00Z")),
        (4, None),
    ] {
        mail = mail.tried(refused(false), RETRIES, now);
        let next = at.map(instant);
        let status = if next.is_some() { MailStatus::Queued } else { MailStatus::Failed };
        assert_eq!((mail.attempts, mail.next_attempt_at, mail.status), (attempt, next, status));
        assert_eq!(mail.last_error.as_deref(), Some("try later"));
        now = next.unwrap_or(now);
    }
}

#[test]
fn a_refusal_for_good_gives_up_at_once_and_a_taken_mail_is_sent() {
    let now = instant("2026-11-22T10:00:05Z");
    let failed = queued().tried(refused(true), RETRIES, now);
    assert_eq!((failed.status, failed.next_attempt_at), (MailStatus::Failed, None));
    let retried = queued().tried(refused(false), RETRIES, now);
    let sent = retried.tried(Tried::Taken { attached_bytes: Some(7) }, RETRIES, now);
    assert_eq!((sent.status, sent.attempts), (MailStatus::Sent, 2));
    assert_eq!(sent.attached_bytes, Some(7));
    assert_eq!((sent.sent_at, sent.last_error), (Some(now), None));
    let pointless = queued().tried(Tried::Pointless, RETRIES, now);
    assert_eq!((pointless.status, pointless.attempts), (MailStatus::NotSent, 0));
}

#[test]
fn a_long_reason_is_cut() {
    let reason = "é".repeat(2_000);
    let refused = Tried::Refused { reason, for_good: false };
    let kept = queued().tried(refused, RETRIES, instant("2026-11-22T10:00:05Z")).last_error;
    assert_eq!(kept.map(|reason| reason.chars().count()), Some(500));
}

/// A mail as it was kept when each was about an invoice.
#[derive(minicbor::Encode)]
struct OldMail {
    #[n(0)]
    id: MailId,
    #[n(1)]
    seller: SellerId,
    #[n(2)]
    contract: ContractId,
    #[n(3)]
    invoice: InvoiceId,
    #[n(4)]
    kind: MailKind,
    #[n(5)]
    to: Email,
    #[n(6)]
    amount_minor: i64,
    #[n(7)]
    status: MailStatus,
    #[n(8)]
    attempts: u32,
    #[n(9)]
    next_attempt_at: Option<Timestamp>,
    #[n(10)]
    last_error: Option<String>,
    #[n(11)]
    created_at: Timestamp,
    #[n(12)]
    sent_at: Option<Timestamp>,
}

#[test]
fn a_mail_from_before_there_were_links_is_read_as_one_about_its_invoice() {
    let mail = queued().tried(refused(false), RETRIES, instant("2026-11-22T10:00:05Z"));
    let old = OldMail {
        id: mail.id,
        seller: mail.seller,
        contract: mail.contract.expect("a contract"),
        invoice: mail.invoice.expect("an invoice"),
        kind: mail.kind,
        to: mail.to.clone(),
        amount_minor: mail.amount_minor,
        status: mail.status,
        attempts: mail.attempts,
        next_attempt_at: mail.next_attempt_at,
        last_error: mail.last_error.clone(),
        created_at: mail.created_at,
        sent_at: mail.sent_at,
    };
    assert_eq!(storage::cbor_decode(&storage::cbor_encode(&old)), Ok(mail));
}

#[test]
fn a_mail_says_what_stands_while_it_waits_and_what_it_said_when_it_is_out() {
    let now = instant("2026-11-22T10:00:05Z");
    let seller = |name: &str| SellerParty {
        name: name.to_owned(),
        email: Email::parse("office@example.com").expect("an address"),
        phone: None,
        country: None,
        tax_id: None,
        address: Default::default(),
    };
    let link = |title: &str, minor| PaymentLink {
        id: PaymentLinkId(5),
        seller: SellerId(2),
        drawn: "drawn".to_owned(),
        status: PaymentLinkStatus::Active,
        title: title.to_owned(),
        amount: Money { minor, currency: Currency::EUR },
        single_use: true,
        usage_count: 0,
        expires_at: None,
        recipient: Email::parse("ada@example.com"),
        created_at: now,
        updated_at: now,
    };
    let (first, then) = (link("Deposit", 1_000), link("Final bill", 99_900));
    let later = || MailContent::of_link(&then, &seller("Renamed Ltd"));
    let made = |posts| {
        let about = (&first, &seller("Byron Ltd"));
        Mail::of_link(MailId(1), about, posts, now).expect("a mail")
    };
    let said = MailContent::of_link(&first, &seller("Byron Ltd"));
    assert_eq!(made(false).content_or(later()), said);
    let queued = made(true);
    assert_eq!(queued.content_or(later()), later());
    // It goes out as its link stands by then.
    let about = About::Link(Box::new(then.clone()), Box::new(seller("Byron Ltd")));
    let sent = queued.going_out(&about).tried(Tried::Taken { attached_bytes: None }, RETRIES, now);
    assert_eq!(sent.amount_minor, 99_900);
    assert_eq!(sent.content_or(later()), MailContent::of_link(&then, &seller("Byron Ltd")));
    // Of one from before that was kept the amount alone is known.
    let old = Mail { content: None, ..made(false) };
    let amount = Some(Money { minor: 1_000, currency: Currency::EUR });
    assert_eq!(old.content_or(later()), MailContent { amount, ..later() });
}
