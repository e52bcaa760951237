//! The bank accounts of payees.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::country::Country;
use actors::domain::ids::{PayeeId, PayoutMethodId};
use actors::domain::money::Currency;
use actors::domain::payments::bank::fields::{self, given};
use actors::domain::payments::bank::{
    BankAccount, BankAccountType, BankRefusal, Destination, NumberForm,
};
use actors::domain::payments::payout_method::PayoutMethod;
use actors::domain::payments::wallet::wallet_currency;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::idempotency_key;
use super::payees::load_payee;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "payout-methods";

/// A bank account that a payee is to be paid to.
#[derive(Default, Deserialize, ToSchema)]
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
    /// ISO 3166-1 alpha-2; required but for `iban`, which says it itself. Beside an `iban` it is
    /// that of the IBAN.
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
    currency: Currency,
    #[serde(flatten)]
    account: DestinationView,
    /// `active`, or `deleted` in the replay of a setup.
    status: &'static str,
    created_at: Timestamp,
}

/// A bank account as answers show it.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DestinationView {
    bank_account_type: BankAccountType,
    account_name: Option<String>,
    bank_name: Option<String>,
    #[schema(value_type = Option<String>)]
    bank_country: Option<Country>,
    /// Masked.
    iban: Option<String>,
    /// Masked.
    account_number: Option<String>,
    sort_code: Option<String>,
    routing_number: Option<String>,
    bic: Option<String>,
}

pub type MethodList = List<MethodView>;

impl Listed for MethodView {
    const LIST: &'static str = "MethodList";
    const ITEMS: &'static str = "payoutMethods";
}

/// What deleting answers.
#[derive(Serialize, ToSchema)]
pub struct MethodDeleted {
    deleted: bool,
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let payee = load_payee(&app, &request)?.id;
    let body: MethodBody = request.json()?;
    let claim =
        idempotency_key::claim(&app, &request, ENDPOINT, &[("payeeId", payee.to_string())], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, payee, PayoutMethodId(made));
    }
    let account = body.parse().map_err(Refusal::from)?;
    let asked =
        app.payees.add_payout_method(request.seller_id(), payee, account, claim.clone()).await;
    match asked? {
        Once::Made(method) => Ok(Response::created(&MethodView::from(&method))),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, payee, PayoutMethodId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let payee = load_payee(&app, &request)?.id;
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let read = move |store: &_| query::payout_methods(store, seller, payee, paging);
    let found = app.blocking(read).await?;
    Ok(Response::ok(&MethodList::of(found, |method| MethodView::from(&method))))
}

pub async fn delete(app: Arc<App>, request: Request) -> ApiResult {
    let payee = load_payee(&app, &request)?.id;
    let method = request.id("methodId", PayoutMethodId)?;
    app.payees.delete_payout_method(request.seller_id(), payee, method).await?;
    Ok(Response::ok(&MethodDeleted { deleted: true }))
}

impl MethodBody {
    /// The first field at fault is the answer.
    pub(crate) fn parse(&self) -> Result<BankAccount, BankRefusal> {
        let code = given(self.currency.as_deref()).ok_or(BankRefusal::Required("currency"))?;
        let currency = wallet_currency(code).ok_or(BankRefusal::Currency)?;
        if given(self.method_type.as_deref()).is_some_and(|name| name != "bank_account") {
            return Err(BankRefusal::Type);
        }
        let kind = match given(self.bank_account_type.as_deref()) {
            None => BankAccountType::Iban,
            Some(name) => BankAccountType::parse(name).ok_or(BankRefusal::Kind)?,
        };
        if !kind.takes(currency) {
            return Err(BankRefusal::CurrencyOfKind { currency, kind });
        }
        let country = fields::country(self.bank_country.as_deref())?;
        let number = kind.number(self.iban.as_deref(), self.account_number.as_deref())?;
        Ok(BankAccount {
            currency,
            kind,
            sort_code: kind.sort_code(self.sort_code.as_deref())?,
            routing_number: kind.routing_number(self.routing_number.as_deref())?,
            account_name: fields::name("accountName", self.account_name.as_deref())?,
            bank_name: fields::name("bankName", self.bank_name.as_deref())?,
            bank_country: kind.bank_country(country, &number)?,
            form: number.form,
            number: SecretString::from(number.text),
            bic: fields::bic(self.bic.as_deref(), self.swift.as_deref())?,
        })
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
            bank_account_type: account.kind,
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

fn replay(app: &App, request: &Request, payee: PayeeId, id: PayoutMethodId) -> ApiResult {
    let found = query::payout_method(&app.store, request.seller_id(), payee, id)?;
    let method = found.filter(PayoutMethod::is_active).ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&MethodView::from(&method)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payees/{payeeId}/payout-methods", create)
            .named("createPayoutMethod")
            .audited()
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
            .refuses(
                409,
                "The payee is archived or has 50 methods already, or the key was used for a \
                 different request.",
            ),
        Route::get("/payees/{payeeId}/payout-methods", list)
            .named("listPayoutMethods")
            .summary("List the payout methods of a payee")
            .path_id("payeeId")
            .paged("beforeId")
            .answer::<MethodList>(200, "Those in use, newest first."),
        Route::delete("/payees/{payeeId}/payout-methods/{methodId}", delete)
            .named("deletePayoutMethod")
            .audited()
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
