//! Every route of the server, by the part of the product it belongs to.

mod agreements;
mod documents;
mod notices;
mod operator;
mod recurrence;
mod running;

use super::route::Route;

/// All routes, in the order of the API document.
pub fn routes() -> Vec<Route> {
    [
        agreements::routes(),
        recurrence::routes(),
        documents::routes(),
        notices::routes(),
        operator::routes(),
        crate::pages::routes(),
        running::routes(),
    ]
    .concat()
}
