//! `GET /mails`: what went to the buyers of a seller, or did not.

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::mail::{Mail, MailKind, MailStatus};
use actors::domain::ids::SellerId;
use actors::domain::time::Timestamp;
use actors::{mail, query};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};
use crate::mail::{Written, write};

/// A mail.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailView {
    id: u64,
    kind: MailKind,
    invoice_id: u64,
    to: String,
    subject: String,
    text: String,
    html: String,
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
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    name: String,
    content_type: &'static str,
    /// Bytes.
    size: usize,
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
    let list = MailList::try_of(found, |(mail, invoice)| MailView::new(&app, &mail, &invoice))?;
    Ok(Response::ok(&list).unstored())
}

impl MailView {
    fn new(app: &App, of: &Mail, invoice: &Invoice) -> Result<Self, ApiError> {
        let url = mail::payment_url(&app.links, of, invoice);
        let written = write(of, invoice, url);
        let Written { subject, text, html } =
            written.map_err(|error| ApiError::internal(&error.to_string()))?;
        Ok(Self {
            id: of.id.0,
            kind: of.kind,
            invoice_id: of.invoice.0,
            to: of.to.as_str().to_owned(),
            subject,
            text,
            html,
            attachments: Vec::new(),
            status: of.status,
            attempts: of.attempts,
            next_attempt_at: of.next_attempt_at,
            last_error: of.last_error.clone(),
            created_at: of.created_at,
            sent_at: of.sent_at,
        })
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/mails", list)
            .summary("List the mails to a seller's buyers")
            .describe(
                "Newest first, each as its reader sees it. `not_sent` are those that were written \
                 while no mail server was set, or whose invoice asked for nothing any more when \
                 their turn came. Mails are kept as long as events, `events.keep_days`.",
            )
            .query_id("sellerAccountId", "The seller; required.")
            .paged("beforeId")
            .answer::<MailList>(200, "The mails.")
            .refuses(400, "`sellerAccountId` is missing.")
            .refuses(404, "There is no such seller."),
    ]
}
