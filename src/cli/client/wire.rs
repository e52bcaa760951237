//! One kept-alive connection, driven by the task that uses it: the load tester shares two
//! cores with the server, so there is no pool, no second task and no parsing of bodies here.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{Connection, SendRequest, handshake};
use hyper::{Method, Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// How long one call may take before its outcome counts as unknown.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection to a server that sends one request after the other.
#[derive(Debug)]
pub struct Wire {
    sender: SendRequest<Full<Bytes>>,
    connection: Connection<TokioIo<TcpStream>, Full<Bytes>>,
    host: String,
    authorization: String,
}

/// A call whose outcome is not known: the connection ended or no answer came in time.
#[derive(Debug, thiserror::Error)]
#[error("connection lost: {0}")]
pub struct WireError(String);

impl Wire {
    /// Connects to `address` and speaks for the seller who holds `key`.
    pub async fn open(address: SocketAddr, key: &str) -> Result<Self, WireError> {
        let connect = async {
            let stream = TcpStream::connect(address).await.map_err(lost)?;
            stream.set_nodelay(true).map_err(lost)?;
            handshake(TokioIo::new(stream)).await.map_err(lost)
        };
        let (sender, connection) =
            tokio::time::timeout(Duration::from_secs(5), connect).await.map_err(lost)??;
        let authorization = format!("Bearer {key}");
        Ok(Self { sender, connection, host: address.to_string(), authorization })
    }

    /// Whether the other side has closed: nothing can be sent any more.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends one request and reads the whole answer. After an error the connection is spent.
    pub async fn call(
        &mut self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, &self.host)
            .header(header::AUTHORIZATION, &self.authorization);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::new(body)).map_err(lost)?;
        let Self { sender, connection, .. } = self;
        let exchange = async {
            sender.ready().await.map_err(lost)?;
            let answer = sender.send_request(request).await.map_err(lost)?;
            let status = answer.status();
            let body = answer.into_body().collect().await.map_err(lost)?;
            Ok((status, body.to_bytes()))
        };
        let driven = async {
            tokio::pin!(exchange);
            tokio::select! {
                biased;
                answer = &mut exchange => answer,
                // A server may close right after its answer: what has come is taken still.
                _ = connection => exchange.await,
            }
        };
        tokio::time::timeout(CALL_TIMEOUT, driven).await.map_err(lost)?
    }
}

impl WireError {
    /// There was no connection to send on.
    pub(crate) fn not_connected() -> Self {
        Self("not connected".to_owned())
    }
}

fn lost(cause: impl std::fmt::Display) -> WireError {
    WireError(cause.to_string())
}
