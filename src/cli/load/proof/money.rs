//! The payments that the server shows and the money in the wallets, beside what was acknowledged.

mod again;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Proof;
use crate::cli::cents::Cents;
use crate::cli::client::Client;
use crate::cli::load::ledger::{Mark, Payments};
use crate::cli::load::market::{self, Wallets};
use crate::cli::load::sales::{Kind, Sales};
use crate::cli::terminal::{grouped, major};

/// How long everything may take to settle once the load is over.
const SETTLED_WITHIN: Duration = Duration::from_secs(180);
const PAUSE: Duration = Duration::from_millis(200);

/// What is compared of a listed payment, in cents; there may be too many to keep whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    status: String,
    amount: i64,
    captured: i64,
    refunded: i64,
}

impl Listed {
    fn of(row: &Value) -> Option<Self> {
        let cents = |name: &str| Cents::of(&row[name]).map(|cents| cents.0);
        Some(Self {
            status: row["status"].as_str()?.to_owned(),
            amount: cents("amount")?,
            captured: cents("capturedAmount")?,
            refunded: cents("refundedAmount")?,
        })
    }
}

type Found = BTreeMap<(Kind, Mark), Listed>;

/// What the wallets must hold more than before the run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Due {
    captured: i64,
    refunded: i64,
    payees: Vec<i64>,
}

/// Compares payments and wallets with the answers that the workers got. `before` is what the
/// wallets held before the run; nobody else may use the account.
pub(super) async fn prove(
    client: &Client,
    sales: &Sales,
    before: &Wallets,
    mut acknowledged: Payments,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    if acknowledged.is_empty() {
        return Ok(());
    }
    let unanswered = again::repeat_unsure(client, sales, &mut acknowledged).await?;
    again::replay(client, sales, &acknowledged, proof).await?;
    rest(client, sales, before).await?;
    let before_list = proof.found;
    let found = listed(client, sales, proof).await?;
    compare(&acknowledged, &found, proof);
    let due = due(&found);
    let begun = grouped(acknowledged.begun.len() as u64);
    let there = grouped(found.len() as u64);
    let lost = if unanswered > 0 {
        format!(" ({} requests made again for want of an answer)", grouped(unanswered))
    } else {
        String::new()
    };
    if proof.found == before_list {
        proof.expect(
            found.len() == acknowledged.begun.len(),
            format!("{begun} acknowledged payments{lost}; {there} there, each with its amount"),
        );
    }
    let wallets = at_rest(client, sales, before, &due).await?;
    wallets_hold(&wallets, before, &due, &acknowledged, proof);
    Ok(())
}

