//! Money that came to a bank account, matched to the invoice it is for.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::billing::numbering::InvoiceNumber;
use actors::domain::ids::SellerId;
use actors::domain::money::Currency;
use actors::domain::payments::topup::{
    NewDeposit, TopupInvoice, TopupRefusal, TopupStatus, deposit_reference, topup_amount,
};
use actors::domain::refusal::Refusal;
use actors::query;
use actors::tables::INVOICE_NUMBERS;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A deposit.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositBody {
    /// Of a top-up invoice.
    #[schema(required)]
    invoice_number: Option<String>,
    /// Whose invoice it is.
    #[schema(required)]
    seller_account_id: Option<u64>,
    /// What came, in minor units, above 0; it may be less or more than is outstanding.
    #[schema(required, minimum = 1)]
    amount_minor: Option<i64>,
    /// That of the invoice.
    #[schema(required)]
    currency: Option<String>,
    /// What the bank calls the transfer. An invoice takes each reference once.
    #[schema(required, max_length = 140)]
    reference: Option<String>,
}

/// A deposit that is matched, and how its invoice stands now.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositView {
    invoice_number: String,
    seller_account_id: u64,
    /// `topup_invoice`.
    invoice_kind: &'static str,
    reference: String,
    amount_minor: i64,
    currency: Currency,
    invoice_status: TopupStatus,
    received_minor: i64,
    outstanding_minor: i64,
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: DepositBody = request.json()?;
    let required = |field| Refusal::from(TopupRefusal::Required(field));
    let number = body.invoice_number.as_deref().ok_or_else(|| required("invoiceNumber"))?;
    let seller = body.seller_account_id.ok_or_else(|| required("sellerAccountId"))?;
    let deposit = body.parse().map_err(Refusal::from)?;
    let seller = SellerId(seller);
    if app.directory.seller(seller)?.is_none() {
        return Err(ApiError::invalid("sellerAccountId is not a seller account"));
    }
    let known = topup_of(&app, seller, number.trim())?;
    let topup = app.sellers.deposit(seller, known.id, deposit.clone()).await?;
    Ok(Response::ok(&DepositView {
        invoice_number: topup.number.to_string(),
        seller_account_id: seller.0,
        invoice_kind: "topup_invoice",
        reference: deposit.reference,
        amount_minor: deposit.amount.minor,
        currency: deposit.amount.currency,
        invoice_status: topup.status(request.now),
        received_minor: topup.received_minor,
        outstanding_minor: topup.outstanding_minor(),
    }))
}

/// The top-up invoice of this number; refused where it is another invoice's, or nobody's.
fn topup_of(app: &App, seller: SellerId, number: &str) -> Result<TopupInvoice, ApiError> {
    let unknown = || ApiError::invalid("invoiceNumber is not of an invoice of the seller");
    let number = InvoiceNumber::parse(number).ok_or_else(unknown)?;
    if let Some(topup) = query::topup_of_number(&app.store, seller, number)? {
        return Ok(topup);
    }
    let place = (seller, number.series.year, number.series.month, number.order);
    let other = match app.store.get(INVOICE_NUMBERS, &place)? {
        Some(id) => query::invoice(&app.store, seller, id)?,
        None => None,
    };
    // The key says nothing of the agreement number.
    match other.filter(|invoice| invoice.number == Some(number)) {
        Some(_) => Err(ApiError::invalid("invoiceNumber is of an invoice that takes no deposits")),
        None => Err(unknown()),
    }
}

impl DepositBody {
    /// What came. The first field at fault is the answer.
    fn parse(&self) -> Result<NewDeposit, TopupRefusal> {
        let minor = self.amount_minor.ok_or(TopupRefusal::Required("amountMinor"))?;
        let code = self.currency.as_deref().map(str::trim).filter(|code| !code.is_empty());
        let code = code.ok_or(TopupRefusal::Required("currency"))?;
        let currency = Currency::parse(code).ok_or(TopupRefusal::UnknownCurrency)?;
        let amount = topup_amount(minor, currency)?;
        let reference = self.reference.as_deref().ok_or(TopupRefusal::Required("reference"))?;
        Ok(NewDeposit { amount, reference: deposit_reference(reference)? })
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/bank-deposits", create)
            .summary("Match a bank deposit")
            .describe(
                "Credits what came for a top-up invoice to the seller's main wallet. An invoice \
                 takes each `reference` once: the same deposit again changes nothing.",
            )
            .body::<DepositBody>()
            .answer::<DepositView>(200, "The deposit, and how its invoice stands.")
            .refuses(400, "A field is missing or wrong, there is no such seller or invoice, or it is an invoice that \
                 takes no deposits.")
            .refuses(409, "The reference was used for another amount."),
    ]
}
