//! What the load tester prints.

use std::time::Duration;

use comfy_table::Cell;
use serde_json::{Value, json};

use super::latency::{Latencies, per_second};
use super::ledger::Ledger;
use super::mix::Operation;
use super::proof::Proof;
use crate::cli::child::Memory;
use crate::cli::terminal::{Terminal, grouped, millis};

#[derive(Debug)]
pub(super) struct Report {
    pub(super) measured: Duration,
    pub(super) latencies: Latencies,
    /// In an open loop, the calls that were due while it was measured and answered later.
    pub(super) late: Option<u64>,
    /// Usage events acknowledged as new while it was measured.
    pub(super) events: u64,
    pub(super) refused: Vec<(Operation, u16, u64)>,
    pub(super) stale: u64,
    /// Whether the server was killed in the middle and came back.
    pub(super) killed: bool,
    /// Whether the folder of a server of our own is in memory.
    pub(super) in_memory: Option<bool>,
    pub(super) proof: Proof,
    pub(super) memory: Option<Memory>,
    /// The same after a rest, where one was asked for.
    pub(super) rested: Option<Memory>,
}

impl Report {
    /// The answers that were no success, as the tables name them.
    pub(super) fn refusals(ledger: &Ledger) -> Vec<(Operation, u16, u64)> {
        let named = |((index, status), count): (&(usize, u16), &u64)| {
            (Operation::ALL[*index], *status, *count)
        };
        ledger.refused.iter().map(named).collect()
    }

    pub(super) fn good(&self) -> bool {
        self.proof.findings.is_empty()
    }

    pub(super) fn print(&self, terminal: Terminal) {
        terminal.heading("Throughput and latency in milliseconds");
        let header = ["Operation", "Done", "A second", "p50", "p90", "p99", "p99.9", "Max"];
        let mut table = terminal.table(&header, &[1, 2, 3, 4, 5, 6, 7]);
        for operation in Operation::ALL {
            let summary = self.latencies.summary(operation);
            if summary.count == 0 {
                continue;
            }
            let mut row = vec![Cell::new(operation.name()), Cell::new(grouped(summary.count))];
            let rate = per_second(self.latencies.in_time(operation), self.measured);
            row.push(Cell::new(grouped(rate)));
            let latencies = [summary.p50, summary.p90, summary.p99, summary.p999, summary.max];
            row.extend(latencies.map(|micros| Cell::new(millis(micros))));
            table.add_row(row);
        }
        terminal.show(&table);
        if self.in_memory == Some(true) {
            let words = "the server's folder is in memory: these are not the rates of a disk";
            terminal.line(&format!("  {words}; TMPDIR names another place"));
        }
        if let Some(late @ 1..) = self.late {
            let late = grouped(late);
            terminal.line(&format!("  {late} calls due while it was measured, answered later"));
        }
        if self.events > 0 {
            let rate = grouped(per_second(self.events, self.measured));
            terminal.line(&format!("  {} new events, {rate} a second", grouped(self.events)));
        }
        for (operation, status, count) in &self.refused {
            let answer = match status {
                0 => "no answer".to_owned(),
                status => status.to_string(),
            };
            terminal.line(&format!("  {} {}: {answer}", grouped(*count), operation.name()));
        }
        if self.stale > 0 {
            terminal.line(&format!("  {} amendments on a stale version", grouped(self.stale)));
        }
        if let Some(memory) = self.memory {
            let (now, peak) = (memory.now_kib / 1024, memory.peak_kib / 1024);
            terminal.line(&format!("  server memory {now} MiB, at most {peak} MiB"));
        }
        if let Some(rested) = self.rested {
            terminal.line(&format!("  {} MiB after a rest", rested.now_kib / 1024));
        }
        terminal.heading("Proof over the API");
        self.proof.holds.iter().for_each(|text| terminal.check(true, text));
        self.proof.findings.iter().for_each(|text| terminal.check(false, text));
    }

    /// As one JSON object, latencies in microseconds.
    pub(super) fn json(&self) -> Value {
        let mut operations = serde_json::Map::new();
        for operation in Operation::ALL {
            let summary = self.latencies.summary(operation);
            if summary.count > 0 {
                let rate = per_second(self.latencies.in_time(operation), self.measured);
                let figures = json!({"perSecond": rate, "micros": summary});
                operations.insert(operation.name().to_owned(), figures);
            }
        }
        let refused = self.refused.iter().map(|(operation, status, count)| {
            json!({"operation": operation.name(), "status": status, "count": count})
        });
        json!({
            "operations": operations,
            "late": self.late,
            "events": self.events,
            "eventsPerSecond": per_second(self.events, self.measured),
            "refused": refused.collect::<Vec<_>>(),
            "stale": self.stale,
            "killed": self.killed,
            "inMemory": self.in_memory,
            "memoryKib": self.memory.map(|memory| memory.now_kib),
            "memoryPeakKib": self.memory.map(|memory| memory.peak_kib),
            "memoryRestedKib": self.rested.map(|memory| memory.now_kib),
            "holds": self.proof.holds,
            "findings": self.proof.findings,
        })
    }
}
