//! Whether what the process has written is there, as a whole.

use std::collections::{BTreeMap, BTreeSet};

use storage::{Scan, Store};

use super::load::{bulk, fingerprint, write};
use super::{Acknowledged, BULK, CLAIMS, PAPERS, PROGRESS, ROUNDS, SEQUENCES, THREADS};

/// Checks that all acknowledged writes are there; that no sequence has a gap; that all that a
/// write does is there exactly when its paper is: its claim, its fingerprint, its progress, and
/// the bulk as these writes and no others have left it; and that no id was given out twice.
pub(crate) fn verify(store: &Store, acknowledged: &[Acknowledged]) {
    let mut papers: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for row in store.scan(PAPERS, Scan::all()) {
        let (key, paper) = row.unwrap();
        papers.insert(key, paper.split(' ').map(|n| n.parse().unwrap()).collect());
    }
    for sequence in 0..SEQUENCES {
        let numbers = papers.keys().filter(|key| key.0 == sequence).map(|key| key.1);
        assert!(numbers.clone().eq(1..=numbers.count() as u64), "a gap in {sequence}");
    }

    let mut ids = BTreeSet::new();
    let mut claims = BTreeMap::new();
    let mut rounds: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for paper in papers.values() {
        assert!(ids.insert(paper[2]), "id {} was given out twice", paper[2]);
        claims.insert((paper[3], paper[4]), format!("{} {}", paper[0], paper[1]));
        rounds.entry(paper[0]).or_default().insert(paper[1]);
    }
    assert_eq!(claims.len(), papers.len());
    let found: BTreeMap<_, _> = store.scan(CLAIMS, Scan::all()).map(Result::unwrap).collect();
    assert!(found == claims, "other claims than papers");

    assert_eq!(store.stats().index.entries, papers.len() as u64);
    for sequence in 0..SEQUENCES {
        let own = papers.range((sequence, 0)..=(sequence, u64::MAX)).map(|(_, paper)| paper);
        let wanted: Vec<_> = own.clone().map(|paper| fingerprint(paper[0], paper[1])).collect();
        let expected: Vec<_> = own.map(|paper| Some(u128::from(paper[2]).to_be_bytes())).collect();
        let found = store.find_fingerprints(ROUNDS, sequence, &wanted).unwrap().found;
        assert!(found == expected, "other fingerprints than papers in {sequence}");
    }

    let mut expected = BTreeMap::new();
    for (writer, rounds) in &rounds {
        for (slot, row) in rounds.iter().flat_map(|round| bulk(*writer, *round)) {
            match row {
                Some(row) => expected.insert((*writer, slot), row),
                None => expected.remove(&(*writer, slot)),
            };
        }
    }
    let found: BTreeMap<_, _> = store.scan(BULK, Scan::all()).map(Result::unwrap).collect();
    assert!(found == expected, "other bulk than the papers tell of");
    let last = rounds.iter().map(|(writer, rounds)| (*writer, *rounds.last().unwrap()));
    let found: BTreeMap<_, _> = store.scan(PROGRESS, Scan::all()).map(Result::unwrap).collect();
    assert_eq!(found, last.collect());

    for ack in acknowledged {
        let paper = papers.get(&(ack.sequence, ack.number));
        assert!(paper.is_some(), "lost: {ack:?}");
        assert_eq!(paper.unwrap()[..3], [ack.writer, ack.round, ack.id], "{ack:?}");
    }
}

/// Writes a round more with each writer, and gives what was acknowledged.
pub(crate) fn write_on(store: &Store) -> Vec<Acknowledged> {
    let next = |writer| {
        let done = store.get(PROGRESS, &writer).unwrap().unwrap_or(0);
        write(store, writer, done + 1).unwrap()
    };
    (0..THREADS).filter_map(next).collect()
}
