//! The API document (OpenAPI 3.1), made of the declarations that the router serves.

mod answers;
mod free;
mod merged;
mod nulls;
mod parameters;
mod parts;
mod webhooks;

use bytes::Bytes;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi,
    OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, Schema,
};

use self::merged::Schemas;
use super::State;
use super::route::Route;
use super::route::document::{Body, Document, Shape};

pub(crate) struct About {
    pub(crate) title: &'static str,
    /// In Markdown.
    pub(crate) description: &'static str,
    /// Headings in the order in which they are read, each with what it is about in Markdown, in
    /// groups.
    pub(crate) parts: &'static [(&'static str, &'static [(&'static str, &'static str)])],
    /// How callers say who they are, by name.
    pub(crate) schemes: &'static [(&'static str, Scheme)],
}

/// With what a caller says who it is, and whose that is.
pub(crate) enum Scheme {
    Bearer(&'static str),
    /// The cookie of this name.
    Cookie(&'static str, &'static str),
}

impl Scheme {
    fn document(&self) -> SecurityScheme {
        match *self {
            Self::Bearer(about) => {
                let mut scheme = Http::new(HttpAuthScheme::Bearer);
                scheme.description = Some(about.to_owned());
                SecurityScheme::Http(scheme)
            }
            Self::Cookie(name, about) => {
                let value = ApiKeyValue::with_description(name, about);
                SecurityScheme::ApiKey(ApiKey::Cookie(value))
            }
        }
    }
}

pub(crate) fn render<'r, S: State>(
    routes: impl Iterator<Item = &'r Route<S>>,
    about: &About,
) -> Bytes {
    let routes: Vec<&Route<S>> = routes.collect();
    serde_json::to_vec(&document(&routes, about)).expect("a document of texts and numbers").into()
}

fn document<S: State>(routes: &[&Route<S>], about: &About) -> OpenApi {
    let mut paths = PathsBuilder::new();
    for &route in routes {
        let item = PathItem::new(method(route), operation(route));
        paths = paths.path(route.path, item);
    }
    let licence = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build();
    let info = InfoBuilder::new()
        .title(about.title)
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(about.description))
        .license(Some(licence));
    let groups = parts::used(routes, about);
    let mut document = OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .webhooks(webhooks::of(routes))
        .components(Some(components(routes, about)))
        .tags(Some(parts::tags(&groups)))
        .build();
    document.extensions = Some(parts::shown_together(&groups));
    document
}

fn method<S: State>(route: &Route<S>) -> HttpMethod {
    match route.method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn operation<S: State>(route: &Route<S>) -> Operation {
    let document = &route.document;
    let mut operation = OperationBuilder::new()
        .operation_id(Some(operation_id(route)))
        .summary(Some(document.summary))
        .description(document.description)
        .tag(document.tag)
        .request_body(document.body.as_ref().map(|body| request_body(route, body)))
        .responses(answers::of(document));
    for parameter in document.asks.iter().map(parameters::of) {
        operation = operation.parameter(parameter);
    }
    let none: [&str; 0] = [];
    match document.security {
        None => operation,
        Some(scheme) => operation.security(SecurityRequirement::new(scheme, none)),
    }
    .build()
}

/// The name that it was given; without one, `GET /a/{b}/c` is `getAByBC`.
fn operation_id<S: State>(route: &Route<S>) -> String {
    if let Some(name) = route.document.name {
        return name.to_owned();
    }
    let mut id = route.method.as_str().to_ascii_lowercase();
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric() && c != '{');
    for word in words.filter(|word| !word.is_empty()) {
        let (by, word) = word.strip_prefix('{').map_or(("", word), |word| ("By", word));
        id.push_str(by);
        id.extend(word.chars().take(1).map(|c| c.to_ascii_uppercase()));
        id.extend(word.chars().skip(1));
    }
    id
}

fn request_body<S: State>(
    route: &Route<S>,
    body: &Body,
) -> utoipa::openapi::request_body::RequestBody {
    let content = || ContentBuilder::new().schema(Some(reference(body.shape))).build();
    let required = if route.empty_body { Required::False } else { Required::True };
    let builder = RequestBodyBuilder::new().required(Some(required));
    body.kinds.iter().fold(builder, |builder, kind| builder.content(*kind, content())).build()
}

/// A type with a shape of its own stands among the components once and is referred to by name;
/// lists, maps and plain values stand where they are used.
fn reference(shape: Shape) -> RefOr<Schema> {
    let schema = (shape.schema)();
    let plain = match &schema {
        RefOr::Ref(_) | RefOr::T(Schema::Array(_)) => true,
        RefOr::T(Schema::Object(object)) => {
            object.properties.is_empty() && object.enum_values.is_none()
        }
        RefOr::T(_) => false,
    };
    if plain { schema } else { RefOr::Ref(Ref::from_schema_name((shape.name)())) }
}

fn components<S: State>(routes: &[&Route<S>], about: &About) -> Components {
    let mut schemas = Schemas::from([(answers::ERROR.to_owned(), answers::error_schema())]);
    let document = routes.iter().map(|route| &route.document);
    for body in document.clone().filter_map(|document| document.body.as_ref()) {
        add(&mut schemas, body.shape, nulls::taken);
    }
    for shape in document.flat_map(Document::answered) {
        add(&mut schemas, shape, nulls::answered);
    }
    merged::settle(&mut schemas, |schemas, name| is_named(routes, schemas, name));
    let shared = routes.iter().flat_map(|route| route.document.shared_headers);
    let builder = shared
        .fold(ComponentsBuilder::new().schemas_from_iter(schemas), |builder, (name, about)| {
            builder.header(*name, answers::header(Type::String, about))
        });
    let schemes = about.schemes.iter();
    schemes
        .fold(builder, |builder, (name, scheme)| builder.security_scheme(*name, scheme.document()))
        .build()
}

/// Adds a shape that stands by its name, and all that it names.
fn add(schemas: &mut Schemas, shape: Shape, pass: fn(&mut RefOr<Schema>)) {
    let mut all = Vec::new();
    (shape.others)(&mut all);
    if let RefOr::Ref(_) = reference(shape) {
        all.push(((shape.name)(), (shape.schema)()));
    }
    for (name, mut schema) in all {
        pass(&mut schema);
        free::open(&mut schema);
        schemas.insert(name, schema);
    }
}

/// Whether a route or another schema says `name`.
fn is_named<S: State>(routes: &[&Route<S>], schemas: &Schemas, name: &str) -> bool {
    let to = format!("\"#/components/schemas/{name}\"");
    let others = schemas.iter().filter(|(other, _)| *other != name).map(|(_, schema)| schema);
    let said = serde_json::to_string(&others.collect::<Vec<_>>()).unwrap_or_default();
    let mut shapes = routes.iter().flat_map(|route| route.document.shapes());
    said.contains(&to) || shapes.any(|shape| (shape.name)() == name)
}
