//! More than the server takes on.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::harness::{HASTE, answering, ask, open_with, say};
use crate::gate::{Capacity, Route, Surface};
use crate::http::Response;

#[tokio::test]
async fn a_full_house_says_so_and_health_is_answered_all_the_same() {
    let (come, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (came, went) = (come.clone(), go.clone());
    let wait = move |_, _| {
        let (came, went) = (came.clone(), went.clone());
        async move {
            came.notify_one();
            went.notified().await;
            Ok(Response::text(StatusCode::OK, "done"))
        }
    };
    let quick = answering(|_| Response::text(StatusCode::OK, "quick"));
    let mut all = crate::routes::routes();
    all.push(Route::get("/wait", wait).on(Surface::Page));
    all.push(Route::get("/quick", quick).on(Surface::Page));
    let house = open_with(all, HASTE, Capacity { in_flight: 1, ..Capacity::default() }, &[]).await;

    let mut busy = TcpStream::connect(house.server.addr()).await.expect("connected");
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    come.notified().await;
    let refused = ask(&house, "GET /quick", &[], "").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    go.notify_one();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(ask(&house, "GET /quick", &[], "").await.body, "quick");
}

#[tokio::test]
async fn a_connection_too_many_is_told_so() {
    let capacity = Capacity { connections: 1, ..Capacity::default() };
    let house = open_with(crate::routes::routes(), HASTE, capacity, &[]).await;
    let addr = house.server.addr();
    let first = TcpStream::connect(addr).await.expect("connected");
    tokio::time::sleep(Duration::from_millis(30)).await;
    let refused = say(addr, "").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert!(refused.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    assert_eq!(refused.body, r#"{"error":"the server has too many connections, try again"}"#);
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
}
