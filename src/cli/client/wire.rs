//! One kept-alive connection, for one request after the other. The load tester shares two cores
//! with the server it measures, where a general HTTP client costs as much as the answer itself:
//! this one writes a request in one piece and reads status, length and body, nothing else.

mod answer;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::{Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use answer::Answer;

/// How long one call may take before its outcome counts as unknown.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    /// The header fields that are the same in every request.
    fields: String,
    output: Vec<u8>,
    input: BytesMut,
    closed: bool,
}

/// A call whose outcome is not known: the connection ended or no answer came in time.
#[derive(Debug, thiserror::Error)]
#[error("connection lost: {0}")]
pub struct WireError(String);

impl Wire {
    pub async fn open(address: SocketAddr, key: &str) -> Result<Self, WireError> {
        Self::open_as(address, &address.to_string(), key).await
    }

    /// Opens a connection to the server that is called `host`.
    pub(crate) async fn open_as(
        address: SocketAddr,
        host: &str,
        key: &str,
    ) -> Result<Self, WireError> {
        let connect = TcpStream::connect(address);
        let stream = tokio::time::timeout(Duration::from_secs(5), connect).await;
        let stream = stream.map_err(WireError::of)?.map_err(WireError::of)?;
        stream.set_nodelay(true).map_err(WireError::of)?;
        let (host, key) = (plain(host)?, plain(key)?);
        let fields = format!(
            "Host: {host}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        );
        Ok(Self { stream, fields, output: Vec::new(), input: BytesMut::new(), closed: false })
    }

    /// Whether the other side has closed: nothing can be sent any more.
    pub fn is_closed(&self) -> bool {
        self.closed || self.stream.try_read(&mut [0]).is_ok()
    }

    /// Sends one request, JSON if it has a body, and reads the whole answer. After an error the
    /// connection is spent.
    pub async fn call(
        &mut self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        self.output.clear();
        let mut put = |text: &str| self.output.extend_from_slice(text.as_bytes());
        for text in [method.as_str(), " ", plain(path)?, " HTTP/1.1\r\n", &self.fields] {
            put(text);
        }
        if let Some(key) = key {
            for text in ["Idempotency-Key: ", plain(key)?, "\r\n"] {
                put(text);
            }
        }
        if method != Method::GET {
            put(&format!("Content-Length: {}\r\n", body.len()));
        }
        put("\r\n");
        self.output.extend_from_slice(&body);
        let answer = tokio::time::timeout(CALL_TIMEOUT, self.exchange()).await;
        let answer = answer.map_err(WireError::of).and_then(|answer| answer);
        self.closed |= answer.as_ref().map_or(true, |answer| answer.last);
        answer.map(|answer| (answer.status, answer.body))
    }

    async fn exchange(&mut self) -> Result<Answer, WireError> {
        self.stream.write_all(&self.output).await.map_err(WireError::of)?;
        loop {
            if let Some(answer) = Answer::take(&mut self.input)? {
                return Ok(answer);
            }
            self.input.reserve(8 * 1024);
            if self.stream.read_buf(&mut self.input).await.map_err(WireError::of)? == 0 {
                return Err(WireError::of("closed by the server"));
            }
        }
    }
}

impl WireError {
    pub(crate) fn not_connected() -> Self {
        Self::of("not connected")
    }

    fn of(cause: impl std::fmt::Display) -> Self {
        Self(cause.to_string())
    }
}

/// The text, if it can stand in a request's head.
fn plain(text: &str) -> Result<&str, WireError> {
    let good = text.bytes().all(|byte| byte.is_ascii_graphic());
    good.then_some(text).ok_or_else(|| WireError::of("a request's head takes plain text only"))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn answers_are_read_one_after_the_other_however_they_are_cut() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut request = vec![0; 4096];
            for answer in [
                &["HTTP/1.1 201 Created\r\ncontent-le", "ngth: 4\r\n\r\nab", "cd"][..],
                &["HTTP/1.1 200 OK\r\nContent-Length:0\r\nConnection: close\r\n\r\n"],
            ] {
                let read = stream.read(&mut request).await.expect("a request");
                let text = String::from_utf8_lossy(&request[..read]).into_owned();
                assert!(text.starts_with("POST /a HTTP/1.1\r\n"), "{text}");
                assert!(text.contains("\r\nIdempotency-Key: k\r\n"), "{text}");
                assert!(text.ends_with("\r\nContent-Length: 2\r\n\r\n{}"), "{text}");
                for piece in answer {
                    stream.write_all(piece.as_bytes()).await.expect("sent");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        });
        let mut wire = Wire::open(address, "sk_test_x").await.expect("a connection");
        for (status, body, closed) in [(201, "abcd", false), (200, "", true)] {
            let call = wire.call(Method::POST, "/a", Some("k"), Bytes::from_static(b"{}"));
            let answer = call.await.expect("an answer");
            assert_eq!((answer.0.as_u16(), &answer.1[..]), (status, body.as_bytes()));
            assert_eq!(wire.is_closed(), closed);
        }
        server.await.expect("the server ends");
        let lost = wire.call(Method::GET, "/a", None, Bytes::new()).await;
        assert!(lost.is_err() && wire.is_closed());
    }

    #[tokio::test]
    async fn a_head_is_not_broken_out_of() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut wire = Wire::open(address, "key").await.expect("a connection");
        let broken = wire.call(Method::GET, "/a\r\nX: y", None, Bytes::new()).await;
        assert!(broken.is_err());
    }
}
