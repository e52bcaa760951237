//! The dashboard's own routes: what only people do. They are reached as fields of GraphQL alone.

mod account;
mod audit;
mod documents;
mod drafts;
mod keys;
mod link_subscriptions;
pub mod overview;
mod payment_links;
mod people;
mod promo_codes;
mod reason;
mod search;
mod splits;
mod terminals;
mod usage;
mod usage_endpoints;
mod webhooks;
mod work;

use crate::gate::Route;

pub(crate) fn routes() -> Vec<Route> {
    let all = [
        account::routes(),
        audit::routes(),
        documents::routes(),
        drafts::routes(),
        keys::routes(),
        link_subscriptions::routes(),
        overview::routes(),
        payment_links::routes(),
        people::routes(),
        promo_codes::routes(),
        search::routes(),
        splits::routes(),
        terminals::routes(),
        usage::routes(),
        usage_endpoints::routes(),
        webhooks::routes(),
        work::routes(),
    ];
    all.concat().into_iter().map(|route| route.below("/dashboard/own", "Dashboard")).collect()
}
