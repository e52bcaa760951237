//! `/healthz`, `/readyz`, `/metrics`, `/openapi.json`, `/docs`, and what holds for every path.

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Method;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::support::{Server, json, until};

#[tokio::test]
async fn a_running_server_is_healthy_and_ready() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz"] {
        let response = server.anonymous.get(path).await;
        assert_eq!((response.status, response.media_type()), (200, "text/plain"), "{path}");
    }
    server.close().await;
}

#[tokio::test]
async fn the_figures_are_ones_that_prometheus_reads() {
    let server = Server::start().await;
    server.seller().await;
    let response = server.anonymous.get("/metrics").await;
    response.has_status(200);
    assert_eq!(response.media_type(), "application/openmetrics-text");
    assert!(response.text.ends_with("# EOF\n"), "{}", response.text);
    let samples: Vec<&str> = response.text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(samples.len() > 10, "{}", response.text);
    for sample in samples {
        let (_, value) = sample.rsplit_once(' ').expect("name and value");
        assert!(value.parse::<f64>().is_ok(), "{sample}");
    }
    server.close().await;
}

#[tokio::test]
async fn figures_may_have_an_address_of_their_own() {
    let server = Server::with(&[("metrics_listen", "127.0.0.1:0")]).await;
    server.anonymous.get("/metrics").await.refuses_saying(404, "not found");
    let figures = server.figures();
    assert!(figures.get("/metrics").await.text.contains("accrue_http_requests_total"));
    figures.get("/healthz").await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn the_documentation_page_needs_nobody_else() {
    let server = Server::start().await;
    let page = server.anonymous.get("/docs").await;
    assert_eq!((page.status, page.media_type()), (200, "text/html"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("http:") && !policy.contains("https:"), "{policy}");
    for part in page.text.split(['"', '\'']).filter(|part| part.starts_with("/docs/")) {
        server.anonymous.get(part).await.has_status(200);
    }
    assert!(!page.text.contains("src=\"http"), "{}", page.text);
    server.anonymous.get("/docs/none").await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn an_unknown_path_is_not_found_with_or_without_a_key() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for path in ["//", "/nothing", "/billing-api", "/billing-api/v1", "/billing-api/v1/nothing"] {
        for api in [&server.anonymous, &server.anonymous.with_key(&seller.key)] {
            let response = api.get(path).await;
            response.refuses_saying(404, "not found");
            assert_eq!(response.text, r#"{"error":"not found"}"#);
        }
    }
    server.close().await;
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for api in [server.billing(), seller.billing] {
        let response = api.send(Method::DELETE, "/contracts", &[], "").await;
        response.has_status(405);
        let allow = response.header("allow").expect("Allow");
        let mut methods: Vec<&str> = allow.split(',').map(str::trim).collect();
        methods.sort_unstable();
        assert!(methods.contains(&"GET") && methods.contains(&"POST"), "{allow}");
    }
    server.close().await;
}

#[tokio::test]
async fn request_ids_are_never_given_twice() {
    let server = Server::start().await;
    let (one, other) =
        (server.anonymous.get("/healthz").await, server.anonymous.get("/healthz").await);
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    server.close().await;
}

#[tokio::test]
async fn a_body_over_1_mib_is_too_large_and_one_of_1_mib_is_not() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = |bytes: usize| {
        let (head, tail) = (r#"{"email":"a@example.com","unknown":""#, r#""}"#);
        format!("{head}{}{tail}", "x".repeat(bytes - head.len() - tail.len()))
    };
    let most = 1024 * 1024;
    let send = async |bytes| {
        seller.billing.send(Method::POST, "/customers", &[], &body(bytes)).await.status
    };
    assert_eq!(send(most).await, 200);
    assert_eq!(send(most + 1).await, 413);
    // The size is looked at before the key.
    let stranger = server.billing();
    let response = stranger.send(Method::POST, "/customers", &[], &body(most + 1)).await;
    response.has_status(413);
    server.close().await;
}

#[tokio::test]
async fn http_2_is_spoken_without_tls() {
    let server = Server::start().await;
    let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let uri = format!("{}/healthz", server.anonymous.origin).parse().expect("an address");
    let answer = client.get(uri).await.expect("an answer");
    assert_eq!(answer.version(), hyper::Version::HTTP_2);
    assert_eq!(answer.status(), 200);
    let client: Client<_, Empty<Bytes>> = client;
    drop((answer, client));
    server.close().await;
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let server = Server::start().await;
    let response = server.anonymous.send(Method::HEAD, "/healthz", &[], "").await;
    assert_eq!((response.status, response.text.as_str()), (200, ""));
    server.close().await;
}

#[tokio::test]
async fn rooms_that_nobody_asks_are_put_away_and_come_back() {
    let server = Server::with(&[("actors.idle_seconds", "1")]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let rooms = async || -> u64 {
        let response = server.anonymous.get("/metrics").await;
        let line = response.text.lines().find_map(|line| line.strip_prefix("accrue_rooms "));
        line.expect("a gauge of rooms").parse().expect("a number")
    };
    assert!(rooms().await >= 2);
    until("every room to be put away", async || (rooms().await == 0).then_some(())).await;
    let path = format!("/contracts/{contract}/amendments");
    let made = seller.billing.post(&path, &json!({"expectedBaseVersion": 1})).await.is(200);
    assert_eq!(made["version"], 2);
    server.close().await;
}
