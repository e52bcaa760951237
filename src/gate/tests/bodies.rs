//! Bodies in flight: how much of them is held.

use bytes::Bytes;
use futures::stream::{self, StreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::client::conn::http2;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::harness::{HASTE, House, answering, ask, ask_until, open, parse};
use crate::gate::Route;
use crate::http::Response;
use crate::http::server::Patience;

const STREAMS: usize = 100;
const BYTES: usize = 100_000;

async fn house(flags: &[(&str, &str)]) -> House {
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    let mut routes = crate::routes::routes();
    routes.push(Route::post("/echo", echo));
    open(routes, Patience::default(), flags).await
}

#[tokio::test]
async fn bodies_that_never_end_are_held_up_to_a_bound() {
    // One address has a quarter: 1 MiB, so ten of these bodies.
    let house = house(&[("limits.body_mib", "4")]).await;
    let stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    let driven = tokio::spawn(connection);
    let mut answers = JoinSet::new();
    for _ in 0..STREAMS {
        let mut sender = sender.clone();
        answers.spawn(async move {
            let pieces = std::iter::repeat_n(Bytes::from_static(&[b'x'; BYTES / 10]), 10);
            let pieces =
                stream::iter(pieces.map(|piece| Ok::<_, std::io::Error>(Frame::data(piece))));
            let body = StreamBody::new(pieces.chain(stream::pending()).boxed());
            let request = Request::post("http://a/echo").body(body).expect("a request");
            sender.ready().await.expect("ready");
            // A stream beyond those that one connection may have is refused by HTTP/2 itself.
            let answer = sender.send_request(request).await.ok()?;
            assert!(answer.headers().contains_key("retry-after"), "{answer:?}");
            let (status, body) = (answer.status(), answer.into_body());
            Some((status, body.collect().await.expect("a body").to_bytes()))
        });
    }
    let most = 1_024 * 1_024 / BYTES;
    let mut told = 0;
    for _ in 0..STREAMS - most {
        let answer = answers.join_next().await.expect("an answer").expect("whole");
        let Some((status, body)) = answer else { continue };
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(body, r#"{"error":"too many request bodies are under way, try again"}"#);
        told += 1;
    }
    assert!(told > most, "{told}");
    // What needs no body is served meanwhile, and all is free again when they are gone.
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
    answers.abort_all();
    driven.abort();
    let body = "x".repeat(BYTES);
    ask_until(&house, "POST /echo", &[], &body, |heard| heard.status == 200).await;
}

#[tokio::test]
async fn an_unknown_token_is_told_before_the_body_comes() {
    let house = open(crate::routes::routes(), HASTE, &[]).await;
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let head = "POST /usage/v1/webhooks/nobody HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
                content-length: 1000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut heard = [0; 4_096];
    let read = stream.read(&mut heard).await.expect("heard");
    assert_eq!(parse(std::str::from_utf8(&heard[..read]).expect("text")).status, 404);
}

#[tokio::test]
async fn who_sends_to_what_is_not_there_can_send_it_all() {
    let house = house(&[]).await;
    for (line, status) in [("POST /nowhere", 404), ("PUT /echo", 405)] {
        let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
        let body = vec![b'x'; 2 << 20];
        let head = format!("{line} HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut heard = [0; 4_096];
        // The answer is there before the body is, and the connection stays.
        let read = stream.read(&mut heard).await.expect("heard");
        assert_eq!(parse(std::str::from_utf8(&heard[..read]).expect("text")).status, status);
        stream.write_all(&body).await.expect("sent");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
        let read = stream.read(&mut heard).await.expect("heard");
        assert!(heard[..read].starts_with(b"HTTP/1.1 200 "), "{line}");
    }
}

#[tokio::test]
async fn pages_and_the_sandbox_door_take_small_bodies_only() {
    let house = house(&[("demo", "true")]).await;
    let (small, large) = ("x".repeat(64 * 1024), "x".repeat(64 * 1024 + 1));
    let lines = [
        "POST /pay/nobody",
        "POST /checkout/nobody",
        "POST /scheme/nobody",
        "POST /billing-api/v1/sandbox/accounts",
    ];
    for line in lines {
        let refused = ask(&house, line, &[], &large).await;
        let told = match line.starts_with("POST /billing-api") {
            true => r#"{"error":"the request body is larger than 65536 bytes"}"#,
            false => "<!doctype html>",
        };
        assert_eq!((refused.status, refused.body.starts_with(told)), (413, true), "{line}");
        assert_ne!(ask(&house, line, &[], &small).await.status, 413, "{line}");
    }
}
