//! The order of checks.

use actors::domain::ids::ContractId;
use actors::domain::platform::limits::QuotaKind;
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::harness::{HASTE, House, answering, ask, open};
use crate::gate::{Route, Surface};
use crate::http::{ApiError, Response};

#[derive(Deserialize, ToSchema)]
struct Thing {
    #[expect(dead_code, reason = "read to be of the right type")]
    size: u32,
}

async fn house(flags: &[(&str, &str)]) -> House {
    let make = answering(|request| {
        let made = request.json::<Thing>().map(|_| Response::text(StatusCode::CREATED, "made"));
        made.unwrap_or_else(Response::from)
    });
    let keyed = Route::post("/billing-api/v1/things/{thingId}/parts", make.clone())
        .on(Surface::Billing)
        .idempotent()
        .path_id("thingId")
        .body::<Thing>();
    let counted = Route::post("/billing-api/v1/contracts", make.clone())
        .on(Surface::Billing)
        .quota(QuotaKind::Contracts)
        .idempotent()
        .body::<Thing>();
    let paid = Route::post("/payments-api/v1/pay", make.clone())
        .on(Surface::Payments)
        .idempotent()
        .body::<Thing>();
    let checkout = Route::post("/payments-api/v1/checkout", make)
        .on(Surface::Payments)
        .idempotent_first()
        .body::<Thing>();
    let read = answering(|request| match request.id("contractId", ContractId) {
        Ok(ContractId(9)) => ApiError::missing().into(),
        Ok(id) => Response::ok(&(id.0, request.seller_id().0)),
        Err(error) => error.into(),
    });
    let one = Route::get("/billing-api/v1/contracts/{contractId}", read)
        .on(Surface::Billing)
        .path_id("contractId");
    let office = answering(|_| Response::text(StatusCode::OK, "office"));
    let operator = Route::get("/backoffice/v1/switches", office).on(Surface::Backoffice);
    open(vec![keyed, counted, paid, checkout, one, operator], HASTE, flags).await
}

const OPEN: &str = "authorization: Bearer open";
const SHUT: &str = "authorization: Bearer shut";
const WRONG: &str = "authorization: Bearer wrong";
const KEY: &str = "idempotency-key: k-1";

