mod mappings;
mod splitting;

use storage::Record;

use super::*;
use crate::domain::testing::second as at;

fn upload(rows: u64, parts: u32) -> Upload {
    let mapping =
        mappings::draft(r#"{"contractId":"c","metric":"c","quantity":"c","occurredAt":"c"}"#);
    let mapping = mapping.resolve(&mappings::header("c")).expect("fits");
    Upload::new(UploadId(9), mapping, rows, parts, at(0))
}

/// Rows of which the last so many were refused, and the others recorded.
fn fared(row: u64, rows: u64, next_part: u32, refused_last: u64) -> Fared {
    let tally = Tally { ingested: rows - refused_last, duplicates: 0, parked: refused_last };
    Fared { row, rows, next_part, tally, refused_last }
}

#[test]
fn rows_are_counted_once_and_in_order() {
    let tally = Tally { ingested: 3, duplicates: 2, parked: 1 };
    let fared = |row, next_part| Fared { tally, ..fared(row, 6, next_part, 0) };
    let first = upload(12, 2);
    assert_eq!((first.status(), first.done_at), (UploadStatus::Processing, None));
    assert_eq!(first.advanced(fared(7, 2), at(1)), None);
    let second = first.advanced(fared(1, 1), at(1)).expect("counted");
    assert_eq!((second.status(), second.next_part), (UploadStatus::Processing, 1));
    assert_eq!(second.advanced(fared(1, 1), at(2)), None);
    let done = second.advanced(fared(7, 2), at(2)).expect("counted");
    assert_eq!((done.status(), done.done_at), (UploadStatus::Done, Some(at(2))));
    assert_eq!((done.ingested, done.duplicates, done.parked), (6, 4, 2));
    assert_eq!(done.advanced(fared(13, 3), at(3)), None);
    let empty = upload(0, 0);
    assert_eq!((empty.status(), empty.done_at), (UploadStatus::Done, Some(at(0))));
}

#[test]
fn a_run_of_refused_rows_stops_an_upload_exactly_where_it_is_too_long() {
    let plenty = u64::MAX;
    let mut upload = upload(1_000_000, 1_000);
    assert_eq!(upload.at_once(plenty), 1_000);
    upload = upload.advanced(fared(1, 1_000, 1, 999), at(1)).expect("counted");
    assert_eq!((upload.status(), upload.at_once(plenty)), (UploadStatus::Processing, 1));
    // A row that is not refused ends the run.
    let goes_on = upload.advanced(fared(1_001, 1, 1, 0), at(2)).expect("counted");
    assert_eq!((goes_on.refused_run, goes_on.at_once(plenty)), (0, 1_000));
    let stopped = upload.advanced(fared(1_001, 1, 1, 1), at(2)).expect("counted");
    assert_eq!((stopped.status(), stopped.done_at), (UploadStatus::Stopped, Some(at(2))));
    let reason = "1000 rows were refused one after the other".to_owned();
    assert_eq!(stopped.stopped, Some(Stopped { row: 1_001, reason }));
    assert_eq!(stopped.advanced(fared(1_002, 1, 1, 0), at(3)), None);
}

#[test]
fn many_refused_rows_stop_an_upload_however_they_lie() {
    let mut upload = upload(1_000_000, 1_000);
    while upload.status() == UploadStatus::Processing {
        let row = upload.next_row;
        let rows = upload.at_once(u64::MAX).min(2);
        upload = upload.advanced(fared(row, rows, 1, 1), at(1)).expect("counted");
    }
    let stopped = upload.stopped.expect("stopped");
    assert_eq!((upload.parked, stopped.row), (10_000, 19_999));
    assert_eq!(stopped.reason, "10000 rows were refused");
}

#[test]
fn without_room_for_letters_nothing_more_is_recorded() {
    let upload = upload(100, 1);
    assert_eq!((upload.at_once(7), upload.at_once(0)), (7, 0));
    let upload = upload.advanced(fared(1, 7, 0, 7), at(1)).expect("counted");
    let stopped = upload.without_room(TOO_MANY_LETTERS, at(2)).expect("stopped");
    assert_eq!(stopped.status(), UploadStatus::Stopped);
    assert_eq!(stopped.stopped.as_ref().map(|stopped| stopped.row), Some(7));
    assert_eq!(stopped.without_room(TOO_MANY_LETTERS, at(3)), None);
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
