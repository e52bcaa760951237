//! What a field takes, answers and asks, as its route's part of the API document says.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::Error;
use async_graphql::dynamic::ResolverContext;
use hyper::{Method, StatusCode};
use serde_json::{Map, Value};

use super::asker::{Asker, TOO_LARGE};
use super::call::{Answered, OWN_ACCOUNT, Target, refused};
use super::fields::Field;
use super::kind::{Kind, Kinds, Member, to_rest};
use super::noting;
use super::parts::{self, part_of};
use super::schema::{id_of, input_name};
use super::value;
use crate::gate::Inside;

/// A field with the route behind it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    pub(super) about: String,
    field: Field,
    /// What it asks may be a POST, and only reads.
    is_query: bool,
    target: Target,
    /// Of path and query: name, schema, whether it is required, and what it means.
    parameters: Vec<(String, Value, bool, Option<String>)>,
    body: Option<Value>,
    returned: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Answer {
    One(Kind),
    /// A page of items, under this name, with the field by which the list goes.
    List {
        items: String,
        item: Kind,
        id: Option<String>,
    },
}

impl Answer {
    /// What a mutation answers.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::One(kind) => kind.clone(),
            Self::List { .. } => Kind::Json,
        }
    }

    /// The same with the field that has the ids of a list's items, which most lists go by.
    pub(super) fn with_ids(self, objects: &BTreeMap<String, Vec<Member>>) -> Self {
        match self {
            Self::List { items, item: Kind::Object(name), id: None } => {
                let members = objects.get(&name).map(Vec::as_slice).unwrap_or_default();
                let id = id_of(&name, members).map(|member| member.name.clone());
                Self::List { items, item: Kind::Object(name), id }
            }
            other => other,
        }
    }
}

/// The parts of a page beside its items.
const OF_PAGES: [&str; 6] =
    ["hasMore", "nextCursor", "nextBeforeId", "nextAfterId", "nextSequence", "nextAfterSequence"];
/// What turns pages here, and the names that it has in REST.
const PAGE: [(&str, &str); 2] = [("first", "limit"), ("after", "cursor")];
/// The parameters by which REST turns pages.
const PAGING: [&str; 5] = ["limit", "cursor", "beforeId", "afterId", "afterSequence"];

