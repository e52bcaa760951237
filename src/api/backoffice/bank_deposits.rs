//! Money that came to a bank account, matched to the invoice it is for.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::numbering::InvoiceNumber;
use actors::domain::ids::SellerId;
use actors::domain::money::Currency;
use actors::domain::payments::topup::{
    NewDeposit, TopupInvoice, TopupRefusal, deposit_reference, topup_amount,
};
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A deposit.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositBody {
    /// Of a contract's invoice, or of a top-up invoice.
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
    /// `invoice` or `topup_invoice`.
    invoice_kind: &'static str,
    reference: String,
    amount_minor: i64,
    currency: Currency,
    invoice_status: &'static str,
    /// What came for it so far.
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
    let of = (seller, deposit.clone());
    match InvoiceOfNumber::find(&app, seller, number.trim())? {
        InvoiceOfNumber::Contract(invoice) => {
            let (contract, id) = (invoice.contract, invoice.id);
            let invoice = app.contracts.deposit(seller, contract, id, deposit).await?;
            Ok(Response::ok(&DepositView::of_invoice(of, &invoice)))
        }
        InvoiceOfNumber::Topup(topup) => {
            let topup = app.sellers.deposit(seller, topup.id, deposit).await?;
            Ok(Response::ok(&DepositView::of_topup(of, &topup, request.now)))
        }
    }
}

enum InvoiceOfNumber {
    Contract(Box<Invoice>),
    Topup(Box<TopupInvoice>),
}

impl InvoiceOfNumber {
    fn find(app: &App, seller: SellerId, number: &str) -> Result<Self, ApiError> {
        let unknown = || ApiError::invalid("invoiceNumber is not of an invoice of the seller");
        let number = InvoiceNumber::parse(number).ok_or_else(unknown)?;
        if let Some(topup) = query::topup_of_number(&app.store, seller, number)? {
            return Ok(Self::Topup(Box::new(topup)));
        }
        let invoice = query::invoice_of_number(&app.store, seller, number)?;
        invoice.map(|invoice| Self::Contract(Box::new(invoice))).ok_or_else(unknown)
    }
}

impl DepositView {
    fn of_invoice((seller, deposit): (SellerId, NewDeposit), invoice: &Invoice) -> Self {
        Self {
            invoice_number: invoice.number.map(|number| number.to_string()).unwrap_or_default(),
            seller_account_id: seller.0,
            invoice_kind: "invoice",
            reference: deposit.reference,
            amount_minor: deposit.amount.minor,
            currency: deposit.amount.currency,
            invoice_status: invoice.status.name(),
            received_minor: invoice.received_minor(),
            outstanding_minor: invoice.outstanding_minor,
        }
    }

    fn of_topup(
        (seller, deposit): (SellerId, NewDeposit),
        topup: &TopupInvoice,
        now: Timestamp,
    ) -> Self {
        Self {
            invoice_number: topup.number.to_string(),
            seller_account_id: seller.0,
            invoice_kind: "topup_invoice",
            reference: deposit.reference,
            amount_minor: deposit.amount.minor,
            currency: deposit.amount.currency,
            invoice_status: topup.status(now).name(),
            received_minor: topup.received_minor,
            outstanding_minor: topup.outstanding_minor(),
        }
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
            .named("matchBankDeposit")
            .summary("Match a bank deposit")
            .describe(
                "Counts what came for a contract's invoice, which is paid once nothing is \
                 outstanding; what is more than that becomes `purchased` stored credit of its \
                 contract. What came for a top-up invoice goes to the seller's main wallet. An \
                 invoice takes each `reference` once: the same deposit again changes nothing.",
            )
            .body::<DepositBody>()
            .about_account_in_body()
            .answer::<DepositView>(200, "The deposit, and how its invoice stands.")
            .refuses(
                400,
                "A field is missing or wrong, there is no such seller or invoice, or it is a \
                 credit note, which takes no deposits.",
            )
            .refuses(
                409,
                "The reference was used for another amount, or the invoice has 64 deposits \
                 already.",
            )
            .refuses(422, "More came than is outstanding, and stored credits are off."),
    ]
}
