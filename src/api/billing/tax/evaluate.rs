//! `POST /tax/evaluate`.

use std::sync::Arc;

use actors::domain::billing::tax::{
    AutomaticTax, TaxCategory, TaxKind, eu_country, is_in_eu, is_vat_id_of, rates_begin,
    tax_by_line,
};
use actors::domain::country::Country;
use actors::domain::money::AMOUNT_LIMIT;
use actors::domain::quantity::TaxRate;
use actors::domain::time::Date;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// A sale.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateTaxBody {
    /// A member of the EU; by default the account's country.
    #[schema(value_type = Option<String>)]
    seller_country: Option<Country>,
    #[schema(value_type = String)]
    customer_country: Country,
    /// What the customer goes by. One that is not a VAT id of its country counts as none.
    tax_id: Option<String>,
    /// What is sold; `standard` by default.
    tax_kind: Option<TaxKind>,
    /// Today by default.
    on: Option<Date>,
    /// Net, in minor units.
    #[schema(minimum = -1_000_000_000_000_000_i64, maximum = 1_000_000_000_000_000_i64)]
    amount_minor: i64,
}

/// How the sale is taxed.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaxView {
    /// By the codes of EN 16931.
    tax_category: TaxCategory,
    /// Percent.
    tax_rate: TaxRate,
    tax_minor: i64,
    /// Why no tax is charged, where the category has to say so.
    reason: Option<&'static str>,
    /// Whether `taxId` is a VAT id of the customer's country, where that is in the EU; absent
    /// without one.
    tax_id_valid: Option<bool>,
}

pub(super) async fn evaluate(_: Arc<App>, request: Request) -> ApiResult {
    let body = request.json::<EvaluateTaxBody>()?;
    let seller = body.seller_country.or(request.seller().seller.country);
    let seller = seller.filter(|country| is_in_eu(*country)).ok_or_else(|| {
        let needed =
            "sellerCountry must be a member of the EU, unless the account's country is one";
        ApiError::invalid(needed)
    })?;
    let on = body.on.unwrap_or_else(|| request.now.date());
    if let Some(first) = rates_begin().filter(|first| on < *first) {
        return Err(ApiError::invalid(format!("on must not be before {first}")));
    }
    if !(-AMOUNT_LIMIT..=AMOUNT_LIMIT).contains(&body.amount_minor) {
        return Err(ApiError::invalid("amountMinor is beyond 10^15"));
    }
    let (customer, tax_id) = (body.customer_country.code(), body.tax_id.as_deref());
    let rule = AutomaticTax::between(seller, Some(customer), tax_id, on);
    let treatment = rule.treat(body.tax_kind.unwrap_or(TaxKind::Standard));
    let taxes = tax_by_line(&[(body.amount_minor, treatment.rate)]);
    let tax_minor = taxes.map_err(|_| ApiError::invalid("amountMinor is beyond 10^15"))?;
    let checked = tax_id.zip(eu_country(customer));
    Ok(Response::ok(&TaxView {
        tax_category: treatment.category,
        tax_rate: treatment.rate,
        tax_minor: tax_minor.into_iter().sum(),
        reason: treatment.category.reason(),
        tax_id_valid: checked.map(|(id, country)| is_vat_id_of(country, id)),
    }))
}
