//! What was begun so long ago that the processor may have forgotten its key: it is found by the key
//! that is noted at it.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::Stripe;
use super::after::UNKNOWN;
use super::form::segment;
use super::http::Trouble;
use super::intent::{INTENTS, List, Metadata, SETUP_INTENTS, Status, name};
use crate::connector::LookUp;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ProviderOutcome;
use crate::domain::time::Timestamp;

/// How far from the question the processor may date what it opened for it: their clocks differ, and
/// a question waits for its turn. In seconds.
const AROUND_SECONDS: i64 = 3_600;

/// How many intents are looked through: a hundred at a time.
const PAGES: usize = 50;

/// How long they may be looked through: the rest of the call has its time too.
const LISTED_WITHIN: Duration = Duration::from_secs(10);

/// How many later tries of one payment are searched for.
const LATER_TRIES: u32 = 4;

/// What is read of an intent among others, which may be of somebody else's making.
#[derive(Debug, Deserialize)]
struct Noted {
    #[serde(deserialize_with = "name")]
    id: String,
    status: Status,
    #[serde(default)]
    metadata: Option<Metadata>,
}

impl Stripe {
    /// Under a key that is forgotten another intent would be opened, while the one that may have
    /// been charged would be in no book. So nothing is opened. The list of what was opened about
    /// that time is complete; what was tried again later, by a process that a backup knows nothing
    /// of, is searched for, which by now finds it.
    pub(super) async fn create_was_lost_long_ago(
        &self,
        ask: &LookUp,
        at: Timestamp,
    ) -> ProviderOutcome {
        let outcome = match self.noted_under(ask, at).await {
            Ok(found) => self.all_called_off(found).await,
            Err(trouble) => trouble.outcome(|_| UNKNOWN),
        };
        if matches!(outcome, ProviderOutcome::Unknown { .. }) {
            tracing::warn!(key = %ask.key, "nobody can tell what was begun under a key long ago");
        }
        outcome
    }

    async fn all_called_off(&self, found: Vec<Noted>) -> ProviderOutcome {
        for intent in found.into_iter().filter(|intent| intent.status != Status::Canceled) {
            match self.called_off(&intent.id).await {
                ProviderOutcome::Absent => (),
                other => return other,
            }
        }
        ProviderOutcome::Absent
    }

    async fn noted_under(&self, ask: &LookUp, at: Timestamp) -> Result<Vec<Noted>, Trouble> {
        let mut found = self.listed(ask, at).await?;
        // Those that only verify a card cannot be searched for.
        if ask.amount.minor != 0 {
            found.extend(self.searched(&ask.key).await?);
        }
        Ok(found)
    }

    async fn listed(&self, ask: &LookUp, at: Timestamp) -> Result<Vec<Noted>, Trouble> {
        let intents = if ask.amount.minor == 0 { SETUP_INTENTS } else { INTENTS };
        let from = at.plus_seconds(-AROUND_SECONDS).unix_seconds();
        let to = at.plus_seconds(AROUND_SECONDS).unix_seconds();
        let (gte, lte) = (segment("created[gte]"), segment("created[lte]"));
        let first = format!("{intents}?{gte}={from}&{lte}={to}&limit=100");
        let (mut page, mut found) = (first.clone(), Vec::new());
        let until = Instant::now() + LISTED_WITHIN;
        for _ in 0..PAGES {
            let listed = self.endpoint.get::<List<Noted>>(&page).await?;
            let last = listed.data.last().map(|intent| segment(&intent.id));
            found.extend(listed.data.into_iter().filter(|intent| intent.is_under(&ask.key)));
            let Some(last) = last.filter(|_| listed.has_more) else { return Ok(found) };
            if Instant::now() >= until {
                break;
            }
            page = format!("{first}&starting_after={last}");
        }
        Err(Trouble::Unknown(FailureCode::ProviderError))
    }

    async fn searched(&self, key: &str) -> Result<Vec<Noted>, Trouble> {
        let mut query = format!("metadata['key']:'{key}'");
        for nth in 1..=LATER_TRIES {
            query.push_str(&format!(" OR metadata['key']:'{key}-{nth}'"));
        }
        let page = format!("{INTENTS}/search?query={}", segment(&query));
        let mut found = self.endpoint.get::<List<Noted>>(&page).await?.data;
        found.retain(|intent| intent.is_under(key));
        Ok(found)
    }
}

impl Noted {
    /// Whether it was opened under this key, or in place of one that was.
    fn is_under(&self, key: &str) -> bool {
        let noted = self.metadata.as_ref().and_then(|noted| noted.key.as_deref());
        let rest = noted.and_then(|noted| noted.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}
