use proptest::prelude::*;

use super::*;
use crate::domain::testing::{day, instant};

fn add(delta: i64, on: &str) -> ChangeSeats {
    ChangeSeats { delta, at: Some(instant(on)), note: None }
}

const NOW: &str = "2026-03-10T12:00:00Z";

fn take(seats: &mut Seats, id: u64, request: ChangeSeats) -> Result<(), SeatRefusal> {
    let change = seats.change(SeatChangeId(id), request, None, instant(NOW))?;
    seats.take(&change);
    Ok(())
}

#[test]
fn a_day_counts_the_seats_that_it_ends_with() {
    let mut seats = Seats::default();
    take(&mut seats, 1, add(3, "2026-03-02T23:59:59Z")).expect("added");
    take(&mut seats, 2, add(5, "2026-03-04T08:00:00Z")).expect("added");
    take(&mut seats, 3, add(-5, "2026-03-04T20:00:00Z")).expect("removed");
    take(&mut seats, 4, add(-1, "2026-03-05T00:00:00Z")).expect("removed");
    let counts: Vec<_> = (1..=6).map(|n| seats.on(day(&format!("2026-03-0{n}")))).collect();
    assert_eq!(counts, [0, 3, 3, 3, 2, 2]);
    let march = Span { start: day("2026-03-01"), end: day("2026-03-07") };
    assert_eq!(seats.seat_days(march), 13);
    let within = Span { start: day("2026-03-03"), end: day("2026-03-05") };
    assert_eq!(seats.seat_days(within), 6);
}

#[test]
fn what_cannot_be_is_refused() {
    let mut seats = Seats::default();
    take(&mut seats, 1, add(3, "2026-03-02T10:00:00Z")).expect("added");
    take(&mut seats, 2, add(-2, "2026-03-05T10:00:00Z")).expect("removed");
    let closed = Some(day("2026-03-02"));
    let change = |request, closed| seats.change(SeatChangeId(9), request, closed, instant(NOW));
    for (request, refusal) in [
        (add(0, NOW), SeatRefusal::NoChange),
        (add(10_000_000, NOW), SeatRefusal::TooMany),
        (add(i64::MIN, NOW), SeatRefusal::TooMany),
        (add(1, "2026-03-10T12:00:01Z"), SeatRefusal::Ahead),
        (add(1, "2026-03-01T23:00:00Z"), SeatRefusal::Closed(day("2026-03-02"))),
        (add(-2, NOW), SeatRefusal::BelowZero(1)),
        // Three are there on that day, but two of them are gone later.
        (add(-2, "2026-03-03T10:00:00Z"), SeatRefusal::BelowZero(1)),
    ] {
        assert_eq!(change(request, closed), Err(refusal));
    }
    let long = ChangeSeats { delta: 1, at: None, note: Some("x".repeat(257)) };
    assert_eq!(change(long, None), Err(SeatRefusal::LongNote));
    assert!(change(add(-1, "2026-03-02T10:00:00Z"), closed).is_ok());
    assert_eq!(SeatRefusal::Ahead.kind(), RefusalKind::Invalid);
    assert_eq!(SeatRefusal::BelowZero(1).kind(), RefusalKind::Unprocessable);
}

#[test]
fn seats_are_set_by_the_change_that_leads_there() {
    let mut seats = Seats::default();
    take(&mut seats, 1, add(3, "2026-03-02T10:00:00Z")).expect("added");
    let set = |count| seats.set(count, None, instant(NOW)).map(|change| change.delta);
    assert_eq!((set(10), set(0)), (Ok(7), Ok(-3)));
    assert_eq!(set(3), Err(SeatRefusal::AlreadySet(3)));
    assert_eq!(SeatRefusal::AlreadySet(3).to_string(), "seats are 3 then already");
    for beyond in [-1, MAX_SEATS + 1, i64::MIN, i64::MAX] {
        assert_eq!(set(beyond), Err(SeatRefusal::OutOfRange));
    }
}

proptest! {
    /// Counts every second of every day.
    #[test]
    fn seat_days_are_what_counting_says(
        changes in proptest::collection::vec((0..12 * 24_i64, -4..6_i64), 0..40),
        (from, days) in (0..12_i64, 0..12_i64),
    ) {
        let start = day("2026-02-20");
        let now = start.plus_days(12).start();
        let mut seats = Seats::default();
        let mut taken = Vec::new();
        for (number, (hours, delta)) in changes.into_iter().enumerate() {
            let at = start.start().plus_seconds(hours * 3600);
            let request = ChangeSeats { delta, at: Some(at), note: None };
            let change = seats.change(SeatChangeId(number as u64), request, None, now);
            // By brute force: whether all counts from then on stay at 0 or above.
            let mut all: Vec<_> = taken.clone();
            all.push((at, number, delta));
            all.sort_unstable();
            let mut count = 0;
            let stands = all.iter().all(|(_, _, delta)| { count += delta; count >= 0 });
            prop_assert_eq!(change.is_ok(), stands && delta != 0);
            if let Ok(change) = change {
                seats.take(&change);
                taken = all;
            }
        }
        let span = Span { start: start.plus_days(from), end: start.plus_days(from + days) };
        let mut counted = 0;
        for number in 0..days {
            let end = span.start.plus_days(number + 1).start();
            counted += taken.iter().filter(|(at, _, _)| *at < end).map(|(_, _, d)| d).sum::<i64>();
        }
        prop_assert_eq!(seats.seat_days(span), counted);
    }
}
