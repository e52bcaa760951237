//! Verifying what is stored, while the server runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use actors::verify::{Fault, Report, Rows, verify};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a verification has found.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyView {
    /// How many rows were looked at, by table.
    pub counted: BTreeMap<String, u64>,
    /// What is wrong; the first 1,000.
    pub faults: Vec<FaultView>,
    /// How many faults there are in all.
    pub faults_in_all: u64,
    /// Whether all rows were looked at as of one moment. Where too much was written meanwhile, checks
    /// are of moments of their own.
    pub of_one_moment: bool,
}

/// A rule that does not hold.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct FaultView {
    /// The rule, in a few words.
    pub what: String,
    /// The table and the key of the row.
    #[serde(rename = "where")]
    pub place: String,
    pub expected: String,
    pub found: String,
}

pub async fn run(app: Arc<App>, _: Request) -> ApiResult {
    let place = Arc::clone(&app.verifying).try_acquire_owned();
    let place = place.map_err(|_| ApiError::conflict("a verification is under way"))?;
    let report = app.blocking(move |store| {
        // Kept to the end, also when nobody waits for the answer any more.
        let _place = place;
        verify(store, Rows::Moving)
    });
    Ok(Response::ok(&VerifyView::from(report.await?)))
}

impl From<Report> for VerifyView {
    fn from(Report { counted, faults, faults_in_all, is_of_one_moment }: Report) -> Self {
        let counted = counted.into_iter().map(|(table, rows)| (table.to_owned(), rows));
        Self {
            counted: counted.collect(),
            faults: faults.into_iter().map(FaultView::from).collect(),
            faults_in_all,
            of_one_moment: is_of_one_moment,
        }
    }
}

impl fmt::Display for FaultView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, place, expected, found } = self;
        write!(f, "{what}: {place}: expected {expected}, found {found}")
    }
}

impl From<Fault> for FaultView {
    fn from(Fault { what, place, expected, found }: Fault) -> Self {
        Self { what: what.to_owned(), place, expected, found }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/verify", run)
            .named("verifyStore")
            .may_only_read()
            .summary("Verify what is stored")
            .describe(
                "Reads all rows and computes anew what they say of each other: ledgers and \
                 balances, totals, numbers without a gap, claims and their documents, places in \
                 lists, timers. The server goes on meanwhile, and all is looked at as of one moment. \
                 Where more is written than memory is meant for, each check gets a moment of its \
                 own (`ofOneMoment` is false then), and a check that takes too long even for that \
                 does not compare the numbers of links and sessions. While others write it rests \
                 twenty times as long as it works, a second at most each time.",
            )
            .answer::<VerifyView>(200, "What was looked at and what is wrong.")
            .refuses(409, "A verification is under way."),
    ]
}
