//! One of the states that a disk may be in after a power cut.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::model::{Disk, Node, Pending, Tree};
use crate::random::Random;

/// What the operating system writes together, and what a disk does.
const PAGE: u64 = 4_096;
const SECTOR: u64 = 512;

/// What becomes of writes that were not synced.
#[derive(Clone, Copy, Debug)]
enum Fate {
    AllLost,
    AllKept,
    /// So many of 100, each cell for itself.
    Some(u64),
    /// Those before, or those behind, one of so many in a thousand of all of them.
    OnlyFirst(u64),
    OnlyLast(u64),
    /// All but that one; that one alone.
    AllBut(u64),
    Only(u64),
}

/// How a state is chosen; printed where it is found bad.
#[derive(Debug)]
pub(crate) struct Choice {
    fate: Fate,
    /// Writes are torn into cells of so many bytes.
    cell: u64,
    /// Changes that are there.
    changes: u64,
}

impl Choice {
    pub(crate) fn draw(disk: &Disk<'_>, random: &mut Random) -> Self {
        let part = random.below(1_000);
        let fate = match random.below(10) {
            0 => Fate::AllLost,
            1 => Fate::AllKept,
            2 => Fate::Some(10),
            3 | 4 => Fate::Some(50),
            5 => Fate::Some(90),
            6 => Fate::OnlyFirst(part),
            7 => Fate::OnlyLast(part),
            8 => Fate::AllBut(part),
            _ => Fate::Only(part),
        };
        let cell = if random.below(3) == 0 { SECTOR } else { PAGE };
        let changes = match random.below(4) {
            0 => disk.settled,
            1 => disk.next_change(),
            _ => random.between(disk.settled, disk.next_change()),
        };
        Self { fate, cell, changes }
    }

    /// Puts the state into a folder, in place of what is there.
    pub(crate) fn build(&self, disk: &Disk<'_>, folder: &Path, random: &mut Random) {
        let mut tree = disk.tree.clone();
        let lost = disk.next_change() - self.changes;
        let kept = disk.changes.len() - lost as usize;
        disk.changes.iter().take(kept).for_each(|change| change.apply(&mut tree));
        clear(folder, "", disk, &tree);
        // Folders come before what is in them.
        for (name, node) in &tree {
            let (path, node) = (folder.join(name), &disk.nodes[*node]);
            if node.folder {
                fs::create_dir_all(path).unwrap();
            } else {
                self.write(node, &path, random);
            }
        }
    }

    fn write(&self, node: &Node<'_>, path: &Path, random: &mut Random) {
        let cells = self.cells(node, random);
        let least = self.length(node, |_, _| None);
        let reached = self.length(node, |place, (at, until)| {
            let kept = |cell: &u64| cells.get(cell).is_some_and(|kept| kept.contains(&place));
            let last = (at / self.cell..until.div_ceil(self.cell)).rev().find(kept)?;
            Some(until.min((last + 1) * self.cell))
        });
        let length = match random.below(4) {
            0 => least,
            1 => random.between(least, reached),
            // The block that the file ends in is there already: it may grow without its bytes.
            2 => reached.max(
                least.next_multiple_of(PAGE).min(self.length(node, |_, (_, until)| Some(until))),
            ),
            _ => reached,
        };

        let file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
        let lengths = node.pending.iter().filter_map(|pending| self.set_length(pending));
        let intact = lengths.min().unwrap_or(u64::MAX).min(length).min(node.durable.len() as u64);
        file.set_len(intact).unwrap();
        file.write_all_at(&node.durable[..intact as usize], 0).unwrap();
        file.set_len(length).unwrap();
        for (cell, kept) in &cells {
            let from = cell * self.cell;
            let mut bytes = self.bytes(node, from, kept);
            bytes.truncate(length.saturating_sub(from) as usize);
            file.write_all_at(&bytes, from).unwrap();
        }
    }

