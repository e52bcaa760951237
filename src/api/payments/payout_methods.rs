//! The bank accounts of payees (payments 2.4; decisions 7, 13).

use std::sync::Arc;

use actors::domain::country::Country;
use actors::domain::ids::{PayeeId, PayoutMethodId};
use actors::domain::money::Currency;
use actors::domain::payments::bank::{AccountRequest, Destination, NumberForm};
use actors::domain::payments::payout_method::PayoutMethod;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::Spent;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::key;
use super::payees::demand;
use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

const ENDPOINT: &str = "payout-methods";

/// A bank account that a payee is to be paid to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodBody {
    /// `EUR`, `GBP` or `USD`. `iban` takes EUR and GBP, `uk_local` GBP, `us_local` USD, `swift`
    /// all three.
    #[schema(required)]
    currency: Option<String>,
    /// Only `bank_account`.
    #[serde(rename = "type")]
    method_type: Option<String>,
    /// `iban` (the default), `uk_local`, `us_local` or `swift`.
    bank_account_type: Option<String>,
    #[schema(max_length = 128)]
    account_name: Option<String>,
    #[schema(max_length = 128)]
    bank_name: Option<String>,
    /// ISO 3166-1 alpha-2; required but for `iban`, which says it itself.
    bank_country: Option<String>,
    /// Required for `iban`; may identify a `swift` account.
    iban: Option<String>,
    /// Required for `uk_local` and `us_local`, and for `swift` without an `iban`.
    account_number: Option<String>,
    /// Required for `uk_local`: six digits.
    sort_code: Option<String>,
    /// ABA; required for `us_local`.
    routing_number: Option<String>,
    /// ISO 9362.
    bic: Option<String>,
    /// Another name of `bic`, which wins.
    swift: Option<String>,
}

/// A payout method, its account masked to the last four characters.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodView {
    id: u64,
    payee_id: u64,
    /// `bank_account`.
    #[serde(rename = "type")]
    method_type: &'static str,
    #[schema(value_type = String)]
    currency: Currency,
    #[serde(flatten)]
    account: DestinationView,
    /// `active`, or `deleted` in the replay of a setup.
    status: &'static str,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// A bank account as answers show it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DestinationView {
    /// `iban`, `uk_local`, `us_local` or `swift`.
    bank_account_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    bank_country: Option<Country>,
    /// Masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<String>,
    /// Masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bic: Option<String>,
}

/// A page of payout methods.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodList {
    payout_methods: Vec<MethodView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// What deleting answers.
#[derive(Serialize, ToSchema)]
pub struct MethodDeleted {
    deleted: bool,
}

/// `POST /payees/{payeeId}/payout-methods`.
pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let payee = demand(&app, &call)?.id;
    let body: MethodBody = call.json()?;
    let spend = key::spend(&call, ENDPOINT, &[("payeeId", payee.to_string())], 0);
    if let Some(made) = key::before(&app, &call, &spend).await? {
        return replay(&app, &call, payee, PayoutMethodId(made));
    }
    let account = body.request().check().map_err(Refusal::from)?;
    let asked = app.payees.add_method(call.seller_id(), payee, account, spend.clone()).await;
    match asked? {
        Spent::Made(method) => Ok(Reply::created(&MethodView::from(&method))),
        Spent::Before => {
            let made = key::before(&app, &call, &spend).await?.ok_or_else(Problem::unanswered)?;
            replay(&app, &call, payee, PayoutMethodId(made))
        }
    }
}

/// `GET /payees/{payeeId}/payout-methods`.
pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let payee = demand(&app, &call)?.id;
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let read = move |store: &_| query::payout_methods(store, seller, payee, paging);
    let found = apart(&app, read).await?;
    Ok(Reply::ok(&MethodList {
        payout_methods: found.items.iter().map(MethodView::from).collect(),
        has_more: found.next.is_some(),
        next_cursor: found.next,
        next_before_id: found.next,
    }))
}

/// `DELETE /payees/{payeeId}/payout-methods/{methodId}`.
pub async fn delete(app: Arc<App>, call: Call) -> Answer {
    let payee = demand(&app, &call)?.id;
    let method = call.id("methodId", PayoutMethodId)?;
    app.payees.delete_method(call.seller_id(), payee, method).await?;
    Ok(Reply::ok(&MethodDeleted { deleted: true }))
}

impl MethodBody {
    /// Its fields, to be looked at.
    pub(super) fn request(&self) -> AccountRequest<'_> {
        AccountRequest {
            currency: self.currency.as_deref(),
            method_type: self.method_type.as_deref(),
            kind: self.bank_account_type.as_deref(),
            account_name: self.account_name.as_deref(),
            bank_name: self.bank_name.as_deref(),
            bank_country: self.bank_country.as_deref(),
            iban: self.iban.as_deref(),
            account_number: self.account_number.as_deref(),
            sort_code: self.sort_code.as_deref(),
            routing_number: self.routing_number.as_deref(),
            bic: self.bic.as_deref(),
            swift: self.swift.as_deref(),
        }
    }
}

impl From<&PayoutMethod> for MethodView {
    fn from(method: &PayoutMethod) -> Self {
        Self {
            id: method.id.0,
            payee_id: method.payee.0,
            method_type: "bank_account",
            currency: method.currency,
            account: DestinationView::from(&method.destination),
            status: method.status.name(),
            created_at: method.created_at,
        }
    }
}

impl From<&Destination> for DestinationView {
    fn from(account: &Destination) -> Self {
        let number = |form| (account.form == form).then(|| account.masked());
        Self {
            bank_account_type: account.kind.name(),
            account_name: account.account_name.clone(),
            bank_name: account.bank_name.clone(),
            bank_country: account.bank_country,
            iban: number(NumberForm::Iban),
            account_number: number(NumberForm::Account),
            sort_code: account.sort_code.clone(),
            routing_number: account.routing_number.clone(),
            bic: account.bic.clone(),
        }
    }
}

fn replay(app: &App, call: &Call, payee: PayeeId, id: PayoutMethodId) -> Answer {
    let found = query::payout_method(&app.store, call.seller_id(), payee, id)?;
    let method = found.filter(PayoutMethod::is_active).ok_or_else(Problem::missing)?;
    Ok(Reply::replayed(&MethodView::from(&method)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payees/{payeeId}/payout-methods", create)
            .summary("Add a payout method")
            .describe(
                "IBAN, BIC, sort code and routing number are checked. Currency and \
                 `bankAccountType` must fit.",
            )
            .path_id("payeeId")
            .idempotent()
            .body::<MethodBody>()
            .answer::<MethodView>(201, "The method, its account masked.")
            .answer::<MethodView>(200, "A replay.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee, or the method of a replay was deleted.")
            .refuses(409, "The payee is archived, or the key was used for a different request."),
        Route::get("/payees/{payeeId}/payout-methods", list)
            .summary("List the payout methods of a payee")
            .path_id("payeeId")
            .paged("beforeId")
            .answer::<MethodList>(200, "Those in use, newest first."),
        Route::delete("/payees/{payeeId}/payout-methods/{methodId}", delete)
            .summary("Delete a payout method")
            .describe("Payouts that were made to it keep their copy of the account.")
            .path_id("payeeId")
            .path_id("methodId")
            .answer::<MethodDeleted>(200, "It is gone.")
            .refuses(
                409,
                "A payout to it is open, or the payee's balance in its currency is not zero.",
            ),
    ]
}
