//! Work that may wait for the disk, away from the threads that serve connections.

use storage::ReadError;

use super::error::ApiError;

pub async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read.map_err(ApiError::from),
        Err(error) => Err(ApiError::internal(&error)),
    }
}
