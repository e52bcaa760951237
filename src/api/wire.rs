//! What the shapes of all resources share.

use std::borrow::Cow;
use std::marker::PhantomData;

use actors::domain::money::ACCEPTED_CURRENCIES;
use actors::query::Page;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// A page of a list: items under a name of their own, whether there are more, and the cursor of
/// the next page under both of its names. `N` names it all where `T` is listed in two ways.
pub struct List<T, N = T> {
    items: Vec<T>,
    next: Option<u64>,
    names: PhantomData<N>,
}

pub trait Listed {
    const LIST: &'static str;
    /// The field of the items.
    const ITEMS: &'static str;
    /// The original name of the cursor; none where all items are on one page.
    const CURSOR: Option<&'static str> = Some("nextBeforeId");
}

impl<T, N> List<T, N> {
    /// A page as it was read.
    pub fn of<R>(page: Page<R>, view: impl FnMut(R) -> T) -> Self {
        let items = page.items.into_iter().map(view).collect();
        Self { items, next: page.next, names: PhantomData }
    }

    /// A page of items that may not be shown.
    pub fn try_of<R, E>(page: Page<R>, view: impl FnMut(R) -> Result<T, E>) -> Result<Self, E> {
        let items = page.items.into_iter().map(view).collect::<Result<_, _>>()?;
        Ok(Self { items, next: page.next, names: PhantomData })
    }

    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next: None, names: PhantomData }
    }
}

impl<T: From<R>, R, N> From<Page<R>> for List<T, N> {
    fn from(page: Page<R>) -> Self {
        Self::of(page, T::from)
    }
}

impl<T: Serialize, N: Listed> Serialize for List<T, N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_struct(N::LIST, 4)?;
        list.serialize_field(N::ITEMS, &self.items)?;
        list.serialize_field("hasMore", &self.next.is_some())?;
        if let (Some(next), Some(cursor)) = (self.next, N::CURSOR) {
            list.serialize_field("nextCursor", &next)?;
            list.serialize_field(cursor, &next)?;
        }
        list.end()
    }
}

impl<T: ToSchema, N: Listed> PartialSchema for List<T, N> {
    fn schema() -> RefOr<Schema> {
        let item = Ref::from_schema_name(T::name());
        let more = ObjectBuilder::new().schema_type(Type::Boolean);
        let mut list = ObjectBuilder::new()
            .property(N::ITEMS, ArrayBuilder::new().items(item))
            .required(N::ITEMS)
            .property("hasMore", more)
            .required("hasMore");
        if let Some(cursor) = N::CURSOR {
            list = list.property("nextCursor", u64::schema()).property(cursor, u64::schema());
        }
        list.into()
    }
}

impl<T: ToSchema, N: Listed> ToSchema for List<T, N> {
    fn name() -> Cow<'static, str> {
        N::LIST.into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// A field of a patch: `None` when it is left out, `Some(None)` when it is `null`. Goes with
/// `#[serde(default)]`.
pub fn stated<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// The currencies that requests may name, for the API document.
pub fn accepted_currencies() -> Object {
    words(ACCEPTED_CURRENCIES.iter().map(|currency| currency.code()))
}

/// A text that is one of `names`, for the API document.
pub fn words(names: impl Iterator<Item = &'static str>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build()
}

/// A text or an object, or neither, for the API document.
pub fn text_or_object(about: &str) -> Object {
    let kinds = [Type::String, Type::Object, Type::Null];
    let schema = ObjectBuilder::new().schema_type(SchemaType::from_iter(kinds));
    schema.description(Some(about)).build()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    struct Even;

    impl Listed for Even {
        const LIST: &'static str = "EvenList";
        const ITEMS: &'static str = "even";
    }

    struct All;

    impl Listed for All {
        const LIST: &'static str = "AllList";
        const ITEMS: &'static str = "all";
        const CURSOR: Option<&'static str> = None;
    }

    fn json(list: &impl Serialize) -> Value {
        serde_json::to_value(list).expect("JSON")
    }

    #[test]
    fn a_page_names_the_next_cursor_twice() {
        let page = Page { items: vec![1, 2], next: Some(9) };
        let list = List::<u64, Even>::of(page, |n| n * 2);
        let expected = json!({"even": [2, 4], "hasMore": true, "nextCursor": 9, "nextBeforeId": 9});
        assert_eq!(json(&list), expected);
    }

    #[test]
    fn a_last_page_has_no_cursor() {
        let last = List::<u64, Even>::of(Page { items: vec![1], next: None }, |n| n);
        assert_eq!(json(&last), json!({"even": [1], "hasMore": false}));
        assert_eq!(json(&List::<u64, All>::whole(vec![])), json!({"all": [], "hasMore": false}));
    }
}
