//! A multipart form while it comes.
//!
//! Of a part the reader is given what is there. But what lies before a part is kept until all of it
//! has come, and looked through anew with each piece of the body: that has a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use multer::{Field, Multipart};

use super::invalid;
use crate::http::ApiError;
use crate::http::upload::UploadFault;

/// Bytes that may come while no part begins and none goes on.
const MAX_OUTSIDE: usize = 64 * 1024;

/// A piece of the body is handed on in slices: two of them may come before the first is looked at.
const SLICE_BYTES: usize = 16 * 1024;

pub(super) struct Form {
    parts: Multipart<'static>,
    outside: Outside,
}

pub(super) struct Part {
    field: Field<'static>,
    outside: Outside,
}

/// Counts what came since a part began or went on.
#[derive(Clone, Default)]
struct Outside(Arc<AtomicUsize>);

#[derive(Debug, thiserror::Error)]
enum FormFault {
    #[error(transparent)]
    Upload(UploadFault),
    #[error("no part begins within {MAX_OUTSIDE} bytes of the form")]
    NoPart,
}

impl Form {
    /// `pieces` is to stop for a moment between two of them.
    pub(super) fn new(
        pieces: impl Stream<Item = Result<Bytes, UploadFault>> + Send + 'static,
        boundary: String,
    ) -> Self {
        let outside = Outside::default();
        Self { parts: Multipart::new(slices(pieces, outside.clone()), boundary), outside }
    }

    /// The next part, once all before it is dropped.
    pub(super) async fn next_part(&mut self) -> Result<Option<Part>, ApiError> {
        let field = self.parts.next_field().await.map_err(broken)?;
        self.outside.is_left();
        Ok(field.map(|field| Part { field, outside: self.outside.clone() }))
    }
}

impl Part {
    pub(super) fn name(&self) -> Option<&str> {
        self.field.name()
    }

    /// What has come of it; nothing at its end.
    pub(super) async fn next_piece(&mut self) -> Result<Option<Bytes>, ApiError> {
        let piece = self.field.chunk().await.map_err(broken)?;
        self.outside.is_left();
        Ok(piece)
    }

    pub(super) async fn pass_over(mut self) -> Result<(), ApiError> {
        while self.next_piece().await?.is_some() {}
        Ok(())
    }
}

impl Outside {
    fn is_left(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn grows(&self, bytes: usize) -> Result<(), FormFault> {
        match self.0.fetch_add(bytes, Ordering::Relaxed) {
            before if before > MAX_OUTSIDE => Err(FormFault::NoPart),
            _ => Ok(()),
        }
    }
}

/// The pieces of a body in slices; the first fault is the last one.
fn slices(
    pieces: impl Stream<Item = Result<Bytes, UploadFault>> + Send + 'static,
    outside: Outside,
) -> impl Stream<Item = Result<Bytes, FormFault>> + Send {
    let begun = (Box::pin(pieces), Bytes::new(), outside);
    stream::unfold(Some(begun), |left| async move {
        let (mut pieces, mut piece, outside) = left?;
        if piece.is_empty() {
            piece = match pieces.next().await? {
                Ok(piece) => piece,
                Err(fault) => return Some((Err(FormFault::Upload(fault)), None)),
            };
        } else {
            tokio::task::yield_now().await;
        }
        let slice = piece.split_to(piece.len().min(SLICE_BYTES));
        match outside.grows(slice.len()) {
            Ok(()) => Some((Ok(slice), Some((pieces, piece, outside)))),
            Err(fault) => Some((Err(fault), None)),
        }
    })
}

/// What ends the body early: its sender, its size, or its form.
fn broken(error: multer::Error) -> ApiError {
    match error {
        multer::Error::StreamReadFailed(fault) => match fault.downcast::<FormFault>() {
            Ok(fault) => match *fault {
                FormFault::Upload(fault) => fault.into(),
                FormFault::NoPart => invalid(&fault.to_string()),
            },
            Err(other) => ApiError::internal(&other),
        },
        other => invalid(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDARY: &str = "the-boundary";

    /// A form of a body that comes in pieces of so many bytes, and how many have come.
    fn form(body: &[u8], piece: usize) -> (Form, Arc<AtomicUsize>) {
        let come = Arc::new(AtomicUsize::new(0));
        let (body, counted) = (Bytes::copy_from_slice(body), Arc::clone(&come));
        let pieces = stream::unfold(body, move |mut body| {
            let counted = Arc::clone(&counted);
            async move {
                tokio::task::yield_now().await;
                let next = body.split_to(body.len().min(piece));
                counted.fetch_add(next.len(), Ordering::Relaxed);
                (!next.is_empty()).then_some((Ok(next), body))
            }
        });
        (Form::new(pieces, BOUNDARY.to_owned()), come)
    }

    fn beginning(name: &str) -> String {
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"")
    }

    #[tokio::test]
    async fn what_has_no_part_is_refused_before_all_of_it_has_come() {
        let begun = format!("{}\r\n\r\nabc\r\n{}", beginning("a"), beginning("b"));
        for before in ["", &beginning("a"), &begun] {
            let body = [before.as_bytes(), &[b'x'; 1024 * 1024]].concat();
            for piece in [1_000, 30_000] {
                let (mut form, come) = form(&body, piece);
                let refused = loop {
                    match form.next_part().await {
                        Ok(Some(part)) => part.pass_over().await.expect("a part"),
                        Ok(None) => panic!("it has no end"),
                        Err(refused) => break refused,
                    }
                };
                assert!(format!("{refused:?}").contains("no part begins within 65536 bytes"));
                let come = come.load(Ordering::Relaxed);
                // What came before the part, and behind it.
                assert!(come < 192 * 1024, "{come} bytes in pieces of {piece}");
            }
        }
    }

    #[tokio::test]
    async fn parts_of_any_length_come_in_pieces_of_any_length() {
        let parts = [("a", 300_000), ("b", 0), ("c", 70_000), ("d", 3)];
        let mut body = Vec::new();
        for (name, length) in parts {
            let lines = "0123456\r\n".bytes().cycle().take(length);
            body.extend(format!("{}\r\n\r\n", beginning(name)).bytes().chain(lines));
            body.extend(b"\r\n");
        }
        body.extend(format!("--{BOUNDARY}--\r\n").bytes());
        for piece in [7, 1_000, 100_000, body.len()] {
            let (mut form, _) = form(&body, piece);
            let mut found = Vec::new();
            while let Some(mut part) = form.next_part().await.expect("a part") {
                let (name, mut length) = (part.name().map(str::to_owned), 0);
                while let Some(piece) = part.next_piece().await.expect("a piece") {
                    length += piece.len();
                }
                found.push((name.expect("a name"), length));
            }
            let expected = parts.map(|(name, length)| (name.to_owned(), length));
            assert_eq!(found, expected, "in pieces of {piece}");
        }
    }
}
