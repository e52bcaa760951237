//! The proof over the API that every acknowledged write is there, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Context as _;
use hyper::Method;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::ledger::{Ledger, Mark};
use super::requests::{Requests, mark_name};
use super::worker::Target;
use crate::cli::client::Client;
use crate::cli::numbers;
use crate::cli::terminal::grouped;

/// How many contracts are read back at once.
const READERS: usize = 16;
/// How many findings are told in words.
const FINDINGS: usize = 20;

/// What was proven, and what was found wrong.
#[derive(Debug, Default)]
pub(super) struct Proof {
    /// What holds, a line each.
    pub(super) holds: Vec<String>,
    /// What does not, a line each.
    pub(super) findings: Vec<String>,
}

impl Proof {
    fn expect(&mut self, good: bool, text: String) {
        if good { self.holds.push(text) } else { self.findings.push(text) }
    }

    fn find(&mut self, text: String) {
        if self.findings.len() < FINDINGS {
            self.findings.push(text);
        }
    }
}

/// Writes of one contract that the server acknowledged or may have made.
#[derive(Debug, Default)]
struct Share {
    amended: BTreeMap<u32, Mark>,
    amends_unsure: BTreeSet<Mark>,
    subscribed: BTreeSet<u64>,
    doubled: Vec<String>,
}

/// Reads everything back and compares it with what the workers were told.
pub(super) async fn prove(
    client: &Client,
    requests: &Requests,
    targets: &[Target],
    mut ledger: Ledger,
) -> anyhow::Result<Proof> {
    let mut proof = Proof::default();
    for text in std::mem::take(&mut ledger.contradictions) {
        proof.find(text);
    }
    repeat_unsure(client, requests, targets, &mut ledger).await?;

    let (acknowledged, subscriptions) = (ledger.amended.len(), ledger.subscribed.len());
    let (mut versions, mut found_subscriptions, mut found_unsure) = (0, 0, 0);
    let readers = Arc::new(Semaphore::new(READERS));
    let mut tasks = JoinSet::new();
    for (target, share) in targets.iter().zip(shares(targets.len(), &ledger)) {
        let (client, readers, id) = (client.clone(), Arc::clone(&readers), target.id);
        tasks.spawn(async move {
            let _permit = readers.acquire_owned().await?;
            contract(&client, id, share).await
        });
    }
    while let Some(read) = tasks.join_next().await {
        let read = read??;
        versions += read.versions;
        found_subscriptions += read.subscriptions;
        found_unsure += read.unsure;
        read.findings.into_iter().for_each(|finding| proof.find(finding));
    }
    let (made, there) = (grouped(acknowledged as u64), grouped(versions));
    proof.expect(
        versions == (acknowledged + targets.len()) as u64 + found_unsure,
        format!(
            "{made} acknowledged amendments on {} contracts; {there} versions, no gap{}",
            grouped(targets.len() as u64),
            unanswered(found_unsure)
        ),
    );
    let (made, there) = (grouped(subscriptions as u64), grouped(found_subscriptions));
    proof.expect(
        found_subscriptions == subscriptions as u64,
        format!("{made} acknowledged subscriptions; {there} listed"),
    );
    invoices(client, targets, &ledger, &mut proof).await?;
    Ok(proof)
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
        let made = repeat(client, requests, &path, &requests.subscription(), mark).await?;
        ledger.subscribed.push((contract, made));
    }
    for (contract, mark) in std::mem::take(&mut ledger.invoices_unsure) {
        let body = Requests::invoice(targets[contract as usize].id);
        let path = "/billing-api/v1/invoices";
        let made = repeat(client, requests, path, &body, mark).await?;
        ledger.invoiced.push((contract, made));
    }
    Ok(())
}

async fn repeat(
    client: &Client,
    requests: &Requests,
    path: &str,
    body: &[u8],
    mark: Mark,
) -> anyhow::Result<u64> {
    let (body, key) = (serde_json::from_slice(body)?, requests.key(mark));
    let headers = [("idempotency-key", key.as_str())];
    let answer = client.send(Method::POST, path, &headers, Some(&body)).await?;
    let made = answer.success(Method::POST, path)?;
    made["id"].as_u64().context("a repeated create without an id")
}

