//! Numbers and bytes in the packed rows of usage: small numbers take few bytes.

use storage::RecordError;

/// Adds a number, seven bits a byte, lowest first.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

pub(super) fn put_long(out: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Adds a number of either sign; those near 0 are short.
pub(super) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_number(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Unpacker<'a> {
    rest: &'a [u8],
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_done(self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8, RecordError> {
        let (first, rest) = self.rest.split_first().ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<u64, RecordError> {
        u64::try_from(self.long()?).map_err(|_| damaged("a number is too long"))
    }

    pub(super) fn long(&mut self) -> Result<u128, RecordError> {
        let mut number = 0_u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7F);
            if bits.leading_zeros() < shift {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number is too long"))
    }

    pub(super) fn signed(&mut self) -> Result<i64, RecordError> {
        let folded = self.number()?;
        Ok((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()))
    }

    pub(super) fn length(&mut self) -> Result<usize, RecordError> {
        usize::try_from(self.number()?).map_err(|_| damaged("a length is too long"))
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], RecordError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], RecordError> {
        let length = self.length()?;
        self.take(length)
    }
}

pub(super) fn damaged(what: &str) -> RecordError {
    RecordError::Payload(what.to_owned())
}

fn cut_short() -> RecordError {
    damaged("the row is cut short")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(a: u64, b: u128, c: i64, bytes: Vec<u8>) {
            let mut out = Vec::new();
            put_number(&mut out, a);
            put_long(&mut out, b);
            put_signed(&mut out, c);
            put_bytes(&mut out, &bytes);
            let mut from = Unpacker::new(&out);
            prop_assert_eq!(from.number(), Ok(a));
            prop_assert_eq!(from.long(), Ok(b));
            prop_assert_eq!(from.signed(), Ok(c));
            prop_assert_eq!(from.bytes(), Ok(bytes.as_slice()));
            prop_assert!(from.is_done());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let mut from = Unpacker::new(&bytes);
            while !from.is_done() {
                if from.long().is_err() {
                    break;
                }
            }
        }
    }
}
