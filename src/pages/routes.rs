//! The addresses of the pages.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde::Deserialize;
use utoipa::ToSchema;

use super::desk::Attempt;
use super::{assets, checkout, pay, returning, scheme};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply, Route};

/// The card form of `/pay/{token}` (decisions 11).
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form in the API document")]
struct CardForm {
    /// 12 to 19 digits; spaces between them are ignored.
    card_number: String,
    /// 1 to 12.
    exp_month: u8,
    /// With its century, or the last two digits.
    exp_year: u16,
    /// The security code, 3 or 4 digits.
    cvv: String,
    /// The name on the card.
    holder_name: Option<String>,
    /// Where the bank knows the holder, ISO 3166-1 alpha-2.
    country: Option<String>,
    /// The post code there.
    zip: Option<String>,
}

/// The form of `/checkout/{sessionId}` (decisions 11).
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form in the API document")]
struct CheckoutForm {
    /// `card`, `bancontact`, `wero`, `mbway`, `multibanco` or `swish`, of those that the page
    /// shows.
    payment_method: Option<String>,
    /// With `card`: 12 to 19 digits; spaces between them are ignored.
    card_number: Option<String>,
    /// 1 to 12.
    exp_month: Option<u8>,
    /// With its century, or the last two digits.
    exp_year: Option<u16>,
    /// The security code, 3 or 4 digits.
    cvv: Option<String>,
    /// The name on the card.
    holder_name: Option<String>,
    /// Where the bank knows the holder, ISO 3166-1 alpha-2.
    country: Option<String>,
    /// The post code there.
    zip: Option<String>,
    /// With `mbway`: the mobile number of the app.
    phone: Option<String>,
    /// Instead of paying: `cancel` gives up the attempt that waits for the buyer, `leave` ends
    /// the session.
    action: Option<String>,
}

/// The buyer's answer to the simulated bank.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "describes the form in the API document")]
struct SchemeForm {
    /// `approve`, `decline` or `cancel`.
    action: String,
}

/// The routes of the pages and of what they load.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/pay/{token}", pay::show)
            .summary("The payment page of an invoice")
            .path_text("token", "Token of the payment link.")
            .query_text("payment", "Reference of an attempt whose failure is told.")
            .answer_as(200, "text/html", "The page.")
            .answer_as(404, "text/html", "No such link.")
            .refuses(404, "No such link."),
        Route::post("/pay/{token}", pay::submit)
            .summary("Pays an invoice by card")
            .path_text("token", "Token of the payment link.")
            .form::<CardForm>()
            .answer::<Attempt>(200, "How the attempt ended, for `Accept: application/json`.")
            .answer_empty(303, "The attempt was made.")
            .answer_as(400, "text/html", "A field is wrong; the page says which.")
            .refuses(400, "A field is wrong.")
            .answer_as(404, "text/html", "No such link.")
            .refuses(404, "No such link.")
            .answer_as(409, "text/html", "Paid, closed, or another attempt is under way.")
            .refuses(409, "Paid, closed, or another attempt is under way."),
        Route::get("/checkout/{sessionId}", checkout::show)
            .summary("The page of a hosted checkout")
            .path_text("sessionId", "Id of the session.")
            .query_text("next", "Whether the browser goes on by itself where it can.")
            .answer_as(200, "text/html", "The page.")
            .answer_as(404, "text/html", "No such session.")
            .refuses(404, "No such session."),
        Route::post("/checkout/{sessionId}", checkout::submit)
            .summary("Pays at a hosted checkout")
            .path_text("sessionId", "Id of the session.")
            .form::<CheckoutForm>()
            .answer::<Attempt>(200, "How the attempt ended, for `Accept: application/json`.")
            .answer_empty(303, "The attempt was made.")
            .answer_as(400, "text/html", "A field is wrong; the page says which.")
            .refuses(400, "A field is wrong.")
            .answer_as(404, "text/html", "No such session.")
            .refuses(404, "No such session.")
            .answer_as(409, "text/html", "Paid, over, or another attempt is under way.")
            .refuses(409, "Paid, over, or another attempt is under way."),
        Route::get("/checkout/{sessionId}/logo", checkout::logo)
            .summary("The seller's logo")
            .path_text("sessionId", "Id of the session.")
            .answer_as(200, "*/*", "The picture.")
            .refuses(404, "No such session, or no picture that could be fetched."),
        Route::get("/scheme/{token}", scheme::show)
            .summary("The simulated bank of demo mode")
            .path_text("token", "Token of the payment's confirmation.")
            .answer_as(200, "text/html", "The page.")
            .answer_empty(303, "The question was answered before.")
            .answer_as(404, "text/html", "Not a token of ours, or over.")
            .refuses(404, "Not a token of ours, or over."),
        Route::post("/scheme/{token}", scheme::submit)
            .summary("Answers the simulated bank")
            .path_text("token", "Token of the payment's confirmation.")
            .form::<SchemeForm>()
            .answer::<Attempt>(200, "How the payment stands, for `Accept: application/json`.")
            .answer_empty(303, "The answer was taken.")
            .answer_as(400, "text/html", "No such answer.")
            .refuses(400, "No such answer.")
            .answer_as(404, "text/html", "Not a token of ours, or over.")
            .refuses(404, "Not a token of ours, or over.")
            .answer_as(409, "text/html", "The question was answered before.")
            .refuses(409, "The question was answered before."),
        Route::get("/return/{token}", returning::show)
            .summary("Where a buyer comes back to from the bank")
            .path_text("token", "Signed token of the payment.")
            .answer_empty(302, "On to the seller's address, or back to the checkout.")
            .answer_as(200, "text/html", "How the payment stands.")
            .answer_as(404, "text/html", "Not a token of ours, or over.")
            .refuses(404, "Not a token of ours, or over."),
        Route::get("/assets/{file}", asset)
            .summary("A file of the pages")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file.")
            .refuses(404, "No such file."),
    ]
}

async fn asset(_: Arc<App>, call: Call) -> Answer {
    let asset = assets::find(&call.text_param("file")?).ok_or_else(Problem::missing)?;
    let kind = HeaderValue::from_static(asset.content_type);
    Ok(Reply::bytes(StatusCode::OK, kind, asset.bytes)
        .header(CACHE_CONTROL, HeaderValue::from_static(assets::ASSET_CACHING)))
}
