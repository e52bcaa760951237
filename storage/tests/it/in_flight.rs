//! A writer reads what it has handed in before it has landed.

use storage::{Batch, Fingerprint, InFlight, Index, Seen, Table};

const NAMES: Table<u64, String> = Table::new(1, "names");
const KEYS: Index = Index::new(1, "keys");

fn named(key: u64, name: &str) -> Batch {
    let mut batch = Batch::new();
    batch.put(NAMES, &key, &name.to_owned());
    batch
}

#[test]
fn the_last_write_of_a_key_counts_until_it_has_landed() {
    let mut under_way = InFlight::default();
    under_way.note(1, &named(7, "Ada"));
    under_way.note(2, &named(7, "Grace"));
    let mut gone = Batch::new();
    gone.delete(NAMES, &8);
    under_way.note(3, &gone);
    assert_eq!(under_way.get(NAMES, &7), Ok(Some(Some("Grace".to_owned()))));
    assert_eq!(under_way.get(NAMES, &8), Ok(Some(None)));
    assert_eq!(under_way.get(NAMES, &9), Ok(None));
    assert_eq!(under_way.contains(NAMES, &7), Some(true));
    assert_eq!(under_way.contains(NAMES, &8), Some(false));

    under_way.landed(1);
    assert_eq!(under_way.get(NAMES, &7), Ok(Some(Some("Grace".to_owned()))));
    under_way.landed(3);
    assert_eq!(under_way.get(NAMES, &7), Ok(None));
    assert_eq!(under_way.contains(NAMES, &8), None);
}

#[test]
fn fingerprints_are_known_by_index_and_scope_until_they_have_landed() {
    let mut under_way = InFlight::default();
    let mut batch = Batch::new();
    batch.claim_fingerprints(KEYS, 5, vec![(Fingerprint([1; 16]), [2; 16])], Seen::default());
    under_way.note(1, &batch);
    assert_eq!(under_way.taken(KEYS, 5, Fingerprint([1; 16])), Some([2; 16]));
    assert_eq!(under_way.taken(KEYS, 6, Fingerprint([1; 16])), None);
    under_way.landed(1);
    assert_eq!(under_way.taken(KEYS, 5, Fingerprint([1; 16])), None);
}
