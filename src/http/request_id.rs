//! The id of a request: `req_` and a UUID, on every answer.

use std::cell::RefCell;
use std::fmt;

use actors::entropy::Entropy;
use hyper::header::HeaderValue;
use uuid::Builder;

/// How many ids are drawn from the operating system at once.
const AT_ONCE: usize = 64;
const ID_BYTES: usize = 16;
const TEXT_BYTES: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

thread_local! {
    /// Random bytes of this thread that no id has used yet: one system call serves many.
    static POOL: RefCell<(usize, [u8; ID_BYTES * AT_ONCE])> =
        const { RefCell::new((AT_ONCE, [0; ID_BYTES * AT_ONCE])) };
}

impl RequestId {
    pub(crate) fn draw(entropy: Entropy) -> Self {
        let bytes = POOL.with_borrow_mut(|(used, pool)| {
            if *used == AT_ONCE {
                *pool = entropy.bytes();
                *used = 0;
            }
            let mut id = [0; ID_BYTES];
            id.copy_from_slice(&pool[*used * ID_BYTES..(*used + 1) * ID_BYTES]);
            *used += 1;
            id
        });
        let mut text = [0; TEXT_BYTES];
        text[..4].copy_from_slice(b"req_");
        Builder::from_random_bytes(bytes).into_uuid().hyphenated().encode_lower(&mut text[4..]);
        Self(HeaderValue::from_bytes(&text).expect("hexadecimal digits and dashes"))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_beyond_one_pool() {
        let ids: std::collections::HashSet<String> =
            (0..AT_ONCE * 3).map(|_| RequestId::draw(Entropy).to_string()).collect();
        assert_eq!(ids.len(), AT_ONCE * 3);
        assert!(ids.iter().all(|id| id.len() == TEXT_BYTES && id.starts_with("req_")));
    }
}
