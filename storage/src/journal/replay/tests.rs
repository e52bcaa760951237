use std::fs::OpenOptions;

use super::*;
use crate::journal::payload_of;

const SIZES: Sizes = Sizes { file: 64 * 1024, kept: 1024 * 1024 };
const FILES: u64 = 6;

/// A journal whose files have one group each.
fn written(home: &Path) {
    let mut journal = replay(home, (0, 0), SIZES, &mut |_, _| Ok(())).expect("a journal");
    let payload = payload_of(&[(b"key".to_vec(), Some(vec![7; 60_000]))]);
    for _ in 0..FILES {
        journal.append(1, &payload, 0).expect("durable");
    }
}

/// The groups that a start hands out where the engine holds those up to `applied`.
fn opened(home: &Path, applied: u64) -> Result<Vec<u64>, OpenError> {
    let mut groups = Vec::new();
    replay(home, (applied, FILES), SIZES, &mut |group, _| {
        groups.push(group);
        Ok(())
    })?;
    Ok(groups)
}

fn file_of(home: &Path, number: u64) -> std::path::PathBuf {
    file::path(&home.join("journal"), number)
}

#[test]
fn a_start_reads_no_file_whose_groups_the_engine_holds() {
    let home = tempfile::tempdir().expect("a folder");
    written(home.path());
    let first = OpenOptions::new().write(true).open(file_of(home.path(), 1)).expect("a file");
    first.write_all_at(&[1], 30_000).expect("damaged");
    assert_eq!(opened(home.path(), 2).expect("opened"), [3, 4, 5, 6]);
    let refused = opened(home.path(), 0).expect_err("it is to be read");
    assert!(refused.to_string().contains("the groups before it are missing"), "{refused}");
}

#[test]
fn a_file_that_is_missing_is_noticed_though_the_engine_holds_its_groups() {
    let home = tempfile::tempdir().expect("a folder");
    written(home.path());
    fs::remove_file(file_of(home.path(), 2)).expect("removed");
    let refused = opened(home.path(), FILES).expect_err("one is missing");
    assert!(refused.to_string().contains("the groups before it are missing"), "{refused}");
}

#[test]
fn a_file_that_was_not_read_counts_with_its_groups_whatever_its_length_is() {
    let home = tempfile::tempdir().expect("a folder");
    written(home.path());
    for number in 1..FILES {
        let file = OpenOptions::new().write(true).open(file_of(home.path(), number));
        file.expect("a file").set_len(10 * 1024 * 1024).expect("longer, as from another use");
    }
    let sizes = Sizes { kept: 200_000, ..SIZES };
    let journal = replay(home.path(), (FILES, FILES), sizes, &mut |_, _| Ok(()));
    // Four of them have more bytes than are to be kept.
    assert_eq!(journal.expect("opened").unused(), 1);
}
