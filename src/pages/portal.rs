//! `/portal/{token}`: what a customer has with a seller, and what the seller lets them do.

mod opened;
mod reading;
mod rows;

use std::sync::Arc;

use actors::contract::SubscriptionAction;
use actors::domain::billing::subscription::{BY_BUYER, Cancel, Subscription};
use actors::domain::ids::{InvoiceId, SavedCardId, SubscriptionId};
use actors::domain::platform::audit::{Act, Actor};
use actors::domain::platform::seller::PortalAction;
use actors::domain::refusal::Refusal;
use actors::kernel::AskError;
use actors::query;
use askama::Template;
use hyper::StatusCode;
use serde::Deserialize;
use storage::ReadError;
use utoipa::ToSchema;

use self::opened::{Opened, Purpose, open, unknown};
use self::rows::{CardRow, InvoiceRow, PaymentRow, SubscriptionRow, UsageRow};
use super::bill::SellerView;
use super::context::{PageContext, for_people, instead, page, refused as refusal_page, wants_json};
use super::fields::Fields;
use super::language::{Words, fill};
use super::outcome::Outcome;
use crate::api::billing::invoices::printed;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a form asks for.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form in the API document")]
pub struct PortalForm {
    /// `cancel` a subscription, `resume` it or take its cancel back, or take a saved `card` away.
    action: String,
    /// Of the subscription or the card.
    id: String,
}

#[derive(Template)]
#[template(path = "portal.html", config = "src/pages/askama.toml")]
struct PortalPage {
    t: &'static Words,
    seller: SellerView,
    demo: bool,
    title: String,
    form_url: String,
    invoices: Vec<InvoiceRow>,
    payments: Vec<PaymentRow>,
    subscriptions: Vec<SubscriptionRow>,
    usage: Vec<UsageRow>,
    cards: Vec<CardRow>,
}

async fn show(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let opened = match open(cx, request, Purpose::Look).await? {
        Ok(opened) => opened,
        Err(refused) => return refused,
    };
    let t = Words::of_browser(request);
    let found = reading::all(&cx.app, &opened).await?;
    let (seller, demo) = cx.seller(t, opened.seller.id)?;
    let path = request.uri.path();
    let may = |action| opened.seller.portal_actions.contains(&action);
    let pays = may(PortalAction::Pay);
    let invoices = found.invoices.iter().map(|invoice| {
        let pay = cx.app.payment_url(opened.seller.id, invoice).filter(|_| pays);
        InvoiceRow::new(t, invoice, path, pay)
    });
    let subscriptions = found
        .subscriptions
        .iter()
        .map(|subscription| SubscriptionRow::new(t, subscription, &opened.seller.portal_actions));
    let removable = may(PortalAction::Card);
    let shown = PortalPage {
        t,
        title: fill(t.portal_title, &[("seller", &seller.name)]),
        seller,
        demo,
        form_url: path.to_owned(),
        invoices: invoices.collect(),
        payments: PaymentRow::of(t, &found.invoices),
        subscriptions: subscriptions.collect(),
        usage: found.usage.iter().map(|metric| UsageRow::new(t, metric)).collect(),
        cards: found.cards.iter().map(|card| CardRow::new(t, card, removable)).collect(),
    };
    page(StatusCode::OK, &shown)
}

/// Does what a form asks for, as far as the seller allows it, and leads back to the page, which
/// shows how things stand then.
async fn act(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let opened = match open(cx, request, Purpose::Act).await? {
        Ok(opened) => opened,
        Err(refused) => return refused,
    };
    let fields = Fields::of(request).map_err(|_| ApiError::invalid("invalid request body"))?;
    let action = PortalAction::parse(fields.text("action"));
    let id = fields.text("id").parse::<u64>().ok();
    let (Some(action), Some(id)) = (action.filter(|of| *of != PortalAction::Pay), id) else {
        let error = ApiError::invalid("action must be cancel, resume or card, and id an id");
        return instead(request, error, &Outcome::unreadable(Words::of_browser(request)));
    };
    if !allows(&cx.app, &opened, action, id)? {
        let error = ApiError::forbidden(format!("the seller does not offer {action} here"));
        return instead(request, error, &Outcome::unreadable(Words::of_browser(request)));
    }
    match carry_out(&cx.app, &opened, action, id).await {
        Ok(()) => {
            note(&cx.app, request, &opened, action, id).await?;
            Ok(done(request))
        }
        // What became impossible meanwhile is seen on the page.
        Err(AskError::Refused(refusal)) if !wants_json(request) => {
            tracing::debug!(%refusal, "a portal's form came too late");
            Ok(done(request))
        }
        Err(error) => Err(error.into()),
    }
}

fn done(request: &Request) -> Response {
    match wants_json(request) {
        true => Response::empty(StatusCode::NO_CONTENT),
        false => Response::see_other(request.uri.path()).unstored(),
    }
}

