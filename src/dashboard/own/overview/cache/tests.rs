use std::future::{pending, ready};

use super::*;

const LARGE: SellerId = SellerId(1);
const OTHER: SellerId = SellerId(2);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_seconds(seconds)
}

/// The refusal of an overview, if it is one.
fn refused(made: Result<Made, ApiError>) -> Option<String> {
    made.err().map(|error| error.text().to_owned())
}

#[tokio::test]
async fn what_took_too_long_is_not_tried_again_for_some_minutes() {
    let overviews = Overviews::default();
    let refusal = "the account is too large for an overview";
    let given_up = overviews.of(LARGE, 12, at(0), ready(Ok(None))).await;
    assert_eq!(refused(given_up).as_deref(), Some(refusal));
    // Whoever asks meanwhile starts no pass, which would never end here.
    for (months, seconds) in [(12, 1), (36, 299)] {
        let again = overviews.of(LARGE, months, at(seconds), pending()).await;
        assert_eq!(refused(again).as_deref(), Some(refusal));
    }
    let fewer = overviews.of(LARGE, 6, at(299), ready(Ok(Some(Overview::default())))).await;
    assert_eq!(fewer.expect("made").at, at(299));
    let later = overviews.of(LARGE, 12, at(300), ready(Ok(Some(Overview::default())))).await;
    assert_eq!(later.expect("made").at, at(300));
}

#[tokio::test]
async fn large_accounts_hold_no_turns_of_others() {
    let overviews = Overviews::default();
    let large: Vec<SellerId> = (10..14).map(SellerId).collect();
    for seller in &large {
        let given_up = overviews.of(*seller, 12, at(0), ready(Ok(None))).await;
        assert!(refused(given_up).is_some());
    }
    let tried = large.iter().map(|seller| overviews.of(*seller, 12, at(300), pending()));
    let mut tried = Box::pin(futures::future::join_all(tried));
    assert!(futures::poll!(&mut tried).is_pending());
    let made = overviews.of(OTHER, 12, at(300), ready(Ok(Some(Overview::default())))).await;
    assert_eq!(made.expect("made").at, at(300));
}

#[tokio::test]
async fn a_turn_is_waited_for_within_bounds() {
    let overviews = Overviews::new(Duration::ZERO);
    let first = SellerId(10);
    let sellers = [first, SellerId(11)];
    let under_way = sellers.map(|seller| overviews.of(seller, 12, at(0), pending()));
    let mut under_way = Box::pin(futures::future::join_all(under_way));
    assert!(futures::poll!(&mut under_way).is_pending());
    for seller in [OTHER, first] {
        let refusal = refused(overviews.of(seller, 12, at(0), pending()).await);
        assert_eq!(refusal.as_deref(), Some(ApiError::busy().text()), "{seller:?}");
    }
}
