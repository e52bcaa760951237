//! Every route of the server, by resource: the order of the API document's headings, the surface
//! that a resource is on, and where its paths begin.

use crate::api::backoffice as office;
use crate::api::billing::{
    contracts, credits, customers, events, forecast, invoices, portal, pricing, sandbox,
    subscriptions, tax, test_clock, timeline, usage,
};
use crate::api::payments::{
    allowlist, checkout, deliveries, device, payees, payment, payment_methods, payout_methods,
    payouts, split_decisions, topups, vendors, wallets, webhooks,
};
use crate::dashboard::{
    events as live_events, files, fill, graphql, home, invite, login, modules, onboarding,
    playground, start,
};
use crate::gate::{Route, Surface};
use crate::{operations, pages};

/// A surface, and the prefixes under which its paths are served, each of them alike.
type Place = (Surface, &'static [&'static str]);

const BILLING: Place = (Surface::Billing, &["/billing-api/v1"]);
const METERING: Place = (Surface::Billing, &["/billing-api/v1/usage", "/usage/v1"]);
/// Prices are evaluated without a contract, so the path without metering came to be as well.
const EVALUATION: Place =
    (Surface::Billing, &["/billing-api/v1", "/billing-api/v1/usage", "/usage/v1"]);
/// The address that senders of usage were given.
const RECEIVER: Place = (Surface::Billing, &["/usage/v1"]);
const PAYMENTS: Place = (Surface::Payments, &["/payments-api/v1"]);
const OFFICE: Place = (Surface::Backoffice, &["/backoffice/v1"]);
const DASHBOARD: Place = (Surface::Dashboard, &[""]);
const PAGES: Place = (Surface::Page, &[""]);
const OPERATIONS: Place = (Surface::Operations, &[""]);

pub fn routes() -> Vec<Route> {
    [
        group("Sandbox", BILLING, sandbox::routes()),
        group("Customers", BILLING, customers::routes()),
        group("Customers", BILLING, portal::routes()),
        group("Contracts", BILLING, contracts::routes()),
        group("Contracts", BILLING, timeline::routes()),
        group("Test clock", BILLING, test_clock::routes()),
        group("Contracts", BILLING, forecast::routes()),
        group("Subscriptions", BILLING, subscriptions::routes()),
        group("Invoices", BILLING, invoices::routes()),
        group("Credits", BILLING, credits::routes()),
        group("Tax", BILLING, tax::routes()),
        group("Events", BILLING, events::routes()),
        group("Metering", METERING, usage::events::routes()),
        group("Metering", BILLING, usage::snapshot::routes()),
        group("Metering", BILLING, usage::series::routes()),
        group("Metering", BILLING, usage::recorded::routes()),
        group("Metrics", METERING, usage::metrics::routes()),
        group("Uploads", METERING, usage::csv::routes()),
        group("Dead letters", METERING, usage::dead_letters::routes()),
        group("Inbound endpoints", METERING, usage::endpoints::routes()),
        group("Inbound endpoints", RECEIVER, usage::receiver::routes()),
        group("Prices", EVALUATION, pricing::evaluation_routes()),
        group("Prices", METERING, pricing::routes()),
        group("Prices", BILLING, pricing::backtest_routes()),
        group("Payments", PAYMENTS, payment::routes()),
        group("Payments", PAYMENTS, payment_methods::routes()),
        group("Payments", PAYMENTS, split_decisions::routes()),
        group("Checkout", PAYMENTS, checkout::routes()),
        group("Payees", PAYMENTS, payees::routes()),
        group("Payees", PAYMENTS, payout_methods::routes()),
        group("Vendors", PAYMENTS, vendors::routes()),
        group("Wallets", PAYMENTS, wallets::routes()),
        group("Payouts", PAYMENTS, payouts::routes()),
        group("Top-ups", PAYMENTS, topups::routes()),
        group("Device intelligence", PAYMENTS, device::routes()),
        group("Webhooks", PAYMENTS, webhooks::routes()),
        group("Webhooks", PAYMENTS, deliveries::routes()),
        group("Webhooks", PAYMENTS, allowlist::routes()),
        group("Back office", OFFICE, office::sellers::routes()),
        group("Back office", OFFICE, office::switches::routes()),
        group("Back office", OFFICE, office::passes::routes()),
        group("Back office", OFFICE, office::billing_run::routes()),
        group("Back office", OFFICE, office::mails::routes()),
        group("Back office", OFFICE, office::parked::routes()),
        group("Back office", OFFICE, office::verify::routes()),
        group("Back office", OFFICE, office::terminals::routes()),
        group("Back office", OFFICE, office::payments::routes()),
        group("Back office", OFFICE, office::payees::routes()),
        group("Back office", OFFICE, office::payouts::routes()),
        group("Back office", OFFICE, office::vendors::routes()),
        group("Back office", OFFICE, office::safeguarding::routes()),
        group("Back office", OFFICE, office::bank_deposits::routes()),
        group("Back office", OFFICE, office::backup::routes()),
        group("Dashboard", DASHBOARD, login::routes()),
        group("Dashboard", DASHBOARD, onboarding::routes()),
        group("Dashboard", DASHBOARD, home::routes()),
        group("Dashboard", DASHBOARD, modules::routes()),
        group("Dashboard", DASHBOARD, invite::routes()),
        group("Dashboard", DASHBOARD, graphql::routes()),
        group("Dashboard", DASHBOARD, live_events::routes()),
        group("Dashboard", DASHBOARD, files::routes()),
        group("Dashboard", DASHBOARD, fill::routes()),
        group("Dashboard", DASHBOARD, start::routes()),
        group("Dashboard", DASHBOARD, playground::routes()),
        group("Pages", PAGES, pages::pay::routes()),
        group("Pages", PAGES, pages::checkout::routes()),
        group("Pages", PAGES, pages::scheme::routes()),
        group("Pages", PAGES, pages::returning::routes()),
        group("Pages", PAGES, pages::verify::routes()),
        group("Pages", PAGES, pages::portal::routes()),
        group("Operations", OPERATIONS, pages::assets::routes()),
        group("Operations", OPERATIONS, operations::routes()),
        group("Operations", OPERATIONS, operations::figures()),
    ]
    .concat()
}

/// The routes of a resource below each prefix of their place, under one heading. Clients have
/// names for those of the first.
fn group(heading: &'static str, (surface, prefixes): Place, routes: Vec<Route>) -> Vec<Route> {
    let mut below = Vec::with_capacity(prefixes.len() * routes.len());
    for (nth, prefix) in prefixes.iter().enumerate() {
        let placed = |route: &Route| route.clone().below(prefix, heading).within(surface);
        let again = |route: &Route| if nth > 0 { placed(route).again() } else { placed(route) };
        below.extend(routes.iter().map(again));
    }
    below
}

#[cfg(test)]
mod tests;
