//! The fields that a body may have.

use std::collections::BTreeMap;

use utoipa::openapi::{RefOr, Schema};

use super::document::Shape;

/// Steps from a schema to those within it that are followed: one that holds itself has no end.
const STEPS: usize = 12;

/// Names of fields, each with the fields of the object that stands there, where they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(BTreeMap<String, Fields>);

type Schemas = BTreeMap<String, RefOr<Schema>>;

impl Fields {
    pub(super) fn of(shape: Shape) -> Self {
        let mut named = Vec::new();
        (shape.others)(&mut named);
        let mut fields = Self::default();
        fields.add(&named.into_iter().collect(), &(shape.schema)(), STEPS);
        fields
    }

    /// The fields within the field `name`; `None` if there is no such field.
    pub(crate) fn within(&self, name: &str) -> Option<&Self> {
        self.0.get(name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields of a schema, of its parts and of its kinds. A list is one value.
    fn add(&mut self, named: &Schemas, schema: &RefOr<Schema>, steps: usize) {
        let Some(steps) = steps.checked_sub(1) else { return };
        match schema {
            RefOr::Ref(to) => {
                let name = to.ref_location.rsplit('/').next().unwrap_or_default();
                if let Some(schema) = named.get(name) {
                    self.add(named, schema, steps);
                }
            }
            RefOr::T(Schema::Object(object)) => {
                for (name, field) in &object.properties {
                    self.0.entry(name.clone()).or_default().add(named, field, steps);
                }
            }
            RefOr::T(Schema::AllOf(all)) => {
                all.items.iter().for_each(|part| self.add(named, part, steps));
            }
            RefOr::T(Schema::OneOf(one)) => {
                one.items.iter().for_each(|kind| self.add(named, kind, steps));
            }
            RefOr::T(Schema::AnyOf(any)) => {
                any.items.iter().for_each(|kind| self.add(named, kind, steps));
            }
            RefOr::T(_) => {}
        }
    }
}

/// Of which nothing is known but their names.
impl FromIterator<String> for Fields {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Self(names.into_iter().map(|name| (name, Self::default())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use utoipa::ToSchema;

    use super::*;

    #[derive(Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    struct Order {
        #[serde(flatten)]
        names: Names,
        #[schema(required)]
        ship_to: Option<Place>,
        bill_to: Option<Place>,
        lines: Vec<Place>,
        #[schema(value_type = Object)]
        free: serde_json::Value,
    }

    #[derive(Serialize, Deserialize, ToSchema)]
    struct Names {
        first: String,
    }

    #[derive(Serialize, Deserialize, ToSchema)]
    struct Place {
        street: String,
    }

    #[test]
    fn fields_are_known_to_the_objects_within_objects() {
        let order = Fields::of(Shape::of::<Order>());
        let names = |fields: &Fields| fields.0.keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&order), "billTo first free lines shipTo");
        for (name, expected) in
            [("billTo", "street"), ("shipTo", "street"), ("first", ""), ("lines", ""), ("free", "")]
        {
            assert_eq!(names(order.within(name).expect(name)), expected, "{name}");
        }
        assert!(order.within("ship_to").is_none());
    }
}
