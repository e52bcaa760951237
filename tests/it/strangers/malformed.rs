//! Requests that are wrong whatever they ask for: methods, ids and bodies that are none.

use accrue::gate::{Access, Route, Surface};
use accrue::routes::routes;
use hyper::Method;

use super::owned::seed;
use super::{call, path};
use crate::support::{Receiver, Server, fresh_uuid};

#[tokio::test]
async fn every_path_refuses_methods_it_does_not_have() {
    let server = Server::start().await;
    let all = routes();
    for route in &all {
        let path = path(route, |_| "1".to_owned());
        let own: Vec<&Method> =
            all.iter().filter(|other| other.path() == route.path()).map(Route::method).collect();
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if own.contains(&&method) {
                continue;
            }
            let response = server.anonymous.send(method, &path, &[], "").await;
            response.has_status(405);
            let allow = response.header("allow").expect("Allow");
            for own in &own {
                assert!(allow.contains(own.as_str()), "{}: Allow is {allow}", response.request);
            }
        }
    }
    server.close().await;
}

#[tokio::test]
async fn every_path_refuses_ids_that_are_none() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let keyed = server.anonymous.with_key(&seller.key);
    for route in routes().iter().filter(|route| route.access() == Access::SellerKey) {
        for name in route.parameters().filter(|name| name.ends_with("Id")) {
            let wrong =
                path(route, |other| if other == name { "x1".to_owned() } else { "1".to_owned() });
            let response = call(&keyed, route, &wrong).await;
            assert_eq!(response.status, 400, "{} {}: {}", route.method(), wrong, response.text);
            assert!(response.error().contains(name), "{}: {}", response.request, response.text);
        }
    }
    server.close().await;
}

#[tokio::test]
async fn bodies_that_are_no_objects_are_refused_everywhere() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (seller, owned) = seed(&server, &receiver).await;
    let keyed = server.anonymous.with_key(&seller.key);
    let document = server.anonymous.get("/openapi.json").await.is(200);
    for route in routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let reads_a_body = document["paths"][route.path()][&method]["requestBody"].is_object();
        if route.access() != Access::SellerKey || !reads_a_body {
            continue;
        }
        let path = path(&route, |name| {
            owned.iter().find(|(known, _)| *known == name).expect("a name").1.clone()
        });
        for body in ["{", "[]", "7", "null", "\"x\"", "not json"] {
            let key = fresh_uuid();
            let headers = [("idempotency-key", key.as_str())];
            let response = keyed.send(route.method().clone(), &path, &headers, body).await;
            assert_eq!(response.status, 400, "{}: {}", response.request, response.text);
            let text = response.error();
            match route.surface() {
                Surface::Payments => assert_eq!(text, "invalid request body"),
                _ => assert!(text.starts_with("invalid request body: "), "{text}"),
            }
        }
    }
    server.close().await;
}
