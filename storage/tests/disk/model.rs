//! What a disk holds for sure, and what it may hold besides.
//!
//! The file system is taken for one that journals like ext4 with `data=ordered`, and for no
//! better. What happens to names, and lengths that are set, becomes durable in the order in which
//! it happened. A sync makes the contents of its file durable, and of the rest what happened up to
//! the last change of this very file or folder; one of contents alone does no more than name the
//! file. Contents that are not synced, and lengths that grow with them, may be there or not, each
//! page for itself. `sync_file_range` does nothing.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::event::{Event, Kind};
use crate::recording::text;

/// Names relative to the disk's root, and the places of their nodes.
pub(crate) type Tree = BTreeMap<String, usize>;

#[derive(Clone)]
pub(crate) struct Disk<'r> {
    pub(crate) nodes: Vec<Node<'r>>,
    /// The tree as the first `settled` changes have left it.
    pub(crate) tree: Tree,
    pub(crate) settled: u64,
    /// The changes behind these, which may be lost from the last one on.
    pub(crate) changes: VecDeque<Change>,
    /// What the process sees.
    live: Tree,
    by_number: HashMap<u64, usize>,
}

#[derive(Clone)]
pub(crate) struct Node<'r> {
    pub(crate) folder: bool,
    /// Contents that are durable.
    pub(crate) durable: Vec<u8>,
    /// What has happened since, in order.
    pub(crate) pending: Vec<Pending<'r>>,
    /// So many changes must be durable for all that concerns it to be so, and for its name.
    changed: u64,
    made: u64,
}

#[derive(Clone, Copy)]
pub(crate) enum Pending<'r> {
    Write {
        at: u64,
        bytes: &'r [u8],
        /// A sync was refused since: no later one makes it durable.
        forgotten: bool,
    },
    /// A length that was set, by the change with this number.
    Length { length: u64, change: u64 },
}

#[derive(Clone)]
pub(crate) enum Change {
    Name(String, usize),
    Rename(String, String),
    Remove(String),
    /// Of a file; what it does stands with the file.
    Length,
}

