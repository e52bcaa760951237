//! What an ad-hoc invoice needs is found or made: its customer by e-mail, then a contract in its
//! currency.

use actors::domain::billing::contract::create_for_ad_hoc;
use actors::domain::billing::customer::{Customer, CustomerRequest, merge};
use actors::domain::billing::invoice::{
    BillTo, ContractFacts, NewInvoice, SellerFacts, compose_manual,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::ids::{ContractId, CustomerId, InvoiceId};
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;
use actors::query;

use crate::app::App;
use crate::gate::Request;
use crate::http::ApiError;

/// The longest name that a customer keeps, in characters; documents print longer ones.
const CUSTOMER_NAME: usize = 64;

/// The contract that `request` is billed to, and its customer, who may be `known` already. Details
/// of the recipient fill what the customer lacks. What composing the document would refuse is
/// refused before anything is made.
pub(super) async fn open(
    app: &App,
    call: &Request,
    request: &NewInvoice,
    (currency, recipient): (Currency, BillTo),
    known: Option<Customer>,
) -> Result<(ContractId, Customer), ApiError> {
    let asked = customer_of(request.bill_to.over(&recipient));
    try_composing(app, call, request, currency, (known, asked.clone()))?;
    let customer = app.sellers.customer(call.seller_id(), asked).await?;
    let home = app.contracts.adhoc(&customer, currency).await?;
    Ok((home, customer))
}

/// A refused request leaves neither customer nor contract behind: the document is composed once as
/// it would be, for the customer as they are known and filled in.
fn try_composing(
    app: &App,
    call: &Request,
    request: &NewInvoice,
    currency: Currency,
    (known, asked): (Option<Customer>, CustomerRequest),
) -> Result<(), ApiError> {
    let (store, seller) = (&app.store, call.seller_id());
    let home = match &known {
        Some(known) => query::oldest_active_contract(store, seller, known.id, currency)?,
        None => None,
    };
    let home = home.map(|home| query::contract(store, seller, home)).transpose()?.flatten();
    let filled = merge(known.as_ref(), asked, seller, CustomerId(0), call.now, None);
    let customer = filled.map_err(Refusal::from)?.customer;
    let fresh = || create_for_ad_hoc(ContractId(0), &customer, currency, call.now);
    let facts = ContractFacts::of(&home.unwrap_or_else(fresh), &customer);
    let seller = SellerFacts::from(&call.seller().seller);
    let moment = Moment::of(None, call.now);
    let composed = compose_manual(InvoiceId(0), &facts, &seller, request, moment);
    composed.map(|_| ()).map_err(|refusal| Refusal::from(refusal).into())
}

fn customer_of(recipient: BillTo) -> CustomerRequest {
    CustomerRequest {
        email: recipient.email,
        customer_ref: None,
        name: recipient.name.filter(|name| name.chars().count() <= CUSTOMER_NAME),
        phone: recipient.phone,
        company_name: recipient.company_name,
        company_country: recipient.company_country,
        // It is of the country of this document, which need not be the customer's own.
        tax_id: None,
        currency: None,
        customer_type: None,
    }
}
