//! `/customers`, and the cards that they have saved.

use std::sync::Arc;

pub use actors::domain::billing::customer::CustomerFields as CustomerBody;
use actors::domain::billing::customer::{Customer, CustomerType};
use actors::domain::email::Email;
use actors::domain::ids::{CustomerId, SavedCardId};
use actors::domain::money::Currency;
use actors::domain::payments::saved_card::{SavedCard, default_card};
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use hyper::StatusCode;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A customer as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerView {
    /// The `sellerCustomerId` of contracts and invoices.
    id: u64,
    email: String,
    customer_ref: Option<String>,
    name: Option<String>,
    phone: Option<String>,
    company_name: Option<String>,
    company_country: Option<String>,
    tax_id: Option<String>,
    currency: Option<Currency>,
    customer_type: Option<CustomerType>,
    created_at: Timestamp,
    /// Cards that the customer let you charge for later invoices, the newest first.
    saved_cards: Vec<SavedCardView>,
}

/// A saved card, as its holder knows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedCardView {
    id: u64,
    /// `visa`, `mastercard`, `amex`, `discover`, `diners`, `jcb`, `unionpay`, `maestro` or `unknown`.
    brand: &'static str,
    last4: String,
    /// 1 to 12.
    #[schema(minimum = 1, maximum = 12)]
    expiry_month: u8,
    expiry_year: u16,
    /// Whether it is the one that is charged: the one that was saved last.
    is_default: bool,
    created_at: Timestamp,
}

pub type CustomerList = List<CustomerView>;

impl Listed for CustomerView {
    const LIST: &'static str = "CustomerList";
    const ITEMS: &'static str = "customers";
}

pub async fn find_or_create(app: Arc<App>, call: Request) -> ApiResult {
    let request = call.json::<CustomerBody>()?.parse().map_err(Refusal::from)?;
    let customer = app.sellers.customer(call.seller_id(), request).await?;
    let cards = query::saved_cards(&app.store, call.seller_id(), customer.id)?;
    Ok(Response::ok(&CustomerView::new(customer, &cards, is_demo(&call))))
}

pub async fn get(app: Arc<App>, call: Request) -> ApiResult {
    let id = call.id("customerId", CustomerId)?;
    let found = query::customer(&app.store, call.seller_id(), id)?;
    let customer = found.ok_or_else(ApiError::missing)?;
    let cards = query::saved_cards(&app.store, call.seller_id(), id)?;
    Ok(Response::ok(&CustomerView::new(customer, &cards, is_demo(&call))))
}

pub async fn list(app: Arc<App>, call: Request) -> ApiResult {
    let (paging, seller) = (call.paging("beforeId")?, call.seller_id());
    // A plus sign that is not escaped is a blank here, and nobody has such an address.
    let expected = match call.uri.query() {
        Some(query) if query.contains('+') => "an e-mail address, with + written as %2B",
        _ => "an e-mail address",
    };
    let email = call.query_as("email", expected, |text| {
        Email::parse(text).map(|email| email.as_str().to_lowercase())
    })?;
    let reference = call.query_text("customerRef")?.map(|text| text.into_owned());
    let found = app.blocking(move |store| {
        let (email, reference) = (email.as_deref(), reference.as_deref());
        let page = query::customers(store, seller, email, reference, paging)?;
        query::customers_with_cards(store, seller, page)
    });
    let (found, demo) = (found.await?, is_demo(&call));
    let view =
        |(customer, cards): (Customer, Vec<SavedCard>)| CustomerView::new(customer, &cards, demo);
    Ok(Response::ok(&CustomerList::of(found, view)))
}

