//! Routes under two paths: the metering routes answer below `/billing-api/v1` and, unchanged, at
//! their older place below `/usage/v1` (billing 4.6, 9.4).

use crate::http::route::Route;

/// The route, and the same one at its `older` path.
pub(super) fn twin(older: &'static str, route: Route) -> [Route; 2] {
    let mut other = route.clone();
    other.path = older;
    [route, other]
}
