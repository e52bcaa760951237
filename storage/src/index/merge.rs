//! Several sorted sources as one.

use super::entry::Entry;
use super::fault::Fault;
use super::run::Reader;

pub(super) enum Source {
    Run(Box<Reader>),
    Memory(std::vec::IntoIter<Entry>),
}

impl Source {
    fn next(&mut self) -> Result<Option<Entry>, Fault> {
        match self {
            Self::Run(reader) => reader.next(),
            Self::Memory(entries) => Ok(entries.next()),
        }
    }
}

/// The entries of all sources in order, each key once.
pub(super) struct Merge {
    heads: Vec<(Entry, Source)>,
}

impl Merge {
    pub(super) fn new(sources: impl IntoIterator<Item = Source>) -> Result<Self, Fault> {
        let mut heads = Vec::new();
        for mut source in sources {
            if let Some(head) = source.next()? {
                heads.push((head, source));
            }
        }
        Ok(Self { heads })
    }

    pub(super) fn next(&mut self) -> Result<Option<Entry>, Fault> {
        let Some(mut least) = self.heads.first().map(|(entry, _)| *entry) else { return Ok(None) };
        for (entry, _) in &self.heads[1..] {
            if entry.key() < least.key() {
                least = *entry;
            }
        }
        let mut index = 0;
        while let Some((entry, source)) = self.heads.get_mut(index) {
            if entry.key() == least.key() {
                match source.next()? {
                    Some(next) => *entry = next,
                    None => {
                        self.heads.swap_remove(index);
                        continue;
                    }
                }
            }
            index += 1;
        }
        Ok(Some(least))
    }
}
