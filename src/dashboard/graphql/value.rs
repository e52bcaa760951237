//! A value of REST as GraphQL answers it, counted before it is made: aliases can ask for the same
//! one as often as an operation has fields.

use std::sync::Arc;

use async_graphql::Value as GraphValue;
use async_graphql::dynamic::{FieldValue, ResolverContext};
use serde_json::Value;

use super::asker::Asker;
use super::digits::rounded;
use super::kind::Kind;

/// What a value counts beside its text: it takes more memory than that.
const EACH: usize = 16;

/// The value of a field, out of the answer that its parent is.
pub(super) fn of_parent<'a>(
    context: &ResolverContext<'a>,
    field: &str,
    kind: &Kind,
) -> Option<FieldValue<'a>> {
    let parent = context.parent_value.downcast_ref::<Value>()?;
    let from = parent.get(field)?;
    fits(context, from, kind).then(|| value(from, kind)).flatten()
}

/// The same of an answer that belongs to nobody else.
pub(super) fn of_answer(
    context: &ResolverContext<'_>,
    from: Value,
    kind: &Kind,
) -> Option<FieldValue<'static>> {
    fits(context, &from, kind).then(|| owned(from, kind)).flatten()
}

/// Whether there is room for it in the answer of the operation.
fn fits(context: &ResolverContext<'_>, from: &Value, kind: &Kind) -> bool {
    let asker = context.data_opt::<Arc<Asker>>();
    // Once there is none, it takes no time either.
    let Some(asker) = asker.filter(|asker| !asker.answered.is_beyond_room()) else { return false };
    let asked = context.field();
    let fields = asked.selection_set();
    let object = fields.map(|field| EACH + field.alias().unwrap_or(field.name()).len()).sum();
    asker.answered.has_room_for(answered_size(from, kind, object))
}

/// What is made of it at once, where an object has fields of the size of `object`; what is in them
/// is counted with each.
fn answered_size(from: &Value, kind: &Kind, object: usize) -> usize {
    match (kind, from) {
        (_, Value::Null) => 0,
        (Kind::List(item), Value::Array(items)) => {
            items.iter().map(|one| EACH + answered_size(one, item, object)).sum()
        }
        (Kind::Object(_), _) => object,
        (_, leaf) => size(leaf),
    }
}

/// What a value of JSON comes to.
pub(super) fn size(value: &Value) -> usize {
    EACH + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => written(text),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| written(name) + size(member)).sum()
        }
    }
}

/// Bytes of a text in JSON.
fn written(text: &str) -> usize {
    let written = |byte| match byte {
        0..=0x1f => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    };
    text.bytes().map(written).sum()
}

/// Nothing is `null`.
fn value<'a>(from: &'a Value, kind: &Kind) -> Option<FieldValue<'a>> {
    match (kind, from) {
        (_, Value::Null) => None,
        (Kind::List(item), Value::Array(items)) => {
            Some(FieldValue::list(items.iter().filter_map(|one| value(one, item))))
        }
        (Kind::Object(_), one) => Some(FieldValue::borrowed_any(one)),
        (Kind::Id { .. }, Value::Number(number)) => {
            Some(FieldValue::value(GraphValue::String(number.to_string())))
        }
        (kind, one) => leaf(one.clone(), kind),
    }
}

fn owned(from: Value, kind: &Kind) -> Option<FieldValue<'static>> {
    match (kind, from) {
        (_, Value::Null) => None,
        (Kind::List(item), Value::Array(items)) => {
            Some(FieldValue::list(items.into_iter().filter_map(|one| owned(one, item))))
        }
        (Kind::Object(_), one) => Some(FieldValue::owned_any(one)),
        (Kind::Id { .. }, Value::Number(number)) => {
            Some(FieldValue::value(GraphValue::String(number.to_string())))
        }
        (kind, one) => leaf(one, kind),
    }
}

/// What holds no other fields. What is of whatever shape keeps its numbers.
fn leaf(from: Value, kind: &Kind) -> Option<FieldValue<'static>> {
    let value = GraphValue::from_json(from).ok()?;
    Some(FieldValue::value(if *kind == Kind::Json { value } else { rounded(value) }))
}
