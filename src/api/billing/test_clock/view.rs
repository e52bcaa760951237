//! Test clocks and their advances as they are answered.

use actors::contract::{AdvanceAnswer, CollectionCounts, InvoiceCounts, LifecycleCounts};
use actors::domain::billing::test_clock::TestClock;
use actors::domain::ids::ContractId;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// What an advance leaves alone: it follows the wall clock, or is a switch's own business.
const NOT_ADVANCED: [&str; 2] = [
    "usage period close: usage periods close by the wall clock",
    "usage invoicing: usage lines are invoiced by their own pass",
];

/// A contract's clock.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockView {
    contract_id: u64,
    /// The simulated instant, which stands still; the wall clock while `simulated` is false.
    now: Timestamp,
    /// False until the clock is first advanced.
    simulated: bool,
    /// When the clock was first advanced, by the wall clock.
    frozen_at: Option<Timestamp>,
    /// When the clock was last advanced, by the wall clock.
    updated_at: Option<Timestamp>,
}

/// What happened to the contract's subscriptions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LifecycleView {
    trials_activated: u64,
    trials_canceled: u64,
    trials_past_due: u64,
    renewed: u64,
    resumed: u64,
    canceled: u64,
    expired: u64,
    /// Subscriptions with nothing to do.
    skipped: u64,
    /// The lifecycle is switched off: the clock moved, nothing else did.
    cron_disabled: bool,
}

/// What was invoiced: at most one document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AdvanceInvoicesView {
    issued: u64,
    sent: u64,
    /// 1 when nothing was issued, for whatever reason.
    skipped: u64,
    failed: u64,
    /// The pass is switched off: nothing was issued.
    pass_disabled: bool,
}

/// What charging the customer's saved card came to: on the days of a retry that the advance went
/// through, and at its end.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AdvanceCollectionView {
    charged: u64,
    failed: u64,
    /// Charges whose outcome is not known yet.
    pending: u64,
    /// Invoices that somebody else is paying.
    skipped: u64,
    /// Subscriptions that are past due by it.
    past_due: u64,
    /// Charging is switched off.
    pass_disabled: bool,
}

/// What an advance did.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceView {
    clock: ClockView,
    /// False when the clock stood there already.
    advanced: bool,
    lifecycle: LifecycleView,
    invoices: AdvanceInvoicesView,
    collection: AdvanceCollectionView,
    /// What does not follow the test clock, in words.
    #[schema(value_type = Vec<String>)]
    not_advanced: [&'static str; 2],
}

impl ClockView {
    /// The clock of `contract`; without one it shows `wall`.
    pub(super) fn new(contract: ContractId, clock: Option<&TestClock>, wall: Timestamp) -> Self {
        Self {
            contract_id: contract.0,
            now: clock.map_or(wall, |clock| clock.now),
            simulated: clock.is_some(),
            frozen_at: clock.map(|clock| clock.frozen_at),
            updated_at: clock.map(|clock| clock.updated_at),
        }
    }
}

impl AdvanceView {
    /// The answer to an advance of `contract` to `to`. There is no clock only where `to` is the
    /// very instant of the wall clock.
    pub(super) fn new(contract: ContractId, answer: &AdvanceAnswer, to: Timestamp) -> Self {
        Self {
            clock: ClockView::new(contract, answer.clock.as_ref(), to),
            advanced: answer.advanced,
            lifecycle: (&answer.lifecycle).into(),
            invoices: (&answer.invoices).into(),
            collection: (&answer.collection).into(),
            not_advanced: NOT_ADVANCED,
        }
    }
}

impl From<&LifecycleCounts> for LifecycleView {
    fn from(counts: &LifecycleCounts) -> Self {
        Self {
            trials_activated: counts.trials_activated,
            trials_canceled: counts.trials_canceled,
            trials_past_due: counts.trials_past_due,
            renewed: counts.renewed,
            resumed: counts.resumed,
            canceled: counts.canceled,
            expired: counts.expired,
            skipped: counts.skipped,
            cron_disabled: counts.cron_disabled,
        }
    }
}

impl From<&InvoiceCounts> for AdvanceInvoicesView {
    fn from(counts: &InvoiceCounts) -> Self {
        Self {
            issued: counts.issued,
            sent: counts.sent,
            skipped: counts.skipped,
            failed: counts.failed,
            pass_disabled: counts.pass_disabled,
        }
    }
}

impl From<&CollectionCounts> for AdvanceCollectionView {
    fn from(counts: &CollectionCounts) -> Self {
        Self {
            charged: counts.charged,
            failed: counts.failed,
            pending: counts.pending,
            skipped: counts.skipped,
            past_due: counts.past_due,
            pass_disabled: counts.pass_disabled,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("an instant")
    }

    fn shown(view: &impl Serialize) -> Value {
        serde_json::to_value(view).expect("JSON")
    }

    #[test]
    fn without_a_clock_the_wall_clock_is_shown() {
        let wall = at("2026-11-21T05:00:00Z");
        let view = ClockView::new(ContractId(7), None, wall);
        let expected = json!({"contractId": 7, "now": "2026-11-21T05:00:00Z", "simulated": false});
        assert_eq!(shown(&view), expected);
    }

    #[test]
    fn an_advance_tells_all_that_it_did() {
        let clock = TestClock {
            now: at("2026-12-21T05:00:00Z"),
            frozen_at: at("2026-11-21T05:00:00Z"),
            updated_at: at("2026-11-21T06:00:00Z"),
            heading_for: None,
            let_go_at: None,
        };
        let answer = AdvanceAnswer {
            advanced: true,
            lifecycle: LifecycleCounts { renewed: 2, skipped: 1, ..Default::default() },
            invoices: InvoiceCounts { issued: 1, sent: 1, ..Default::default() },
            collection: CollectionCounts { failed: 3, past_due: 1, ..Default::default() },
            clock: Some(clock.clone()),
        };
        let shown = shown(&AdvanceView::new(ContractId(7), &answer, clock.now));
        let expected = json!({
            "contractId": 7, "now": "2026-12-21T05:00:00Z", "simulated": true,
            "frozenAt": "2026-11-21T05:00:00Z", "updatedAt": "2026-11-21T06:00:00Z",
        });
        assert_eq!(shown["clock"], expected);
        assert_eq!(shown["advanced"], true);
        let expected = json!({
            "trialsActivated": 0, "trialsCanceled": 0, "trialsPastDue": 0, "renewed": 2,
            "resumed": 0, "canceled": 0, "expired": 0, "skipped": 1, "cronDisabled": false,
        });
        assert_eq!(shown["lifecycle"], expected);
        let expected =
            json!({"issued": 1, "sent": 1, "skipped": 0, "failed": 0, "passDisabled": false});
        assert_eq!(shown["invoices"], expected);
        let not_advanced = shown["notAdvanced"].as_array().expect("a list");
        let begins = |n: usize, with| not_advanced[n].as_str().is_some_and(|s| s.starts_with(with));
        assert!(begins(0, "usage period close") && begins(1, "usage invoicing"));
        assert_eq!(not_advanced.len(), 2);
        let expected = json!({
            "charged": 0, "failed": 3, "pending": 0, "skipped": 0, "pastDue": 1,
            "passDisabled": false,
        });
        assert_eq!(shown["collection"], expected);
    }
}