impl Plan {
    pub(super) fn of(field: &Field, is_query: bool, document: &Value) -> Self {
        let (method, path) = field.route.split_once(' ').unwrap_or_default();
        let operation = &document["paths"][path][method.to_ascii_lowercase()];
        assert!(operation.is_object(), "{} has no route {}", field.name, field.route);
        let parameters: Vec<_> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|one| one["in"] == "path" || one["in"] == "query")
            .map(|one| {
                let name = one["name"].as_str().unwrap_or_default().to_owned();
                let about = one["description"].as_str().map(str::to_owned);
                (name, one["schema"].clone(), one["required"] == true, about)
            })
            .collect();
        let placed = |place: &str| -> Vec<String> {
            let all = operation["parameters"].as_array().into_iter().flatten();
            all.filter(|one| one["in"] == place)
                .filter_map(|one| one["name"].as_str().map(str::to_owned))
                .collect()
        };
        let whole = returned(&operation["responses"]);
        let summary = operation["summary"].as_str().unwrap_or_default();
        Self {
            name: field.name,
            about: summary.to_owned(),
            field: *field,
            is_query,
            target: Target {
                method: method.parse().unwrap_or(Method::GET),
                path: field.route.split_once(' ').map_or("", |(_, path)| path),
                in_path: placed("path"),
                in_query: placed("query"),
            },
            parameters,
            body: json_of(&operation["requestBody"]).cloned(),
            returned: field.part.map_or(whole.clone(), |part| part_of(document, &whole, part)),
        }
    }

    pub(super) fn answer(&self, kinds: &mut Kinds<'_>) -> Answer {
        let page = kinds.resolved(&self.returned);
        let properties = page["properties"].as_object().cloned().unwrap_or_default();
        let own = |name: &&String| !OF_PAGES.contains(&name.as_str());
        let mut items = properties.keys().filter(own);
        let reads = self.target.method == Method::GET;
        if let (true, Some(only), None) = (reads, items.next(), items.next())
            && properties[only]["type"] == "array"
        {
            let item = kinds.of(&properties[only]["items"].clone(), only, only);
            let by_sequence = properties.contains_key("nextSequence");
            let id = by_sequence.then(|| "sequence".to_owned());
            return Answer::List { items: only.clone(), item, id };
        }
        let named = super::kind::capital(self.name);
        Answer::One(kinds.of(&self.returned.clone(), self.name, &named))
    }

    /// What it takes, by the names of GraphQL.
    pub(super) fn arguments(&self, kinds: &mut Kinds<'_>) -> Vec<Member> {
        let mut members = Vec::new();
        for (name, schema, required, about) in &self.parameters {
            if name == OWN_ACCOUNT || PAGING.contains(&name.as_str()) {
                continue;
            }
            let name = self.shown(name).to_owned();
            let kind = match name.as_str() {
                name if name == "id" || name.ends_with("Id") => {
                    Kind::Id { number: schema["type"] == "integer" }
                }
                _ => kinds.of(schema, &name, ""),
            };
            members.push(Member { name, kind, required: *required, about: about.clone() });
        }
        if self.target.in_query.iter().any(|name| name == "limit") {
            let page = |name: &str, kind, about: &str| Member {
                name: name.to_owned(),
                kind,
                required: false,
                about: Some(about.to_owned()),
            };
            members.push(page("first", Kind::Int, "The most entries, 1 to 100."));
            members.push(page("after", Kind::Text, "The cursor behind which the page begins."));
        }
        if let Some(body) = &self.body {
            let body = kinds.resolved(body).clone();
            for mut member in kinds.members(&body, &super::kind::capital(self.name)) {
                let there = std::mem::take(&mut member.name);
                member.name = self.shown(&there).to_owned();
                if member.name == "amountMinor" && there == "amount" {
                    member.kind = Kind::Long;
                    member.about = Some("Minor units; without it, all that is left.".to_owned());
                }
                members.push(member);
            }
        }
        members
    }

    /// The name here of what the route calls `name`.
    fn shown<'n>(&self, name: &'n str) -> &'n str {
        self.names().find(|(_, there)| *there == name).map_or(name, |(here, _)| here)
    }

    /// The arguments that have another name here than there.
    fn names(&self) -> impl Iterator<Item = &(&'static str, &'static str)> {
        let page = if self.is_query { &PAGE[..] } else { &[] };
        page.iter().chain(self.field.renamed)
    }

    /// A refusal that names an argument of the route at its beginning names that of here.
    fn by_own_names(&self, mut refusal: Error) -> Error {
        let end = refusal.message.find([' ', '.', '[']).unwrap_or_default();
        let named = self.shown(&refusal.message[..end]).to_owned();
        refusal.message.replace_range(..end, &named);
        refusal
    }

    /// The value of the field for the caller of a query, or why there is none.
    pub(super) async fn carry_out(
        &self,
        context: &ResolverContext<'_>,
        inside: &Inside,
        kinds: &BTreeMap<String, Vec<Member>>,
        arguments: Map<String, Value>,
    ) -> Result<Value, Error> {
        let asker = context.data::<Arc<Asker>>()?;
        let by = &asker.by;
        asker.count()?;
        if !self.field.roles.contains(&by.person.role) {
            let text = format!("{} may not {}", by.person.role, self.name);
            return Err(refused(StatusCode::FORBIDDEN, &text));
        }
        let writes = !self.is_query;
        if writes && !asker.may_write() {
            return Err(refused(StatusCode::FORBIDDEN, "seller account is not active"));
        }
        let noted = writes.then(|| arguments.clone());
        let field = context.field();
        let key = asker.key_of(field.alias().unwrap_or(field.name())).filter(|_| writes);
        let Answered { found, is_news } =
            self.target.ask(inside, by, key, self.there(kinds, arguments)).await?;
        if let Some(arguments) = noted.filter(|_| is_news) {
            let made = found.as_ref().unwrap_or(&Value::Null);
            let noted = noting::note(by, self.name, &arguments, made).await;
            // What became of it matters more than that it is not written down.
            noted.or_else(|error| if found.is_ok() { Err(error) } else { Ok(()) })?;
        }
        let mut found = found.map_err(|refusal| self.by_own_names(refusal))?;
        if let Some(part) = self.field.part {
            found = parts::field_of(context, found, part);
        }
        match asker.answered.has_room_for(value::size(&found)) {
            true => Ok(found),
            false => Err(refused(StatusCode::BAD_REQUEST, TOO_LARGE)),
        }
    }

    /// The arguments by the names and in the forms of the route.
    fn there(
        &self,
        kinds: &BTreeMap<String, Vec<Member>>,
        arguments: Map<String, Value>,
    ) -> Map<String, Value> {
        let members = kinds.get(&input_name(self.name));
        let renamed = |name: String| match self.names().find(|(here, _)| *here == name) {
            Some((_, there)) => (*there).to_owned(),
            None => name,
        };
        let arguments = arguments.into_iter().map(|(name, value)| {
            let member = members.and_then(|all| all.iter().find(|member| member.name == name));
            let value = match member {
                Some(member) => to_rest(kinds, &member.kind, value),
                None => value,
            };
            (renamed(name), value)
        });
        arguments.collect()
    }
}

fn json_of(part: &Value) -> Option<&Value> {
    part["content"].get("application/json").map(|content| &content["schema"])
}

/// The schema of what it answers when all is well.
fn returned(responses: &Value) -> Value {
    let statuses = ["200", "201", "202"];
    statuses.iter().find_map(|status| json_of(&responses[*status])).cloned().unwrap_or_default()
}
