//! The proof over the API that every acknowledged write is there, and nothing else.

mod counters;
mod money;
mod share;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use anyhow::Context as _;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hyper::Method;
use serde_json::Value;

use super::ledger::Ledger;
use super::market::Wallets;
use super::requests::Requests;
use super::worker::{Shared, Target};
use crate::api::backoffice::verify::VerifyView;
use crate::cli::client::Client;
use crate::cli::numbers;
use crate::cli::terminal::grouped;
use share::{Found, Share, shares};

const READERS: usize = 16;
/// How many findings are put into words.
const FINDINGS: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Proof {
    pub(super) holds: Vec<String>,
    pub(super) findings: Vec<String>,
    /// How many findings there are, those among them that were not put into words.
    found: usize,
}

impl Proof {
    pub(super) fn failed(error: &anyhow::Error) -> Self {
        let mut proof = Self::default();
        proof.find(format!("not proven: {error:#}"));
        proof
    }

    fn expect(&mut self, good: bool, text: String) {
        if good {
            self.holds.push(text);
        } else {
            self.found += 1;
            self.findings.push(text);
        }
    }

    /// What a verification of the folder has found.
    pub(super) fn stored(&mut self, verified: anyhow::Result<VerifyView>) {
        match verified {
            Ok(found) if found.faults_in_all == 0 => {
                let rows = grouped(found.counted.values().sum());
                self.holds.push(format!("{rows} stored rows were looked at, no rule is broken"));
            }
            Ok(found) => found.faults.iter().for_each(|fault| self.find(fault.to_string())),
            Err(error) => self.find(format!("not verified: {error:#}")),
        }
    }

    pub(super) fn find(&mut self, text: String) {
        self.found += 1;
        if self.findings.len() < FINDINGS {
            self.findings.push(text);
        }
    }
}

/// Reads everything back and compares it with what was acknowledged. `before` is what the
/// wallets held before the run.
pub(super) async fn prove(
    client: &Client,
    shared: &Shared,
    before: &Wallets,
    mut ledger: Ledger,
) -> anyhow::Result<Proof> {
    let Shared { requests, batches, targets, sales, .. } = shared;
    let mut proof = Proof::default();
    for text in std::mem::take(&mut ledger.contradictions) {
        proof.find(text);
    }
    repeat_unsure(client, requests, targets, &mut ledger).await?;

    if !targets.is_empty() {
        contracts(client, targets, &ledger, &mut proof).await?;
    }
    invoices(client, targets, &ledger, &mut proof).await?;
    counters::prove(client, batches, ledger.usage, &mut proof).await?;
    money::prove(client, sales, before, ledger.payments, &mut proof).await?;
    Ok(proof)
}

/// Every contract has the versions and subscriptions that were acknowledged, and no other.
async fn contracts(
    client: &Client,
    targets: &[Target],
    ledger: &Ledger,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    let (acknowledged, subscriptions) = (ledger.amended.len(), ledger.subscribed.len());
    let (mut versions, mut found_subscriptions, mut found_unsure) = (0, 0, 0);
    let before = proof.found;
    let reads = targets.iter().zip(shares(targets.len(), ledger));
    let reads = reads.map(|(target, share)| contract(client, target.id, share, subscriptions > 0));
    let mut reads = stream::iter(reads).buffer_unordered(READERS);
    while let Some(read) = reads.try_next().await? {
        versions += read.versions;
        found_subscriptions += read.subscriptions;
        found_unsure += read.unsure;
        read.findings.into_iter().for_each(|finding| proof.find(finding));
    }
    // Beside what is wrong it would read as another finding that nothing is.
    let good = proof.found == before;
    let (made, there) = (grouped(acknowledged as u64), grouped(versions));
    if !good {
        return Ok(());
    }
    proof.expect(
        versions == (acknowledged + targets.len()) as u64 + found_unsure,
        format!(
            "{made} acknowledged amendments on {} contracts; {there} versions, no gap{}",
            grouped(targets.len() as u64),
            unanswered(found_unsure)
        ),
    );
    if subscriptions > 0 {
        let (made, there) = (grouped(subscriptions as u64), grouped(found_subscriptions));
        proof.expect(
            found_subscriptions == subscriptions as u64,
            format!("{made} acknowledged subscriptions; {there} listed"),
        );
    }
    Ok(())
}

