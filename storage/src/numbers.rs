//! Numbers of gapless sequences, which the committer draws, and the links between them.

use std::ops;

use crate::error::CommitError;
use crate::fatal::guarded;

/// What stands for a number of a linked sequence and for all before it.
pub type Link = [u8; 32];

/// Makes the link of a number from the link before it; there is none before the first.
pub(crate) type MakeLink = Box<dyn FnOnce(Option<&Link>) -> Link + Send>;

/// A number to draw.
pub(crate) struct Draw {
    /// The key of the counter of the sequence.
    pub(crate) counter: Vec<u8>,
    pub(crate) link: Option<MakeLink>,
}

/// Where a sequence stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Counter {
    /// The last number drawn; 0 before the first.
    #[n(0)]
    pub(crate) last: u64,
    /// The link of the last number that has one.
    #[cbor(n(1), with = "minicbor::bytes")]
    pub(crate) link: Option<Link>,
}

impl Counter {
    /// Draws the next number, with its link.
    pub(crate) fn draw(&mut self, link: Option<MakeLink>) -> Result<Drawn, CommitError> {
        self.last += 1;
        if let Some(link) = link {
            let linked = guarded(|| link(self.link.as_ref()));
            self.link = Some(linked.map_err(|panicked| {
                CommitError::Failed(format!("linking a drawn number panicked: {panicked}"))
            })?);
        }
        Ok((self.last, self.link))
    }
}

impl crate::record::CborRecord for Counter {}

/// A number, and its link if its sequence is linked.
pub(crate) type Drawn = (u64, Option<Link>);

/// The numbers that a batch drew, by the index that [`Batch::draw`](crate::Batch::draw) gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    drawn: Vec<Drawn>,
}

impl Numbers {
    pub(crate) fn new(drawn: Vec<Drawn>) -> Self {
        Self { drawn }
    }

    pub(crate) fn from(&self, first: usize) -> Self {
        Self { drawn: self.drawn.get(first..).unwrap_or_default().to_vec() }
    }

    /// The number drawn at this index; `None` when nothing was drawn there.
    pub fn get(&self, index: usize) -> Option<u64> {
        self.drawn.get(index).map(|(number, _)| *number)
    }

    /// The link of the number drawn at this index.
    ///
    /// # Panics
    /// When it was not [linked](crate::Batch::draw_linked).
    pub fn link(&self, index: usize) -> Link {
        match self.drawn[index] {
            (_, Some(link)) => link,
            (number, None) => panic!("number {number} was drawn without a link"),
        }
    }

    pub fn len(&self) -> usize {
        self.drawn.len()
    }

    pub fn is_empty(&self) -> bool {
        self.drawn.is_empty()
    }
}

impl ops::Index<usize> for Numbers {
    type Output = u64;

    fn index(&self, index: usize) -> &u64 {
        &self.drawn[index].0
    }
}
