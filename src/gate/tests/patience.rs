//! Slow and silent connections.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::harness::{HASTE, House, answering, open, parse};
use crate::gate::Route;
use crate::http::Response;
use crate::http::server::Patience;

const LARGE: usize = 1024 * 1024;

/// The same, where a large answer has to be taken soon, however much of it is taken at a time.
const BRISK: Patience = Patience { pace: 4 * LARGE, ..HASTE };

async fn house() -> House {
    house_with(HASTE).await
}

async fn house_with(patience: Patience) -> House {
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    let slow = |_, _| async {
        sleep(Duration::from_millis(900)).await;
        Ok(Response::text(StatusCode::OK, "at last"))
    };
    let large = answering(|_| Response::text(StatusCode::OK, vec![b'x'; LARGE]));
    let routes =
        vec![Route::post("/echo", echo), Route::get("/slow", slow), Route::get("/large", large)];
    open(routes, patience, &[]).await
}

/// Sends `text`, then `drips` one at a time, and hears what comes until the end, and after how
/// long that was.
async fn hear(house: &House, text: &str, drips: &[&str]) -> (String, Duration) {
    let began = Instant::now();
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("sent");
    for drip in drips {
        sleep(Duration::from_millis(60)).await;
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

type Sender = http2::SendRequest<Empty<Bytes>>;

/// A large answer over HTTP/2 of which the client has room for `room` bytes at a time, and the
/// connection, which pings go over all the while, as long as its sender lives.
async fn large(house: &House, room: u32) -> (Sender, Incoming, JoinHandle<hyper::Result<()>>) {
    let stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .initial_stream_window_size(room)
        .keep_alive_interval(Duration::from_millis(50))
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .expect("spoken");
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(ask_for_large()).await;
    (sender, answer.expect("answered").into_body(), connection)
}

fn ask_for_large() -> hyper::Request<Empty<Bytes>> {
    let request = hyper::Request::get("http://a/large").header("authorization", "Bearer open");
    request.body(Empty::new()).expect("a request")
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answers_is_cut_off_whatever_else_it_sends() {
    let house = house().await;
    for room in [0, 1_000] {
        let began = Instant::now();
        let (_sender, _answer, connection) = large(&house, room).await;
        let ended = timeout(Duration::from_secs(10), connection).await;
        let _ = ended.expect("the connection was not cut off").expect("joined");
        assert!(began.elapsed() >= HASTE.taking);
    }
}

#[tokio::test]
async fn a_client_that_takes_its_answer_slowly_gets_all_of_it() {
    let house = house().await;
    let began = Instant::now();
    let (_sender, mut answer, _connection) = large(&house, 16 * 1024).await;
    let mut length = 0;
    while let Some(frame) = answer.frame().await {
        length += frame.expect("a frame").into_data().map_or(0, |piece| piece.len());
        sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(length, LARGE);
    assert!(began.elapsed() > HASTE.taking, "it was not slow");
}

#[tokio::test]
async fn a_client_that_takes_some_of_its_answer_now_and_then_does_not_keep_it_for_hours() {
    let house = house_with(BRISK).await;
    let (_sender, mut answer, _connection) = large(&house, 16 * 1024).await;
    let mut length = 0;
    while let Some(Ok(frame)) = answer.frame().await {
        length += frame.into_data().map_or(0, |piece| piece.len());
        sleep(HASTE.taking / 8).await;
    }
    assert!(length < LARGE, "all of it was taken");
}

#[tokio::test]
async fn an_answer_that_is_left_is_not_kept_since_others_are_taken() {
    let house = house_with(BRISK).await;
    let (mut sender, _left, _connection) = large(&house, 64 * 1024).await;
    let others = async {
        while let Ok(answer) = sender.send_request(ask_for_large()).await {
            let _ = answer.into_body().collect().await;
        }
    };
    timeout(Duration::from_secs(10), others).await.expect("the connection was not cut off");
}

#[tokio::test]
async fn a_connection_on_which_only_pings_go_over_is_closed() {
    let house = house().await;
    let stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_millis(50))
        .keep_alive_while_idle(true)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .expect("spoken");
    let connection = tokio::spawn(connection);
    let uri = format!("http://{}/slow", house.server.addr());
    let request = hyper::Request::get(uri).body(Empty::new()).expect("a request");
    let answer = sender.send_request(request).await.expect("answered");
    assert_eq!(answer.into_body().collect().await.expect("a body").to_bytes(), "at last");
    let ended = timeout(Duration::from_secs(10), connection).await;
    let _ = ended.expect("the connection was not closed").expect("joined");
}

/// One frame of HTTP/2: its kind, its flags and what it carries.
async fn frame(stream: &mut TcpStream) -> Option<(u8, u8, Vec<u8>)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut carried = vec![0; length as usize];
    stream.read_exact(&mut carried).await.ok()?;
    Some((head[3], head[4], carried))
}

#[tokio::test]
async fn a_client_of_http2_is_told_before_its_idle_connection_is_closed() {
    const GOAWAY: u8 = 7;
    // In three words of the table that everybody knows.
    let get_of_root = [0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84];
    let house = house().await;
    for asked in [&get_of_root[..], &[]] {
        let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.expect("sent");
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.expect("settings, all as usual");
        stream.write_all(asked).await.expect("a request, or none");
        let mut heard = Vec::new();
        while let Some((kind, _, carried)) = frame(&mut stream).await {
            heard.push((kind, carried));
        }
        let told = heard.iter().find(|(kind, _)| *kind == GOAWAY);
        let (_, why) = told.unwrap_or_else(|| panic!("not told after {asked:?}: {heard:?}"));
        assert_eq!(why[4..8], [0_u8; 4], "nothing went wrong");
    }
}
