//! What an idempotency key of the payments surface stands for: path and body of its first
//! request, and what that made. The room that carries the request out writes the record in the same
//! batch.
//!
//! What is kept of a body are digests under a key of the server's: numbers of accounts and of taxes
//! are sealed where they are kept, and one of few digits is found by a digest that anybody can
//! make.

mod body_key;
mod digest;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use minicbor::bytes::ByteArray;
use serde_json::value::RawValue;
use storage::CborRecord;

pub use self::body_key::BodyKey;
use self::body_key::Keeper;
use self::digest::{Hashed, digest};

/// Fields that a record names one by one, in order of their names, with names of so many bytes at
/// most. All others share one digest, so that a record stays small whatever is sent.
const NAMED_FIELDS: usize = 64;
const NAME_BYTES: usize = 64;

/// What stands for the fields that are not named.
const OTHERS: &str = "body";

/// Bytes of a digest that is kept.
const KEPT_BYTES: usize = 16;

type Kept = ByteArray<KEPT_BYTES>;

/// The first request of a key, and the object it made.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct IdempotencyRecord {
    /// Of a record of before: each field of path and body that was stated, with the SHA-256 of its
    /// value.
    #[n(0)]
    plain: BTreeMap<String, Vec<u8>>,
    #[n(1)]
    pub object: u64,
    #[n(2)]
    stated: Option<Stated>,
}

/// What a request has stated.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
struct Stated {
    /// Says which [`BodyKey`] the digests of the body are made with.
    #[n(0)]
    key: ByteArray<8>,
    /// What stood in the path, which names objects and is no secret, by its SHA-256.
    #[n(1)]
    path: BTreeMap<String, Kept>,
    #[n(2)]
    body: BTreeMap<String, Kept>,
}

/// A request under a key, as the SHA-256 of each field. One that states nothing is its key alone.
#[derive(Clone, Default)]
pub struct KeyedRequest {
    path: BTreeMap<String, Vec<u8>>,
    body: BTreeMap<String, Hashed>,
    /// What it acts on, or made.
    pub object: u64,
    keeper: Option<Keeper>,
}

impl KeyedRequest {
    /// The request of an idempotency `key`: `path` names what stands in the path beside the
    /// endpoint, `body` is the JSON object that was sent. A field that is `null`, in an object
    /// within it too, counts as not stated.
    pub fn of(
        body_key: &BodyKey,
        key: &str,
        path: &[(&str, String)],
        body: &[u8],
        object: u64,
    ) -> Self {
        let in_path =
            path.iter().map(|(name, value)| ((*name).to_owned(), digest(value.as_bytes())));
        let in_body = match serde_json::from_slice::<BTreeMap<String, &RawValue>>(body) {
            Ok(stated) => digests(stated),
            // Nothing that a handler has read as an object comes here.
            Err(_) if body.is_empty() => BTreeMap::new(),
            Err(_) => BTreeMap::from([(OTHERS.to_owned(), Hashed::of(body))]),
        };
        let keeper = Some(body_key.under(key));
        Self { path: in_path.collect(), body: in_body, object, keeper }
    }

    #[must_use]
    pub fn made(&self, object: u64) -> Self {
        Self { object, ..self.clone() }
    }

    /// The record of this request, which makes `object` or acts on it.
    pub fn record(&self, object: u64) -> IdempotencyRecord {
        let stated = self.keeper.as_ref().map(|keeper| {
            let path = self.path.iter().map(|(name, value)| (name.clone(), shortened(value)));
            let body =
                self.body.iter().map(|(name, value)| (name.clone(), keeper.kept(&value.now)));
            Stated { key: keeper.key(), path: path.collect(), body: body.collect() }
        });
        IdempotencyRecord { plain: BTreeMap::new(), object, stated }
    }

    /// The first field, in order of names, in which this request differs from the one that has used
    /// its key.
    ///
    /// Where the server's secret is another one since, because it was lost, nobody can compare what
    /// a body says: the same path with a body of the same fields counts as the same request. Its
    /// answer is what the first one made, and nothing is done. Refused as another one, a client that
    /// repeats what it has lost the answer of would do it anew under another key.
    pub fn first_difference(&self, first: &IdempotencyRecord) -> Option<String> {
        let Some(stated) = &first.stated else {
            // A field of the body took the place of one of the path.
            let in_path = self.path.iter().map(|(name, value)| {
                let value = Hashed { now: value.clone(), before: value.clone() };
                (name.clone(), value)
            });
            let mut plain: BTreeMap<String, Hashed> = in_path.collect();
            plain.extend(self.body.clone());
            let same = |first: &Vec<u8>, again: &Hashed| again.is(|digest| digest == first);
            return differing(&first.plain, &plain, same).cloned();
        };
        let same = |kept: &Kept, value: &Hashed| {
            let keeper = self.keeper.as_ref().filter(|keeper| keeper.key() == stated.key);
            keeper.is_none_or(|keeper| value.is(|digest| keeper.kept(digest) == *kept))
        };
        let in_path = differing(&stated.path, &self.path, |kept, value| shortened(value) == *kept);
        let in_body = differing(&stated.body, &self.body, same);
        in_path.into_iter().chain(in_body).min().cloned()
    }
}

/// The first name, in order, that is in one of the two alone or has other values.
fn differing<'n, A, B>(
    first: &'n BTreeMap<String, A>,
    again: &'n BTreeMap<String, B>,
    same: impl Fn(&A, &B) -> bool,
) -> Option<&'n String> {
    let is_other = |name: &&String| match (first.get(*name), again.get(*name)) {
        (Some(first), Some(again)) => !same(first, again),
        _ => true,
    };
    first.keys().chain(again.keys()).filter(is_other).min()
}

/// As much of a SHA-256 as is kept.
fn shortened(digest: &[u8]) -> Kept {
    let mut kept = [0; KEPT_BYTES];
    kept.copy_from_slice(&digest[..KEPT_BYTES]);
    ByteArray::from(kept)
}

fn digests(stated: BTreeMap<String, &RawValue>) -> BTreeMap<String, Hashed> {
    let (mut named, mut others) = (BTreeMap::new(), Hashed::default());
    for (name, value) in stated {
        if value.get() == "null" {
            continue;
        }
        let value = Hashed::of_json(value.get());
        if named.len() < NAMED_FIELDS && name.len() <= NAME_BYTES && name != OTHERS {
            named.insert(name, value);
        } else {
            let name = digest(name.as_bytes());
            others.now.extend(name.iter().chain(&value.now));
            others.before.extend(name.iter().chain(&value.before));
        }
    }
    if !others.now.is_empty() {
        let others = Hashed { now: digest(&others.now), before: digest(&others.before) };
        named.insert(OTHERS.to_owned(), others);
    }
    named
}

/// Without the digests, which anybody can make.
impl fmt::Debug for KeyedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedRequest").field("object", &self.object).finish_non_exhaustive()
    }
}

impl CborRecord for IdempotencyRecord {}
