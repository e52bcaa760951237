//! The billing run: one call that bills all that is due on a contract, each model by its own engine
//! and on a document of its own. Each document is durable by itself: one that cannot be made takes
//! no other with it, and a repeated run makes what is missing. A forecast bills by the same steps.

use super::changes::Changes;
use super::documents::Issuing;
use super::room::{Context, ContractRoom, Decision};
use super::{Contracts, Issued};
use crate::domain::billing::invoice::Origin;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

/// The models in the order in which they are billed, by the origin of their documents.
const MODELS: [Origin; 5] =
    [Origin::Recurring, Origin::Usage, Origin::Project, Origin::Milestone, Origin::OneTime];

/// Documents that one run makes; the rest is for the next run.
const MAX_DOCUMENTS: usize = 100;

/// What came of an attempt to bill: the document if anything was due, or why it cannot be made.
pub(super) type Billed = Result<Option<Issued>, Refusal>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BillingRun {
    /// In the order in which they were made.
    pub issued: Vec<Issued>,
    /// The models of which something is due and cannot be billed, each with why.
    pub failed: Vec<(Origin, Refusal)>,
    /// Whether something may be due still: one run makes so many documents and no more.
    pub has_more: bool,
}

impl Contracts {
    /// Bills what is due on a contract, whatever passes are switched on: due terms, oldest first
    /// and also where no document goes before the first, closed usage, work that is done, and what
    /// is billed once.
    pub async fn run_billing(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<BillingRun, AskError> {
        let mut run = BillingRun::default();
        for model in MODELS {
            loop {
                if run.issued.len() == MAX_DOCUMENTS {
                    run.has_more = true;
                    return Ok(run);
                }
                let bill = move |room: &ContractRoom, cx: &Context| {
                    room.contract()?;
                    room.bill(cx, model)
                };
                match self.rooms.command((seller, contract), bill).await? {
                    Ok(Some(issued)) => run.issued.push(issued),
                    Ok(None) => break,
                    Err(refusal) => {
                        run.failed.push((model, refusal));
                        break;
                    }
                }
            }
        }
        Ok(run)
    }
}

impl ContractRoom {
    fn bill(&self, cx: &Context, model: Origin) -> Result<Decision<Billed>, Refusal> {
        match model {
            Origin::Recurring => self.bill_terms(cx, true),
            Origin::Usage => self.bill_usage(cx),
            _ => {
                let mut changes = Changes::begin(self, cx)?;
                let issuing = changes.issue_items(model);
                Ok(changes.billed(issuing))
            }
        }
    }

    /// Bills the oldest due terms. `first`: also where no document goes before that one.
    pub(super) fn bill_terms(
        &self,
        cx: &Context,
        first: bool,
    ) -> Result<Decision<Billed>, Refusal> {
        let mut changes = Changes::begin(self, cx)?;
        changes.credit_ended()?;
        let issuing = changes.issue_due_terms(first);
        Ok(changes.billed(issuing))
    }

    /// Bills closed usage, as much as one document takes.
    pub(super) fn bill_usage(&self, cx: &Context) -> Result<Decision<Billed>, Refusal> {
        let mut changes = Changes::begin(self, cx)?;
        let issuing = changes.issue_closed_usage();
        changes.credit_corrections()?;
        Ok(changes.billed(issuing))
    }
}

impl Changes<'_> {
    fn billed(self, issuing: Result<Option<Issuing>, Refusal>) -> Decision<Billed> {
        match issuing {
            Ok(Some(issuing)) => {
                self.finish().answer_drawn(issuing.drawn, |issued| Ok(Some(issued)))
            }
            Ok(None) => self.finish().answer(Ok(None)),
            Err(refusal) => self.finish().answer(Err(refusal)),
        }
    }
}
