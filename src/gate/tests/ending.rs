//! The orderly end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use storage::{Batch, Table};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::harness::{HASTE, House, answering, open, parse, waiting};
use super::secure::PEM;
use crate::api::backoffice::backup;
use crate::gate::{Route, Server, Surface};
use crate::http::Response;
use crate::http::server::{Patience, StartError, bind};

const AN_HOUR: Duration = Duration::from_secs(3_600);

/// A server with a route that waits.
async fn house() -> (House, Arc<Notify>, Arc<Notify>) {
    let (wait, come, go) = waiting();
    (open(vec![wait], HASTE, &[]).await, come, go)
}

#[tokio::test]
async fn requests_under_way_are_answered_and_no_more_are_taken() {
    let (house, come, go) = house().await;
    let addr = house.server.addr();
    let mut busy = TcpStream::connect(addr).await.expect("connected");
    let mut idle = TcpStream::connect(addr).await.expect("connected");
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    come.notified().await;
    let ending = tokio::spawn(house.server.shutdown());
    let mut nothing = Vec::new();
    idle.read_to_end(&mut nothing).await.expect("closed");
    assert!(nothing.is_empty());
    assert!(TcpStream::connect(addr).await.is_err());
    go.notify_one();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).await.expect("answered");
    assert_eq!(parse(&answer).body, "done");
    assert!(ending.await.expect("ended"));
}

#[tokio::test]
async fn the_end_does_not_wait_for_ever() {
    let (house, come, _go) = house().await;
    let mut busy = TcpStream::connect(house.server.addr()).await.expect("connected");
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    come.notified().await;
    let began = Instant::now();
    assert!(!house.server.shutdown().await);
    assert!(began.elapsed() >= HASTE.drain && began.elapsed() < Duration::from_secs(5));
    let mut cut = Vec::new();
    let _ = busy.read_to_end(&mut cut).await;
    assert!(cut.is_empty());
}

#[tokio::test]
async fn a_body_that_is_half_here_does_not_hold_up_the_end() {
    let patience = Patience { body: AN_HOUR, last_call: HASTE.last_call, ..Patience::default() };
    let taken = answering(|_| Response::text(StatusCode::OK, "taken"));
    let house = open(vec![Route::post("/take", taken).on(Surface::Page)], patience, &[]).await;
    let mut half = TcpStream::connect(house.server.addr()).await.expect("connected");
    let head =
        b"POST /take HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n";
    half.write_all(head).await.expect("sent");
    // Leave to send comes once the body is waited for.
    let mut leave = [0; 1_024];
    let read = half.read(&mut leave).await.expect("heard");
    assert!(leave[..read].starts_with(b"HTTP/1.1 100"));
    half.write_all(b"half").await.expect("sent");
    house.app.begin_stopping();
    assert!(house.server.shutdown().await);
    let mut answer = String::new();
    half.read_to_string(&mut answer).await.expect("answered");
    assert_eq!(parse(&answer).status, 408);
}

#[tokio::test]
async fn a_head_that_is_half_here_does_not_hold_up_the_end() {
    ends_in_spite_of(b"GET /taken HTTP/1.1\r\nhos", &[]).await;
}

#[tokio::test]
async fn a_handshake_that_is_half_here_does_not_hold_up_the_end() {
    // The head of a record that is to have 512 bytes.
    ends_in_spite_of(&[22, 3, 1, 2, 0], &[("tls.cert", PEM), ("tls.key", PEM)]).await;
}

