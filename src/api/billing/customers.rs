//! Customers over HTTP: found or created by e-mail (billing 2.3, 4.2; decisions 3).

use std::sync::Arc;

use actors::domain::billing::customer::{Customer, CustomerFields, CustomerRequest};
use actors::domain::ids::CustomerId;
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

/// A customer to be found or created. What is stored already is never overwritten.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerBody {
    /// A plain address, without a display name; compared in lower case.
    #[schema(format = Email, max_length = 254)]
    email: String,
    /// The seller's own reference, held by one customer only.
    #[schema(max_length = 128)]
    customer_ref: Option<String>,
    #[schema(max_length = 64)]
    name: Option<String>,
    #[schema(max_length = 32)]
    phone: Option<String>,
    #[schema(max_length = 255)]
    company_name: Option<String>,
    #[schema(max_length = 56)]
    company_country: Option<String>,
    /// The default billing currency: `EUR`, `USD`, `GBP`, `DKK`, `NOK` or `SEK`.
    currency: Option<String>,
    /// `individual` or `company`.
    customer_type: Option<String>,
}

/// A customer as it is answered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerView {
    /// The `sellerCustomerId` of contracts and invoices.
    id: u64,
    email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    currency: Option<Currency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_type: Option<&'static str>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// A page of customers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerList {
    customers: Vec<CustomerView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// `POST /customers`.
pub async fn find_or_create(app: Arc<App>, call: Call) -> Answer {
    let request = call.json::<CustomerBody>()?.parse()?;
    let customer = app.sellers.customer(call.seller_id(), request).await?;
    Ok(Reply::ok(&CustomerView::from(customer)))
}

/// `GET /customers/{customerId}`.
pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("customerId", CustomerId)?;
    let found = query::customer(&app.store, call.seller_id(), id)?;
    let customer = found.ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&CustomerView::from(customer)))
}

/// `GET /customers`.
pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let email = call.query_text("email")?.map(|text| text.to_lowercase());
    let reference = call.query_text("customerRef")?.map(|text| text.into_owned());
    let found = apart(&app, move |store| {
        query::customers(store, seller, email.as_deref(), reference.as_deref(), paging)
    });
    let page = found.await?;
    Ok(Reply::ok(&CustomerList {
        customers: page.items.into_iter().map(CustomerView::from).collect(),
        has_more: page.next.is_some(),
        next_cursor: page.next,
        next_before_id: page.next,
    }))
}

impl CustomerBody {
    fn parse(&self) -> Result<CustomerRequest, Problem> {
        let fields = CustomerFields {
            email: Some(&self.email),
            customer_ref: self.customer_ref.as_deref(),
            name: self.name.as_deref(),
            phone: self.phone.as_deref(),
            company_name: self.company_name.as_deref(),
            company_country: self.company_country.as_deref(),
            currency: self.currency.as_deref(),
            customer_type: self.customer_type.as_deref(),
        };
        CustomerRequest::parse(&fields).map_err(|refusal| Refusal::from(refusal).into())
    }
}

impl From<Customer> for CustomerView {
    fn from(customer: Customer) -> Self {
        Self {
            id: customer.id.0,
            email: customer.email.as_str().to_owned(),
            customer_ref: customer.customer_ref,
            name: customer.name,
            phone: customer.phone,
            company_name: customer.company_name,
            company_country: customer.company_country,
            currency: customer.currency,
            customer_type: customer.customer_type.map(|kind| kind.name()),
            created_at: customer.created_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/customers", find_or_create)
            .summary("Find or create a customer by e-mail")
            .describe(
                "The e-mail, compared in lower case, is the key. Details fill what is empty and \
                 overwrite nothing; an empty text says nothing.",
            )
            .body::<CustomerBody>()
            .answer::<CustomerView>(200, "The customer, new or known.")
            .refuses(400, "A field is missing, malformed or too long.")
            .refuses(422, "Another customer holds the `customerRef`."),
        Route::get("/customers", list)
            .summary("List customers")
            .query_text("email", "Only the one of this e-mail, compared in lower case.")
            .query_text("customerRef", "Only the one that holds this reference.")
            .paged("beforeId")
            .answer::<CustomerList>(200, "Newest first."),
        Route::get("/customers/{customerId}", get)
            .summary("Read a customer")
            .path_id("customerId")
            .answer::<CustomerView>(200, "The customer."),
    ]
}

#[cfg(test)]
mod tests {
    use actors::domain::billing::customer::CustomerType;
    use actors::domain::email::Email;
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
            currency: None,
            customer_type: None,
            created_at: Timestamp::from_micros(0),
        };
        let shown = |customer| serde_json::to_value(CustomerView::from(customer)).expect("JSON");
        let expected =
            json!({"id": 7, "email": "Ada@example.com", "createdAt": "1970-01-01T00:00:00Z"});
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
            body.parse().map(|_| ()).map_err(|problem| problem.to_string())
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
