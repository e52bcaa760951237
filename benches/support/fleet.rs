//! Many calls over many connections.

use std::net::SocketAddr;

use accrue::cli::client::Wire;
use anyhow::bail;
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::Value;
use tokio::task::JoinSet;

/// A call of many: method, path, idempotency key, body.
pub(crate) type Call = (Method, String, Option<String>, Bytes);

/// Makes `count` calls over `connections` connections, the nth as `call(n)` says, and gives the
/// ids of the answers in order; 0 where an answer has none.
pub(crate) async fn fleet(
    address: SocketAddr,
    key: &str,
    connections: usize,
    count: usize,
    call: impl Fn(usize) -> Call + Clone + Send + 'static,
) -> anyhow::Result<Vec<u64>> {
    let mut tasks = JoinSet::new();
    for first in 0..connections.min(count) {
        let (key, call) = (key.to_owned(), call.clone());
        tasks.spawn(async move {
            let mut wire = Wire::open(address, &key).await?;
            let mut ids = Vec::new();
            for nth in (first..count).step_by(connections) {
                let (method, path, key, body) = call(nth);
                let (status, answer) = wire.call(method, &path, key.as_deref(), body).await?;
                if ![StatusCode::OK, StatusCode::CREATED, StatusCode::ACCEPTED].contains(&status) {
                    bail!("{path} answered {status}: {}", String::from_utf8_lossy(&answer));
                }
                let answer: Value = serde_json::from_slice(&answer)?;
                ids.push((nth, answer["id"].as_u64().unwrap_or(0)));
            }
            anyhow::Ok(ids)
        });
    }
    let mut ids = Vec::new();
    while let Some(share) = tasks.join_next().await {
        ids.extend(share??);
    }
    ids.sort_unstable();
    Ok(ids.into_iter().map(|(_, id)| id).collect())
}
