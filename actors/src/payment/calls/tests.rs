//! Turns and places at a processor.

use std::future::{pending, ready};

use futures::FutureExt;

use super::*;

const TERMINAL: TerminalKey = (SellerId(1), Some(TerminalId(1)));
const SHORT: Duration = Duration::from_millis(1);

async fn in_vain(calls: &Calls, key: TerminalKey) -> Ended<()> {
    calls.make(key, SHORT, pending(), |()| false).await
}

#[tokio::test]
async fn a_processor_that_never_answers_is_left_alone_and_others_are_not() {
    let calls = Calls::default();
    while calls.are_made(TERMINAL) {
        assert_eq!(in_vain(&calls, TERMINAL).await, Ended::TimedOut);
    }
    assert_eq!(in_vain(&calls, TERMINAL).await, Ended::NotMade);
    assert_eq!(calls.figures().held_back, [(TERMINAL, BreakerState::Open)]);
    let other = (SellerId(1), Some(TerminalId(2)));
    let made = calls.make(other, SHORT, ready(7), |_| false).await;
    assert_eq!((made, calls.figures().under_way), (Ended::Answered(7), 0));
}

#[tokio::test]
async fn one_more_caller_than_may_wait_is_turned_away() {
    let calls = Calls::default();
    let gate = calls.gate(TERMINAL);
    let _places = gate.places.acquire_many(256).await.expect("places");
    gate.waiting.store(WAITING, Ordering::Relaxed);
    assert!(!calls.are_made(TERMINAL));
    assert_eq!(calls.make(TERMINAL, SHORT, ready(1), |_| false).await, Ended::NotMade);
    gate.waiting.store(0, Ordering::Relaxed);
    assert_eq!(calls.make(TERMINAL, SHORT, ready(1), |_| false).await, Ended::NotMade);
    assert_eq!(gate.waiting.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn looks_take_few_places_and_leave_the_line_to_those_who_wait_for_an_answer() {
    let calls = Calls::default();
    let first = (0..LOOKS_AT_ONCE).map(|_| calls.turn_to_look(TERMINAL).now_or_never());
    let mut turns: Vec<_> = first.map(|turn| turn.flatten().expect("a turn")).collect();
    let looks = (0..LOOKS_WAITING).map(|_| Box::pin(calls.turn_to_look(TERMINAL)));
    let mut looks: Vec<_> = looks.collect();
    for look in &mut looks {
        assert!(futures::poll!(look).is_pending(), "it waits for its turn");
    }
    assert!(calls.turn_to_look(TERMINAL).await.is_none(), "behind a long line");
    assert!(calls.are_made(TERMINAL));
    assert_eq!(calls.gate(TERMINAL).waiting.load(Ordering::Relaxed), 0);
    assert_eq!(calls.make(TERMINAL, SHORT, ready(1), |_| false).await, Ended::Answered(1));
    turns.pop();
    assert!(futures::poll!(&mut looks[0]).is_ready(), "it is the next one's turn");
}
