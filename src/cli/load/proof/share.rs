//! One contract's share of a run, compared with what the server holds of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cli::load::ledger::{Ledger, Mark};
use crate::cli::load::requests::mark_name;

/// Writes of one contract that the server acknowledged or may have made.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    amended: BTreeMap<u32, Mark>,
    amends_unsure: BTreeSet<Mark>,
    subscribed: BTreeSet<u64>,
    doubled: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) versions: u64,
    pub(super) subscriptions: u64,
    /// Amendments that are there though their answer got lost.
    pub(super) unsure: u64,
    pub(super) findings: Vec<String>,
}

pub(super) fn shares(count: usize, ledger: &Ledger) -> Vec<Share> {
    let mut shares = vec![Share::default(); count];
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

impl Share {
    /// Compares it with `versions`, newest first, the `current` version and the subscriptions
    /// that are listed.
    pub(super) fn compare(
        mut self,
        versions: &[Value],
        current: &Value,
        subscriptions: &BTreeSet<u64>,
    ) -> Found {
        let findings = std::mem::take(&mut self.doubled);
        let mut found = Found { findings, versions: versions.len() as u64, ..Found::default() };
        for (expected, version) in (1..).zip(versions.iter().rev()) {
            self.take_version(expected, version, &mut found);
        }
        if current["version"].as_u64() != Some(found.versions) {
            let current = &current["version"];
            found.findings.push(format!("current version {current} of {}", found.versions));
        }
        found.subscriptions = subscriptions.len() as u64;
        let lost = self.amended.keys();
        let lost = lost.map(|version| format!("acknowledged version {version} is lost"));
        found.findings.extend(lost);
        let lost = self.subscribed.difference(subscriptions);
        let lost = lost.map(|id| format!("acknowledged subscription {id} is lost"));
        found.findings.extend(lost);
        let extra = subscriptions.difference(&self.subscribed);
        let extra = extra.map(|id| format!("subscription {id} was never acknowledged"));
        found.findings.extend(extra);
        found
    }

    /// Takes a version off; what stays in the end is lost.
    fn take_version(&mut self, expected: u32, version: &Value, found: &mut Found) {
        let number = &version["version"];
        if number.as_u64() != Some(u64::from(expected)) {
            found.findings.push(format!("version {expected} expected, {number} found"));
            return;
        }
        if expected == 1 {
            return;
        }
        let name = version["customerName"].as_str().unwrap_or_default();
        if let Some(mark) = self.amended.remove(&expected) {
            if name != mark_name(mark) {
                found.findings.push(format!("version {expected} holds another write: {name}"));
            }
            return;
        }
        let unsure = self.amends_unsure.iter().copied().find(|mark| name == mark_name(*mark));
        match unsure {
            Some(mark) => {
                self.amends_unsure.remove(&mark);
                found.unsure += 1;
            }
            None => found.findings.push(format!("version {expected} was never acknowledged")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::load::ledger::Amended;

    fn ledger() -> Ledger {
        let amended = |version, mark| Amended { contract: 0, version, mark };
        Ledger {
            amended: vec![amended(2, 7), amended(4, 9)],
            amends_unsure: vec![(0, 8), (0, 10)],
            subscribed: vec![(0, 100), (0, 101)],
            ..Ledger::default()
        }
    }

    fn versions(names: &[&str]) -> Vec<Value> {
        let rows = (1..).zip(names);
        let rows = rows.map(|(nth, name): (u64, _)| json!({"version": nth, "customerName": name}));
        rows.collect::<Vec<_>>().into_iter().rev().collect()
    }

    fn findings(names: &[&str], current: u64, subscriptions: &[u64]) -> Found {
        let share = shares(1, &ledger()).remove(0);
        let current = json!({"version": current});
        share.compare(&versions(names), &current, &subscriptions.iter().copied().collect())
    }

    #[test]
    fn what_was_acknowledged_and_what_was_unsure_may_be_there() {
        let found = findings(&["", "load 7", "load 8", "load 9"], 4, &[100, 101]);
        assert_eq!(found.findings, Vec::<String>::new());
        assert_eq!((found.versions, found.unsure, found.subscriptions), (4, 1, 2));
    }

    #[test]
    fn every_difference_is_found() {
        let good = ["", "load 7", "load 8", "load 9"];
        for (names, current, subscriptions, expected) in [
            (&good[..3], 3, &[100, 101][..], "acknowledged version 4 is lost"),
            (&["", "load 1", "load 8", "load 9"], 4, &[100, 101], "version 2 holds another write"),
            (&["", "load 7", "load 3", "load 9"], 4, &[100, 101], "version 3 was never"),
            (&good, 3, &[100, 101], "current version 3 of 4"),
            (&good, 4, &[100], "acknowledged subscription 101 is lost"),
            (&good, 4, &[100, 101, 102], "subscription 102 was never"),
        ] {
            let found = findings(names, current, subscriptions);
            assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
            assert!(found.findings[0].contains(expected), "{:?}", found.findings);
        }
    }

    #[test]
    fn a_gap_is_found() {
        let share = shares(1, &Ledger::default()).remove(0);
        let versions = [json!({"version": 3}), json!({"version": 1})];
        let found = share.compare(&versions, &json!({"version": 3}), &BTreeSet::new());
        assert!(found.findings[0].contains("version 2 expected, 3 found"), "{:?}", found.findings);
    }
}