    /// The cells that writes concern, with the places of those that have come so far.
    fn cells(&self, node: &Node<'_>, random: &mut Random) -> BTreeMap<u64, Vec<usize>> {
        let mut cells: BTreeMap<u64, (Vec<usize>, usize)> = BTreeMap::new();
        let total = node.pending.len() as u64;
        let mut open_until = u64::MAX;
        for (place, pending) in node.pending.iter().enumerate() {
            let Some((at, until)) = range(pending) else {
                if let Pending::Length { length, change } = pending
                    && *change >= self.changes
                {
                    // What was written behind an end that was not moved has no blocks.
                    open_until = open_until.min(*length);
                }
                continue;
            };
            for cell in at / self.cell..until.min(open_until).div_ceil(self.cell) {
                let (places, kept) = cells.entry(cell).or_default();
                places.push(place);
                if self.keeps(place as u64, total, random) {
                    // With a write comes what was written there before it.
                    *kept = places.len();
                }
            }
        }
        let kept = |(cell, (mut places, kept)): (u64, (Vec<usize>, usize))| {
            places.truncate(kept);
            (cell, places)
        };
        cells.into_iter().map(kept).filter(|(_, kept)| !kept.is_empty()).collect()
    }

    fn keeps(&self, place: u64, total: u64, random: &mut Random) -> bool {
        let per_mille = |part: u64| part * total / 1_000;
        match self.fate {
            Fate::AllLost => false,
            Fate::AllKept => true,
            Fate::Some(percent) => random.below(100) < percent,
            Fate::OnlyFirst(part) => place < per_mille(part),
            Fate::OnlyLast(part) => place >= per_mille(part),
            Fate::AllBut(part) => place != per_mille(part),
            Fate::Only(part) => place == per_mille(part),
        }
    }

    /// The length of a file, when each write makes it reach as far as is told.
    fn length(&self, node: &Node<'_>, reach: impl Fn(usize, (u64, u64)) -> Option<u64>) -> u64 {
        let mut length = node.durable.len() as u64;
        for (place, pending) in node.pending.iter().enumerate() {
            match (range(pending), self.set_length(pending)) {
                (Some(written), _) => length = length.max(reach(place, written).unwrap_or(0)),
                (None, Some(set)) => length = set,
                (None, None) => break,
            }
        }
        length
    }

    /// The length that was set, when this change is there.
    fn set_length(&self, pending: &Pending<'_>) -> Option<u64> {
        match pending {
            Pending::Length { length, change } if *change < self.changes => Some(*length),
            _ => None,
        }
    }

    fn bytes(&self, node: &Node<'_>, from: u64, kept: &[usize]) -> Vec<u8> {
        let mut cell = vec![0; self.cell as usize];
        let mut lay = |at: u64, bytes: &[u8]| {
            let (first, end) = (at.max(from), (at + bytes.len() as u64).min(from + self.cell));
            if first < end {
                let part = &bytes[(first - at) as usize..(end - at) as usize];
                cell[(first - from) as usize..(end - from) as usize].copy_from_slice(part);
            }
        };
        lay(0, &node.durable);
        for (place, pending) in node.pending.iter().enumerate() {
            match pending {
                Pending::Write { at, bytes, .. } if kept.contains(&place) => lay(*at, bytes),
                Pending::Write { .. } => {}
                Pending::Length { length, change } if *change < self.changes => {
                    let gone = from.max(*length)..(from + self.cell);
                    lay(gone.start, &vec![0; gone.count()]);
                }
                Pending::Length { .. } => {}
            }
        }
        cell
    }
}

/// From where to where a write goes.
fn range(pending: &Pending<'_>) -> Option<(u64, u64)> {
    match pending {
        Pending::Write { at, bytes, .. } => Some((*at, *at + bytes.len() as u64)),
        Pending::Length { .. } => None,
    }
}

/// Removes what is not in the tree.
fn clear(folder: &Path, within: &str, disk: &Disk<'_>, tree: &Tree) {
    for entry in fs::read_dir(folder.join(within)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let name = if within.is_empty() { name } else { format!("{within}/{name}") };
        let is_folder = entry.file_type().unwrap().is_dir();
        match tree.get(&name) {
            Some(node) if disk.nodes[*node].folder == is_folder => {
                if is_folder {
                    clear(folder, &name, disk, tree);
                }
            }
            _ if is_folder => fs::remove_dir_all(entry.path()).unwrap(),
            _ => fs::remove_file(entry.path()).unwrap(),
        }
    }
}
