//! A program that the system lets have few files open.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::binary::{Binary, Start};
use crate::support::json;

/// A connection that stays, and how it was received.
async fn come(address: &str) -> (TcpStream, bool) {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let ask = b"GET /billing-api/v1/contracts HTTP/1.1\r\nhost: a\r\n\r\n";
    stream.write_all(ask).await.expect("sent");
    let mut heard = [0; 4_096];
    let read = stream.read(&mut heard).await.expect("heard");
    let heard = std::str::from_utf8(&heard[..read]).expect("text");
    let has_come_in = heard.starts_with("HTTP/1.1 401");
    assert!(has_come_in || heard.starts_with("HTTP/1.1 503"), "{heard}");
    (stream, has_come_in)
}

#[tokio::test]
async fn connections_that_are_held_leave_the_store_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = ("ACCRUE_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = Start::in_folder(folder.path()).with(&[proxy]).open_files(460).run();
    let mint = ("/billing-api/v1/sandbox/accounts", json!({}));
    server.anonymous.post(mint.0, &mint.1).await.is(201);
    let address = server.anonymous.origin.strip_prefix("http://").expect("an address").to_owned();
    let (mut held, mut inside) = (Vec::new(), 0);
    for _ in 0..200 {
        let (stream, has_come_in) = come(&address).await;
        held.push(stream);
        inside += usize::from(has_come_in);
    }
    assert!((64..76).contains(&inside), "{inside}");
    // Who is inside goes on, and what is written reaches the disk.
    server.anonymous.post(mint.0, &mint.1).await.is(201);
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn too_few_files_are_told_before_anything_is_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = Start::in_folder(folder.path()).open_files(300).refused();
    assert!(said.contains("300 files open") && said.contains("LimitNOFILE"), "{said}");
    assert!(!folder.path().join("data").exists());
}

#[test]
fn a_limit_that_may_be_raised_is_raised() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Start::in_folder(folder.path()).soft_open_files(200).run();
    assert_eq!(Binary::terminate(server).0, Some(0));
}
