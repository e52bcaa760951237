//! What the product promises and this server does not have: `501`, so that nobody takes a route for
//! misspelt. A route that is built leaves this table.

use std::sync::Arc;

use hyper::StatusCode;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult};

async fn answer(_: Arc<App>, _: Request) -> ApiResult {
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not available"))
}

/// Of a seller's key, below `/billing-api/v1`.
pub fn billing() -> Vec<Route> {
    routes(&[
        ("GET", "/contracts/{contractId}/credits/auto-topup"),
        ("PUT", "/contracts/{contractId}/credits/auto-topup"),
    ])
}

fn routes(table: &[(&str, &'static str)]) -> Vec<Route> {
    table.iter().map(|&(method, path)| route(method, path)).collect()
}

fn route(method: &str, path: &'static str) -> Route {
    let route = match method {
        "GET" => Route::get(path, answer),
        "PUT" => Route::put(path, answer),
        _ => Route::post(path, answer),
    };
    let named: Vec<&str> = route.parameters().collect();
    named.into_iter().fold(route.undocumented(), |route, name| match name.ends_with("Id") {
        true => route.path_id(name),
        false => route.path_text(name, ""),
    })
}
