//! The parts that keys are made of.

use super::{Key, KeyError, KeyReader, KeyWriter};
use crate::shard::Shard;

macro_rules! unsigned {
    ($($number:ty),*) => {$(
        impl Key for $number {
            fn write(&self, out: &mut KeyWriter) {
                out.fixed(&self.to_be_bytes());
            }
            fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                from.fixed().map(Self::from_be_bytes)
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64);

/// Flips the sign bit, which puts negative numbers before positive ones.
const SIGN: u64 = 1 << 63;

impl Key for i64 {
    fn write(&self, out: &mut KeyWriter) {
        (self.cast_unsigned() ^ SIGN).write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        u64::read(from).map(|bits| (bits ^ SIGN).cast_signed())
    }
}

impl Key for bool {
    fn write(&self, out: &mut KeyWriter) {
        out.fixed(&[u8::from(*self)]);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        match from.fixed()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [_] => Err(KeyError::Invalid("a truth value")),
        }
    }
}

impl Key for String {
    fn write(&self, out: &mut KeyWriter) {
        out.escaped(self.as_bytes());
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        String::from_utf8(from.escaped()?).map_err(|_| KeyError::Invalid("text"))
    }
}

impl Key for Vec<u8> {
    fn write(&self, out: &mut KeyWriter) {
        out.escaped(self);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        from.escaped()
    }
}

impl<const N: usize> Key for [u8; N] {
    fn write(&self, out: &mut KeyWriter) {
        out.fixed(self);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        from.fixed()
    }
}

impl Key for () {
    fn write(&self, _: &mut KeyWriter) {}

    fn read(_: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        Ok(())
    }
}

macro_rules! tuple {
    ($($part:ident $index:tt),*) => {
        impl<$($part: Key),*> Key for ($($part,)*) {
            const SHARDED: bool = false $(|| $part::SHARDED)*;

            fn shard(&self) -> Option<Shard> {
                None$(.or_else(|| self.$index.shard()))*
            }
            fn write(&self, out: &mut KeyWriter) {
                $(self.$index.write(out);)*
            }
            fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                Ok(($($part::read(from)?,)*))
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
