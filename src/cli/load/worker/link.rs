//! The worker's connection: opened when it is needed, given up when it fails.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::{Method, StatusCode};

use super::Worker;
use crate::cli::client::{Wire, WireError};

impl Worker {
    pub(super) async fn post(
        &mut self,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        self.call(Method::POST, path, key, body).await
    }

    pub(super) async fn call(
        &mut self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        let wire = self.wire.as_mut().ok_or_else(WireError::not_connected)?;
        let answer = wire.call(method, path, key, body).await;
        match &answer {
            Err(_) => self.wire = None,
            Ok((StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, _)) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Ok(_) => {}
        }
        answer
    }

    /// Sees to an open connection; false when the time is over before there is one.
    pub(super) async fn connect(&mut self) -> bool {
        while self.wire.as_ref().is_none_or(Wire::is_closed) {
            if Instant::now() >= self.shared.window.end {
                return false;
            }
            let place = self.place.borrow_and_update().clone();
            match place {
                Some(place) => match place.open(&self.shared.key).await {
                    Ok(wire) => self.wire = Some(wire),
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                },
                None => {
                    let end = tokio::time::Instant::from_std(self.shared.window.end);
                    let changed = tokio::time::timeout_at(end, self.place.changed());
                    if !matches!(changed.await, Ok(Ok(()))) {
                        return false;
                    }
                }
            }
        }
        true
    }
}
