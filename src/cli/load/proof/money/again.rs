//! Requests that are made again: those without an answer, and some of those that had one.

use std::time::Instant;

use hyper::{Method, StatusCode};
use serde_json::Value;

use super::{PAUSE, Proof, SETTLED_WITHIN};
use crate::cli::client::{Answer, Client};
use crate::cli::load::sales::Sales;
use crate::cli::load::till::Till;

/// How many acknowledged payments are asked for again.
const REPLAYS: usize = 100;
const INITIATE: &str = "/payments-api/v1/initialize-payment";

/// Begins payments again whose outcome is not known, and refunds: made now or made then, they are
/// there once. Gives how many there were.
pub(super) async fn repeat_unsure(
    client: &Client,
    sales: &Sales,
    till: &mut Till,
) -> anyhow::Result<u64> {
    let payments = std::mem::take(&mut till.unsure);
    let refunds = std::mem::take(&mut till.refunds_unsure);
    for (kind, mark) in &payments {
        let body = sales.initiation(*kind, *mark);
        let answer = until_known(client, INITIATE, &sales.key(*mark), &body).await?;
        answer.success(Method::POST, INITIATE)?;
        till.begun.push((*kind, *mark));
    }
    for (payment, mark) in &refunds {
        let (path, body) = sales.refunding(*payment);
        let answer = until_known(client, &path, &sales.key(*mark), &body).await?;
        answer.success(Method::POST, &path)?;
        till.refunded.push(*payment);
    }
    Ok((payments.len() + refunds.len()) as u64)
}

/// Sends a request until its outcome is known.
async fn until_known(
    client: &Client,
    path: &str,
    key: &str,
    body: &[u8],
) -> anyhow::Result<Answer> {
    let begun = Instant::now();
    let body: Value = serde_json::from_slice(body)?;
    loop {
        let headers = [("idempotency-key", key)];
        let answer = client.send_once(Method::POST, path, &headers, Some(&body)).await?;
        let known = answer.status != StatusCode::SERVICE_UNAVAILABLE;
        if known || begun.elapsed() > SETTLED_WITHIN {
            return Ok(answer);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asks for some acknowledged payments again: every answer is a replay. Gives how many.
pub(super) async fn replay(
    client: &Client,
    sales: &Sales,
    till: &Till,
    proof: &mut Proof,
) -> anyhow::Result<u64> {
    let step = till.begun.len().div_ceil(REPLAYS).max(1);
    let mut asked = 0;
    for (kind, mark) in till.begun.iter().step_by(step) {
        let body: Value = serde_json::from_slice(&sales.initiation(*kind, *mark))?;
        let key = sales.key(*mark);
        let headers = [("idempotency-key", key.as_str())];
        let answer = client.send(Method::POST, INITIATE, &headers, Some(&body)).await?;
        let replayed = answer.headers.get("idempotent-replayed").is_some();
        let same = answer.body["paymentId"] == sales.reference(*kind, *mark);
        if answer.status != StatusCode::OK || !replayed || !same {
            let status = answer.status;
            proof.find(format!("payment {mark}, asked for again: {status} {}", answer.body));
        }
        asked += 1;
    }
    Ok(asked)
}