pub async fn remove_card(app: Arc<App>, call: Request) -> ApiResult {
    let customer = call.id("customerId", CustomerId)?;
    let card = call.id("savedCardId", SavedCardId)?;
    app.sellers.remove_card(call.seller_id(), customer, card).await?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

fn is_demo(call: &Request) -> bool {
    call.seller().seller.mode == Mode::Demo
}

impl From<Customer> for CustomerView {
    /// One who has saved no card.
    fn from(customer: Customer) -> Self {
        Self::new(customer, &[], true)
    }
}

impl CustomerView {
    /// `demo` says whether the seller is in demo mode: cards of the other mode pay nothing.
    pub fn new(customer: Customer, cards: &[SavedCard], demo: bool) -> Self {
        let default = default_card(cards, demo).map(|card| card.id);
        let of_mode = cards.iter().filter(|card| card.demo == demo);
        let view = |card: &SavedCard| SavedCardView {
            id: card.id.0,
            brand: card.card.brand.name(),
            last4: card.card.last4.clone(),
            expiry_month: card.card.expiry.month,
            expiry_year: card.card.expiry.year,
            is_default: default == Some(card.id),
            created_at: card.created_at,
        };
        Self {
            saved_cards: of_mode.map(view).collect(),
            id: customer.id.0,
            email: customer.email.as_str().to_owned(),
            customer_ref: customer.customer_ref,
            name: customer.name,
            phone: customer.phone,
            company_name: customer.company_name,
            company_country: customer.company_country,
            tax_id: customer.tax_id,
            currency: customer.currency,
            customer_type: customer.customer_type,
            created_at: customer.created_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/customers", find_or_create)
            .named("createCustomer")
            .summary("Find or create a customer by e-mail")
            .describe(
                "The e-mail, compared in lower case, is the key. Details fill what is empty and \
                 overwrite nothing; an empty or blank text says nothing.",
            )
            .body::<CustomerBody>()
            .answer::<CustomerView>(200, "The customer, new or known.")
            .refuses(400, "A field is missing, malformed or too long.")
            .refuses(422, "Another customer holds the `customerRef`."),
        Route::get("/customers", list)
            .named("listCustomers")
            .summary("List customers")
            .describe(
                "A `+` of the e-mail is written `%2B`, as in `?email=ada%2Bshop@example.com`.",
            )
            .query_text("email", "Only the one of this e-mail, compared in lower case.")
            .query_text("customerRef", "Only the one that holds this reference.")
            .paged("beforeId")
            .answer::<CustomerList>(200, "Newest first."),
        Route::delete("/customers/{customerId}/saved-cards/{savedCardId}", remove_card)
            .named("removeSavedCard")
            .summary("Remove a saved card")
            .describe("It is charged no more. Another one that the customer saved takes its place.")
            .path_id("customerId")
            .path_id("savedCardId")
            .answer_empty(204, "The card is removed.")
            .refuses(404, "No such customer, or no such card."),
        Route::get("/customers/{customerId}", get)
            .named("getCustomer")
            .summary("Read a customer")
            .path_id("customerId")
            .answer::<CustomerView>(200, "The customer."),
    ]
}

#[cfg(test)]
mod tests {
    use actors::domain::ids::SellerId;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_customer_has_not_is_left_out() {
        let bare = Customer {
            id: CustomerId(7),
            seller: SellerId(1),
            email: Email::parse("Ada@example.com").expect("an address"),
            customer_ref: None,
            name: None,
            phone: None,
            company_name: None,
            company_country: None,
            tax_id: None,
            currency: None,
            customer_type: None,
            created_at: Timestamp::from_micros(0),
        };
        let shown = |customer| serde_json::to_value(CustomerView::from(customer)).expect("JSON");
        let expected = json!({
            "id": 7, "email": "Ada@example.com", "createdAt": "1970-01-01T00:00:00Z",
            "savedCards": [],
        });
        assert_eq!(shown(bare.clone()), expected);
        let kind = Some(CustomerType::Company);
        let full = Customer { currency: Some(Currency::EUR), customer_type: kind, ..bare };
        let shown = shown(full);
        assert_eq!(
            (&shown["currency"], &shown["customerType"]),
            (&json!("EUR"), &json!("company"))
        );
    }

    #[test]
    fn a_request_is_refused_by_the_field_at_fault() {
        let parsed = |body: serde_json::Value| {
            let body: CustomerBody = serde_json::from_value(body).expect("a body");
            let parsed = body.parse().map(|_| ());
            parsed.map_err(|refusal| ApiError::from(Refusal::from(refusal)).to_string())
        };
        assert_eq!(parsed(json!({"email": "a@b.de", "name": null, "phone": ""})), Ok(()));
        for (body, expected) in [
            (json!({"email": ""}), "400 email is required"),
            (json!({"email": "A <a@b.de>"}), "400 email must be a plain e-mail address"),
            (
                json!({"email": "a@b.de", "customerType": "firm"}),
                "400 customerType must be individual or company",
            ),
        ] {
            assert_eq!(parsed(body), Err(expected.to_owned()));
        }
    }
}
