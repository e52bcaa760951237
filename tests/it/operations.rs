//! `/healthz`, `/readyz`, `/metrics`, `/openapi.json`, `/docs`, and what holds for every path
//! (decisions 1).

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Method;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::support::{House, json, until};

#[tokio::test]
async fn a_running_server_is_healthy_and_ready() {
    let house = House::open().await;
    for path in ["/healthz", "/readyz"] {
        let heard = house.open.get(path).await;
        assert_eq!((heard.status, heard.media_type()), (200, "text/plain"), "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_figures_are_ones_that_prometheus_reads() {
    let house = House::open().await;
    house.seller().await;
    let heard = house.open.get("/metrics").await;
    heard.has_status(200);
    assert_eq!(heard.media_type(), "application/openmetrics-text");
    assert!(heard.text.ends_with("# EOF\n"), "{}", heard.text);
    let samples: Vec<&str> = heard.text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(samples.len() > 10, "{}", heard.text);
    for sample in samples {
        let (_, value) = sample.rsplit_once(' ').expect("name and value");
        assert!(value.parse::<f64>().is_ok(), "{sample}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_documentation_page_needs_nobody_else() {
    let house = House::open().await;
    let page = house.open.get("/docs").await;
    assert_eq!((page.status, page.media_type()), (200, "text/html"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("http:") && !policy.contains("https:"), "{policy}");
    for part in page.text.split(['"', '\'']).filter(|part| part.starts_with("/docs/")) {
        house.open.get(part).await.has_status(200);
    }
    assert!(!page.text.contains("src=\"http"), "{}", page.text);
    house.open.get("/docs/none").await.has_status(404);
    house.close().await;
}

#[tokio::test]
async fn an_unknown_path_is_not_found_with_or_without_a_key() {
    let house = House::open().await;
    let seller = house.seller().await;
    for path in ["/", "/nothing", "/billing-api", "/billing-api/v1", "/billing-api/v1/nothing"] {
        for api in [&house.open, &house.open.with_key(&seller.key)] {
            let heard = api.get(path).await;
            heard.refuses_saying(404, "not found");
            assert_eq!(heard.text, r#"{"error":"not found"}"#);
        }
    }
    house.close().await;
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let house = House::open().await;
    let seller = house.seller().await;
    for api in [house.billing(), seller.billing] {
        let heard = api.send(Method::DELETE, "/contracts", &[], "").await;
        heard.has_status(405);
        let allow = heard.header("allow").expect("Allow");
        let mut methods: Vec<&str> = allow.split(',').map(str::trim).collect();
        methods.sort_unstable();
        assert!(methods.contains(&"GET") && methods.contains(&"POST"), "{allow}");
    }
    house.close().await;
}

#[tokio::test]
async fn request_ids_are_never_given_twice() {
    let house = House::open().await;
    let (one, other) = (house.open.get("/healthz").await, house.open.get("/healthz").await);
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    house.close().await;
}

#[tokio::test]
async fn a_body_over_1_mib_is_too_large_and_one_of_1_mib_is_not() {
    let house = House::open().await;
    let seller = house.seller().await;
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
    let stranger = house.billing();
    let heard = stranger.send(Method::POST, "/customers", &[], &body(most + 1)).await;
    heard.has_status(413);
    house.close().await;
}

#[tokio::test]
async fn http_2_is_spoken_without_tls() {
    let house = House::open().await;
    let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let uri = format!("{}/healthz", house.open.origin).parse().expect("an address");
    let answer = client.get(uri).await.expect("an answer");
    assert_eq!(answer.version(), hyper::Version::HTTP_2);
    assert_eq!(answer.status(), 200);
    let client: Client<_, Empty<Bytes>> = client;
    drop((answer, client));
    house.close().await;
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let house = House::open().await;
    let heard = house.open.send(Method::HEAD, "/healthz", &[], "").await;
    assert_eq!((heard.status, heard.text.as_str()), (200, ""));
    house.close().await;
}

#[tokio::test]
async fn rooms_that_nobody_asks_are_put_away_and_come_back() {
    let house = House::with(&[("actors.idle_seconds", "1")]).await;
    let seller = house.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let rooms = async || -> u64 {
        let heard = house.open.get("/metrics").await;
        let line = heard.text.lines().find_map(|line| line.strip_prefix("accrue_rooms "));
        line.expect("a gauge of rooms").parse().expect("a number")
    };
    assert!(rooms().await >= 2);
    until("every room to be put away", async || (rooms().await == 0).then_some(())).await;
    let path = format!("/contracts/{contract}/amendments");
    let made = seller.billing.post(&path, &json!({"expectedBaseVersion": 1})).await.is(200);
    assert_eq!(made["version"], 2);
    house.close().await;
}
