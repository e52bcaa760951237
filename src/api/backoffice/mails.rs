//! `GET /mails`: what went to the buyers of a seller and to those it invited, or did not.

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::mail::{About, Mail, MailKind, MailStatus};
use actors::domain::ids::SellerId;
use actors::domain::time::Timestamp;
use actors::link_tokens::LinkTokens;
use actors::{mail, query};
use serde::Serialize;
use serde_with::skip_serializing_none;
use storage::Store;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::documents::{self, Document};
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};
use crate::mail::{Attachment, Written, name_of, write};

/// A document of more lines is not made only to see how large it would be.
const MEASURED_LINES: u32 = 100;

/// A mail.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailView {
    id: u64,
    kind: MailKind,
    /// Of one that is about an invoice.
    invoice_id: Option<u64>,
    /// Of one that is about a payment link of the seller's own.
    payment_link_id: Option<u64>,
    /// Of an invitation: who is invited.
    person_id: Option<u64>,
    /// Of one that is about a subscription by payment link.
    link_subscription_id: Option<u64>,
    to: String,
    subject: String,
    text: String,
    html: String,
    /// The document; none where it was sent without, by a fault.
    attachments: Vec<AttachmentView>,
    status: MailStatus,
    /// How often it was tried.
    attempts: u32,
    /// While it is queued.
    next_attempt_at: Option<Timestamp>,
    /// Why the last attempt failed.
    last_error: Option<String>,
    created_at: Timestamp,
    sent_at: Option<Timestamp>,
}

/// A file beside the words.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    name: String,
    content_type: &'static str,
    /// Bytes: as it was sent, else as it would be sent now. Absent of a document with more than
    /// 100 lines that was not sent yet.
    size: Option<u64>,
}

pub type MailList = List<MailView>;

impl Listed for MailView {
    const LIST: &'static str = "MailList";
    const ITEMS: &'static str = "mails";
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let seller = request.query_id("sellerAccountId", SellerId)?;
    let seller = seller.ok_or_else(|| ApiError::invalid("sellerAccountId is required"))?;
    app.directory.seller(seller)?.ok_or_else(ApiError::missing)?;
    let found = app.blocking(move |store| query::mails(store, seller, paging)).await?;
    let (store, links) = (app.store.clone(), app.links.clone());
    let view = move |(mail, about)| MailView::new(&store, &links, &mail, about);
    let list = documents::in_turn(move || MailList::try_of(found, view)).await;
    let list = list.map_err(|error| ApiError::internal(&error))??;
    Ok(Response::ok(&list).unstored())
}

impl MailView {
    fn new(store: &Store, links: &LinkTokens, of: &Mail, about: About) -> Result<Self, ApiError> {
        let url = mail::url_of(links, of, &about);
        let written = write(of, &about, url.clone());
        let Written { subject, text, html } =
            written.map_err(|error| ApiError::internal(&error.to_string()))?;
        Ok(Self {
            id: of.id.0,
            kind: of.kind,
            invoice_id: of.invoice.map(|id| id.0),
            payment_link_id: of.link.map(|id| id.0),
            person_id: of.person.map(|id| id.0),
            link_subscription_id: of.subscription.map(|id| id.0),
            to: of.to.as_str().to_owned(),
            subject,
            text,
            html,
            attachments: match about {
                About::Invoice(invoice) => AttachmentView::of(store, of, *invoice, url)?,
                About::Link(..) | About::Subscription(..) | About::Invitation(..) => Vec::new(),
            },
            status: of.status,
            attempts: of.attempts,
            next_attempt_at: of.next_attempt_at,
            last_error: of.last_error.clone(),
            created_at: of.created_at,
            sent_at: of.sent_at,
        })
    }
}

impl AttachmentView {
    fn of(
        store: &Store,
        of: &Mail,
        invoice: Invoice,
        payment_url: Option<String>,
    ) -> Result<Vec<Self>, ApiError> {
        let name = name_of(&invoice);
        let size = match of.attached_bytes {
            None if of.status == MailStatus::Sent => return Ok(Vec::new()),
            None if invoice.line_count <= MEASURED_LINES => {
                let lines = query::invoice_lines(store, of.seller, invoice.id)?;
                let made = Attachment::of(&Document { invoice, lines, payment_url });
                Some(made.map_err(|error| ApiError::internal(&error))?.file.len() as u64)
            }
            known => known,
        };
        Ok(vec![Self { name, content_type: Attachment::TYPE, size }])
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/mails", list)
            .named("listMails")
            .summary("List the mails to a seller's buyers and people")
            .describe(
                "Newest first, each as its reader sees it (one that is out says what it said, \
                 whatever was changed since), with the document as a PDF where it is about one, and \
                 with the link of an invitation while that is open. `not_sent` are \
                 those that were written while no mail server was set, or whose invoice asked for \
                 nothing any more when their turn came; one that a saved card had paid by then goes \
                 as a `paid_invoice`. Mails are kept as long as events, `events.keep_days`.",
            )
            .query_needed_id("sellerAccountId", "The seller.")
            .paged("beforeId")
            .answer::<MailList>(200, "The mails.")
            .refuses(400, "`sellerAccountId` is missing.")
            .refuses(404, "There is no such seller."),
    ]
}
