//! Objects that have the fields of others beside their own. Where it depends on the kind of the
//! object which of those are there, the document has all of them in one object, and each may be
//! left out: generators of clients read no choice within a sum.

use std::collections::BTreeMap;

use utoipa::openapi::schema::{AllOf, Object, OneOf};
use utoipa::openapi::{RefOr, Schema};

use super::nulls::is_null;

pub(super) type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Merges the parts of every sum that are choices, and takes the choices away that nothing names
/// any more.
pub(super) fn settle(schemas: &mut Schemas, is_named: impl Fn(&Schemas, &str) -> bool) {
    let known = schemas.clone();
    for schema in schemas.values_mut() {
        if let RefOr::T(Schema::AllOf(all)) = schema {
            all.items.retain(|part| !is_empty(part));
            for part in &mut all.items {
                if is_choice(&known, part) {
                    *part = Schema::Object(fields(&known, part)).into();
                }
            }
        }
    }
    let choices = known.iter().filter(|(_, schema)| is_choice(&known, schema));
    for name in choices.map(|(name, _)| name) {
        if !is_named(schemas, name) {
            schemas.remove(name);
        }
    }
}

fn is_empty(part: &RefOr<Schema>) -> bool {
    matches!(part, RefOr::T(Schema::Object(object)) if object.properties.is_empty())
}

fn is_choice(known: &Schemas, part: &RefOr<Schema>) -> bool {
    matches!(resolved(known, part), Some(Schema::OneOf(_)))
}

fn resolved<'s>(known: &'s Schemas, schema: &'s RefOr<Schema>) -> Option<&'s Schema> {
    match schema {
        RefOr::T(schema) => Some(schema),
        RefOr::Ref(to) => {
            let name = to.ref_location.rsplit('/').next()?;
            known.get(name).and_then(|schema| resolved(known, schema))
        }
    }
}

/// All fields of a schema in one object; those must be there that every kind of it has.
fn fields(known: &Schemas, schema: &RefOr<Schema>) -> Object {
    match resolved(known, schema) {
        Some(Schema::Object(object)) => object.clone(),
        Some(Schema::AllOf(AllOf { items, .. })) => {
            let parts = items.iter().map(|part| fields(known, part));
            parts.fold(Object::new(), |mut all, part| {
                all.required.extend(part.required.clone());
                with_fields(all, part)
            })
        }
        Some(Schema::OneOf(OneOf { items, .. })) => {
            let may_be_none = items.iter().any(is_null);
            let kinds = items.iter().filter(|kind| !is_null(kind)).map(|kind| fields(known, kind));
            let kinds: Vec<Object> = kinds.collect();
            let in_all = |name: &String| kinds.iter().all(|kind| kind.required.contains(name));
            let first = kinds.first().map(|kind| kind.required.clone()).unwrap_or_default();
            let required = first.into_iter().filter(|name| !may_be_none && in_all(name)).collect();
            let mut all = kinds.iter().cloned().fold(Object::new(), with_fields);
            all.required = required;
            all
        }
        _ => Object::new(),
    }
}

/// `all` with the fields of `part`. A field that both have as a word takes the words of both.
fn with_fields(mut all: Object, part: Object) -> Object {
    for (name, field) in part.properties {
        match (all.properties.get_mut(&name), field) {
            (Some(RefOr::T(Schema::Object(known))), RefOr::T(Schema::Object(more))) => {
                if let (Some(known), Some(more)) = (&mut known.enum_values, more.enum_values) {
                    known.extend(more);
                }
            }
            (Some(_), _) => {}
            (None, field) => {
                all.properties.insert(name, field);
            }
        }
    }
    all
}
