//! Running a pass now.

use std::sync::Arc;

use actors::passes::{Pass, PassReport, Scope};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a run did.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassRunView {
    pass: &'static str,
    /// The pass is switched off: it did nothing.
    pass_disabled: bool,
    /// What it counted, by name.
    #[serde(serialize_with = "by_name")]
    #[schema(value_type = std::collections::HashMap<String, u64>)]
    counts: Vec<(&'static str, u64)>,
    /// Contracts or payments that gave no answer; the next run asks them again.
    unanswered: u64,
}

pub async fn run(app: Arc<App>, request: Request) -> ApiResult {
    let pass = Pass::parse(&request.text_param("name")?).ok_or_else(ApiError::missing)?;
    if app.store.is_held() {
        return Err(ApiError::conflict(
            "the store was restored: passes rest before POST /backoffice/v1/resume",
        ));
    }
    let report = app.passes.run(pass, Scope::Operator).await?;
    Ok(Response::ok(&PassRunView::from(report)))
}

impl From<PassReport> for PassRunView {
    fn from(report: PassReport) -> Self {
        let PassReport { pass, pass_disabled, counts, unanswered } = report;
        Self { pass: pass.name(), pass_disabled, counts, unanswered }
    }
}

fn by_name<S: Serializer>(counts: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().copied())
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/passes/{name}/run", run)
            .named("runPass")
            .summary("Run a pass now")
            .describe(
                "Contracts on a test clock take part, by their own clock. A pass that is \
                 switched off does nothing and says so. Everything that is due is carried out \
                 before the answer, however much it is, but that a run issues one document of a \
                 kind to a contract: what is beyond it comes with the next run. A usage period \
                 that could not be closed is tried again once something of it has changed, or \
                 else after a pause of a day at most. Sellers whose account is shut or over are \
                 left alone.",
            )
            .path_text("name", "Name of the pass.")
            .answer::<PassRunView>(200, "What it did.")
            .refuses(404, "No such pass.")
            .refuses(409, "The store was restored, and not resumed yet."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_shown_by_name_in_their_order() {
        let counts = vec![("issued", 2), ("failed", 0)];
        let report = PassReport {
            pass: Pass::RecurringInvoice,
            pass_disabled: false,
            counts,
            unanswered: 0,
        };
        let shown = serde_json::to_string(&PassRunView::from(report)).expect("JSON");
        let expected = r#"{"pass":"billing.recurring.invoice_pass","passDisabled":false,"counts":{"issued":2,"failed":0},"unanswered":0}"#;
        assert_eq!(shown, expected);
    }
}
