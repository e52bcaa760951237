//! The schema: a type for each kind of value, and the fields of queries and mutations.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::Value as GraphValue;
use async_graphql::dynamic::{
    self, FieldFuture, InputObject, InputValue, Object, ResolverContext, Scalar, SchemaBuilder,
    SchemaError, TypeRef,
};
use serde_json::{Map, Value};

use super::fields::{Field, MUTATIONS, QUERIES, REGENERATE};
use super::kind::{JSON, Kind, Kinds, LONG, Member};
use super::plan::{Answer, Plan};
use super::value::{of_answer, of_parent};
use super::variables::Inputs;
use crate::gate::Inside;

/// Types that several fields share.
struct Types {
    objects: BTreeMap<String, Vec<Member>>,
    inputs: BTreeMap<String, Vec<Member>>,
}

/// Builds the schema over the routes that are reached from within, and what its input objects are
/// made of.
pub(super) fn build(inside: &Arc<Inside>) -> Result<(dynamic::Schema, Inputs), SchemaError> {
    let document: Value = serde_json::from_slice(&inside.document()).unwrap_or_default();
    let plans = |fields: &[Field], is_query| -> Vec<Plan> {
        fields.iter().map(|field| Plan::of(field, is_query, &document)).collect()
    };
    let (queries, mutations) = (plans(QUERIES, true), plans(MUTATIONS, false));
    let regenerate = Plan::of(&REGENERATE, false, &document);

    let mut outputs = Kinds::answered(&document);
    let mut inputs = Kinds::taken(&document);
    let mut query = Object::new("Query");
    let mut connections = BTreeMap::new();
    for plan in queries {
        let answer = plan.answer(&mut outputs);
        if let Answer::List { item, .. } = &answer {
            connections.insert(connection_name(item), item.clone());
        }
        let answer = answer.with_ids(&outputs.objects);
        query = query.field(query_field(plan, answer, &mut inputs, inside));
    }
    let mut mutation = Object::new("Mutation");
    for plan in mutations {
        let answer = plan.answer(&mut outputs);
        mutation = mutation.field(mutation_field(plan, &answer, &mut inputs, inside));
    }
    let answer = regenerate.answer(&mut outputs);
    mutation = mutation.field(query_field(regenerate, answer, &mut inputs, inside));

    let taken = inputs.objects.clone();
    let types = Types { objects: outputs.objects, inputs: inputs.objects };
    let builder = dynamic::Schema::build("Query", Some("Mutation"), None)
        .register(query)
        .register(mutation)
        .register(long())
        .register(Scalar::new(JSON).description("A value of whatever shape."));
    let schema = types.register(with_connections(builder, &connections)).finish()?;
    Ok((schema, taken))
}

fn long() -> Scalar {
    let whole = |value: &GraphValue| matches!(value, GraphValue::Number(n) if n.is_i64());
    Scalar::new(LONG).description("A whole number of 64 bits.").validator(whole)
}

impl Types {
    fn register(self, mut builder: SchemaBuilder) -> SchemaBuilder {
        for (name, members) in self.objects {
            builder = builder.register(object(&name, &members));
        }
        for (name, members) in self.inputs {
            builder = builder.register(input_object(&name, &members));
        }
        builder
    }
}

/// The member by which an object is told from others of its kind: `id`, or `thingId` of a thing.
pub(super) fn id_of<'m>(name: &str, members: &'m [Member]) -> Option<&'m Member> {
    let own = format!("{}Id", lower(name));
    let find = |name: &str| members.iter().find(|member| member.name == name);
    find("id").or_else(|| find(&own))
}