impl<'r> Disk<'r> {
    /// What is in a folder now, all of it durable.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut disk = Self {
            nodes: Vec::new(),
            tree: Tree::new(),
            settled: 0,
            changes: VecDeque::new(),
            live: Tree::new(),
            by_number: HashMap::new(),
        };
        disk.take_in(folder, String::new());
        disk.live = disk.tree.clone();
        disk
    }

    fn take_in(&mut self, path: &Path, name: String) {
        let found = fs::metadata(path).unwrap();
        let node = self.node(found.ino(), found.is_dir());
        self.tree.insert(name.clone(), node);
        if !found.is_dir() {
            self.nodes[node].durable = fs::read(path).unwrap();
            return;
        }
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let own = text(entry.file_name().as_encoded_bytes());
            let own = if name.is_empty() { own } else { format!("{name}/{own}") };
            self.take_in(&entry.path(), own);
        }
    }

    fn node(&mut self, number: u64, folder: bool) -> usize {
        let (durable, pending) = (Vec::new(), Vec::new());
        self.nodes.push(Node { folder, durable, pending, changed: 0, made: 0 });
        self.by_number.insert(number, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The number of the next change.
    pub(crate) fn next_change(&self) -> u64 {
        self.settled + self.changes.len() as u64
    }

    pub(crate) fn apply(&mut self, event: &Event<'r>) {
        let name = || text(event.name);
        let known = || self.by_number[&event.node];
        match event.kind {
            Kind::Create | Kind::MakeFolder => {
                let node = self.node(event.node, event.kind == Kind::MakeFolder);
                self.nodes[node].made = self.next_change() + 1;
                self.change(Change::Name(name(), node), [Some(node), self.above(&name())]);
            }
            Kind::Write => {
                let node = known();
                let write = Pending::Write { at: event.at, bytes: event.bytes, forgotten: false };
                self.nodes[node].pending.push(write);
            }
            Kind::Length => {
                let (node, change) = (known(), self.next_change());
                let length = Pending::Length { length: event.at, change };
                self.nodes[node].pending.push(length);
                self.change(Change::Length, [Some(node), None]);
            }
            Kind::Sync => {
                let node = known();
                self.settle_contents(node);
                self.settle_changes(self.nodes[node].changed);
            }
            Kind::SyncData => {
                let node = known();
                let lengths = self.settle_contents(node);
                self.settle_changes(self.nodes[node].made.max(lengths));
            }
            Kind::SyncAll => self.settle_all(),
            Kind::Rename => {
                let (from, into) = (name(), text(event.bytes));
                let node = self.live.get(&from).copied();
                let folders = [self.above(&from), self.above(&into)];
                self.change(Change::Rename(from, into), [node, folders[0]]);
                self.touch(folders[1]);
            }
            Kind::Remove | Kind::RemoveFolder => {
                let above = self.above(&name());
                self.change(Change::Remove(name()), [above, None]);
            }
            Kind::SyncFailed => {
                let node = known();
                for pending in &mut self.nodes[node].pending {
                    if let Pending::Write { forgotten, .. } = pending {
                        *forgotten = true;
                    }
                }
            }
            Kind::SyncRange | Kind::Said | Kind::Refused | Kind::Unknown => {}
        }
    }

    /// The folder of a name, when it is one that is recorded.
    fn above(&self, name: &str) -> Option<usize> {
        let above = name.rsplit_once('/').map_or("", |(above, _)| above);
        self.live.get(above).copied()
    }

    fn change(&mut self, change: Change, concerned: [Option<usize>; 2]) {
        change.apply(&mut self.live);
        self.changes.push_back(change);
        concerned.into_iter().for_each(|node| self.touch(node));
    }

    /// The last change concerns this node as well.
    fn touch(&mut self, node: Option<usize>) {
        if let Some(node) = node {
            self.nodes[node].changed = self.next_change();
        }
    }

    /// Makes contents durable, and gives up to which change their lengths need it.
    fn settle_contents(&mut self, node: usize) -> u64 {
        let Node { durable, pending, .. } = &mut self.nodes[node];
        let mut lengths = 0;
        let mut forgotten = Vec::new();
        for done in std::mem::take(pending) {
            match done {
                Pending::Write { forgotten: true, .. } => forgotten.push(done),
                Pending::Write { at, bytes, .. } => {
                    let until = at as usize + bytes.len();
                    if durable.len() < until {
                        durable.resize(until, 0);
                    }
                    durable[at as usize..until].copy_from_slice(bytes);
                    forgotten =
                        forgotten.iter().flat_map(|old| old.without(at, until as u64)).collect();
                }
                Pending::Length { length, change } => {
                    durable.resize(length as usize, 0);
                    forgotten =
                        forgotten.iter().flat_map(|old| old.without(length, u64::MAX)).collect();
                    lengths = change + 1;
                }
            }
        }
        *pending = forgotten;
        lengths
    }

    /// As if all had been synced at last.
    pub(crate) fn settle_all(&mut self) {
        for node in 0..self.nodes.len() {
            self.settle_contents(node);
        }
        self.settle_changes(self.next_change());
    }

    fn settle_changes(&mut self, until: u64) {
        while self.settled < until {
            let Some(change) = self.changes.pop_front() else { return };
            change.apply(&mut self.tree);
            self.settled += 1;
        }
    }
}

impl Pending<'_> {
    /// What is left of a write where this range was written later.
    fn without(&self, from: u64, until: u64) -> Vec<Self> {
        let Self::Write { at, bytes, forgotten } = *self else { return vec![*self] };
        let end = at + bytes.len() as u64;
        [(at, end.min(from)), (at.max(until), end)]
            .into_iter()
            .filter(|(first, last)| first < last)
            .map(|(first, last)| {
                let bytes = &bytes[(first - at) as usize..(last - at) as usize];
                Self::Write { at: first, bytes, forgotten }
            })
            .collect()
    }
}

impl Change {
    pub(crate) fn apply(&self, tree: &mut Tree) {
        match self {
            Self::Name(name, node) => {
                tree.insert(name.clone(), *node);
            }
            Self::Remove(name) => {
                tree.remove(name);
            }
            Self::Rename(from, into) => {
                let below = format!("{from}/");
                let inside: Vec<String> =
                    tree.keys().filter(|name| name.starts_with(&below)).cloned().collect();
                for name in inside {
                    if let Some(node) = tree.remove(&name) {
                        tree.insert(format!("{into}/{}", &name[below.len()..]), node);
                    }
                }
                if let Some(node) = tree.remove(from) {
                    tree.insert(into.clone(), node);
                }
            }
            Self::Length => {}
        }
    }
}
