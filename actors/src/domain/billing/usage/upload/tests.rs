mod mappings;
mod splitting;

use storage::Record;

use super::*;
use crate::domain::testing::second as at;

fn upload(rows: u64, parts: u32) -> Upload {
    let mapping =
        mappings::draft(r#"{"contractId":"c","metric":"c","quantity":"c","occurredAt":"c"}"#);
    let mapping = mapping.resolve(&["c".to_owned()]).expect("fits");
    Upload::new(UploadId(9), mapping, rows, parts, at(0))
}

#[test]
fn parts_are_counted_once_and_in_order() {
    let tally = Tally { ingested: 3, duplicates: 2, parked: 1 };
    let first = upload(12, 2);
    assert_eq!((first.status(), first.done_at), (UploadStatus::Processing, None));
    assert_eq!(first.advanced(1, tally, at(1)), None);
    let second = first.advanced(0, tally, at(1)).expect("counted");
    assert_eq!((second.status(), second.next_part), (UploadStatus::Processing, 1));
    assert_eq!(second.advanced(0, tally, at(2)), None);
    let done = second.advanced(1, tally, at(2)).expect("counted");
    assert_eq!((done.status(), done.done_at), (UploadStatus::Done, Some(at(2))));
    assert_eq!((done.ingested, done.duplicates, done.parked), (6, 4, 2));
    assert_eq!(done.advanced(1, tally, at(3)), None);
    assert_eq!(done.advanced(2, tally, at(3)), None);
    let empty = upload(0, 0);
    assert_eq!((empty.status(), empty.done_at), (UploadStatus::Done, Some(at(0))));
}

#[test]
fn an_outcome_is_read_as_it_was_written_and_stays_small() {
    let mut outcome = WindowOutcome::default();
    outcome.recorded(false);
    outcome.recorded(true);
    for place in 2..2_000 {
        outcome.refused(place, &format!("{}{place}", "w".repeat(190)));
    }
    outcome.refused(2_000, &format!("{}2", "w".repeat(190)));
    assert_eq!(outcome.tally, Tally { ingested: 1, duplicates: 1, parked: 1_999 });
    let bytes = outcome.encode();
    assert!(bytes.len() < 40_000, "{}", bytes.len());
    let read = WindowOutcome::decode(1, &bytes).expect("read");
    assert_eq!(read, outcome);
    let refusals: Vec<_> = read.refusals().collect();
    assert_eq!(refusals.len(), 1_999);
    assert_eq!(refusals[0].0, 2);
    assert!(refusals[0].1.ends_with("w2"));
    assert!(refusals[1_000].1.contains("known no more"));
    assert_eq!(refusals[1_998], (2_000, refusals[0].1));
}
