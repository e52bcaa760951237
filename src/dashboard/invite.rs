//! `/dashboard/invite/{token}`: the page of an invitation.

use std::sync::Arc;

use actors::domain::platform::person::{InviteToken, Password, Person, person_name};
use actors::domain::refusal::Refusal;
use actors::passwords::Crowded;
use actors::query;
use actors::seller::Opened;
use hyper::StatusCode;
use utoipa::ToSchema;

use super::credentials::form;
use super::login::{act, lead_on};
use super::page::{InvitePage, NoticePage, in_words, page, refused};
use crate::app::App;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiError, ApiResult};
use crate::pages::fields::Fields;

/// The form of the page.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form in the API document")]
pub struct InviteForm {
    name: String,
    /// At least 8 characters.
    #[schema(format = "password")]
    password: String,
}

/// An invitation that can be accepted.
struct Invited {
    token: InviteToken,
    person: Person,
    seller: String,
}

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    match open(&app, &request).await? {
        Some(invited) => page(StatusCode::OK, &shown(&request, &invited, "", None)),
        None => unknown(),
    }
}

async fn accept(app: Arc<App>, request: Request) -> ApiResult {
    let Some(invited) = open(&app, &request).await? else { return unknown() };
    let fields = form(&request)?;
    match join(&app, &request, &invited, &fields).await {
        Ok(opened) => lead_on(&app, &opened),
        Err(error) => {
            let text = error.text().to_owned();
            refused(error, &shown(&request, &invited, fields.text("name"), Some(&text)))
        }
    }
}

async fn join(
    app: &App,
    request: &Request,
    invited: &Invited,
    fields: &Fields,
) -> Result<Opened, ApiError> {
    let name = person_name(fields.text("name")).map_err(Refusal::from)?;
    let password = Password::chosen(fields.exact("password")).map_err(Refusal::from)?;
    let hash = app.passwords.hash(password).await.map_err(|Crowded| ApiError::busy())?;
    let act = act(request, &invited.person.email, "acceptInvitation");
    Ok(app.sellers.accept(&invited.token, name, hash, act).await?)
}

async fn open(app: &App, request: &Request) -> Result<Option<Invited>, ApiError> {
    let Ok(text) = request.text_param("token") else { return Ok(None) };
    let Some(token) = InviteToken::parse(&text) else { return Ok(None) };
    let (sought, now) = (token.clone(), request.now);
    let person = app.blocking(move |store| query::invited(store, &sought, now)).await?;
    let Some(person) = person else { return Ok(None) };
    let seller = app.directory.seller(token.seller)?;
    let seller = seller.filter(|seller| seller.seller.expires_at.is_none_or(|end| now < end));
    Ok(seller.map(|seller| Invited { token, person, seller: seller.seller.name.clone() }))
}

fn shown<'a>(
    request: &'a Request,
    invited: &'a Invited,
    name: &'a str,
    problem: Option<&'a str>,
) -> InvitePage<'a> {
    InvitePage {
        action: request.uri.path(),
        email: invited.person.email.as_str(),
        seller: &invited.seller,
        role: invited.person.role.name(),
        name,
        problem,
    }
}

fn unknown() -> ApiResult {
    let text = "It was accepted, taken back, or is over. Ask for a new one.";
    refused(ApiError::missing(), &NoticePage { title: "No such invitation", text })
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/dashboard/invite/{token}", show)
            .on(Surface::Page)
            .page()
            .refuses_with(|_, error| in_words(error))
            .summary("The page of an invitation")
            .path_text("token", "Token of the invitation.")
            .answer_as(200, "text/html", "The page.")
            .answer_as(404, "text/html", "No such invitation, or it was accepted or is over."),
        Route::post("/dashboard/invite/{token}", accept)
            .page()
            .open()
            .body_limit(FORM_LIMIT)
            .refuses_with(|_, error| in_words(error))
            .summary("Accept an invitation")
            .path_text("token", "Token of the invitation.")
            .form::<InviteForm>()
            .answer_empty(303, "Accepted, with a session.")
            .refuses_as(400, "text/html", "A field is wrong; the page says which.")
            .answer_as(404, "text/html", "No such invitation, or it was accepted or is over.")
            .answer_as(409, "text/html", "The e-mail can sign in to an account already."),
    ]
}
