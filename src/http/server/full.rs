//! What a connection beyond the limit is told.

use std::time::Duration;

use actors::entropy::Entropy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http::request::RequestId;

/// How long the other end may take to read that there is no room.
const PATIENCE: Duration = Duration::from_secs(1);

/// Says `503` in plain HTTP/1.1 and closes. Over TLS nothing can be said without a handshake,
/// which would cost more than it tells: the connection is only closed.
pub(super) fn refuse(mut stream: TcpStream, tls: bool, entropy: Entropy) {
    if tls {
        return;
    }
    let body = r#"{"error":"the server has too many connections, try again"}"#;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nretry-after: 1\r\nx-request-id: {}\r\nconnection: close\r\n\r\n{body}",
        body.len(),
        RequestId::draw(entropy),
    );
    tokio::spawn(timeout(PATIENCE, async move {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing with unread bytes would reset the connection before the answer is read.
        let mut sink = [0; 1_024];
        while stream.read(&mut sink).await? > 0 {}
        Ok::<_, std::io::Error>(())
    }));
}
