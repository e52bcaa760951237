//! `/dashboard/graphql`: the routes of the API, and the dashboard's own, under the names of one
//! schema. Nothing is decided here: a field is a request to its route, which answers, refuses and
//! limits as it does elsewhere. What is added is who may do what, and the audit log.

mod asker;
mod call;
mod digits;
mod document;
mod fields;
mod kind;
mod noting;
mod parts;
mod plan;
mod schema;
mod tally;
mod value;
mod variables;

use std::sync::{Arc, LazyLock};

use actors::domain::platform::person::PersonRole;
use async_graphql::dynamic::Schema;
use async_graphql::parser::parse_query;
use async_graphql::{
    ErrorExtensionValues, Request as Operation, Response as Answer, ServerError,
    Value as GraphValue, Variables,
};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use self::asker::{Asker, TOO_LARGE};
use self::variables::Inputs;
use super::INSIDE;
use crate::app::App;
use crate::gate::limits::{self, MAY_BE_DONE};
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Behalf, Request, Route};
use crate::http::{self, ApiError, ApiResult, Response};

/// Bytes of a body: a draft of as many lines as an invoice may have goes through here, in variables.
const BODY_LIMIT: usize = 512 * 1024;

const SDL: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

static SCHEMA: LazyLock<(Schema, Inputs)> =
    LazyLock::new(|| schema::build(&INSIDE).expect("a schema whose types are all there"));

/// One operation, of at most 512 KiB.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationBody {
    /// The document, of at most 64 KiB.
    query: String,
    operation_name: Option<String>,
    #[schema(value_type = Option<Object>)]
    variables: Option<Value>,
}

/// What came of it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer in the API document")]
pub struct OperationView {
    #[schema(value_type = Option<Object>, required)]
    data: Option<Value>,
    /// Each with a `message` and `extensions {code, status}`, as REST has them, and with
    /// `retryAfter` (seconds) where REST has a header for it.
    #[schema(value_type = Option<Vec<Object>>)]
    errors: Option<Vec<Value>>,
}

async fn execute(app: Arc<App>, request: Request) -> ApiResult {
    let operation = operation(&request)?;
    if request.seller().seller.is_incomplete {
        return Err(ApiError::forbidden("onboarding is not complete"));
    }
    let key = request.stated_key().map(str::to_owned);
    let asker = Arc::new(Asker::new(Behalf::of(&app, &request), key));
    let asked = carry_out(operation.data(Arc::clone(&asker)));
    let mut answer = http::begin_aside(asked).await?;
    if asker.answered.is_crowded() {
        return Err(limits::too_many_answers(MAY_BE_DONE));
    }
    if asker.answered.is_beyond_room() {
        answer = refusal(ServerError::new(TOO_LARGE, None));
    }
    for error in &mut answer.errors {
        // What no route has said is found wrong with the operation itself.
        let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
        if extensions.get("code").is_none() {
            let internal = error.message.starts_with("internal:");
            extensions.set("code", if internal { "INTERNAL" } else { "BAD_REQUEST" });
            extensions.set("status", if internal { 500 } else { 400 });
        }
    }
    let answer = serde_json::to_string(&answer).map_err(|error| ApiError::internal(&error))?;
    let mut response = Response::json_bytes(StatusCode::OK, digits::shown(answer)).unstored();
    asker.state(response.headers_mut());
    Ok(response)
}

/// Reading and checking a document is long work without a pause, and all of it is done before the
/// first route is asked.
async fn carry_out(mut operation: Operation) -> Answer {
    let document = match parse_query(&operation.query) {
        Ok(document) => document,
        Err(error) => return refusal(error.into()),
    };
    if let Err(error) = document::check(&document, &operation.variables) {
        return refusal(error);
    }
    let name = operation.operation_name.as_deref();
    let places = document::places(&document, name);
    let (schema, inputs) = &*SCHEMA;
    variables::settle(&document, name, &mut operation.variables, inputs);
    operation.set_parsed_query(document);
    let mut answer = schema.execute(operation).await;
    if let GraphValue::Object(data) = &mut answer.data {
        // They come as their routes answer.
        data.sort_by(|one, _, other, _| places.get(one).cmp(&places.get(other)));
    }
    answer
}