fn lower(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// GraphQL has no empty objects; what has an id has it as `id`.
fn object(name: &str, members: &[Member]) -> Object {
    let mut object = members.iter().filter(|member| is_name(&member.name)).fold(
        Object::new(name),
        |object, member| {
            let (field, kind) = (member.name.clone(), member.kind.clone());
            let mut shown = dynamic::Field::new(
                member.name.clone(),
                type_ref(&member.kind, member.required),
                move |context| FieldFuture::Value(of_parent(&context, &field, &kind)),
            );
            if let Some(about) = &member.about {
                shown = shown.description(about.clone());
            }
            object.field(shown)
        },
    );
    if let Some(id) = id_of(name, members).filter(|id| id.name != "id") {
        let (field, kind) = (id.name.clone(), id.kind.clone());
        object = object.field(dynamic::Field::new(
            "id",
            type_ref(&id.kind, id.required),
            move |context| FieldFuture::Value(of_parent(&context, &field, &kind)),
        ));
    }
    match members.is_empty() {
        true => object.field(dynamic::Field::new("done", TypeRef::named(TypeRef::BOOLEAN), |_| {
            FieldFuture::from_value(Some(true.into()))
        })),
        false => object,
    }
}

fn input_object(name: &str, members: &[Member]) -> InputObject {
    members.iter().filter(|member| is_name(&member.name)).fold(
        InputObject::new(name),
        |object, member| {
            let mut input =
                InputValue::new(member.name.clone(), type_ref(&member.kind, member.required));
            if let Some(about) = &member.about {
                input = input.description(about.clone());
            }
            object.field(input)
        },
    )
}

/// Whether it can be the name of a field.
fn is_name(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn type_ref(kind: &Kind, required: bool) -> TypeRef {
    let inner = match kind {
        Kind::List(item) => TypeRef::List(Box::new(type_ref(item, true))),
        Kind::Object(name) => TypeRef::named(name.clone()),
        leaf => TypeRef::named(leaf_name(leaf)),
    };
    if required { TypeRef::NonNull(Box::new(inner)) } else { inner }
}

fn leaf_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => TypeRef::STRING,
        Kind::Id { .. } => TypeRef::ID,
        Kind::Int => TypeRef::INT,
        Kind::Long => LONG,
        Kind::Float => TypeRef::FLOAT,
        Kind::Bool => TypeRef::BOOLEAN,
        Kind::Json | Kind::List(_) | Kind::Object(_) => JSON,
    }
}

fn connection_name(item: &Kind) -> String {
    match item {
        Kind::Object(name) => format!("{name}Connection"),
        other => format!("{}Connection", leaf_name(other)),
    }
}

/// A field whose arguments stand beside each other.
fn query_field(
    plan: Plan,
    answer: Answer,
    inputs: &mut Kinds<'_>,
    inside: &Arc<Inside>,
) -> dynamic::Field {
    let arguments = plan.arguments(inputs);
    let returned = match &answer {
        Answer::List { item, .. } => TypeRef::named_nn(connection_name(item)),
        Answer::One(kind) => type_ref(kind, false),
    };
    let (name, about) = (plan.name, plan.about.clone());
    // They are no type of their own, but what they are made of is looked up like that of one.
    let mut kinds = inputs.objects.clone();
    kinds.insert(input_name(name), arguments.clone());
    let shared = Arc::new((plan, answer, Arc::clone(inside), kinds));
    let field = dynamic::Field::new(name, returned, move |context| {
        let shared = Arc::clone(&shared);
        FieldFuture::new(async move {
            let (plan, answer, inside, kinds) = &*shared;
            let arguments = arguments_of(&context)?;
            let found = plan.carry_out(&context, inside, kinds, arguments).await?;
            Ok(match answer {
                Answer::One(kind) => of_answer(&context, found, kind),
                Answer::List { items, item, id } => {
                    let connection = Kind::Object(connection_name(item));
                    of_answer(&context, page(found, items, id.as_deref()), &connection)
                }
            })
        })
    });
    let field = field.description(about);
    arguments.iter().fold(field, |field, member| {
        let mut argument =
            InputValue::new(member.name.clone(), type_ref(&member.kind, member.required));
        if let Some(about) = &member.about {
            argument = argument.description(about.clone());
        }
        field.argument(argument)
    })
}

