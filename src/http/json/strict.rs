//! A deserializer that takes an object for an object, and texts as people write them. What serde
//! derives takes a list in the place of an object, field by field in the order of declaration.

use std::borrow::Cow;
use std::fmt;

use actors::domain::text;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// The name under which a field asks for a text of several lines.
pub(super) const LINES: &str = "$text of several lines";

/// Whoever asks under such a name reads JSON as it came, which stays what it is.
const AS_IT_CAME: &str = "$serde_json::private::";

/// The wrapped one, and all that it hands out on the way.
pub(super) struct Strict<T> {
    inner: T,
    /// A text may have several lines.
    lines: bool,
}

impl<T> Strict<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, lines: false }
    }
}

/// The visitor of a text.
struct Text<V> {
    visitor: V,
    lines: bool,
}

/// The visitor of an object, which names it without the name of its type.
struct Object<V>(V);

/// Hands on what holds nothing else.
macro_rules! plain {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )+};
}

/// Hands on what may hold objects.
macro_rules! nested {
    ($($method:ident($($name:ident: $kind:ty),*))+) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* Strict { inner: visitor, lines: self.lines })
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier deserialize_ignored_any
    }

    nested! {
        deserialize_any()
        deserialize_option()
        deserialize_seq()
        deserialize_map()
        deserialize_tuple(len: usize)
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Object(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if name.starts_with(AS_IT_CAME) {
            return self.inner.deserialize_newtype_struct(name, visitor);
        }
        let lines = self.lines || name == LINES;
        self.inner.deserialize_newtype_struct(name, Strict { inner: visitor, lines })
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(Text { visitor, lines: self.lines })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_string(Text { visitor, lines: self.lines })
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict::new(map))
    }
}

impl<V> Text<V> {
    fn read<'t, E: Error>(&self, text: &'t str) -> Result<Cow<'t, str>, E> {
        if self.lines { text::lines(text) } else { text::line(text) }.map_err(E::custom)
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Text<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        match self.read(text)? {
            Cow::Borrowed(text) => self.visitor.visit_str(text),
            Cow::Owned(text) => self.visitor.visit_string(text),
        }
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        match self.read(text)? {
            Cow::Borrowed(text) => self.visitor.visit_borrowed_str(text),
            Cow::Owned(text) => self.visitor.visit_string(text),
        }
    }
}

/// Hands on values as they are.
macro_rules! visited {
    ($($method:ident($kind:ty))+) => {$(
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visited! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32)
        visit_f64(f64) visit_char(char) visit_str(&str) visit_borrowed_str(&'de str)
        visit_string(String) visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8])
        visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Strict { inner, lines: self.lines })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Strict { inner, lines: self.lines })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Strict::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Strict::new(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, one: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Strict::new(one))
    }
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T::Value, D::Error> {
        self.inner.deserialize(Strict::new(from))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_element_seed(Strict::new(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(Strict::new(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Strict<A> {
    type Error = A::Error;
    type Variant = Strict<A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Strict::new(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.newtype_variant_seed(Strict::new(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, Strict::new(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.newtype_variant_seed(Object(visitor))
    }
}

/// The fields of a variant, read as those of an object.
impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Object<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        from.deserialize_map(self)
    }
}
