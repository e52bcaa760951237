//! Every figure of the README, in one run on one machine and commit:
//!
//! ```text
//! cargo bench --bench figures                        all of them, printed
//! cargo bench --bench figures -- --write             all of them, into the README
//! cargo bench --bench figures -- billing payments    some of them, printed
//! ```
//!
//! `BENCH_SECONDS` says how long each rate is measured (10).
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod billing;
mod deliveries;
mod documents;
mod figure;
mod limits;
mod machine;
mod neighbours;
mod payments;
mod rival;
mod usage;
mod verify;

use std::path::Path;

use anyhow::{bail, ensure};
use figure::Figure;

type Section = fn() -> anyhow::Result<Vec<Figure>>;

const SECTIONS: [(&str, Section); 10] = [
    ("billing", billing::figures),
    ("usage", usage::figures),
    ("payments", payments::figures),
    ("deliveries", deliveries::figures),
    ("verify", verify::figures),
    ("backup", backup::figures),
    ("documents", documents::figures),
    ("neighbours", neighbours::figures),
    ("limits", limits::figures),
    ("rival", rival::figures),
];

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, socket] = arguments.as_slice()
        && first == rival::SERVE
    {
        return rival::serve(Path::new(socket));
    }
    if let [first, rest @ ..] = arguments.as_slice()
        && first == limits::SERVE
    {
        return limits::serve(rest);
    }
    // `cargo test` only builds it.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let write = arguments.iter().any(|argument| argument == "--write");
    let named: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|name| !name.starts_with("--")).collect();
    if let Some(unknown) =
        named.iter().find(|name| SECTIONS.iter().all(|(known, _)| known != *name))
    {
        bail!("no section {unknown}: {:?}", SECTIONS.map(|(name, _)| name));
    }
    ensure!(!write || named.is_empty(), "the README takes all figures of one run");

    let taken = machine::described()?;
    let mut figures = Vec::new();
    for (name, section) in SECTIONS {
        if named.is_empty() || named.contains(&name) {
            println!("\n{name}");
            for figure in section()? {
                let missed = if figure.reached { "" } else { " MISSED" };
                println!("  {}: {} ({}){missed}", figure.what, figure.measured, figure.asked);
                figures.push(figure);
            }
        }
    }
    let table = figure::table(&taken, &figures);
    println!("\n{table}");
    if write {
        figure::write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"), &table)?;
    }
    Ok(())
}
