//! People, and the one who asks.

use std::sync::Arc;

use actors::domain::ids::PersonId;
use actors::domain::platform::person::{Person, PersonRole};
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::dashboard::graphql;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// Somebody who signs in, or is invited to.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PersonView {
    id: u64,
    email: String,
    name: Option<String>,
    role: PersonRole,
    /// `active` or `invited`.
    status: &'static str,
    created_at: Timestamp,
    /// Until when an invitation can be accepted.
    invitation_expires_at: Option<Timestamp>,
    /// Where an invitation is accepted; in the answer that makes it alone.
    invite_url: Option<String>,
    /// Whether a mail server is set, so that the invitation is mailed; beside `inviteUrl`.
    mailed: Option<bool>,
    /// Fields of GraphQL that not everybody may use and this person may; of oneself alone.
    may: Option<Vec<&'static str>>,
}

impl Listed for PersonView {
    const LIST: &'static str = "PersonList";
    const ITEMS: &'static str = "people";
    const CURSOR: Option<&'static str> = None;
}

/// Who is to be invited: by mail, and by the `inviteUrl` of the answer.
#[derive(Deserialize, ToSchema)]
struct InviteBody {
    email: String,
    role: PersonRole,
}

#[derive(Deserialize, ToSchema)]
struct RoleBody {
    role: PersonRole,
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        let status = if person.invitation.is_some() { "invited" } else { "active" };
        Self {
            id: person.id.0,
            email: person.email.as_str().to_owned(),
            name: person.name,
            role: person.role,
            status,
            created_at: person.created_at,
            invitation_expires_at: person.invitation.map(|invitation| invitation.expires_at),
            invite_url: None,
            mailed: None,
            may: None,
        }
    }
}

async fn me(_: Arc<App>, request: Request) -> ApiResult {
    let me = request.person().clone();
    let may = Some(graphql::open_to(me.role));
    Ok(Response::ok(&PersonView { may, ..me.into() }))
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let seller = request.seller_id();
    let people = app.blocking(move |store| query::people(store, seller)).await?;
    let people = people.into_iter().map(PersonView::from).collect();
    Ok(Response::ok(&List::<PersonView>::whole(people)))
}

async fn invite(app: Arc<App>, request: Request) -> ApiResult {
    let InviteBody { email, role } = request.json()?;
    let (person, token) = app.sellers.invite(request.seller_id(), email, role).await?;
    let url = format!("{}/dashboard/invite/{}", app.public_url(), token.reveal());
    let mailed = Some(app.settings.smtp.is_some());
    let view = PersonView { invite_url: Some(url), mailed, ..person.into() };
    Ok(Response::created(&view).unstored())
}

async fn change_role(app: Arc<App>, request: Request) -> ApiResult {
    let person = request.id("personId", PersonId)?;
    let RoleBody { role } = request.json()?;
    let changed = app.sellers.change_role(request.seller_id(), person, role).await?;
    Ok(Response::ok(&PersonView::from(changed)))
}

async fn remove(app: Arc<App>, request: Request) -> ApiResult {
    let person = request.id("personId", PersonId)?;
    let removed = app.sellers.remove_person(request.seller_id(), person).await?;
    Ok(Response::ok(&PersonView::from(removed)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/me", me).summary("Who is signed in").answer::<PersonView>(200, "The person."),
        Route::get("/people", list)
            .summary("Who signs in to the account, or is invited to")
            .answer::<List<PersonView>>(200, "All of them, oldest first."),
        Route::post("/people", invite)
            .summary("Invite somebody for 7 days, or anew")
            .body::<InviteBody>()
            .answer::<PersonView>(201, "The invited."),
        Route::post("/people/{personId}/role", change_role)
            .summary("Give a person another role; the last owner stays one")
            .path_id("personId")
            .body::<RoleBody>()
            .answer::<PersonView>(200, "The person."),
        Route::delete("/people/{personId}", remove)
            .summary("Remove a person, or take an invitation back; the last owner stays")
            .path_id("personId")
            .answer::<PersonView>(200, "As the person was."),
    ]
}