/// Ends a server of great patience while a client has sent this and no more.
async fn ends_in_spite_of(begun: &[u8], flags: &[(&str, &str)]) {
    let patience = Patience { head: AN_HOUR, idle: AN_HOUR, taking: AN_HOUR, ..HASTE };
    let patience = Patience { drain: Duration::from_secs(25), ..patience };
    let taken = answering(|_| Response::text(StatusCode::OK, "taken"));
    let house = open(vec![Route::get("/taken", taken)], patience, flags).await;
    let mut half = TcpStream::connect(house.server.addr()).await.expect("connected");
    half.write_all(begun).await.expect("sent");
    // Those who come are heard in their order: when others have their answer, or the refusal of a
    // handshake that is none, the first has been heard.
    for _ in 0..2 {
        let mut later = TcpStream::connect(house.server.addr()).await.expect("connected");
        let ask = b"GET /taken HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        later.write_all(ask).await.expect("sent");
        let _ = later.read_to_end(&mut Vec::new()).await;
    }
    assert!(house.server.shutdown().await);
}

/// A server with more to back up than a connection holds, and who has taken the beginning of it.
async fn backing_up(patience: Patience) -> (House, TcpStream) {
    const ROWS: Table<u64, Vec<u8>> = Table::new(9_999, "rows of a test");
    let key = format!("{}=", "A".repeat(43));
    let routes = vec![Route::get("/backup", backup::read)];
    let house = open(routes, patience, &[("secrets.key", key.as_str())]).await;
    for part in 0..20 {
        let mut batch = Batch::new();
        for row in 0..10 {
            batch.put(ROWS, &(part * 10 + row), &vec![7; 60_000]);
        }
        house.store.write_blocking(batch).expect("written");
    }
    let mut taker = TcpStream::connect(house.server.addr()).await.expect("connected");
    taker.write_all(b"GET /backup HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let mut status = [0; 12];
    taker.read_exact(&mut status).await.expect("begun");
    assert_eq!(&status, b"HTTP/1.1 200");
    (house, taker)
}

#[tokio::test]
async fn a_backup_that_is_under_way_comes_to_its_end() {
    let patience = Patience { drain: Duration::from_secs(60), ..Patience::default() };
    let (house, mut taker) = backing_up(patience).await;
    house.app.begin_stopping();
    let ending = tokio::spawn(house.server.shutdown());
    let mut rest = Vec::new();
    taker.read_to_end(&mut rest).await.expect("taken");
    assert!(rest.len() > 12_000_000 && rest.ends_with(b"\r\n0\r\n\r\n"), "{}", rest.len());
    assert!(ending.await.expect("ended"));
}

#[tokio::test]
async fn a_backup_that_nobody_takes_is_let_go_of_with_the_connection() {
    let (house, _taker) = backing_up(HASTE).await;
    house.app.begin_stopping();
    assert!(!house.server.shutdown().await);
    let place = timeout(Duration::from_secs(60), house.app.backups.acquire()).await;
    drop(place.expect("its thread has ended").expect("a place"));
}

#[tokio::test]
async fn what_cannot_be_served_does_not_start() {
    let (house, ..) = house().await;
    let app = house.app.clone();
    let ok = || answering(|_| Response::text(StatusCode::OK, "ok"));
    let fails = |routes: Vec<Route>| {
        let listener = bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        match Server::new(app.clone(), routes).serve(listener) {
            Ok(_) => "started".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let twice = vec![Route::get("/a", ok()), Route::post("/a", ok()), Route::get("/a", ok())];
    assert_eq!(fails(twice), "route GET /a is declared twice");
    let unparsable = vec![Route::get("/a/{", ok())];
    assert!(fails(unparsable).starts_with("route GET /a/{"));
    let undeclared = vec![Route::get("/a/{id}", ok())];
    assert_eq!(fails(undeclared), "route GET /a/{id}: has a parameter that is not declared");
    let overlapping = vec![
        Route::get("/a/{one}/x", ok()).path_id("one"),
        Route::get("/a/{two}/y", ok()).path_id("two"),
        Route::get("/a/{one}", ok()).path_id("one"),
        Route::get("/a/export", ok()),
    ];
    assert_eq!(fails(overlapping), "started");
    assert!(matches!(bind(house.server.addr()), Err(StartError::Listen { .. })));
}
