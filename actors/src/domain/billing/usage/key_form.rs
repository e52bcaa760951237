//! How an event's key is packed: a UUID as its 16 bytes, anything else as it is.

use storage::RecordError;

use super::event::EventKey;
use super::pack::damaged;

const TEXT: u8 = 0;
const LOWER_UUID: u8 = 1;
const UPPER_UUID: u8 = 2;

/// Places of the hyphens in a UUID.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const UUID_CHARS: usize = 36;
pub(super) const UUID_BYTES: usize = 16;

/// A key in the shortest form that gives back exactly its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyForm<'a> {
    Text(&'a str),
    Uuid { upper: bool, bytes: [u8; UUID_BYTES] },
}

impl<'a> KeyForm<'a> {
    pub(super) fn of(key: &'a str) -> Self {
        let lower = || pack(key, false).map(|bytes| Self::Uuid { upper: false, bytes });
        let upper = || pack(key, true).map(|bytes| Self::Uuid { upper: true, bytes });
        lower().or_else(upper).unwrap_or(Self::Text(key))
    }

    /// Tells the forms apart on disk.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Text(_) => TEXT,
            Self::Uuid { upper: false, .. } => LOWER_UUID,
            Self::Uuid { upper: true, .. } => UPPER_UUID,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Uuid { bytes, .. } => bytes,
        }
    }

    pub(super) fn is_uuid(kind: u8) -> bool {
        kind == LOWER_UUID || kind == UPPER_UUID
    }

    pub(super) fn read(kind: u8, bytes: &[u8]) -> Result<EventKey, RecordError> {
        let text = match kind {
            TEXT => std::str::from_utf8(bytes).ok().map(str::to_owned),
            LOWER_UUID => unpack(bytes, false),
            UPPER_UUID => unpack(bytes, true),
            _ => None,
        };
        text.and_then(|text| EventKey::parse(&text)).ok_or_else(|| damaged("a key is no key"))
    }
}

fn pack(key: &str, upper: bool) -> Option<[u8; UUID_BYTES]> {
    if key.len() != UUID_CHARS {
        return None;
    }
    let mut packed = [0; UUID_BYTES];
    let mut digits = 0;
    for (place, letter) in key.bytes().enumerate() {
        if HYPHENS.contains(&place) {
            if letter != b'-' {
                return None;
            }
            continue;
        }
        let digit = match letter {
            b'0'..=b'9' => letter - b'0',
            b'a'..=b'f' if !upper => letter - b'a' + 10,
            b'A'..=b'F' if upper => letter - b'A' + 10,
            _ => return None,
        };
        packed[digits / 2] |= if digits % 2 == 0 { digit << 4 } else { digit };
        digits += 1;
    }
    Some(packed)
}

fn unpack(bytes: &[u8], upper: bool) -> Option<String> {
    if bytes.len() != UUID_BYTES {
        return None;
    }
    let digits = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let mut text = String::with_capacity(UUID_CHARS);
    for byte in bytes {
        for half in [byte >> 4, byte & 0xF] {
            if HYPHENS.contains(&text.len()) {
                text.push('-');
            }
            text.push(char::from(digits[usize::from(half)]));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_uuids_are_shortened_and_every_key_comes_back() {
        for (key, bytes) in [
            ("6f9619ff-8b86-d011-b42d-00c04fc964ff", 16),
            ("6F9619FF-8B86-D011-B42D-00C04FC964FF", 16),
            ("00000000-0000-0000-0000-000000000000", 16),
            ("6f9619FF-8b86-d011-b42d-00c04fc964ff", 36),
            ("6f9619ff-8b86-d011-b42d-00c04fc964fg", 36),
            ("6f9619ff08b86-d011-b42d-00c04fc964ff", 36),
            ("6f9619ff8b86d011b42d00c04fc964ff", 32),
            ("order 17", 8),
            ("~", 1),
        ] {
            let form = KeyForm::of(key);
            assert_eq!(form.bytes().len(), bytes, "{key}");
            let read = KeyForm::read(form.kind(), form.bytes()).expect("a key");
            assert_eq!(read.as_str(), key);
        }
    }
}
