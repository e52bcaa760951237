//! `POST /invoices`: one key makes one invoice.

use std::sync::Arc;

use actors::contract::{DraftOrder, IssueOrder, Issued, Once};
use actors::domain::billing::contract::Contract;
use actors::domain::billing::customer::Customer;
use actors::domain::billing::invoice::{
    BillTo, ContractFacts, Intent, Invoice, InvoiceRefusal, NewInvoice, SellerFacts,
    first_difference,
};
use actors::domain::billing::numbering::InvoiceNumber;
use actors::domain::ids::{ContractId, InvoiceId, SellerId};
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;
use actors::query::{self, Paging};
use actors::tables::INVOICE_KEYS;

use super::{InvoiceView, NewInvoiceBody, adhoc};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// What fills up a request: the contract that it names with its customer, or what an ad-hoc
/// request says by itself; and the document that it corrects.
struct Known {
    currency: Currency,
    bill_to: BillTo,
    /// None where an ad-hoc request names somebody new.
    customer: Option<Customer>,
    /// None of an ad-hoc request.
    contract: Option<ContractId>,
    corrects: Option<InvoiceId>,
}

pub async fn create(app: Arc<App>, call: Request) -> ApiResult {
    let (request, corrected) = asked(&app, &call)?;
    let known = Known::of(&app, &call, &request, corrected.as_ref())?;
    if let Some(replay) = replay(&app, &call, &request, known.as_ref())? {
        return Ok(replay);
    }
    let known = known.ok_or_else(ApiError::missing)?;
    let intent = known.intent(&call, &request);
    let corrects = known.corrects;
    let (contract, customer) = known.home(&app, &call, &request).await?;
    let key = call.idempotency_key().to_owned();
    let order = IssueOrder { request: request.clone(), intent, key, customer, corrects };
    match app.contracts.issue_invoice(call.seller_id(), contract, order).await? {
        Once::Made(Issued { invoice, lines }) => {
            let page = app.payment_url(call.seller_id(), &invoice);
            let view = InvoiceView::new(&invoice, page).with_lines(&lines);
            Ok(Response::created(&view))
        }
        Once::Before => {
            let known = Known::of(&app, &call, &request, corrected.as_ref())?;
            replay(&app, &call, &request, known.as_ref())?.ok_or_else(ApiError::unanswered)
        }
    }
}

/// What the body asks for as a draft, and the contract that it is of.
pub(crate) async fn drafted(
    app: &App,
    call: &Request,
) -> Result<(ContractId, DraftOrder), ApiError> {
    let (request, corrected) = asked(app, call)?;
    let known =
        Known::of(app, call, &request, corrected.as_ref())?.ok_or_else(ApiError::missing)?;
    let corrects = known.corrects;
    let (contract, _) = known.home(app, call, &request).await?;
    Ok((contract, DraftOrder { request, corrects }))
}

/// What the body asks for, and the document that it corrects, if it does.
fn asked(app: &App, call: &Request) -> Result<(NewInvoice, Option<Invoice>), ApiError> {
    let body = call.json::<NewInvoiceBody>()?;
    let corrected = match body.corrected() {
        Some(number) => find_corrected(app, call.seller_id(), number)?,
        None => None,
    };
    let request = body.parse(corrected.as_ref().map(|corrected| corrected.origin))?;
    let request = filled(app, call, request, corrected.as_ref())?;
    Ok((request, corrected))
}

fn find_corrected(app: &App, seller: SellerId, number: &str) -> Result<Option<Invoice>, ApiError> {
    match InvoiceNumber::parse(number) {
        Some(number) => Ok(query::invoice_of_number(&app.store, seller, number)?),
        None => Ok(None),
    }
}

/// The request with what it takes over of the document that it corrects, if it does.
fn filled(
    app: &App,
    call: &Request,
    request: NewInvoice,
    corrected: Option<&Invoice>,
) -> Result<NewInvoice, ApiError> {
    if !request.is_correction() {
        return Ok(request);
    }
    let corrected = corrected.ok_or_else(|| Refusal::from(InvoiceRefusal::CorrectsUnknown))?;
    let lines = query::invoice_lines(&app.store, call.seller_id(), corrected.id)?;
    Ok(request.filled(corrected, &lines).map_err(Refusal::from)?)
}

