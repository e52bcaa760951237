//! The counters that the server shows, beside what was acknowledged.

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hyper::Method;
use rust_decimal::Decimal;
use serde_json::Value;

use super::{Proof, READERS};
use crate::cli::client::Client;
use crate::cli::load::batches::{Batches, Metric};
use crate::cli::load::tally::{Tally, Usage, shown};
use crate::cli::terminal::grouped;

pub(super) async fn prove(
    client: &Client,
    batches: &Batches,
    mut usage: Usage,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    if usage.ingested + usage.duplicates == 0 && usage.unsure.is_empty() {
        return Ok(());
    }
    let unanswered = repeat_unsure(client, batches, &mut usage, proof).await?;
    raced(batches, &mut usage, proof);

    let reads = (0..).zip(&batches.contracts).map(|(place, contract)| {
        let tally = usage.tallies.remove(&place).unwrap_or_default();
        async move {
            let path = format!("/billing-api/v1/contracts/{contract}/usage");
            let snapshot = client.get(&path).await?;
            anyhow::Ok(compare(*contract, &tally, &snapshot))
        }
    });
    let mut reads = stream::iter(reads).buffer_unordered(READERS);
    let (mut equal, mut other) = (0_u64, 0_u64);
    while let Some(read) = reads.try_next().await? {
        for outcome in read {
            match outcome {
                Ok(()) => equal += 1,
                Err(finding) => {
                    other += 1;
                    proof.find(finding);
                }
            }
        }
    }
    drop(reads);
    proof.expect(
        other == 0,
        format!(
            "{} acknowledged events ({} calls sent again for want of an answer), {} duplicates, \
             {} conflicts refused; {} counters equal what was acknowledged, {} do not",
            grouped(usage.ingested),
            grouped(unanswered),
            grouped(usage.duplicates),
            grouped(usage.conflicts),
            grouped(equal),
            grouped(other)
        ),
    );
    Ok(())
}

/// Makes calls again whose outcome is not known: made now or made then, their events are there
/// once. Gives how many there were.
async fn repeat_unsure(
    client: &Client,
    batches: &Batches,
    usage: &mut Usage,
    proof: &mut Proof,
) -> anyhow::Result<u64> {
    let unsure = std::mem::take(&mut usage.unsure);
    for number in &unsure {
        let path = batches.path();
        let answer = client.post_text(path, None, batches.body(*number)).await?;
        let answer = answer.success(Method::POST, path)?;
        if answer["rejected"].as_u64().is_some_and(|rejected| rejected > 0) {
            proof.find(format!("call {number}, made again, is still rejected in part"));
        }
        // Raced calls are counted where all their answers are looked at.
        if !usage.raced.contains_key(number) {
            usage.take(batches, *number);
        }
    }
    Ok(unsure.len() as u64)
}

/// Of all workers that made a call at the same time, each event was new to exactly one.
fn raced(batches: &Batches, usage: &mut Usage, proof: &mut Proof) {
    for (number, raced) in std::mem::take(&mut usage.raced) {
        let fresh = u64::from(batches.fresh(number));
        if raced.ingested > fresh || (raced.ingested < fresh && !raced.unsure) {
            let times = raced.ingested;
            proof.find(format!("call {number}: {fresh} events were answered as new {times} times"));
        }
        usage.take(batches, number);
    }
}

fn compare(contract: u64, tally: &Tally, snapshot: &Value) -> Vec<Result<(), String>> {
    let one = |metric: Metric| {
        let (expected, over) = tally.expected(metric);
        let found = read(snapshot, metric).map_err(|error| format!("{error:#}"));
        match found {
            Ok(found) if found == (expected, over) => Ok(()),
            Ok((found, marked)) => Err(format!(
                "contract {contract}: {} shows {found} (overflowed: {marked}), acknowledged were \
                 {expected} (overflowed: {over})",
                metric.name()
            )),
            Err(error) => Err(format!("contract {contract}: {}: {error}", metric.name())),
        }
    };
    Metric::ALL.map(one).into()
}

/// What the snapshot says of a metric; one that it does not list was not used.
fn read(snapshot: &Value, metric: Metric) -> anyhow::Result<(Decimal, bool)> {
    let Some(found) = shown(snapshot, metric) else { return Ok((Decimal::ZERO, false)) };
    let used = found["used"].as_str().context("used is no text")?;
    let used = used.parse().with_context(|| format!("used is {used:?}"))?;
    Ok((used, found["overflowed"] == true))
}

#[cfg(test)]
mod tests {
    use actors::domain::time::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::cli::load::tally::Raced;

    fn batches() -> Batches {
        let until = Timestamp::parse("2026-11-21T12:00:00Z").expect("a time");
        Batches { run: "r".to_owned(), until, contracts: vec![7], size: 1, scatter: false }
    }

    #[test]
    fn every_counter_is_compared() {
        let mut usage = Usage::default();
        (1..200).for_each(|number| usage.take(&batches(), number));
        let tally = usage.tallies.remove(&0).expect("events");
        let row = |metric: Metric| {
            let used = tally.expected(metric).0.normalize().to_string();
            json!({"metricName": metric.name(), "used": used})
        };
        let mut snapshot = json!({"metrics": Metric::ALL.map(row)});
        assert!(compare(7, &tally, &snapshot).iter().all(Result::is_ok));
        snapshot["metrics"][3]["overflowed"] = json!(true);
        snapshot["metrics"][1]["used"] = json!("0.5");
        snapshot["metrics"].as_array_mut().expect("rows").remove(0);
        let wrong = compare(7, &tally, &snapshot);
        let found: Vec<&String> = wrong.iter().filter_map(|one| one.as_ref().err()).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("load.units shows 0"), "{found:?}");
    }

    #[test]
    fn a_raced_event_that_is_new_twice_is_found() {
        for (ingested, unsure, findings) in
            [(1, false, 0), (0, true, 0), (2, false, 1), (0, false, 1), (2, true, 1)]
        {
            let mut usage = Usage::default();
            usage.raced.insert(1, Raced { ingested, unsure });
            let mut proof = Proof::default();
            raced(&batches(), &mut usage, &mut proof);
            assert_eq!(proof.findings.len(), findings, "{ingested} {unsure}");
            assert_eq!(usage.tallies.len(), 1);
        }
    }
}
