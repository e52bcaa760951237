use super::*;
use crate::domain::testing::second as at;

fn parked(event: &str) -> DeadLetter {
    let refused = RefusedEvent { reason: "why".to_owned(), event: event.to_owned() };
    park(DeadLetterId(1), LetterSource::Csv, refused, at(0))
}

#[test]
fn a_letter_moves_once() {
    let refused = || Retried::Refused("again".to_owned());
    let letter = redrive(&parked("{}"), refused(), at(1)).expect("tried");
    assert_eq!((letter.status, letter.attempts), (LetterStatus::Parked, 2));
    assert_eq!((letter.reason.as_str(), letter.last_attempt_at), ("again", at(1)));
    assert_eq!(letter.created_at, at(0));

    let driven = redrive(&letter, Retried::Recorded, at(2)).expect("recorded");
    assert_eq!((driven.status, driven.attempts), (LetterStatus::Redriven, 3));
    let discarded = discard(&letter).expect("given up");
    assert_eq!((discarded.status, discarded.attempts), (LetterStatus::Discarded, 2));

    let no = |status| Err(LetterRefusal::NotParked(status));
    assert_eq!(discard(&driven), no(LetterStatus::Redriven));
    assert_eq!(redrive(&driven, Retried::Recorded, at(3)), no(LetterStatus::Redriven));
    assert_eq!(redrive(&driven, refused(), at(3)), no(LetterStatus::Redriven));
    assert_eq!(discard(&discarded), no(LetterStatus::Discarded));
    assert_eq!(redrive(&discarded, refused(), at(3)), no(LetterStatus::Discarded));
    // It was recorded while somebody gave it up: that is what the letter says then.
    let late = redrive(&discarded, Retried::Recorded, at(3)).expect("recorded all the same");
    assert_eq!(late.status, LetterStatus::Redriven);
}

#[test]
fn an_event_is_kept_whole_or_cut_and_says_so() {
    for event in ["{}", "7", "\"x\"", "{\"a\": 1.0, \"a\": 2}"] {
        let letter = parked(event);
        assert_eq!((letter.event.as_str(), letter.cut), (event, false));
    }
    let whole = format!("{{\"metric\":\"{}\"}}", "m".repeat(MAX_EVENT_BYTES - 13));
    assert_eq!(whole.len(), MAX_EVENT_BYTES);
    assert_eq!((parked(&whole).event, parked(&whole).cut), (whole, false));

    let large = "ü".repeat(40_000);
    let event = serde_json::json!({
        "contractId": "7", "quantity": 5, "metadata": {"a": large, "b": 1}, "more": large,
        "idempotencyKey": large,
    });
    let letter = parked(&event.to_string());
    assert!(letter.cut && letter.event.len() < MAX_EVENT_BYTES);
    let kept: serde_json::Value = serde_json::from_str(&letter.event).expect("JSON");
    assert_eq!((&kept["contractId"], &kept["quantity"]), (&"7".into(), &5.into()));
    assert!(kept.get("more").is_none());
    let key = kept["idempotencyKey"].as_str().expect("a text");
    assert!(key.starts_with("üü") && key.ends_with("… (cut, 40000 characters)"), "{key}");
    assert!(kept["metadata"].as_str().expect("a text").starts_with("{\"a\":\"ü"));

    let list = parked(&serde_json::json!([large]).to_string());
    assert!(list.cut && list.event.len() < MAX_EVENT_BYTES);
    serde_json::from_str::<String>(&list.event).expect("a text");
}

#[test]
fn a_reason_is_bounded() {
    let refused = RefusedEvent { reason: "ü".repeat(5_000), event: "{}".to_owned() };
    let letter = park(DeadLetterId(1), LetterSource::Webhook, refused, at(0));
    assert_eq!(letter.reason.chars().count(), MAX_REASON_CHARS);
}
