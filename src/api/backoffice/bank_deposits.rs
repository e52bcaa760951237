//! Money that came to a bank account, matched to the invoice it is for (decisions 9 and 13).

use std::sync::Arc;

use actors::domain::billing::numbering::InvoiceNumber;
use actors::domain::ids::SellerId;
use actors::domain::money::Currency;
use actors::domain::payments::topup::{DepositRequest, TopupRefusal};
use actors::domain::refusal::Refusal;
use actors::query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

/// A deposit.
#[derive(Deserialize, ToSchema)]
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
    #[schema(value_type = String)]
    currency: Currency,
    invoice_status: &'static str,
    received_minor: i64,
    outstanding_minor: i64,
}

/// `POST /bank-deposits`.
pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let body: DepositBody = call.json()?;
    let number = body.invoice_number.as_deref().ok_or_else(|| missing("invoiceNumber"))?;
    let seller = body.seller_account_id.ok_or_else(|| missing("sellerAccountId"))?;
    let request = DepositRequest {
        amount_minor: body.amount_minor,
        currency: body.currency.as_deref(),
        reference: body.reference.as_deref(),
    };
    let deposit = request.parse().map_err(refused)?;
    let seller = SellerId(seller);
    if app.directory.seller(seller)?.is_none() {
        return Err(Problem::invalid("sellerAccountId is not a seller account"));
    }
    let known = match InvoiceNumber::parse(number.trim()) {
        Some(number) => query::topup_of_number(&app.store, seller, number)?,
        None => None,
    };
    let known = known.ok_or_else(|| {
        Problem::invalid("invoiceNumber is not of a top-up invoice of the seller")
    })?;
    let topup = app.sellers.deposit(seller, known.id, deposit.clone()).await?;
    Ok(Reply::ok(&DepositView {
        invoice_number: topup.number.to_string(),
        seller_account_id: seller.0,
        invoice_kind: "topup_invoice",
        reference: deposit.reference,
        amount_minor: deposit.amount.minor,
        currency: deposit.amount.currency,
        invoice_status: topup.status(call.now).name(),
        received_minor: topup.received_minor,
        outstanding_minor: topup.outstanding_minor(),
    }))
}

fn missing(field: &'static str) -> Problem {
    refused(TopupRefusal::Required(field))
}

fn refused(refusal: TopupRefusal) -> Problem {
    Refusal::from(refusal).into()
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
            .refuses(400, "A field is missing or wrong, or there is no such seller or invoice.")
            .refuses(409, "The reference was used for another amount."),
    ]
}
