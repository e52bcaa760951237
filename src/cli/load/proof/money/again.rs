//! Requests that are made again: those without an answer, and some of those that had one.

use std::time::Instant;

use bytes::Bytes;
use hyper::{Method, StatusCode};

use super::{PAUSE, Proof, SETTLED_WITHIN};
use crate::cli::client::{Client, Response};
use crate::cli::load::ledger::Payments;
use crate::cli::load::sales::Sales;
use crate::cli::terminal::grouped;

const REPLAYS: usize = 100;
const INITIATE: &str = "/payments-api/v1/initialize-payment";

/// Begins payments again whose outcome is not known, and refunds: made now or made then, they are
/// there once. Gives how many there were.
pub(super) async fn repeat_unsure(
    client: &Client,
    sales: &Sales,
    acknowledged: &mut Payments,
) -> anyhow::Result<u64> {
    let payments = std::mem::take(&mut acknowledged.unsure);
    let refunds = std::mem::take(&mut acknowledged.refunds_unsure);
    for (kind, mark) in &payments {
        let body = sales.initiation(*kind, *mark);
        let answer = until_known(client, INITIATE, &sales.key(*mark), body).await?;
        answer.success(Method::POST, INITIATE)?;
        acknowledged.begun.push((*kind, *mark));
    }
    for (payment, mark) in &refunds {
        let (path, body) = sales.refunding(*payment);
        let answer = until_known(client, &path, &sales.key(*mark), body).await?;
        answer.success(Method::POST, &path)?;
        acknowledged.refunded.push(*payment);
    }
    Ok((payments.len() + refunds.len()) as u64)
}

async fn until_known(
    client: &Client,
    path: &str,
    key: &str,
    body: Bytes,
) -> anyhow::Result<Response> {
    let begun = Instant::now();
    loop {
        let answer = client.post_text(path, Some(key), body.clone()).await?;
        let known = answer.status != StatusCode::SERVICE_UNAVAILABLE;
        if known || begun.elapsed() > SETTLED_WITHIN {
            return Ok(answer);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asks for some acknowledged payments again: every answer is a replay.
pub(super) async fn replay(
    client: &Client,
    sales: &Sales,
    acknowledged: &Payments,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    let step = acknowledged.begun.len().div_ceil(REPLAYS).max(1);
    let (mut asked, before) = (0, proof.found);
    for (kind, mark) in acknowledged.begun.iter().step_by(step) {
        let body = sales.initiation(*kind, *mark);
        let answer = client.post_text(INITIATE, Some(&sales.key(*mark)), body).await?;
        let replayed = answer.headers.get("idempotent-replayed").is_some();
        let same = answer.body["paymentId"] == sales.reference(*kind, *mark);
        if answer.status != StatusCode::OK || !replayed || !same {
            let status = answer.status;
            proof.find(format!("payment {mark}, asked for again: {status} {}", answer.body));
        }
        asked += 1;
    }
    if proof.found == before {
        let asked = grouped(asked);
        proof.holds.push(format!("{asked} payments asked for again, answered 200, nothing new"));
    }
    Ok(())
}
