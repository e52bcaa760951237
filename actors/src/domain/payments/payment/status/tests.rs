use super::PaymentStatus::{Cancelled, Failed, Refunded};
use super::*;
use crate::domain::platform::event::EventType;

/// A row is a status; then the triggers it takes, each with the status it leads to. What is not
/// listed is refused.
const MOVES: &str = "
    provider_pending   | open provider_pending, challenge provider_pending, approve provider_pending, finalize provider_pending, attempt provider_pending, end attempt provider_pending, reconciliation provider_pending, authorize authorized, complete provider_completed, fail failed, decline failed, cancel cancelled, expire cancelled
    authorized         | capture authorized, missed authorized, reconciliation authorized, complete provider_completed, fail failed, cancel cancelled, expire cancelled
    provider_completed | capture provider_completed, missed provider_completed, reconciliation provider_completed, release provider_completed, complete provider_completed, settle settled, deposit deposit_confirmed, settlement failure failed, refund refund_pending
    settled            | refund refund_pending, release settled, reconciliation settled
    deposit_confirmed  | refund refund_pending, release deposit_confirmed, reconciliation deposit_confirmed
    failed             | retry provider_pending
    cancelled          |
    refund_pending     | settle refund_pending, deposit refund_pending, release refund_pending, reconciliation refund_pending, part provider_completed, settled part settled, confirmed part deposit_confirmed, all refunded, refund failed refund_failed, refund cancelled refund_cancelled
    refund_failed      | refund refund_pending, settle refund_failed, deposit refund_failed, release refund_failed, reconciliation refund_failed, settlement failure failed
    refund_cancelled   | refund refund_pending, settle refund_cancelled, deposit refund_cancelled, release refund_cancelled, reconciliation refund_cancelled, settlement failure failed
    refunded           | release refunded, reconciliation refunded";

fn word(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::MissCapture => "missed",
        Trigger::ReturnPart => "part",
        Trigger::ReturnPartSettled => "settled part",
        Trigger::ReturnPartConfirmed => "confirmed part",
        Trigger::ReturnAll => "all",
        Trigger::FailRefund => "refund failed",
        Trigger::CancelRefund => "refund cancelled",
        other => other.name(),
    }
}

#[test]
fn every_pair_is_allowed_or_refused_as_listed() {
    let rows: Vec<_> = MOVES.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(rows.len(), PaymentStatus::ALL.len());
    for (row, from) in rows.iter().zip(PaymentStatus::ALL) {
        let (name, moves) = row.split_once('|').expect("a status and its moves");
        assert_eq!(name.trim(), from.name());
        let listed: Vec<_> = moves
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(|one| one.rsplit_once(' ').expect("a trigger and a status"))
            .collect();
        for trigger in Trigger::ALL {
            let expected = listed.iter().find(|(name, _)| *name == word(trigger));
            let to = next_status(*from, trigger).map(PaymentStatus::name);
            assert_eq!(to, expected.map(|(_, to)| *to), "{from} on {}", word(trigger));
        }
        let known = listed.iter().all(|(name, _)| Trigger::ALL.iter().any(|t| word(*t) == *name));
        assert!(known, "{row}");
    }
}

#[test]
fn a_status_is_open_or_lost_or_paid_and_never_two_of_these() {
    for status in PaymentStatus::ALL {
        let is = [status.is_open(), status.is_lost(), status.is_paid()];
        assert_eq!(is.into_iter().filter(|is| *is).count(), 1, "{status}");
    }
}

#[test]
fn nothing_leaves_the_statuses_that_are_final() {
    for from in [Cancelled, Refunded] {
        let stays = |trigger: &Trigger| next_status(from, *trigger).is_none_or(|to| to == from);
        assert!(Trigger::ALL.iter().all(stays));
    }
    let ways_out: Vec<_> =
        Trigger::ALL.iter().filter(|t| next_status(Failed, **t).is_some()).collect();
    assert_eq!(ways_out, [&Trigger::Retry]);
}

#[test]
fn what_the_documents_say_of_the_event_names_every_status_that_it_tells() {
    let text = EventType::PaymentCompleted.about();
    for status in PaymentStatus::ALL {
        assert_eq!(text.contains(&format!("`{status}`")), status.completes(), "{status}");
    }
}