/// The name of the type of what a field takes.
pub(super) fn input_name(field: &str) -> String {
    format!("{}Input", super::kind::capital(field))
}

/// A field with one argument, `input`.
fn mutation_field(
    plan: Plan,
    answer: &Answer,
    inputs: &mut Kinds<'_>,
    inside: &Arc<Inside>,
) -> dynamic::Field {
    let members = plan.arguments(inputs);
    let input = input_name(plan.name);
    let takes = !members.is_empty();
    // One that takes nothing has no type: GraphQL has no empty objects.
    if takes {
        inputs.objects.insert(input.clone(), members);
    }
    let kind = answer.kind();
    let (name, about) = (plan.name, plan.about.clone());
    let returned = type_ref(&kind, false);
    let shared = Arc::new((plan, kind, Arc::clone(inside), inputs.objects.clone()));
    let field = dynamic::Field::new(name, returned, move |context| {
        let shared = Arc::clone(&shared);
        FieldFuture::new(async move {
            let (plan, kind, inside, kinds) = &*shared;
            let arguments = match arguments_of(&context)?.remove("input") {
                Some(Value::Object(input)) => input,
                _ => Map::new(),
            };
            let made = plan.carry_out(&context, inside, kinds, arguments).await?;
            Ok(of_answer(&context, made, kind))
        })
    });
    let field = field.description(about);
    if takes { field.argument(InputValue::new("input", TypeRef::named_nn(input))) } else { field }
}

fn arguments_of(context: &ResolverContext<'_>) -> async_graphql::Result<Map<String, Value>> {
    let mut arguments = Map::new();
    for (name, argument) in context.args.iter() {
        let value = argument.as_value().clone().into_json()?;
        arguments.insert(name.to_string(), value);
    }
    Ok(arguments)
}

/// A page of a list as a connection. Each edge has the cursor that goes on behind it; where items
/// do not show what their list goes by, the last one alone has.
fn page(found: Value, items: &str, id: Option<&str>) -> Value {
    let next = &found["nextCursor"];
    let nodes = found[items].as_array().cloned().unwrap_or_default();
    let id_of = |node: &Value| id.and_then(|id| node.get(id)).cloned().unwrap_or_default();
    let by_id = nodes.last().is_some_and(|last| next.is_null() || id_of(last) == *next);
    let edges: Vec<Value> = nodes
        .iter()
        .enumerate()
        .map(|(place, node)| {
            let end = Some(next.clone()).filter(|_| place + 1 == nodes.len());
            let cursor = Some(id_of(node)).filter(|_| by_id).or(end).filter(Value::is_number);
            serde_json::json!({"cursor": cursor.map(|id| id.to_string()), "node": node})
        })
        .collect();
    let end = next.as_u64().map(|next| next.to_string());
    serde_json::json!({
        "nodes": nodes,
        "edges": edges,
        "pageInfo": {"hasNextPage": found["hasMore"] == true, "endCursor": end},
    })
}

fn with_connections(
    mut builder: SchemaBuilder,
    connections: &BTreeMap<String, Kind>,
) -> SchemaBuilder {
    let member =
        |name: &str, kind, required| Member { name: name.to_owned(), kind, required, about: None };
    let object_of = |name: &str| Kind::Object(name.to_owned());
    let info = [
        member("hasNextPage", Kind::Bool, true),
        Member {
            about: Some("What to send as `after` for the next page.".to_owned()),
            ..member("endCursor", Kind::Text, false)
        },
    ];
    builder = builder.register(object("PageInfo", &info));
    for (name, item) in connections {
        let edge = format!("{}Edge", name.trim_end_matches("Connection"));
        let edges = [member("cursor", Kind::Text, false), member("node", item.clone(), true)];
        let connection = [
            member("nodes", Kind::List(Box::new(item.clone())), true),
            member("edges", Kind::List(Box::new(object_of(&edge))), true),
            member("pageInfo", object_of("PageInfo"), true),
        ];
        builder = builder.register(object(&edge, &edges)).register(object(name, &connection));
    }
    builder
}
