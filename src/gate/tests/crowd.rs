//! More than the server takes on.

use hyper::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::harness::{HASTE, answering, ask, ask_until_taken, open_with, parse, waiting};
use crate::gate::{Capacity, Route, Surface};
use crate::http::Response;

#[tokio::test]
async fn a_full_house_says_so_and_health_is_answered_all_the_same() {
    let (wait, come, go) = waiting();
    let quick = answering(|_| Response::text(StatusCode::OK, "quick"));
    let mut all = crate::routes::routes();
    all.push(wait.on(Surface::Page));
    all.push(Route::get("/quick", quick).on(Surface::Page));
    let house = open_with(all, HASTE, Capacity { in_flight: 1, ..Capacity::default() }, &[]).await;

    let mut busy = TcpStream::connect(house.server.addr()).await.expect("connected");
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    come.notified().await;
    let refused = ask(&house, "GET /quick", &[], "").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    go.notify_one();
    assert_eq!(ask_until_taken(&house, "GET /quick").await.body, "quick");
}

#[tokio::test]
async fn a_connection_too_many_is_told_so_and_may_ask_for_health() {
    let capacity = Capacity { connections: 1, ..Capacity::default() };
    let house = open_with(crate::routes::routes(), HASTE, capacity, &[]).await;
    let addr = house.server.addr();
    let mut first = TcpStream::connect(addr).await.expect("connected");
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let _ = first.read(&mut [0; 1_024]).await.expect("heard");
    let refused = ask(&house, "GET /billing-api/v1/contracts", &[], "").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert!(refused.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    assert_eq!(refused.body, r#"{"error":"the server has too many connections, try again"}"#);
    for _ in 0..100 {
        assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    }
    // Who asks for nothing does not hold a reserved place for long.
    let mut idle = Vec::new();
    let mut quiet = TcpStream::connect(addr).await.expect("connected");
    assert_eq!(quiet.read_to_end(&mut idle).await.expect("closed"), 0);
}

#[tokio::test]
async fn one_address_does_not_take_all_connections() {
    let flags = [("limits.connections_per_address", "3"), ("trusted_proxies", "127.0.0.2/32")];
    let house = open_with(crate::routes::routes(), HASTE, Capacity::default(), &flags).await;
    let addr = house.server.addr();
    let from = async |source: &str| {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(format!("{source}:0").parse().expect("an address")).expect("bound");
        let mut stream = socket.connect(addr).await.expect("connected");
        let ask = b"GET /billing-api/v1/contracts HTTP/1.1\r\nhost: a\r\n\r\n";
        stream.write_all(ask).await.expect("sent");
        let mut heard = [0; 4_096];
        let read = stream.read(&mut heard).await.expect("heard");
        let status = parse(std::str::from_utf8(&heard[..read]).expect("text")).status;
        (status, stream)
    };
    let (mut statuses, mut held) = (Vec::new(), Vec::new());
    for source in ["127.0.0.1"; 4].into_iter().chain(["127.0.0.3"]).chain(["127.0.0.2"; 5]) {
        let (status, stream) = from(source).await;
        statuses.push(status);
        held.push(stream);
    }
    assert_eq!(statuses, [401, 401, 401, 503, 401, 401, 401, 401, 401, 401]);
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
}

#[tokio::test]
async fn behind_a_proxy_the_client_is_counted_not_the_proxy() {
    let page = answering(|request| Response::text(StatusCode::OK, request.peer.to_string()));
    let routes = vec![Route::get("/page", page).on(Surface::Page)];
    let flags = [("limits.pages_per_minute", "1"), ("trusted_proxies", "127.0.0.1/32")];
    let house = open_with(routes, HASTE, Capacity::default(), &flags).await;
    for (forwarded, status) in [
        ("x-forwarded-for: 192.0.2.1", 200),
        ("x-forwarded-for: 192.0.2.1", 429),
        ("x-forwarded-for: 192.0.2.9, 192.0.2.2", 200),
        ("x-forwarded-for: 192.0.2.7, 192.0.2.2", 429),
    ] {
        assert_eq!(ask(&house, "GET /page", &[forwarded], "").await.status, status, "{forwarded}");
    }
}
