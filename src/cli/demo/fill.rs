//! The same story told into an account that is there, from within a server: what is told is for
//! the account's owner to look at, and nothing is printed.

use std::collections::BTreeMap;

use actors::domain::time::Timestamp;
use actors::entropy::Entropy;
use indicatif::ProgressBar;
use serde_json::json;

use super::answers::Answers;
use super::buyer::{Buyer, expiry_year};
use super::runner::Runner;
use super::scenario::Chapter;
use crate::cli::client::Client;

/// The chapters that need nothing beside the account.
const CHAPTERS: [&str; 3] =
    [include_str!("year.json"), include_str!("collection.json"), include_str!("fill.json")];

/// Fills the account that `client` speaks for; `progress` counts its steps.
pub(crate) async fn fill_account(
    client: Client,
    now: Timestamp,
    progress: ProgressBar,
) -> anyhow::Result<()> {
    let run = Entropy.uuid().to_string();
    let mut answers = Answers::of_run(now, &run);
    answers.put("account", json!({}));
    let buyer = Buyer { client: client.clone(), expiry_year: expiry_year(now), paid: 0 };
    let mut runner = Runner {
        client,
        operator: None,
        receiver: None,
        buyer,
        progress,
        answers,
        groups: BTreeMap::new(),
    };
    let chapters = CHAPTERS.into_iter().map(serde_json::from_str);
    let mut chapters = chapters.collect::<Result<Vec<Chapter>, _>>()?;
    let steps = chapters.iter().map(|chapter| chapter.steps.len() as u64).sum();
    runner.progress.set_length(steps);
    for chapter in &mut chapters {
        runner.chapter(chapter).await?;
    }
    Ok(())
}
