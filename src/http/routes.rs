//! Every route of the server, by the part of the product it belongs to.

mod agreements;
mod checkout;
mod documents;
mod metering;
mod metering_intake;
mod notices;
mod operator;
mod payees;
mod payments;
mod pricing;
mod recurrence;
mod running;
mod splits;
mod terminals;
mod topups;
mod twin;
mod vendors;

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
        payments::routes(),
        payees::routes(),
        splits::routes(),
        vendors::routes(),
        topups::routes(),
        terminals::routes(),
        checkout::routes(),
        notices::routes(),
        operator::routes(),
        crate::pages::routes(),
        running::routes(),
    ]
    .concat()
}
