//! A stream that leaves signs of what moves on it, and that names the answers which HTTP itself
//! gives: hyper makes 400, 414 and 431 without asking the service, so without `X-Request-Id` and
//! `Strict-Transport-Security`.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actors::entropy::Entropy;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::{HTTPS_ONLY, Signs};
use crate::http::request::RequestId;

/// Such an answer of hyper's is shorter: a status line, three headers and no body.
const OWN_ANSWER_BYTES: usize = 200;

/// How long a client that was refused may go on sending: closing with unread bytes would reset the
/// connection before the answer is read.
const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Watched<S: AsyncRead + Unpin + Send + 'static> {
    /// There until it is dropped.
    stream: Option<S>,
    signs: Arc<Signs>,
    /// What is to be written before anything else.
    named: Bytes,
    refused: bool,
    /// It is encrypted.
    secure: bool,
}

impl<S: AsyncRead + Unpin + Send + 'static> Watched<S> {
    pub(super) fn new(stream: S, signs: Arc<Signs>, secure: bool) -> Self {
        Self { stream: Some(stream), signs, named: Bytes::new(), refused: false, secure }
    }

    fn stream(&mut self) -> Pin<&mut S> {
        Pin::new(self.stream.as_mut().expect("a stream until it is dropped"))
    }
}

impl<S: AsyncRead + Unpin + Send + 'static> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let outcome = this.stream().poll_read(context, buffer);
        if buffer.filled().len() > before {
            this.signs.read();
        }
        outcome
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_named(context))?;
        if this.takes_over(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let outcome = this.stream().poll_write(context, bytes);
        this.wrote(outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_named(context))?;
        if let [piece] = pieces
            && this.takes_over(piece)
        {
            return Poll::Ready(Ok(piece.len()));
        }
        let outcome = this.stream().poll_write_vectored(context, pieces);
        this.wrote(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_named(context))?;
        this.stream().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_named(context))?;
        this.stream().poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Watched<S> {
    /// Takes what is to be written upon itself, if it ends with an answer that hyper made.
    fn takes_over(&mut self, bytes: &[u8]) -> bool {
        if self.signs.is_http2() || !is_own_answer(bytes) {
            return false;
        }
        let id = RequestId::draw(Entropy);
        tracing::debug!(request = %id, "a request could not be read");
        let mut named = bytes[..bytes.len() - 2].to_vec();
        if self.secure {
            named.extend_from_slice(b"strict-transport-security: ");
            named.extend_from_slice(HTTPS_ONLY.as_bytes());
            named.extend_from_slice(b"\r\n");
        }
        named.extend_from_slice(format!("x-request-id: {id}\r\n\r\n").as_bytes());
        self.named = named.into();
        self.refused = true;
        true
    }

    fn poll_named(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.named.is_empty() {
            let named = self.named.clone();
            let written = ready!(self.stream().poll_write(context, &named))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.named.advance(written);
            self.signs.wrote();
        }
        Poll::Ready(Ok(()))
    }

    fn wrote(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(1..)) = outcome {
            self.signs.wrote();
        }
        outcome
    }
}

/// Whether `bytes` end with an answer that carries no id and no body. All answers of the service
/// carry one.
fn is_own_answer(bytes: &[u8]) -> bool {
    if !bytes.ends_with(b"\r\n\r\n") {
        return false;
    }
    let tail = &bytes[bytes.len().saturating_sub(OWN_ANSWER_BYTES)..];
    let tail = String::from_utf8_lossy(tail);
    let Some(start) = tail.rfind("HTTP/1.") else { return false };
    let head = &tail[start..];
    let status = head.get(9..12).unwrap_or_default();
    matches!(status, "400" | "414" | "431")
        && head.contains("\r\ncontent-length: 0\r\n")
        && !head.contains("\r\nx-request-id: ")
}

impl<S: AsyncRead + Unpin + Send + 'static> Drop for Watched<S> {
    fn drop(&mut self) {
        let (Some(mut stream), true) = (self.stream.take(), self.refused) else { return };
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(timeout(LINGER, async move {
            let mut sink = [0; 4_096];
            while matches!(stream.read(&mut sink).await, Ok(1..)) {}
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::is_own_answer;

    #[test]
    fn only_an_answer_without_an_id_is_hypers() {
        let own = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                   date: Sun, 22 Nov 2026 09:00:00 GMT\r\n\r\n";
        let behind = format!("HTTP/1.1 200 OK\r\nx-request-id: req_1\r\n\r\n{{}}{own}");
        let with_id = own.replace("date:", "x-request-id: req_1\r\ndate:");
        let other = own.replace("400 Bad Request", "404 Not Found");
        for (bytes, expected) in
            [(own, true), (&behind, true), (&with_id, false), (&other, false), ("\r\n\r\n", false)]
        {
            assert_eq!(is_own_answer(bytes.as_bytes()), expected, "{bytes}");
        }
    }
}
