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

/// Sets a count, and how many it changed by then, and whether something leads back from it.
fn set(
    seats: &mut Seats,
    count: i64,
    at: Option<&str>,
    closed: Option<Date>,
) -> Result<(i64, bool), SeatRefusal> {
    let mut next = seats.changes.len() as u64 + 100;
    let id = || {
        next += 1;
        SeatChangeId(next)
    };
    let (set, back) = seats.set(id, (count, at.map(instant)), closed, instant(NOW))?;
    seats.take(&set);
    back.iter().for_each(|back| seats.take(back));
    Ok((set.delta, back.is_some()))
}

#[test]
fn seats_are_set_by_the_change_that_leads_there() {
    let mut seats = Seats::default();
    take(&mut seats, 1, add(3, "2026-03-02T10:00:00Z")).expect("added");
    let to = |count| set(&mut seats.clone(), count, None, None);
    assert_eq!((to(10), to(0)), (Ok((7, false)), Ok((-3, false))));
    assert_eq!(to(3), Err(SeatRefusal::AlreadySet(3)));
    assert_eq!(SeatRefusal::AlreadySet(3).to_string(), "seats are 3 then already");
    for beyond in [-1, MAX_SEATS + 1, i64::MIN, i64::MAX] {
        assert_eq!(to(beyond), Err(SeatRefusal::OutOfRange));
    }
    let closed = Some(day("2026-03-02"));
    for (at, refusal) in [
        ("2026-03-10T12:00:01Z", SeatRefusal::Ahead),
        ("2026-03-01T23:00:00Z", SeatRefusal::Closed(day("2026-03-02"))),
    ] {
        assert_eq!(set(&mut seats.clone(), 5, Some(at), closed), Err(refusal));
    }
}

#[test]
fn a_count_set_in_the_past_holds_until_the_next_change_behind_it() {
    let mut seats = Seats::default();
    for (count, at) in [(10, "2026-03-01T09:00:00Z"), (2, "2026-03-06T09:00:00Z")] {
        assert_eq!(set(&mut seats, count, Some(at), None).map(|(_, back)| back), Ok(false));
    }
    // Fewer than the later change takes away.
    assert_eq!(set(&mut seats, 5, Some("2026-03-03T09:00:00Z"), None), Ok((-5, true)));
    let counts: Vec<_> = (1..=7).map(|n| seats.on(day(&format!("2026-03-0{n}")))).collect();
    assert_eq!(counts, [10, 10, 5, 5, 5, 2, 2]);
    // What is added or removed by so many moves all that is behind it, as before.
    take(&mut seats, 9, add(-2, "2026-03-04T10:00:00Z")).expect("removed");
    assert_eq!(seats.on(day("2026-03-06")), 0);
    let refused = take(&mut seats, 10, add(-1, "2026-03-04T11:00:00Z"));
    assert_eq!(refused, Err(SeatRefusal::BelowZero(0)));
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
            // By brute force: whether there are 0 or more behind each instant.
            let mut all: Vec<_> = taken.clone();
            all.push((at, number, delta));
            let until = |end: Timestamp| all.iter().filter(move |one| one.0 <= end);
            let stands = all.iter().all(|one| until(one.0).map(|one| one.2).sum::<i64>() >= 0);
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
        let by_day: Vec<_> = seats.by_day(span).collect();
        let each = (0..days).map(|number| span.start.plus_days(number));
        prop_assert_eq!(by_day, each.map(|day| (day, seats.on(day))).collect::<Vec<_>>());
    }

    /// Against a list of what was said of which hour, in the order of these.
    #[test]
    fn counts_that_are_set_stand_each_from_its_hour_to_the_next(
        counts in proptest::collection::vec((0..9 * 24_i64, 0..6_i64), 0..30),
    ) {
        let start = day("2026-03-01").start();
        let (mut seats, mut said) = (Seats::default(), BTreeMap::<i64, i64>::new());
        for (hour, count) in counts {
            let at = start.plus_seconds(hour * 3600);
            let there = said.range(..=hour).next_back().map_or(0, |(_, count)| *count);
            let made = set(&mut seats, count, Some(&at.to_string()), None);
            prop_assert_eq!(made.is_err(), there == count);
            if made.is_ok() {
                said.insert(hour, count);
            }
        }
        for hour in 0..9 * 24 {
            let there = said.range(..=hour).next_back().map_or(0, |(_, count)| *count);
            prop_assert_eq!(seats.at(start.plus_seconds(hour * 3600)), there);
        }
        let (fewest, most) = seats.bounds_from((start, SeatChangeId(0)));
        prop_assert!(fewest >= 0 && most <= 5);
    }
}
