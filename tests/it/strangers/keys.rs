//! Calls without a key, or with a key that is not the right one.

use accrue::routes::routes;

use super::{Attempt, attempt, call, name_of, path};
use crate::support::{OPERATOR, Server};

#[tokio::test]
async fn without_a_key_only_public_routes_answer() {
    let server = Server::start().await;
    let mut tried = 0;
    for route in routes() {
        // Wrong tokens of the operator are slowed after ten in a minute.
        server.pass_seconds(60);
        let path = path(&route, |_| "1".to_owned());
        let strangers = [
            server.anonymous.clone(),
            server.anonymous.with_key("sk_test_nobody"),
            server.anonymous.with_key("x y"),
            server.anonymous.with_key(""),
        ];
        for stranger in strangers {
            let response = call(&stranger, &route, &path).await;
            if let Some(Attempt::Public(status)) = attempt(&route) {
                assert_eq!(response.status, status, "{}: {}", response.request, response.text);
            } else {
                assert_eq!(
                    (response.status, response.media_type()),
                    (401, "text/plain"),
                    "{}",
                    name_of(&route)
                );
                assert_eq!(response.header("x-ratelimit-limit"), None, "{}", name_of(&route));
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "only {tried} calls need a key");
    server.close().await;
}

#[tokio::test]
async fn the_key_of_a_seller_and_the_operators_are_no_substitutes_for_each_other() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for route in routes() {
        server.pass_seconds(60);
        let wrong = match attempt(&route) {
            Some(Attempt::Public(_)) => continue,
            Some(Attempt::Operator) => server.anonymous.with_key(&seller.key),
            _ => server.anonymous.with_key(OPERATOR),
        };
        let response = call(&wrong, &route, &path(&route, |_| "1".to_owned())).await;
        assert_eq!(response.status, 401, "{}: {}", response.request, response.text);
    }
    server.close().await;
}
