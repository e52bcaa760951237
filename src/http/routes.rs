//! Every route of the server, by the part of the product it belongs to.

mod agreements;
mod documents;
mod metering;
mod metering_intake;
mod notices;
mod operator;
mod payees;
mod pricing;
mod recurrence;
mod running;
mod twin;

use super::route::Route;

/// All routes, in the order of the API document.
pub fn routes() -> Vec<Route> {
    [
        agreements::routes(),
        recurrence::routes(),
        documents::routes(),
        metering::routes(),
        metering_intake::routes(),
        pricing::routes(),
        payees::routes(),
        notices::routes(),
        operator::routes(),
        crate::pages::routes(),
        running::routes(),
    ]
    .concat()
}
