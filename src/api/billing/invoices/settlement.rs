//! `GET /invoices/{invoiceId}/settlement`: how the money came.

use std::sync::Arc;

use actors::domain::billing::invoice::{Invoice, PaidVia, settlement_note};
use actors::domain::money::Currency;
use actors::domain::payments::payment::Payment;
use actors::domain::time::Timestamp;
use actors::query::{self, Attribution};
use serde::Serialize;
use serde_with::skip_serializing_none;
use storage::{ReadError, Store};
use utoipa::ToSchema;

use super::load_invoice;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiResult, Response};

/// The settlement trail of an invoice.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettlementView {
    invoice_id: u64,
    invoice_number: Option<String>,
    /// Once paid.
    paid_via: Option<PaidVia>,
    /// The link it is paid by, once it was sent.
    payment_link_id: Option<u64>,
    /// Why there are no payments.
    note: Option<&'static str>,
    /// Every attempt, failed ones too, newest first.
    payments: Vec<SettledPaymentView>,
}

/// A payment of an invoice.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettledPaymentView {
    /// The payment's reference.
    payment_id: String,
    status: &'static str,
    amount_minor: i64,
    currency: Currency,
    created_at: Timestamp,
    /// The payouts that took of it, newest first, failed ones too; none while it is in none.
    payouts: Vec<AttributedPayoutView>,
}

/// A payout's part of a payment.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AttributedPayoutView {
    payout_id: u64,
    /// As the payout's own.
    status: &'static str,
    /// `reserved`, `finalized` once it is paid out, or `released` when it came back.
    state: &'static str,
    /// What the payout took of the payment.
    attributed_minor: i64,
    currency: Currency,
    completed_at: Option<Timestamp>,
}

/// A payment with the payouts that took of it.
pub(super) type Settled = (Payment, Vec<Attribution>);

pub async fn settlement(app: Arc<App>, request: Request) -> ApiResult {
    let invoice = load_invoice(&app, &request)?;
    let (payments, seller) = (app.payments.clone(), request.seller_id());
    let id = invoice.id;
    let read = move |store: &Store| -> Result<Vec<Settled>, ReadError> {
        let payments = payments.of_invoice(seller, id)?.into_iter();
        let parts = |payment: Payment| {
            let parts = query::attributions(store, seller, payment.id)?;
            Ok((payment, parts))
        };
        payments.map(parts).collect()
    };
    let settled = app.blocking(read).await?;
    Ok(Response::ok(&SettlementView::new(&invoice, &settled)))
}

impl SettlementView {
    /// The trail of `invoice` with its payments, newest first.
    pub(super) fn new(invoice: &Invoice, payments: &[Settled]) -> Self {
        Self {
            invoice_id: invoice.id.0,
            invoice_number: invoice.number.map(|number| number.to_string()),
            paid_via: invoice.paid_via,
            payment_link_id: invoice.link.as_ref().map(|link| link.id),
            note: settlement_note(invoice).filter(|_| payments.is_empty()),
            payments: payments.iter().map(SettledPaymentView::from).collect(),
        }
    }
}

impl From<&Settled> for SettledPaymentView {
    fn from((payment, parts): &Settled) -> Self {
        Self {
            payment_id: payment.reference.clone(),
            status: payment.status.name(),
            amount_minor: payment.amount.minor,
            currency: payment.amount.currency,
            created_at: payment.created_at,
            payouts: parts.iter().map(AttributedPayoutView::from).collect(),
        }
    }
}

impl From<&Attribution> for AttributedPayoutView {
    fn from(part: &Attribution) -> Self {
        Self {
            payout_id: part.payout.id.0,
            status: part.payout.status.name(),
            state: part.payout.attribution().name(),
            attributed_minor: part.attributed_minor,
            currency: part.payout.currency,
            completed_at: part.payout.completed_at,
        }
    }
}
