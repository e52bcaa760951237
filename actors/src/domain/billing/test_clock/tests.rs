use storage::Record;

use super::*;
use crate::domain::testing::instant;

#[test]
fn an_advance_goes_forward_by_366_days_at_most() {
    let wall = "2026-11-21T10:00:00Z";
    let clock = TestClock {
        now: instant("2027-01-01T00:00:00Z"),
        frozen_at: instant("2026-11-20T00:00:00Z"),
        updated_at: instant("2026-11-20T12:00:00Z"),
        heading_for: None,
        let_go_at: None,
    };
    let cases = [
        (None, "2026-11-21T10:00:00Z", Ok(false)),
        (None, "2026-11-21T09:59:59.999999Z", Err("to is before the clock")),
        (None, "2026-11-21T10:00:00.000001Z", Ok(true)),
        (None, "2027-11-22T10:00:00Z", Ok(true)),
        (None, "2027-11-22T10:00:00.000001Z", Err("to is more than 366 days")),
        (Some(&clock), "2027-01-01T00:00:00Z", Ok(false)),
        // Ahead of the wall clock, yet behind the contract's own.
        (Some(&clock), "2026-12-31T00:00:00Z", Err("to is before the clock")),
        (Some(&clock), "2028-01-02T00:00:00Z", Ok(true)),
        (Some(&clock), "2028-01-02T00:00:01Z", Err("to is more than 366 days")),
    ];
    for (current, to, expected) in cases {
        match (advance(current, instant(to), instant(wall)), expected) {
            (Ok(Advance::Stays), Ok(false)) => {}
            (Ok(Advance::Moves(moved)), Ok(true)) => {
                assert_eq!(moved.now, instant(to));
                assert_eq!(moved.frozen_at, current.map_or(instant(wall), |clock| clock.frozen_at));
                assert_eq!((moved.updated_at, moved.heading_for), (instant(wall), None));
            }
            (Err(refusal), Err(text)) => {
                assert_eq!(refusal.kind, RefusalKind::Invalid);
                assert!(refusal.text.starts_with(text), "{refusal}");
            }
            (answer, _) => panic!("{to}: {answer:?}"),
        }
    }
}

#[test]
fn no_date_is_made_that_has_no_name() {
    let clock = TestClock {
        now: instant("9980-06-01T00:00:00Z"),
        frozen_at: instant("2026-11-20T00:00:00Z"),
        updated_at: instant("2026-11-20T12:00:00Z"),
        heading_for: None,
        let_go_at: None,
    };
    let wall = instant("2026-11-21T10:00:00Z");
    let last = instant("9980-12-31T23:59:59Z");
    assert!(matches!(advance(Some(&clock), last, wall), Ok(Advance::Moves(_))));
    let refusal = advance(Some(&clock), last.plus_seconds(1), wall).expect_err("a refusal");
    assert_eq!(refusal.text, "to is after the year 9980, the last one that a test clock reaches");
}

#[test]
fn an_advance_that_was_broken_off_is_gone_on_with_from_where_it_came_to() {
    let (wall, to) = (instant("2026-11-21T10:00:00Z"), instant("2027-06-01T00:00:00Z"));
    let Ok(Advance::Moves(target)) = advance(None, to, wall) else { panic!("no move") };
    for reached in [instant("2027-01-01T00:00:00Z"), to] {
        let on_the_way = target.clone().under_way(reached);
        assert_eq!((on_the_way.now, on_the_way.frozen_at), (reached, wall));
        assert_eq!(advance(Some(&on_the_way), to, wall), Ok(Advance::Moves(target.clone())));
    }
    assert_eq!(advance(Some(&target), to, wall), Ok(Advance::Stays));
}

#[test]
fn the_contracts_day_is_the_clocks_if_it_has_one() {
    let wall = instant("2026-11-21T10:00:00Z");
    assert_eq!(Moment::of(None, wall).today(), wall.date());
    let Ok(Advance::Moves(clock)) = advance(None, instant("2027-03-01T00:00:00Z"), wall) else {
        panic!("the clock did not move");
    };
    let moment = Moment::of(Some(&clock), wall);
    assert_eq!((moment.wall, moment.today().to_string().as_str()), (wall, "2027-03-01"));
    assert_eq!(moment.of_terms(Some(&clock), wall), moment);
}

#[test]
fn a_contract_whose_clock_is_let_go_goes_by_the_wall_and_its_terms_from_where_that_stood() {
    let (wall, to) = (instant("2026-11-21T10:00:00Z"), instant("2027-03-01T00:00:00Z"));
    let Ok(Advance::Moves(clock)) = advance(None, to, wall) else { panic!("no move") };
    let reached = instant("2027-01-01T00:00:00Z");
    for (clock, stood) in [(clock.clone(), to), (clock.under_way(reached), reached)] {
        assert_eq!(clock.stands_at(), Some(stood));
        let clock = clock.let_go(wall);
        assert_eq!((clock.stands_at(), clock.heading_for), (None, None));
        let now = Moment::of(Some(&clock), wall);
        assert_eq!(now, Moment::of(None, wall));
        let later = stood.plus_seconds(1);
        for (wall, made, terms) in [
            (wall, wall.plus_seconds(-1), stood),
            (wall, wall, wall),
            (later, wall.plus_seconds(-1), later),
        ] {
            let moment = Moment::of(Some(&clock), wall).of_terms(Some(&clock), made);
            assert_eq!((moment.engine, moment.ran_ahead), (terms, terms > wall));
            assert_eq!((moment.done_at(), moment.latest_day()), (wall, wall.date()));
        }
        let refusal = advance(Some(&clock), later, later).expect_err("a refusal");
        assert_eq!(refusal.text, "test clocks are for demo accounts only");
        assert_eq!(TestClock::decode(1, &clock.encode()), Ok(clock));
    }
}
