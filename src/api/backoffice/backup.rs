//! A backup of the running server, and the end of the hold behind a restore.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use futures::stream;
use hyper::header::HeaderValue;
use serde::Serialize;
use storage::Backup;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use crate::app::App;
use crate::backup;
use crate::gate::{Request, Route};
use crate::http::response::BodyError;
use crate::http::{ApiError, ApiResult, Response};

const KIND: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Pieces that wait for a slow reader.
const AHEAD: usize = 4;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumedView {
    /// Whether the server was held until now.
    resumed: bool,
    /// What events carry as `epoch`; absent where nothing was ever restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
}

pub async fn read(app: Arc<App>, _: Request) -> ApiResult {
    let place = Arc::clone(&app.backups).try_acquire_owned();
    let place = place.map_err(|_| ApiError::conflict("another backup is being taken"))?;
    let label = backup::label(&app.settings).map_err(|error| ApiError::internal(&error))?;
    let store = app.store.clone();
    let begun = move || store.backup(&label);
    let backup = crate::http::blocking(begun).await?;
    let (pieces, taken) = mpsc::channel(AHEAD);
    let stopping = app.stopping();
    tokio::task::spawn_blocking(move || {
        send(backup, &pieces, &stopping);
        drop(place);
    });
    let pieces = stream::unfold(taken, |mut taken| async move {
        let piece = taken.recv().await?;
        Some((piece, taken))
    });
    Ok(Response::stream(KIND, pieces).unstored())
}

/// Makes the pieces of a backup, no faster than somebody takes them, and without a rest once the
/// server is stopping: there is a bound to how long it waits for them. One that is cut off lacks
/// its end, and is taken for damaged.
fn send(
    mut backup: Backup,
    pieces: &mpsc::Sender<Result<Bytes, BodyError>>,
    stopping: &CancellationToken,
) {
    // The store may be closed behind who was cut off, which is no fault of the store.
    while !pieces.is_closed() {
        let begun = Instant::now();
        let piece = match backup.next() {
            Some(Ok(piece)) => Ok(Bytes::from(piece)),
            Some(Err(error)) => {
                tracing::error!(%error, "a backup could not be taken");
                Err(error.into())
            }
            None => return,
        };
        let spent = begun.elapsed();
        let failed = piece.is_err();
        if pieces.blocking_send(piece).is_err() || failed {
            return;
        }
        if !stopping.is_cancelled() {
            backup.rest(spent);
        }
    }
}

pub async fn resume(app: Arc<App>, _: Request) -> ApiResult {
    let store = app.store.clone();
    let resumed = tokio::task::spawn_blocking(move || store.resume()).await;
    let resumed = resumed.map_err(|error| ApiError::internal(&error))?;
    let resumed = resumed.map_err(|error| ApiError::internal(&error))?;
    let epoch = app.store.epoch();
    if resumed {
        tracing::info!(epoch, "the restored store is resumed");
    }
    Ok(Response::ok(&ResumedView { resumed, epoch }))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/backup", read)
            .named("takeBackup")
            .summary("Take a backup")
            .describe(
                "All data as of the end of the answer, as one file with a checksum of its own for \
                 `accrue restore`, while everything else goes on. It holds the key of secrets that \
                 was made in the data folder: keep it as secret as that. An answer that is cut off \
                 is not taken for a backup. `accrue backup --url` calls this and proves the file.",
            )
            .answer_as(200, "application/octet-stream", "The file.")
            .refuses(409, "Another backup is being taken."),
        Route::post("/resume", resume)
            .named("resumeAfterRestore")
            .summary("Go on with restored data")
            .describe(
                "After `accrue restore` the server delivers no webhook, runs no pass, calls no \
                 processor and deletes nothing that is old, and `/readyz` says so, until this is \
                 called: what was done after the moment that was restored is not known to it, and \
                 would be done again. Events from then on carry a new `epoch` beside their \
                 `sequence`.",
            )
            .answer::<ResumedView>(200, "All goes on."),
    ]
}
