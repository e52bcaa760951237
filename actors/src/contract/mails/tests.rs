use super::*;
use crate::domain::billing::mail::MailRetries;
use crate::domain::testing::{queued_mail, second};

const RETRIES: MailRetries = MailRetries([60, 600, 3_600]);

/// The order of attempts, made anew of all that wait.
fn ordered(open: &OpenMails) -> BTreeSet<(Timestamp, MailId)> {
    let waiting = open.waiting.values();
    waiting.filter_map(|mail| Some((mail.next_attempt_at?, mail.id))).collect()
}

#[test]
fn the_mail_that_is_due_first_heads_an_order_that_holds_each_waiting_mail_once() {
    // The later ones are due first.
    let late = |id: i64| queued_mail(id.unsigned_abs(), second(200 - id));
    let mut open = OpenMails::of((1..=50).map(late).collect());
    let mut rows = Batch::new();
    for id in 51..=100 {
        open.keep(late(id), &mut rows);
    }
    assert_eq!((open.attempts.len(), open.next_attempt()), (100, Some(second(100))));
    assert_eq!(open.due(second(99)), None);
    let mut tried = Vec::new();
    while let Some(at) = open.next_attempt() {
        let due = open.due(at).expect("it is due then").clone();
        tried.push((due.id.0, due.attempts));
        // Every second one is taken; the server has no room for the others.
        let how = match due.id.0 % 2 {
            0 => Tried::Taken { attached_bytes: None },
            _ => Tried::Refused { reason: "full".to_owned(), for_good: false },
        };
        open.keep(due.tried(how, RETRIES, at), &mut rows);
        assert_eq!(open.attempts, ordered(&open));
        assert_eq!(open.attempts.len(), open.waiting.len());
    }
    assert!(open.waiting.is_empty());
    assert_eq!(tried[..2], [(100, 0), (99, 0)]);
    assert_eq!(tried.len(), 50 + 50 * 4);
}
