//! A disk that is nearly full.

use hyper::StatusCode;

use super::harness::{HASTE, answering, ask, open};
use crate::gate::{Route, Surface};
use crate::http::Response;

const OPEN: &[&str] = &["authorization: Bearer open"];

#[tokio::test]
async fn below_the_mark_of_free_space_writes_wait_and_reads_go_on() {
    let found = answering(|_| Response::text(StatusCode::OK, "found"));
    let made = answering(|_| Response::text(StatusCode::CREATED, "made"));
    let mut all = crate::routes::routes();
    all.push(Route::get("/billing-api/v1/parts", found).on(Surface::Billing));
    all.push(Route::post("/billing-api/v1/parts", made).on(Surface::Billing));
    let house = open(all, HASTE, &[]).await;
    let write = "POST /billing-api/v1/parts";

    assert_eq!(ask(&house, write, OPEN, "").await.status, 201);
    house.store.pretend_free_space(Some(0));
    let refused = ask(&house, write, OPEN, "").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("30")));
    assert_eq!(refused.body, r#"{"error":"the server's disk is nearly full"}"#);
    assert_eq!(ask(&house, write, &[], "").await.status, 401);
    assert_eq!(ask(&house, "GET /billing-api/v1/parts", OPEN, "").await.body, "found");
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    let ready = ask(&house, "GET /readyz", &[], "").await;
    assert_eq!(ready.status, 503);
    assert!(ready.body.contains("disk: only 0 MiB are free"), "{}", ready.body);

    house.store.pretend_free_space(None);
    assert_eq!(ask(&house, write, OPEN, "").await.status, 201);
    assert_eq!(ask(&house, "GET /readyz", &[], "").await.status, 200);
}