/// The answer of a key that has made an invoice before: the invoice as it is now, or `422` naming
/// the field that differs. Comes before whatever depends on time or state, so that a replay
/// stays one.
fn replay(
    app: &App,
    call: &Request,
    request: &NewInvoice,
    known: Option<&Known>,
) -> Result<Option<Response>, ApiError> {
    let (store, seller) = (&app.store, call.seller_id());
    let row = (seller, call.idempotency_key().to_owned());
    let Some(first) = store.get(INVOICE_KEYS, &row)? else { return Ok(None) };
    // The first one's contract is there; one that is not differs from it.
    let differs = known.map_or(Some("contractId"), |known| {
        first_difference(&first.intent, &known.intent(call, request))
    });
    if let Some(field) = differs {
        return Err(ApiError::unprocessable(format!(
            "Idempotency-Key was used for an invoice with a different {field}"
        )));
    }
    let torn = || ApiError::internal(&format!("a key's invoice {} is not there", first.invoice));
    let invoice = query::invoice(store, seller, first.invoice)?.ok_or_else(torn)?;
    let lines = query::invoice_lines(store, seller, first.invoice)?;
    let view = InvoiceView::new(&invoice, app.payment_url(seller, &invoice)).with_lines(&lines);
    Ok(Some(Response::replayed(&view)))
}

impl Known {
    fn of(
        app: &App,
        call: &Request,
        request: &NewInvoice,
        corrected: Option<&Invoice>,
    ) -> Result<Option<Self>, ApiError> {
        let Some(id) = request.contract else { return Self::adhoc(app, call, request) };
        let (store, seller) = (&app.store, call.seller_id());
        let Some(contract) = query::contract(store, seller, id)? else { return Ok(None) };
        let Contract { customer, currency, .. } = contract;
        let torn = || ApiError::internal(&format!("the customer of contract {id} is not there"));
        let customer = query::customer(store, seller, customer)?.ok_or_else(torn)?;
        let bill_to = match corrected {
            Some(corrected) => corrected.bill_to.clone(),
            None => ContractFacts::of(&contract, &customer).bill_to,
        };
        let corrects = corrected.map(|corrected| corrected.id);
        let (customer, contract) = (Some(customer), Some(id));
        Ok(Some(Self { currency, bill_to, customer, contract, corrects }))
    }

    /// A request that was checked states both currency and address.
    fn adhoc(app: &App, call: &Request, request: &NewInvoice) -> Result<Option<Self>, ApiError> {
        let stated = request.currency.zip(request.adhoc_recipient());
        let Some((currency, bill_to)) = stated else { return Ok(None) };
        let (store, email) = (&app.store, bill_to.email.as_str().to_lowercase());
        let one = Paging { limit: 1, cursor: None };
        let known = query::customers(store, call.seller_id(), Some(&email), None, one)?;
        let customer = known.items.into_iter().next();
        Ok(Some(Self { currency, bill_to, customer, contract: None, corrects: None }))
    }

    /// The contract that the document is of, with its customer: found or made for an ad-hoc one.
    async fn home(
        self,
        app: &App,
        call: &Request,
        request: &NewInvoice,
    ) -> Result<(ContractId, Customer), ApiError> {
        match (self.contract, self.customer) {
            (Some(contract), Some(customer)) => Ok((contract, customer)),
            (_, known) => {
                adhoc::open(app, call, request, (self.currency, self.bill_to), known).await
            }
        }
    }

    fn intent(&self, call: &Request, request: &NewInvoice) -> Intent {
        let recipient = request.bill_to.over(&self.bill_to);
        let seller = SellerFacts::from(&call.seller().seller);
        let country = self.customer.as_ref().and_then(|known| known.company_country.as_deref());
        let rules = seller.rules_for(country, &recipient, call.now.date());
        Intent::of(request, self.currency, &self.bill_to, &rules)
    }
}