fn unanswered(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!(" ({} of them without an answer)", grouped(count)),
    }
}

/// A create without an answer is repeated with its key: made now or made then, it is one.
async fn repeat_unsure(
    client: &Client,
    requests: &Requests,
    targets: &[Target],
    ledger: &mut Ledger,
) -> anyhow::Result<()> {
    for (contract, mark) in std::mem::take(&mut ledger.subscribes_unsure) {
        let id = targets[contract as usize].id;
        let path = format!("/billing-api/v1/contracts/{id}/subscriptions");
        let made = repeat(client, &path, &requests.key(mark), requests.subscription()).await?;
        ledger.subscribed.push((contract, made));
    }
    for (contract, mark) in std::mem::take(&mut ledger.invoices_unsure) {
        let body = Requests::invoice(targets[contract as usize].id);
        let path = "/billing-api/v1/invoices";
        let made = repeat(client, path, &requests.key(mark), body).await?;
        ledger.invoiced.push((contract, made));
    }
    Ok(())
}

async fn repeat(client: &Client, path: &str, key: &str, body: Bytes) -> anyhow::Result<u64> {
    let made = client.post_text(path, Some(key), body).await?.success(Method::POST, path)?;
    made["id"].as_u64().context("a repeated create without an id")
}

async fn contract(
    client: &Client,
    id: u64,
    share: Share,
    subscribed: bool,
) -> anyhow::Result<Found> {
    let path = format!("/billing-api/v1/contracts/{id}");
    let versions = client.list(&format!("{path}/versions"), "versions").await?;
    let current = client.get(&path).await?;
    let subscriptions = if subscribed {
        let path = format!("/billing-api/v1/subscriptions?contractId={id}");
        let listed = client.list(&path, "subscriptions").await?;
        listed.iter().filter_map(|one| one["id"].as_u64()).collect()
    } else {
        BTreeSet::new()
    };
    let mut found = share.compare(&versions, &current, &subscriptions);
    for finding in &mut found.findings {
        *finding = format!("contract {id}: {finding}");
    }
    Ok(found)
}

async fn invoices(
    client: &Client,
    targets: &[Target],
    ledger: &Ledger,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    if ledger.invoiced.is_empty() {
        return Ok(());
    }
    let listed = client.list("/billing-api/v1/invoices", "invoices").await?;
    let ours: BTreeSet<u64> = targets.iter().map(|target| target.id).collect();
    let of_ours =
        |invoice: &&Value| invoice["contractId"].as_u64().is_some_and(|id| ours.contains(&id));
    let found: BTreeSet<u64> =
        listed.iter().filter(of_ours).filter_map(|invoice| invoice["id"].as_u64()).collect();
    let acknowledged: BTreeSet<u64> = ledger.invoiced.iter().map(|(_, id)| *id).collect();
    for lost in acknowledged.difference(&found) {
        proof.find(format!("acknowledged invoice {lost} is lost"));
    }
    for more in found.difference(&acknowledged) {
        proof.find(format!("invoice {more} was never acknowledged"));
    }
    if acknowledged == found {
        let (made, there) = (ledger.invoiced.len() as u64, found.len() as u64);
        let text = format!("{} acknowledged invoices; {} listed", grouped(made), grouped(there));
        proof.expect(made == there, text);
    }
    match numbers::check(listed.iter().filter_map(|invoice| invoice["invoiceNumber"].as_str())) {
        Ok(months) => {
            let count: u64 = months.values().sum();
            proof.holds.push(format!("{} invoice numbers, no gap", grouped(count)));
        }
        Err(wrong) => proof.find(format!("invoice numbers: {wrong}")),
    }
    Ok(())
}
