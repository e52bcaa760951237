//! Slow and silent connections.

use std::time::{Duration, Instant};

use hyper::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::harness::{HASTE, House, answering, open, parse};
use crate::gate::Route;
use crate::http::Response;

async fn house() -> House {
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    let slow = |_, _| async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        Ok(Response::text(StatusCode::OK, "at last"))
    };
    open(vec![Route::post("/echo", echo), Route::get("/slow", slow)], HASTE, &[]).await
}

/// Sends `text`, then `drips` one at a time, and hears what comes until the end, and after how
/// long that was.
async fn hear(house: &House, text: &str, drips: &[&str]) -> (String, Duration) {
    let began = Instant::now();
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("sent");
    for drip in drips {
        tokio::time::sleep(Duration::from_millis(60)).await;
        let _ = stream.write_all(drip.as_bytes()).await;
    }
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all).await;
    (String::from_utf8(all).expect("text"), began.elapsed())
}

#[tokio::test]
async fn a_head_that_drips_is_cut_off() {
    let house = house().await;
    let drips = ["o", "s", "t", ":", " ", "a", "\r", "\n", "x", ":", "y", "\r", "\n", "z"];
    let (heard, took) = hear(&house, "GET /slow HTTP/1.1\r\nh", &drips).await;
    assert_eq!(heard, "");
    assert!(took >= HASTE.head && took < Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn a_connection_without_a_word_is_closed() {
    let house = house().await;
    let (heard, took) = hear(&house, "", &[]).await;
    assert_eq!(heard, "");
    assert!(took >= HASTE.head && took < Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_408() {
    let house = house().await;
    let head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n";
    let (heard, _) = hear(&house, head, &["a", "b"]).await;
    assert_eq!(parse(&heard).status, 408);
}

#[tokio::test]
async fn an_idle_connection_is_closed_but_a_slow_answer_is_awaited() {
    let house = house().await;
    let (heard, took) = hear(&house, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n", &[]).await;
    assert_eq!(parse(&heard).body, "at last");
    assert!(took >= Duration::from_millis(900) + HASTE.idle, "{took:?}");
}
