//! Who waits, for a body to come or for an answer to be taken, keeps nobody else from being served.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::{StreamExt, pin_mut};
use http_body_util::Empty;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;

use super::harness::{HASTE, House, answering, ask, ask_until, open_with, parse};
use crate::api::billing::usage::csv::UploadForm;
use crate::app::App;
use crate::gate::{Capacity, Request, Route, Surface};
use crate::http::server::Patience;
use crate::http::{ApiResult, Response};

const OPEN: &[&str] = &["authorization: Bearer open"];
const MIB: usize = 1024 * 1024;
/// Whoever asks until there is a place asks often.
const UNLIMITED: (&str, &str) = ("limits.billing_per_hour", "0");

/// `routes`, and one that is answered at once, by a server that has one hand.
async fn house(mut routes: Vec<Route>, patience: Patience, flags: &[(&str, &str)]) -> House {
    let quick = answering(|_| Response::text(StatusCode::OK, "quick"));
    routes.push(Route::get("/quick", quick).on(Surface::Page));
    routes.extend(crate::routes::routes());
    open_with(routes, patience, Capacity { in_flight: 1, ..Capacity::default() }, flags).await
}

/// A connection on which the head of a request is sent, whose body has `length` bytes.
async fn begin(house: &House, path: &str, length: usize) -> TcpStream {
    begin_as(OPEN[0], house, path, length).await
}

async fn begin_as(key: &str, house: &House, path: &str, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: a\r\n{key}\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}

async fn hear(stream: &mut TcpStream) -> u16 {
    let mut heard = [0; 4_096];
    let read = stream.read(&mut heard).await.expect("heard");
    parse(std::str::from_utf8(&heard[..read]).expect("text")).status
}

#[tokio::test]
async fn a_body_that_is_asked_for_late_takes_no_place_until_it_has_come() {
    static LOOKED: Notify = Notify::const_new();
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    let late = Route::post("/late", echo).on(Surface::Page).late_body(|_, _| {
        LOOKED.notify_one();
        Ok(())
    });
    let house = house(vec![late], Patience::default(), &[]).await;
    let mut slow = begin(&house, "/late", 4).await;
    LOOKED.notified().await;
    assert_eq!(ask(&house, "GET /quick", &[], "").await.body, "quick");
    slow.write_all(b"body").await.expect("sent");
    assert_eq!(hear(&mut slow).await, 200);
}

/// Takes a body while it comes, and tells `begun` when it begins to.
async fn upload(begun: &'static Semaphore, mut request: Request) -> ApiResult {
    begun.add_permits(1);
    let pieces = request.take_upload().pieces();
    pin_mut!(pieces);
    while let Some(piece) = pieces.next().await {
        piece?;
    }
    Ok(Response::empty(StatusCode::ACCEPTED))
}

fn uploads(begun: &'static Semaphore) -> Route {
    let handler = move |_: Arc<App>, request| upload(begun, request);
    Route::post("/upload", handler).on(Surface::Billing).multipart::<UploadForm>(1_000)
}

/// Asks until a place is there again.
async fn until_taken(house: &House, key: &str) {
    ask_until(house, "POST /upload", &[key], "file", |heard| heard.status == 202).await;
}

#[tokio::test]
async fn a_seller_has_a_few_uploads_on_their_way_and_they_take_nobodys_place() {
    static BEGUN: Semaphore = Semaphore::const_new(0);
    let house = house(vec![uploads(&BEGUN)], Patience::default(), &[UNLIMITED]).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        slow.push(begin(&house, "/upload", 1_000).await);
    }
    BEGUN.acquire_many(8).await.expect("open").forget();
    let refused = ask(&house, "POST /upload", OPEN, "file").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")));
    assert_eq!(refused.body, r#"{"error":"too many uploads are under way, try again"}"#);
    assert_eq!(ask(&house, "GET /quick", &[], "").await.body, "quick");
    drop(slow);
    until_taken(&house, OPEN[0]).await;
}

