//! What somebody looks for.

use std::sync::Arc;

use actors::domain::money::{Currency, Money, major_units};
use actors::query::{self, Hit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const MOST_HITS: usize = 20;

/// Something that was found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SearchHit {
    /// `contract`, `subscription`, `invoice`, `topup_invoice`, `customer` or `payment`.
    kind: &'static str,
    /// By which it is read; of a payment its `externalOrderRef`.
    id: String,
    title: String,
    detail: String,
}

impl From<Hit> for SearchHit {
    fn from(hit: Hit) -> Self {
        let amount =
            |minor, currency: Currency| format!("{} {currency}", major_units(minor, currency));
        match hit {
            Hit::Contract(contract) => Self {
                kind: "contract",
                id: contract.id.to_string(),
                title: contract.contract_number().unwrap_or_else(|| contract.id.to_string()),
                detail: contract.current.status.name().to_owned(),
            },
            Hit::Subscription(subscription) => {
                let status = subscription.status.name();
                let price = amount(subscription.price_minor, subscription.currency);
                Self {
                    kind: "subscription",
                    id: subscription.id.to_string(),
                    title: subscription.description.unwrap_or_else(|| subscription.id.to_string()),
                    detail: format!("{status}, {price} {}", subscription.frequency),
                }
            }
            Hit::Invoice(invoice) => {
                let total = amount(invoice.totals.grand_total_minor, invoice.currency);
                let number = invoice.number.map(|number| number.to_string());
                Self {
                    kind: "invoice",
                    id: invoice.id.to_string(),
                    title: number.unwrap_or_else(|| invoice.id.to_string()),
                    detail: format!("{}, {total}", invoice.status),
                }
            }
            Hit::Topup(topup) => {
                let Money { minor, currency } = topup.amount;
                Self {
                    kind: "topup_invoice",
                    id: topup.id.to_string(),
                    title: topup.number.to_string(),
                    detail: amount(minor, currency),
                }
            }
            Hit::Customer(customer) => {
                let email = customer.email.to_string();
                let name = customer.name.or(customer.company_name);
                Self {
                    kind: "customer",
                    id: customer.id.to_string(),
                    title: name.unwrap_or_else(|| email.clone()),
                    detail: email,
                }
            }
            Hit::Payment(payment) => {
                let Money { minor, currency } = payment.amount;
                Self {
                    kind: "payment",
                    detail: format!("{}, {}", payment.status.name(), amount(minor, currency)),
                    id: payment.reference.clone(),
                    title: payment.reference,
                }
            }
        }
    }
}

async fn search(app: Arc<App>, request: Request) -> ApiResult {
    let text = request.query_text("text")?;
    let text = text.ok_or_else(|| ApiError::invalid("text is required"))?.into_owned();
    let seller = request.seller_id();
    let hits = app.blocking(move |store| query::search(store, seller, &text, MOST_HITS)).await?;
    Ok(Response::ok(&hits.into_iter().map(SearchHit::from).collect::<Vec<_>>()))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/search", search)
            .summary("Find something by its id, number, reference, e-mail or name")
            .query_needed_text(
                "text",
                "An id, a document's number, or the beginning of a customer's e-mail, reference or \
                 name, or of a payment's reference.",
            )
            .answer::<Vec<SearchHit>>(200, "At most 20."),
    ]
}
