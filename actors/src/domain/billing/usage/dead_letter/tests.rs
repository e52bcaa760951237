use super::*;
use crate::domain::testing::second as at;

fn parked(event: &str) -> DeadLetter {
    let refused = RefusedEvent::event("why".to_owned(), event.to_owned());
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
    assert_eq!(driven.reason, "recorded by a redrive");
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
        assert_eq!((letter.event.as_str(), letter.kept), (event, Kept::Whole));
    }
    let whole = format!("{{\"metric\":\"{}\"}}", "m".repeat(MAX_EVENT_BYTES - 13));
    assert_eq!(whole.len(), MAX_EVENT_BYTES);
    assert_eq!((parked(&whole).event, parked(&whole).kept), (whole, Kept::Whole));

    let large = "ü".repeat(40_000);
    // What is no field of an event counts for nothing.
    let beside = format!(
        "{{\"more\":\"{large}\",\"quantity\":1.50,\"quantity\":\"2\",\"metadata\":{{\"a\": 12345678901234567890123}}}}"
    );
    let letter = parked(&beside);
    let own =
        "{\"quantity\":1.50,\"quantity\":\"2\",\"metadata\":{\"a\": 12345678901234567890123}}";
    assert_eq!((letter.event.as_str(), letter.kept), (own, Kept::Whole));
    assert_eq!(letter.hopeless(), None);

    let event = serde_json::json!({
        "contractId": "7", "quantity": 5, "metadata": {"a": large, "b": 1}, "more": large,
        "idempotencyKey": large,
    });
    let letter = parked(&event.to_string());
    assert!(letter.kept == Kept::Cut && letter.hopeless().is_some());
    assert!(letter.event.len() < MAX_EVENT_BYTES);
    let kept: serde_json::Value = serde_json::from_str(&letter.event).expect("JSON");
    assert_eq!((&kept["contractId"], &kept["quantity"]), (&"7".into(), &5.into()));
    assert!(kept.get("more").is_none());
    let key = kept["idempotencyKey"].as_str().expect("a text");
    assert!(key.starts_with("üü") && key.ends_with("… (cut, 40000 characters)"), "{key}");
    assert!(kept["metadata"].as_str().expect("a text").starts_with("{\"a\":\"ü"));

    let list = parked(&serde_json::json!([large]).to_string());
    assert!(list.kept == Kept::Cut && list.event.len() < MAX_EVENT_BYTES);
    serde_json::from_str::<String>(&list.event).expect("a text");
}

#[test]
fn a_reason_is_bounded() {
    let refused = RefusedEvent::event("ü".repeat(5_000), "{}".to_owned());
    let letter = park(DeadLetterId(1), LetterSource::Webhook, refused, at(0));
    assert_eq!(letter.reason.chars().count(), MAX_REASON_CHARS);
}

#[test]
fn a_row_that_can_be_no_event_keeps_its_fault() {
    let refused = RefusedEvent::row("row 3: too short".to_owned(), "{\"cells\":[]}".to_owned());
    let letter = park(DeadLetterId(1), LetterSource::Csv, refused, at(0));
    let tried = letter.hopeless().expect("no event");
    let letter = redrive(&letter, tried, at(1)).expect("tried");
    assert_eq!((letter.reason.as_str(), letter.attempts), ("row 3: too short", 2));
    assert_eq!(letter.status, LetterStatus::Parked);
}

#[test]
fn letters_come_back_from_their_packs() {
    let letter = |id: u64| {
        let event = serde_json::json!({"metric": "m".repeat(id as usize % 400)}).to_string();
        let refused = RefusedEvent::event(format!("row {id}: why"), event);
        park(DeadLetterId(id), LetterSource::Csv, refused, at(0))
    };
    let large = park(
        DeadLetterId(2_000),
        LetterSource::Webhook,
        RefusedEvent::event("why".to_owned(), format!("\"{}\"", "ü".repeat(16_000))),
        at(0),
    );
    let letters: Vec<_> = (1..1_000).map(letter).chain([large]).collect();
    let packs = LetterPack::of(letters.clone());
    assert!(packs.len() < 40, "{}", packs.len());
    let mut read = Vec::new();
    for (last, pack) in &packs {
        let bytes = storage::Record::encode(pack);
        assert!(bytes.len() < 60_000);
        let back = <LetterPack as storage::Record>::decode(1, &bytes).expect("a pack");
        assert_eq!(back, *pack);
        read.extend(back.letters());
        assert_eq!(read.last().map(|letter| letter.id), Some(*last));
    }
    assert_eq!(read, letters);
    let (_, mut pack) = packs.into_iter().next().expect("a pack");
    assert_eq!(pack.take(DeadLetterId(5)), Some(letter(5)));
    assert_eq!(pack.take(DeadLetterId(5)), None);
}
