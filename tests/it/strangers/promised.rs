//! What is promised and not there.

use accrue::gate::{Access, Route};
use accrue::routes::routes;

use super::{call, path};
use crate::support::{Api, OPERATOR, Server};

#[tokio::test]
async fn a_route_that_is_not_built_says_so_and_nothing_else() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let promised: Vec<Route> =
        routes().into_iter().filter(|route| !route.is_documented()).collect();
    assert!(promised.iter().any(|route| route.path().ends_with("/auto-topup")));
    // The API document has another route in the place of some of these.
    let unchecked = Api::new(server.app().public_url());
    for route in promised {
        let path = path(&route, |_| "1".to_owned());
        let caller = match route.access() {
            Access::Open | Access::Session => unchecked.clone(),
            Access::SellerKey => unchecked.with_key(&seller.key),
            Access::Operator => unchecked.with_key(OPERATOR),
        };
        call(&caller, &route, &path).await.refuses_saying(501, "not available");
    }
    server.close().await;
}
