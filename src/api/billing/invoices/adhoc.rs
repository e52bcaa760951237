//! What an ad-hoc invoice needs is found or made: its customer by e-mail, then a contract in its
//! currency.

use actors::domain::billing::customer::{Customer, CustomerRequest};
use actors::domain::billing::invoice::{
    BillTo, ContractFacts, NewInvoice, SellerFacts, compose_manual,
};
use actors::domain::billing::test_clock::Moment;
use actors::domain::ids::{ContractId, CustomerId, InvoiceId};
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;

use crate::app::App;
use crate::gate::Request;
use crate::http::ApiError;

/// The longest name that a customer keeps, in characters; documents print longer ones.
const CUSTOMER_NAME: usize = 64;

/// The contract that `request` is billed to, and its customer. Details of the recipient fill what
/// the customer lacks. What composing the document would refuse is refused before anything is made.
pub(super) async fn open(
    app: &App,
    call: &Request,
    request: &NewInvoice,
    currency: Currency,
    recipient: BillTo,
) -> Result<(ContractId, Customer), ApiError> {
    try_composing(call, request, currency, &recipient)?;
    let seller = call.seller_id();
    let asked = request.bill_to.over(&recipient);
    let customer = app.sellers.customer(seller, customer_of(asked)).await?;
    let home = app.contracts.adhoc(&customer, currency).await?;
    Ok((home, customer))
}

/// A refused request leaves neither customer nor contract behind: the document is composed once
/// without them.
fn try_composing(
    call: &Request,
    request: &NewInvoice,
    currency: Currency,
    recipient: &BillTo,
) -> Result<(), ApiError> {
    let nobody = ContractFacts {
        id: ContractId(0),
        number: None,
        customer: CustomerId(0),
        currency,
        bill_to: recipient.clone(),
        customer_country: None,
    };
    let seller = SellerFacts::from(&call.seller().seller);
    let moment = Moment::of(None, call.now);
    let composed = compose_manual(InvoiceId(0), &nobody, &seller, request, moment);
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
