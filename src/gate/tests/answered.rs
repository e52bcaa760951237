//! Every answer leaves when it is ready, whatever bytes follow the request.

use std::sync::atomic::Ordering;

use hyper::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::harness::{Calls, House, answering, ask, open, parse, say};
use crate::gate::Route;
use crate::http::Response;
use crate::http::server::Patience;

async fn house() -> House {
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    open(vec![Route::post("/echo", echo)], Patience::default(), &[]).await
}

const POST: &str = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nfour";

/// What comes until the answers are as many as `statuses`, on a connection that stays open.
async fn hear(house: &House, sent: &str, answers: usize) -> String {
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    stream.write_all(sent.as_bytes()).await.expect("sent");
    let mut heard = String::new();
    let mut buffer = [0; 4_096];
    while heard.matches("HTTP/1.1 ").count() < answers || !heard.contains("\r\n\r\n") {
        let read = stream.read(&mut buffer).await.expect("heard");
        assert!(read > 0, "{answers} answers were to come: {heard}");
        heard.push_str(std::str::from_utf8(&buffer[..read]).expect("text"));
    }
    heard
}

#[tokio::test]
async fn bytes_behind_a_request_hold_no_answer_back() {
    let house = house().await;
    for behind in ["\r\n", "\r\n\r\n", "POST /ec", "POST /echo HTTP/1.1\r\nhost: a\r\n"] {
        let heard = hear(&house, &format!("{POST}{behind}"), 1).await;
        assert!(heard.ends_with("\r\n\r\nfour"), "{behind:?}: {heard}");
    }
    let heard = hear(&house, &format!("{POST}\r\n{POST}{POST}"), 3).await;
    assert_eq!(heard.matches("HTTP/1.1 200").count(), 3, "{heard}");
}

#[tokio::test]
async fn garbage_behind_a_request_is_refused_after_its_answer() {
    let house = house().await;
    let heard = hear(&house, &format!("{POST}\u{0}\u{1} garbage\r\n\r\n"), 2).await;
    let (first, second) = heard.split_once("four").expect("two answers");
    assert_eq!(parse(first).status, 200);
    let second = parse(second);
    assert_eq!(second.status, 400);
    assert!(second.header("x-request-id").is_some_and(|id| id.starts_with("req_")), "{heard}");
}

#[tokio::test]
async fn what_http_itself_refuses_is_answered_with_an_id() {
    let house = house().await;
    let addr = house.server.addr();
    let long = "x".repeat(80 * 1024);
    let many = "a: b\r\n".repeat(200);
    let cases = [
        ("nonsense\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/1.1\r\nhost : a\r\n\r\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\nhost: a\r\nx: {long}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n"), 431),
    ];
    for (text, status) in cases {
        let heard = say(addr, &text).await;
        assert_eq!(heard.status, status, "{}", &text[..text.len().min(80)]);
        assert!(heard.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    }
}

#[tokio::test]
async fn who_has_said_all_still_gets_the_answer() {
    let (writes, reads) = (Calls::default(), Calls::default());
    let (write, read) = (writes.clone(), reads.clone());
    let routes = vec![
        Route::post("/write", move |_, _| write.clone().answer()),
        Route::get("/read", move |_, _| read.clone().answer()),
    ];
    let house = open(routes, Patience::default(), &[]).await;
    for (request, calls) in [
        ("POST /write HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nfour", &writes),
        ("GET /read HTTP/1.1\r\nhost: a\r\n\r\n", &reads),
    ] {
        let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
        stream.write_all(request.as_bytes()).await.expect("sent");
        calls.come.notified().await;
        stream.shutdown().await.expect("half closed");
        // When this is answered, the end of what the client says has arrived.
        assert_eq!(ask(&house, "GET /nowhere", &[], "").await.status, 404);
        calls.go.notify_one();
        let mut all = String::new();
        stream.read_to_string(&mut all).await.expect("heard");
        assert_eq!(parse(&all).body, "done");
        assert_eq!(calls.done.load(Ordering::SeqCst), 1);
    }
}