#[tokio::test]
async fn of_two_things_that_are_wrong_the_earlier_check_answers() {
    let house = house(&[]).await;
    let big = "x".repeat(1024 * 1024 + 1);
    let parts = "POST /billing-api/v1/things/x/parts";
    let part = "POST /billing-api/v1/things/7/parts";
    let checkout = "POST /payments-api/v1/checkout";
    let size = r#"{"error":"the request body is larger than 1048576 bytes"}"#;
    let no_key = r#"{"error":"Idempotency-Key header is required"}"#;
    let no_id = r#"{"error":"thingId must be a positive integer"}"#;
    let missing = r#"{"error":"invalid request body: missing field `size`"}"#;
    let cases: [(&str, &[&str], &str, u16, &str); 15] = [
        (parts, &[], &big, 413, size),
        (parts, &[OPEN, KEY], &big, 413, size),
        (parts, &[], "{", 401, "not authorized"),
        (parts, &[WRONG], "{", 401, "not authorized"),
        (parts, &[SHUT], "{", 403, "seller account is not active"),
        (parts, &[OPEN], "{", 400, no_key),
        (parts, &[OPEN, KEY], "{", 400, no_id),
        (part, &[OPEN, KEY], "{}", 400, missing),
        (part, &[OPEN, KEY], r#"{"size":1,"other":2}"#, 201, "made"),
        (checkout, &[], &big, 413, size),
        (checkout, &[], "{", 400, no_key),
        (checkout, &[WRONG, KEY], "{", 400, r#"{"error":"Idempotency-Key must be a valid UUID"}"#),
        (
            checkout,
            &[WRONG, "idempotency-key: 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"],
            "{",
            401,
            "not authorized",
        ),
        (
            checkout,
            &[OPEN, "idempotency-key: 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"],
            "{",
            400,
            r#"{"error":"invalid request body"}"#,
        ),
        ("POST /payments-api/v1/pay", &[KEY], "{", 401, "not authorized"),
    ];
    for (line, headers, body, status, expected) in cases {
        let heard = ask(&house, line, headers, body).await;
        assert_eq!((heard.status, heard.body.as_str()), (status, expected), "{line} {headers:?}");
        assert!(heard.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    }
}

#[tokio::test]
async fn the_rate_is_told_after_authentication_only_and_comes_before_the_header() {
    let house = house(&[("limits.billing_burst", "2"), ("limits.billing_per_hour", "3600")]).await;
    let line = "GET /billing-api/v1/contracts/7";
    for headers in [&[] as &[&str], &[WRONG], &[SHUT]] {
        let heard = ask(&house, line, headers, "").await;
        assert!(!heard.head.contains("ratelimit"), "{}", heard.head);
    }
    let first = ask(&house, line, &[OPEN], "").await;
    assert_eq!((first.status, first.body.as_str()), (200, "[7,1]"));
    assert_eq!(first.header("x-ratelimit-limit"), Some("3600"));
    assert_eq!(first.header("x-ratelimit-remaining"), Some("1"));
    assert_eq!(first.header("ratelimit-policy"), Some(r#""seller";q=3600;qu="requests";w=3600"#));
    assert_eq!(first.header("ratelimit"), Some(r#""seller";r=1;t=1"#));
    let second = ask(&house, "GET /billing-api/v1/contracts/9", &[OPEN], "").await;
    assert_eq!((second.status, second.header("x-ratelimit-remaining")), (404, Some("0")));

    let third = ask(&house, "POST /billing-api/v1/contracts", &[OPEN], "").await;
    assert_eq!((third.status, third.header("retry-after")), (429, Some("1")));
    assert_eq!(third.header("x-ratelimit-remaining"), Some("0"));
    assert!(third.body.contains("Retry-After"), "{}", third.body);
}

#[tokio::test]
async fn a_quota_counts_refusals_and_nought_turns_it_off() {
    let house = house(&[("limits.contracts_per_day", "1")]).await;
    let line = "POST /billing-api/v1/contracts";
    assert_eq!(ask(&house, line, &[OPEN, KEY], "{}").await.status, 400);
    let refused = ask(&house, line, &[OPEN, KEY], r#"{"size":1}"#).await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some_and(|seconds| seconds.len() == 5));
    assert!(refused.header("x-ratelimit-limit").is_some());

    let free =
        self::house(&[("limits.contracts_per_day", "0"), ("limits.billing_per_hour", "0")]).await;
    for _ in 0..30 {
        let made = ask(&free, line, &[OPEN, KEY], r#"{"size":1}"#).await;
        assert_eq!(made.status, 201);
        assert!(!made.head.contains("ratelimit"));
    }
}

#[tokio::test]
async fn the_back_office_is_there_for_its_token_only() {
    let shut = house(&[]).await;
    for line in ["GET /backoffice/v1/switches", "PUT /backoffice/v1/switches"] {
        let heard = ask(&shut, line, &[OPEN], "").await;
        assert_eq!((heard.status, heard.body.as_str()), (404, r#"{"error":"not found"}"#));
    }
    let house = house(&[("operator_token", "open sesame, open")]).await;
    let line = "GET /backoffice/v1/switches";
    assert_eq!(ask(&house, line, &[OPEN], "").await.status, 401);
    assert_eq!(ask(&house, line, &[], "").await.status, 401);
    assert_eq!(
        ask(&house, line, &["authorization: bearer open sesame, open"], "").await.body,
        "office"
    );
}

#[tokio::test]
async fn wrong_tokens_of_the_operator_are_slowed_and_the_right_one_never() {
    let house = house(&[("operator_token", "open sesame, open")]).await;
    let line = "GET /backoffice/v1/switches";
    let right = ["authorization: bearer open sesame, open"];
    for _ in 0..20 {
        assert_eq!(ask(&house, line, &[], "").await.status, 401);
    }
    for _ in 0..10 {
        assert_eq!(ask(&house, line, &[WRONG], "").await.status, 401);
    }
    let refused = ask(&house, line, &[WRONG], "").await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(ask(&house, line, &[], "").await.status, 401);
    assert_eq!(ask(&house, line, &right, "").await.body, "office");
}

#[tokio::test]
async fn a_session_is_begun_from_pages_of_this_server_alone() {
    let house = open(crate::routes::routes(), HASTE, &[]).await;
    for line in ["POST /dashboard/invite/nobody", "POST /api/v1/login/dashboard", "POST /start"] {
        for foreign in
            ["origin: https://evil.example", "origin: null", "sec-fetch-site: cross-site"]
        {
            assert_eq!(ask(&house, line, &[foreign], "").await.status, 403, "{line} {foreign}");
        }
        let own = ["origin: http://a", "sec-fetch-site: same-origin"];
        assert_ne!(ask(&house, line, &own, "").await.status, 403, "{line}");
    }
}

#[tokio::test]
async fn the_files_of_a_view_are_no_pages() {
    let house = open(crate::routes::routes(), HASTE, &[("limits.pages_per_minute", "1")]).await;
    for _ in 0..3 {
        assert_eq!(ask(&house, "GET /dashboard/app/old/main.js", &[], "").await.status, 404);
    }
    let page = "GET /dashboard/invite/nobody";
    assert_eq!(ask(&house, page, &[], "").await.status, 404);
    assert_eq!(ask(&house, page, &[], "").await.status, 429);
}

#[tokio::test]
async fn no_cache_keeps_what_a_caller_is_answered() {
    let house = house(&[]).await;
    for (headers, status) in [(&[OPEN][..], 200), (&[], 401)] {
        let answer = ask(&house, "GET /billing-api/v1/contracts/7", headers, "").await;
        assert_eq!((answer.status, answer.header("cache-control")), (status, Some("no-store")));
    }
}
