//! An answer taken off the front of what has been read.

use bytes::{Buf as _, Bytes, BytesMut};
use hyper::StatusCode;

use super::WireError;

const HEAD_LIMIT: usize = 16 << 10;
const BODY_LIMIT: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    pub(super) last: bool,
}

impl Answer {
    /// Takes an answer; `None` while it is not there as a whole.
    pub(super) fn take(input: &mut BytesMut) -> Result<Option<Self>, WireError> {
        let Some(end) = input.windows(4).position(|window| window == b"\r\n\r\n") else {
            let long = input.len() > HEAD_LIMIT;
            return if long { Err(WireError::of("an answer without an end")) } else { Ok(None) };
        };
        let wrong = || WireError::of("an answer that is not understood");
        let head = std::str::from_utf8(&input[..end]).map_err(|_| wrong())?;
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3));
        let status = status.and_then(|code| code.parse().ok()).ok_or_else(wrong)?;
        let (mut length, mut last) = (0, false);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().map_err(|_| wrong())?;
            } else if name.eq_ignore_ascii_case("connection") {
                last = value.eq_ignore_ascii_case("close");
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                return Err(wrong());
            }
        }
        if length > BODY_LIMIT {
            return Err(wrong());
        }
        if input.len() < end + 4 + length {
            return Ok(None);
        }
        input.advance(end + 4);
        Ok(Some(Self { status, body: input.split_to(length).freeze(), last }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_is_refused() {
        for text in [
            "HTTP/1.0 200 OK\r\n\r\n",
            "HTTP/1.1 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        ] {
            assert!(Answer::take(&mut BytesMut::from(text)).is_err(), "{text:?}");
        }
        assert!(Answer::take(&mut BytesMut::from(&vec![b'a'; HEAD_LIMIT + 1][..])).is_err());
        let half = Answer::take(&mut BytesMut::from("HTTP/1.1 200 OK\r\nContent-"));
        assert!(half.expect("not wrong yet").is_none());
    }
}