#[tokio::test]
async fn the_sellers_of_one_address_have_a_quarter_of_the_uploads() {
    static BEGUN: Semaphore = Semaphore::const_new(0);
    let flags = [("trusted_proxies", "127.0.0.1/32"), UNLIMITED];
    let house = house(vec![uploads(&BEGUN)], Patience::default(), &flags).await;
    let mut slow = Vec::new();
    for seller in ["open", "second"] {
        for _ in 0..8 {
            let key = format!("authorization: Bearer {seller}");
            slow.push(begin_as(&key, &house, "/upload", 1_000).await);
        }
    }
    BEGUN.acquire_many(16).await.expect("open").forget();
    let third = "authorization: Bearer third";
    assert_eq!(ask(&house, "POST /upload", &[third], "file").await.status, 503);
    let elsewhere = [third, "x-forwarded-for: 192.0.2.1"];
    assert_eq!(ask(&house, "POST /upload", &elsewhere, "file").await.status, 202);
    drop(slow);
    until_taken(&house, third).await;
}

#[tokio::test]
async fn an_upload_that_only_drips_is_given_up() {
    static BEGUN: Semaphore = Semaphore::const_new(0);
    let house = house(vec![uploads(&BEGUN)], HASTE, &[]).await;
    let mut slow = begin(&house, "/upload", 1_000).await;
    let mut heard = [0; 4_096];
    let read = loop {
        let _ = slow.write_all(b"x").await;
        // Each byte comes well within the patience for the next one.
        if let Ok(read) = timeout(HASTE.body / 6, slow.read(&mut heard)).await {
            break read.expect("heard");
        }
    };
    assert_eq!(parse(std::str::from_utf8(&heard[..read]).expect("text")).status, 408);
}

/// Answers to `GET /large` over a connection whose client takes nothing of them.
async fn untaken(house: &House, count: usize) -> (Vec<Incoming>, tokio::task::JoinHandle<()>) {
    let stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(0)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .expect("spoken");
    let driven = tokio::spawn(async move {
        let _ = connection.await;
    });
    let mut answers = Vec::new();
    for _ in 0..count {
        let request = hyper::Request::get("http://a/large").body(Empty::new());
        let answer = sender.send_request(request.expect("a request")).await.expect("answered");
        assert_eq!(answer.status(), StatusCode::OK);
        answers.push(answer.into_body());
    }
    (answers, driven)
}

#[tokio::test]
async fn answers_that_nobody_takes_are_held_up_to_a_bound() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let large = answering(|_| {
        MADE.fetch_add(1, Ordering::SeqCst);
        Response::text(StatusCode::OK, vec![b'x'; 7 * MIB])
    });
    let larger = answering(|_| Response::text(StatusCode::OK, vec![b'x'; 33 * MIB]));
    let routes = vec![
        Route::get("/large", large).on(Surface::Page),
        Route::get("/larger", larger.clone()).on(Surface::Page),
        Route::post("/larger", larger).on(Surface::Page),
    ];
    // One address has a quarter: 32 MiB. With four such answers too little of it is left for one
    // more.
    let flags = [("limits.answer_mib", "128"), ("limits.pages_per_minute", "0")];
    let house = house(routes, Patience::default(), &flags).await;
    for (line, text) in [
        ("GET /larger", "try again"),
        ("POST /larger", "what was asked for may have been carried out"),
    ] {
        let refused = ask(&house, line, &[], "").await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")), "{line}");
        let expected = format!(r#"{{"error":"too many answers wait to be taken, {text}"}}"#);
        assert_eq!(refused.body, expected, "{line}");
    }
    let (answers, driven) = untaken(&house, 4).await;
    let refused = ask(&house, "GET /large", &[], "").await;
    assert_eq!((refused.status, MADE.load(Ordering::SeqCst)), (503, 4), "it is not even made");
    // Health and figures are there all the same.
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    assert_eq!(ask(&house, "GET /metrics", &[], "").await.status, 200);
    drop(answers);
    driven.abort();
    ask_until(&house, "GET /large", &[], "", |heard| heard.body.len() == 7 * MIB).await;
}