fn shares(count: usize, ledger: &Ledger) -> Vec<Share> {
    let mut shares: Vec<Share> = std::iter::repeat_with(Share::default).take(count).collect();
    for one in &ledger.amended {
        let share = &mut shares[one.contract as usize];
        if share.amended.insert(one.version, one.mark).is_some() {
            share.doubled.push(format!("version {} was acknowledged twice", one.version));
        }
    }
    for (contract, mark) in &ledger.amends_unsure {
        shares[*contract as usize].amends_unsure.insert(*mark);
    }
    for (contract, id) in &ledger.subscribed {
        let share = &mut shares[*contract as usize];
        if !share.subscribed.insert(*id) {
            share.doubled.push(format!("subscription {id} was acknowledged twice"));
        }
    }
    shares
}

/// What one contract holds.
#[derive(Debug, Default)]
struct Read {
    versions: u64,
    subscriptions: u64,
    /// Amendments that are there though their answer got lost.
    unsure: u64,
    findings: Vec<String>,
}

async fn contract(client: &Client, id: u64, mut share: Share) -> anyhow::Result<Read> {
    let mut read = Read { findings: std::mem::take(&mut share.doubled), ..Read::default() };
    let path = format!("/billing-api/v1/contracts/{id}");
    let versions = client.list(&format!("{path}/versions"), "versions").await?;
    read.versions = versions.len() as u64;
    for (nth, version) in versions.iter().rev().enumerate() {
        check_version(nth as u64 + 1, version, &mut share, &mut read);
    }
    let lost = share.amended.iter();
    read.findings
        .extend(lost.map(|(version, _)| format!("acknowledged version {version} is lost")));
    let current = client.get(&path).await?;
    if current["version"].as_u64() != Some(read.versions) {
        read.findings.push(format!("current version {} of {}", current["version"], read.versions));
    }
    let path = format!("/billing-api/v1/subscriptions?contractId={id}");
    let listed = client.list(&path, "subscriptions").await?;
    let listed: BTreeSet<u64> = listed.iter().filter_map(|one| one["id"].as_u64()).collect();
    read.subscriptions = listed.len() as u64;
    let lost = share.subscribed.difference(&listed);
    read.findings.extend(lost.map(|one| format!("acknowledged subscription {one} is lost")));
    let extra = listed.difference(&share.subscribed);
    read.findings.extend(extra.map(|one| format!("subscription {one} was never acknowledged")));
    for finding in &mut read.findings {
        *finding = format!("contract {id}: {finding}");
    }
    Ok(read)
}

/// Takes the version off the share; what stays in the share is lost.
fn check_version(expected: u64, version: &Value, share: &mut Share, read: &mut Read) {
    let found = version["version"].as_u64();
    if found != Some(expected) {
        let found = version["version"].to_string();
        read.findings.push(format!("version {expected} expected, {found} found"));
        return;
    }
    if expected == 1 {
        return;
    }
    let name = version["customerName"].as_str().unwrap_or_default();
    match share.amended.remove(&(expected as u32)) {
        Some(mark) if name == mark_name(mark) => {}
        Some(_) => read.findings.push(format!("version {expected} holds another write: {name}")),
        None => {
            let unsure = share.amends_unsure.iter().copied().find(|mark| name == mark_name(*mark));
            match unsure {
                Some(mark) => {
                    share.amends_unsure.remove(&mark);
                    read.unsure += 1;
                }
                None => read.findings.push(format!("version {expected} was never acknowledged")),
            }
        }
    }
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
    let (made, there) = (grouped(ledger.invoiced.len() as u64), grouped(found.len() as u64));
    proof.expect(
        acknowledged == found && acknowledged.len() == ledger.invoiced.len(),
        format!("{made} acknowledged invoices; {there} listed"),
    );
    match numbers::check(listed.iter().filter_map(|invoice| invoice["invoiceNumber"].as_str())) {
        Ok(months) => {
            let count: u64 = months.values().sum();
            proof.holds.push(format!("{} invoice numbers, no gap", grouped(count)));
        }
        Err(wrong) => proof.find(format!("invoice numbers: {wrong}")),
    }
    Ok(())
}