async fn carry_out(
    app: &App,
    opened: &Opened,
    action: PortalAction,
    id: u64,
) -> Result<(), AskError> {
    let (seller, customer) = (opened.seller.id, opened.customer.id);
    if action == PortalAction::Card {
        return app.sellers.remove_card(seller, customer, SavedCardId(id)).await;
    }
    let own = own(app, opened, id).map_err(|_| Refusal::fault())?;
    let own = own.ok_or_else(Refusal::missing)?;
    let act = match action {
        PortalAction::Cancel => SubscriptionAction::Cancel(Cancel {
            reason: Some(BY_BUYER.to_owned()),
            ..Cancel::default()
        }),
        _ => SubscriptionAction::Resume,
    };
    let acted = app.contracts.change_subscription_for_buyer(seller, own.contract, own.id, act);
    acted.await.map(|_| ())
}

/// Whether the seller lets the buyer do this here.
fn allows(app: &App, opened: &Opened, action: PortalAction, id: u64) -> Result<bool, ReadError> {
    let allowed = &opened.seller.portal_actions;
    if allowed.contains(&action) || action != PortalAction::Resume {
        return Ok(allowed.contains(&action));
    }
    let own = own(app, opened, id)?;
    Ok(own.is_some_and(|subscription| rows::may_keep(&subscription, allowed)))
}

/// A subscription of the customer.
fn own(app: &App, opened: &Opened, id: u64) -> Result<Option<Subscription>, ReadError> {
    let found = query::subscription(&app.store, opened.seller.id, SubscriptionId(id))?;
    Ok(found.filter(|subscription| subscription.customer == opened.customer.id))
}

/// The audit log says that the buyer did it.
async fn note(
    app: &App,
    request: &Request,
    opened: &Opened,
    action: PortalAction,
    id: u64,
) -> Result<(), ApiError> {
    let (name, noun) = match action {
        PortalAction::Cancel => ("cancelSubscription", "subscription"),
        PortalAction::Resume => ("resumeSubscription", "subscription"),
        PortalAction::Card | PortalAction::Pay => ("removeSavedCard", "savedCard"),
    };
    let act = Act {
        actor: Actor::Buyer(opened.customer.email.clone()),
        action: name.to_owned(),
        object: Some(format!("{noun} {id}")),
        address: Some(request.peer.to_string()),
        changes: None,
    };
    Ok(app.sellers.note_act(opened.seller.id, act).await?)
}

/// One of the customer's own invoices.
async fn pdf(cx: Arc<PageContext>, request: Arc<Request>) -> ApiResult {
    let (cx, request) = (&cx, &*request);
    let opened = match open(cx, request, Purpose::Act).await? {
        Ok(opened) => opened,
        Err(refused) => return refused,
    };
    let (seller, customer) = (opened.seller.id, opened.customer.id);
    let id = request.id("invoiceId", InvoiceId)?;
    let found = query::invoice(&cx.app.store, seller, id)?;
    match found.filter(|invoice| invoice.customer == customer) {
        Some(invoice) => printed(&cx.app, seller, invoice).await,
        None => unknown(request),
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/portal/{token}", for_people(show))
            .refuses_with(refusal_page)
            .summary("A customer's portal")
            .path_text("token", "Token of the portal's link.")
            .answer_as(200, "text/html", "The page, also one that says that it is closed.")
            .refuses_as(404, "text/html", "Not a link of ours, or over."),
        Route::post("/portal/{token}", for_people(act))
            .refuses_with(refusal_page)
            .summary("Does what a customer asks for on the portal")
            .path_text("token", "Token of the portal's link.")
            .form::<PortalForm>()
            .answer_empty(204, "It is done, for `Accept: application/json`.")
            .answer_empty(303, "The page shows how things stand.")
            .refuses_as(400, "text/html", "The form is malformed.")
            .refuses_as(403, "text/html", "The seller does not offer this.")
            .refuses_as(404, "text/html", "Not a link of ours, or over, or nothing of theirs.")
            .refuses_as(409, "text/html", "It cannot be done any more, or the page is closed.")
            .refuses(422, "It cannot be done as things stand."),
        Route::get("/portal/{token}/invoices/{invoiceId}", for_people(pdf))
            .refuses_with(refusal_page)
            .summary("Print an invoice for its customer")
            .path_text("token", "Token of the portal's link.")
            .path_id("invoiceId")
            .answer_file("application/pdf", "The file.")
            .refuses_as(400, "text/html", "The id is none.")
            .refuses_as(404, "text/html", "Not a link of ours, or over, or not their invoice.")
            .refuses_as(409, "text/html", "The seller's pages are closed."),
    ]
}

#[cfg(test)]
mod tests;
