//! What every server over HTTP owes its callers.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::StatusCode;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::harness::{Calls, House, answering, ask, open, parse, say};
use crate::gate::Route;
use crate::http::Response;
use crate::http::server::Patience;

async fn house() -> House {
    let echo = answering(|request| Response::text(StatusCode::OK, request.body.clone()));
    let named = answering(|request| match request.text_param("ref") {
        Ok(text) => Response::text(StatusCode::OK, text.into_owned()),
        Err(error) => error.into(),
    });
    let pieces = answering(|_| {
        let pieces = ["one ", "two"].map(|piece| Ok(Bytes::from_static(piece.as_bytes())));
        Response::stream(HeaderValue::from_static("text/plain"), futures::stream::iter(pieces))
    });
    let mut routes = crate::routes::routes();
    routes.extend([
        Route::get("/echo", echo.clone()),
        Route::post("/echo", echo.clone()),
        Route::post("/small", echo).body_limit(4),
        Route::get("/named/{ref}", named).path_text("ref", "A name."),
        Route::get("/pieces", pieces),
        Route::get("/boom", |_, _| async { panic!("a fault for the test") }),
        Route::post("/boom", |_, _| async { panic!("a fault for the test") }),
    ]);
    open(routes, Patience::default(), &[]).await
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_told_with_and_without_a_key() {
    let house = house().await;
    for headers in [&[] as &[&str], &["authorization: Bearer open"]] {
        for line in ["GET /nowhere", "GET /echo/", "GET //", "DELETE //echo", "OPTIONS *"] {
            let heard = ask(&house, line, headers, "").await;
            assert_eq!((heard.status, heard.body.as_str()), (404, r#"{"error":"not found"}"#));
        }
        for (line, allow) in [
            ("PUT /echo", "get, head, post"),
            ("GET /small", "post"),
            ("BREW /healthz", "get, head"),
        ] {
            let heard = ask(&house, line, headers, "").await;
            assert_eq!((heard.status, heard.header("allow")), (405, Some(allow)), "{line}");
            assert!(heard.header("x-request-id").is_some());
        }
    }
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let house = house().await;
    let heard = ask(&house, "HEAD /healthz", &[], "").await;
    assert_eq!((heard.status, heard.body.as_str()), (200, ""));
    assert_eq!(heard.header("content-length"), Some("2"));
}

#[tokio::test]
async fn path_texts_are_decoded_and_streams_are_sent() {
    let house = house().await;
    assert_eq!(ask(&house, "GET /named/a%2Fb%20c", &[], "").await.body, "a/b c");
    assert_eq!(ask(&house, "GET /named/%FF", &[], "").await.status, 404);
    let heard = ask(&house, "GET /pieces", &[], "").await;
    assert_eq!(heard.header("transfer-encoding"), Some("chunked"));
    assert!(heard.body.contains("one ") && heard.body.ends_with("0\r\n\r\n"));
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_however_it_is_sent() {
    let house = house().await;
    let addr = house.server.addr();
    let head = "POST /small HTTP/1.1\r\nhost: a\r\nconnection: close\r\n";
    for (rest, status) in [
        ("content-length: 4\r\n\r\nfour", 200),
        ("content-length: 5\r\n\r\nfives", 413),
        ("content-length: 5\r\nexpect: 100-continue\r\n\r\n", 413),
        ("transfer-encoding: chunked\r\n\r\n2\r\nfo\r\n2\r\nur\r\n0\r\n\r\n", 200),
        ("transfer-encoding: chunked\r\n\r\n2\r\nfi\r\n3\r\nves\r\n0\r\n\r\n", 413),
    ] {
        assert_eq!(say(addr, &format!("{head}{rest}")).await.status, status, "{rest}");
    }
    let whole = "x".repeat(1024 * 1024);
    assert_eq!(ask(&house, "POST /echo", &[], &whole).await.body.len(), whole.len());
    let more = format!("{whole}x");
    assert_eq!(ask(&house, "POST /echo", &[], &more).await.status, 413);
    let piece = format!("40000\r\n{}\r\n", "x".repeat(0x40000));
    let chunked = format!(
        "POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n\
         {piece}{piece}{piece}{piece}1\r\nx\r\n0\r\n\r\n"
    );
    assert_eq!(say(addr, &chunked).await.status, 413);
}

#[tokio::test]
async fn a_compressed_body_is_415_and_tells_what_is_taken() {
    let house = house().await;
    for coding in ["content-encoding: gzip", "content-encoding: identity, gzip"] {
        let heard = ask(&house, "POST /echo", &[coding], "body").await;
        assert_eq!((heard.status, heard.header("accept-encoding")), (415, Some("identity")));
        assert!(heard.body.contains("Content-Encoding"), "{}", heard.body);
    }
    let heard = ask(&house, "POST /echo", &["content-encoding: Identity"], "body").await;
    assert_eq!((heard.status, heard.body.as_str()), (200, "body"));
}

#[tokio::test]
async fn a_panic_is_500_and_ends_nothing_else() {
    let house = house().await;
    for line in ["GET /boom", "POST /boom"] {
        let heard = ask(&house, line, &[], "").await;
        assert_eq!((heard.status, heard.body.as_str()), (500, r#"{"error":"internal error"}"#));
        assert!(heard.header("x-request-id").is_some());
    }
    assert_eq!(ask(&house, "GET /healthz", &[], "").await.body, "ok");
}

#[tokio::test]
async fn one_connection_takes_many_requests() {
    let house = house().await;
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let ask = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    let mut buffer = [0; 4096];
    for _ in 0..3 {
        stream.write_all(ask).await.expect("sent");
        let read = stream.read(&mut buffer).await.expect("heard");
        assert_eq!(parse(std::str::from_utf8(&buffer[..read]).expect("text")).body, "ok");
    }
}

#[tokio::test]
async fn http2_is_spoken_without_tls() {
    let house = house().await;
    let client: Client<_, Empty<Bytes>> =
        Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let uri = |path: &str| format!("http://{}{path}", house.server.addr()).parse().expect("a uri");
    let answer = client.get(uri("/healthz")).await.expect("answered");
    assert_eq!(answer.version(), hyper::Version::HTTP_2);
    assert!(answer.headers().contains_key("x-request-id"));
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(body, "ok");
    assert_eq!(client.get(uri("/nowhere")).await.expect("answered").status(), 404);
}

#[tokio::test]
async fn who_goes_away_cancels_no_write() {
    let writes = Calls::default();
    let write = writes.clone();
    let routes = vec![Route::post("/write", move |_, _| write.clone().answer())];
    let house = open(routes, Patience::default(), &[]).await;
    let mut stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    stream.write_all(b"POST /write HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    writes.come.notified().await;
    drop(stream);
    // When this is answered, word of the end of the connection has arrived.
    assert_eq!(ask(&house, "GET /nowhere", &[], "").await.status, 404);
    writes.go.notify_one();
    assert!(house.server.shutdown().await);
    assert_eq!(writes.done.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_documents_page_loads_from_here_only() {
    let house = house().await;
    let page = ask(&house, "GET /docs", &[], "").await;
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy").is_some_and(|p| p.contains("default-src 'none'"))
    );
    assert!(!page.body.contains("://"));
    for file in ["redoc.standalone.js", "docs.js", "docs.css", "LICENSE.txt"] {
        assert!(page.body.contains(file) || file == "LICENSE.txt");
        let asset = ask(&house, &format!("GET /docs/{file}"), &[], "").await;
        assert_eq!(asset.status, 200, "{file}");
        assert!(!asset.body.is_empty() && !asset.body.contains("cdn."));
    }
    assert_eq!(ask(&house, "GET /docs/docs.html", &[], "").await.status, 404);
}

#[tokio::test]
async fn the_figures_tell_of_requests_by_route() {
    let house = house().await;
    for path in ["/named/a", "/named/b", "/nowhere"] {
        ask(&house, &format!("GET {path}"), &[], "").await;
    }
    let figures = ask(&house, "GET /metrics", &[], "").await.body;
    let named = r#"accrue_http_requests_total{method="GET",route="/named/{ref}",status="200"} 2"#;
    assert!(figures.contains(named), "{figures}");
    assert!(figures.contains(r#"{method="GET",route="unknown",status="404"} 1"#));
    assert!(figures.contains("accrue_commit_backlog 0"), "{figures}");
    assert!(figures.contains("accrue_http_in_flight 1"));
}
