//! Digests of JSON as it was sent: the same for equal values, however they were written.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// Values nested deeper count as they were written: no body that is read nests so deep.
const DEEPEST: usize = 16;

pub(super) fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// What a value counts as under a key.
#[derive(Clone, Default)]
pub(super) struct Hashed {
    pub(super) now: Vec<u8>,
    /// The same as records of before have it, where a `null` within an object counted as stated.
    pub(super) before: Vec<u8>,
}

impl Hashed {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { now: digest(bytes), before: digest(bytes) }
    }

    pub(super) fn of_json(text: &str) -> Self {
        let of = |nulls| {
            let mut hash = Sha256::new();
            feed(&mut hash, text, nulls, 0);
            hash.finalize().to_vec()
        };
        Self { now: of(Nulls::LeftOut), before: of(Nulls::Counted) }
    }

    /// Whether it is what was kept, under either rule.
    pub(super) fn is(&self, kept: impl Fn(&[u8]) -> bool) -> bool {
        kept(&self.now) || kept(&self.before)
    }
}

/// What becomes of a member of an object that is `null`. In a list it has its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    LeftOut,
    Counted,
}

/// Feeds a value with its kind and its lengths, so that no two kinds are mistaken. What a value
/// of JSON cannot hold, such as half of a pair of surrogates, is fed as it was written.
fn feed(hash: &mut Sha256, text: &str, nulls: Nulls, depth: usize) {
    let inner = depth + 1;
    match text.bytes().next() {
        Some(b'{') if depth < DEEPEST => {
            let Ok(mut fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else {
                return feed_bytes(hash, b'?', text.as_bytes());
            };
            fields.retain(|_, value| nulls == Nulls::Counted || value.get() != "null");
            feed_bytes(hash, b'{', &fields.len().to_be_bytes());
            for (name, value) in fields {
                feed_bytes(hash, b's', name.as_bytes());
                feed(hash, value.get(), nulls, inner);
            }
        }
        Some(b'[') if depth < DEEPEST => {
            let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) else {
                return feed_bytes(hash, b'?', text.as_bytes());
            };
            feed_bytes(hash, b'[', &items.len().to_be_bytes());
            items.into_iter().for_each(|item| feed(hash, item.get(), nulls, inner));
        }
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Ok(string) => feed_bytes(hash, b's', string.as_bytes()),
            Err(_) => feed_bytes(hash, b'?', text.as_bytes()),
        },
        Some(b'-' | b'0'..=b'9') => match number(text) {
            Some(number) => feed_bytes(hash, b'n', number.as_bytes()),
            None => feed_bytes(hash, b'?', text.as_bytes()),
        },
        _ => feed_bytes(hash, b'?', text.as_bytes()),
    }
}

fn feed_bytes(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update(bytes.len().to_be_bytes());
    hash.update(bytes);
}

/// A number in one form only: its digits without zeros at either end, and the power of ten of the
/// last of them. `None` where the power is beyond all bounds.
fn number(text: &str) -> Option<String> {
    let (mantissa, power) = match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let power = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let short = digits.trim_end_matches('0');
    let power = power.checked_add(i64::try_from(digits.len() - short.len()).ok()?)?;
    let short = short.trim_start_matches('0');
    Some(if short.is_empty() { "0".to_owned() } else { format!("{sign}{short}e{power}") })
}