fn refusal(error: ServerError) -> Answer {
    Answer::from_errors(vec![error])
}

fn operation(request: &Request) -> Result<Operation, ApiError> {
    let kind = request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let text = "content type must be application/json";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
    }
    let body: Value = serde_json::from_slice(&digits::hidden(&request.body))
        .map_err(|_| ApiError::invalid("invalid request body: not JSON"))?;
    if !body.is_object() {
        return Err(ApiError::invalid("invalid request body: expected one operation, an object"));
    }
    let OperationBody { query, operation_name, variables } = serde_json::from_value(body)
        .map_err(|error| ApiError::invalid(format!("invalid request body: {error}")))?;
    if query.len() > FORM_LIMIT {
        let text = format!("query is larger than {FORM_LIMIT} bytes: state values in variables");
        return Err(ApiError::invalid(text));
    }
    let variables = Variables::from_json(variables.unwrap_or_default());
    let operation = Operation::new(query).variables(variables);
    Ok(match operation_name {
        Some(name) => operation.operation_name(name),
        None => operation,
    })
}

async fn sdl(_: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::bytes(StatusCode::OK, SDL, SCHEMA.0.sdl()).unstored())
}

/// Every field with those who may use it.
pub fn roles() -> Vec<(&'static str, &'static [PersonRole])> {
    let all = fields::QUERIES.iter().chain(fields::MUTATIONS).chain([&fields::REGENERATE]);
    all.map(|field| (field.name, field.roles)).collect()
}

/// The fields that somebody of `role` may use and not everybody may, all mutations among them.
pub(super) fn open_to(role: PersonRole) -> Vec<&'static str> {
    let writes = fields::MUTATIONS.iter().chain([&fields::REGENERATE]);
    let some = fields::QUERIES.iter().filter(|field| field.roles.len() < fields::EVERYBODY.len());
    let all = some.chain(writes).filter(|field| field.roles.contains(&role));
    all.map(|field| field.name).collect()
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/dashboard/graphql", execute)
            .may_only_read()
            .takes_key()
            .body_limit(BODY_LIMIT)
            .summary("Execute a GraphQL operation")
            .describe(
                "One operation as JSON, from pages of this server, by the session's cookie alone. \
                 Lists are connections (`first` up to 100, `after`); mutations take one `input`, but \
                 for `goLive`, which takes nothing. \
                 What a role may not do is an error with the code `FORBIDDEN`. With an \
                 `Idempotency-Key` each mutation whose route demands a key has one of its own, made \
                 of that key, of the name that the field has in the answer, and of who asks: an \
                 operation whose answer was lost is sent again under the same key and pays, bills, \
                 credits or makes nothing twice (a secret that was drawn is shown the first time \
                 alone), and with other content it is refused. A mutation that replaces a secret \
                 demands no key, and replaces it each time. Without the header \
                 each field of each operation is a write of its own. An operation is \
                 at most 16 levels deep and 1,500 fields large, those of a fragment wherever it is \
                 spread, and asks for at most 50 fields of its root. What its routes answer and \
                 what it asks of that are at most 24 MiB together, 16 bytes counted for each value \
                 beside its text; an operation that would answer more is refused, and mutations \
                 up to there are carried out. An introspection asks for each field once in its \
                 place. Numbers of a value of the type `JSON` come and go digit for digit where \
                 they are stated in variables; a literal of the document is a float.",
            )
            .body::<OperationBody>()
            .answer::<OperationView>(200, "What came of it, errors too.")
            .refuses(403, "Onboarding is not complete, or a page of another origin asks.")
            .refuses(415, "Not JSON."),
        Route::get("/dashboard/schema.graphql", sdl).summary("The GraphQL schema").answer_as(
            200,
            "text/plain",
            "In the schema definition language.",
        ),
    ]
}