/// Waits until nothing is on its way to settlement and no refund is open.
async fn rest(client: &Client, sales: &Sales, before: &Wallets) -> anyhow::Result<()> {
    let begun = Instant::now();
    // The wallets are read at little cost, a status that no payment has at that of all payments.
    while market::wallets(client, &sales.payees).await?.pending != before.pending {
        ensure!(begun.elapsed() < SETTLED_WITHIN, "money stays pending");
        tokio::time::sleep(PAUSE).await;
    }
    for status in ["refund_pending", "provider_completed"] {
        let path = format!("/payments-api/v1/payments?status={status}&limit=1");
        while client.get(&path).await?["payments"].as_array().is_some_and(|rows| !rows.is_empty()) {
            ensure!(begun.elapsed() < SETTLED_WITHIN, "payments stay {status}");
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}

async fn listed(client: &Client, sales: &Sales, proof: &mut Proof) -> anyhow::Result<Found> {
    let (mut found, mut cursor) = (Found::new(), 0);
    loop {
        let path = format!("/payments-api/v1/payments?limit=100&cursor={cursor}");
        let mut page = client.get(&path).await?;
        let rows = page["payments"].as_array_mut().map(std::mem::take);
        for row in rows.context("a list without payments")? {
            let reference = row["paymentId"].as_str().unwrap_or_default();
            let Some((kind, mark)) = sales.parse(reference) else { continue };
            let payment = Listed::of(&row).with_context(|| format!("no payment: {row}"))?;
            if found.insert((kind, mark), payment).is_some() {
                proof.find(format!("payment {kind:?} {mark} is there twice"));
            }
        }
        match page["nextCursor"].as_u64().filter(|_| page["hasMore"] == true) {
            Some(next) => cursor = next,
            None => return Ok(found),
        }
    }
}

/// Every acknowledged payment is there as it must be, and no other.
fn compare(acknowledged: &Payments, found: &Found, proof: &mut Proof) {
    let refunded: BTreeSet<Mark> = acknowledged.refunded.iter().copied().collect();
    let begun: BTreeSet<(Kind, Mark)> = acknowledged.begun.iter().copied().collect();
    for (kind, mark) in &begun {
        let Some(payment) = found.get(&(*kind, *mark)) else {
            proof.find(format!("acknowledged payment {kind:?} {mark} is lost"));
            continue;
        };
        let amount = Sales::amount(*mark);
        let (statuses, captured): (&[&str], i64) = match kind {
            Kind::Paid => (&["settled"], amount),
            // Nobody comes to pay it: in a long run it is given up.
            Kind::Waiting => (&["provider_pending", "cancelled"], 0),
        };
        let status = statuses.iter().find(|status| **status == payment.status);
        let status = status.unwrap_or(&statuses[0]);
        let refunded = if refunded.contains(mark) { Sales::refund(*mark) } else { 0 };
        let expected = Listed { status: (*status).to_owned(), amount, captured, refunded };
        if *payment != expected {
            proof.find(format!("payment {kind:?} {mark} is {payment:?}, must be {expected:?}"));
        }
    }
    for (kind, mark) in found.keys().filter(|named| !begun.contains(named)) {
        proof.find(format!("payment {kind:?} {mark} was never acknowledged"));
    }
}

/// What follows from the payments for the wallets, by arithmetic of our own.
fn due(found: &Found) -> Due {
    let mut due = Due::default();
    for ((_, mark), payment) in found.iter().filter(|((kind, _), _)| *kind == Kind::Paid) {
        due.captured += payment.captured;
        due.refunded += payment.refunded;
        if let Some((place, minor)) = Sales::part(*mark, payment.refunded) {
            let length = due.payees.len().max(place + 1);
            due.payees.resize(length, 0);
            due.payees[place] += minor;
        }
    }
    due
}

/// The wallets, once they hold what they must; after a while as they are.
async fn at_rest(
    client: &Client,
    sales: &Sales,
    before: &Wallets,
    due: &Due,
) -> anyhow::Result<Wallets> {
    let begun = Instant::now();
    loop {
        let wallets = market::wallets(client, &sales.payees).await?;
        let right = wallets.total - before.total == due.captured - due.refunded;
        if (right && wallets.pending == before.pending) || begun.elapsed() > SETTLED_WITHIN {
            return Ok(wallets);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn wallets_hold(
    wallets: &Wallets,
    before: &Wallets,
    due: &Due,
    acknowledged: &Payments,
    proof: &mut Proof,
) {
    let more = wallets.total - before.total;
    let is_settled = wallets.pending == before.pending;
    let good = more == due.captured - due.refunded && is_settled;
    let settled = if is_settled { "all" } else { "not all" };
    let refunds = grouped(acknowledged.refunded.len() as u64);
    let (captured, refunded, more) = (major(due.captured), major(due.refunded), major(more));
    proof.expect(
        good,
        format!(
            "{captured} captured, {refunded} given back in {refunds} refunds; the wallets hold \
             {more} more than before, {settled} of it settled"
        ),
    );
    let mut wrong = 0;
    for (place, held) in wallets.payees.iter().enumerate() {
        let held = held - before.payees.get(place).copied().unwrap_or(0);
        let due = due.payees.get(place).copied().unwrap_or(0);
        if held != due {
            wrong += 1;
            let (held, due) = (major(held), major(due));
            proof.find(format!("payee {place} holds {held}, {due} are due"));
        }
    }
    if wrong == 0 {
        let count = wallets.payees.len();
        proof.holds.push(format!("each of {count} payees holds its shares to the cent"));
    }
}

#[cfg(test)]
mod tests;
