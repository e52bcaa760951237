//! Documents of closed usage: what one takes of the lines that are not billed yet and of the
//! corrections that wait, and issuing it.

use storage::Record;

use super::InvoiceCounts;
use super::changes::Changes;
use super::documents::{Document, Issuing, nothing_due};
use crate::domain::billing::invoice::{
    CollectionMethod, Composed, ContractFacts, DueAdjustment, DueLine, InvoiceRefusal,
    MAX_USAGE_LINES, Terms, UsageDue, compose_usage,
};
use crate::domain::billing::usage::{MetricName, UsageLine};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;

/// From so many bytes of closed usage on a document takes no more of it: what it takes is written
/// again, and most of it into its lines too.
const MAX_USAGE_BYTES: usize = 512 * 1_024;

impl Changes<'_> {
    /// Issues the invoice of closed usage, if anything asks for one.
    pub(super) fn issue_usage(&mut self) -> InvoiceCounts {
        self.counted(Switch::UsageInvoicePass, Self::issue_closed_usage)
    }

    /// Issues the document of closed usage, if anything asks for one: made out and collected as
    /// the last recurring or usage one, else to the contract's customer.
    pub(super) fn issue_closed_usage(&mut self) -> Result<Option<Issuing>, Refusal> {
        let room = self.room;
        let Some(contract) = &room.contract else { return Ok(None) };
        if room.metering.ledger.asks_since().is_none() {
            return Ok(None);
        }
        let terms = self.next_terms(contract, room.usage_follows.as_ref())?;
        let facts = self.continuing(contract, &terms)?;
        match self.compose_unbilled(self.invoice_id(), &facts, terms) {
            Ok(document) => Ok(Some(self.issue_composed(document))),
            Err(refusal) => nothing_due(refusal),
        }
    }

    /// Composes what is closed and not billed, and what waits to correct it.
    pub(super) fn compose_unbilled(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
    ) -> Result<Document, InvoiceRefusal> {
        let due = self.usage_due(self.room.metering.ledger.unbilled.values());
        Ok(self.compose_usage_of(id, facts, terms, &due)?.into())
    }

    /// These lines with the corrections that wait, as much as one document takes.
    pub(super) fn usage_due<'u>(
        &'u self,
        lines: impl Iterator<Item = &'u UsageLine>,
    ) -> UsageDue<'u> {
        let words = |metric: &'u MetricName| {
            let known = self.seller.metric(metric);
            known.and_then(|known| known.description.as_deref()).filter(|text| !text.is_empty())
        };
        let lines = bounded(lines).map(|line| DueLine {
            line,
            words: match line.metric.is_seats() {
                true => "Seats",
                false => words(&line.metric).unwrap_or(line.metric.as_str()),
            },
            tax_rate: self.tax_rate_of(Some(line.subscription)),
            collection_method: self.collection_method_of(Some(line.subscription)),
        });
        let adjustments = self.room.metering.ledger.adjustments.values();
        let adjustments = bounded(adjustments).map(|adjustment| DueAdjustment {
            adjustment,
            tax_rate: self.tax_rate_of(adjustment.subscription),
            collection_method: self.collection_method_of(adjustment.subscription),
        });
        UsageDue { lines: lines.collect(), adjustments: adjustments.collect() }
    }

    pub(super) fn compose_usage_of(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
        due: &UsageDue<'_>,
    ) -> Result<Composed, InvoiceRefusal> {
        compose_usage(id, facts, &self.seller_facts(), terms, due, self.moment)
    }

    pub(super) fn tax_rate_of(&self, subscription: Option<SubscriptionId>) -> Option<TaxRate> {
        self.subscription_now(subscription?)?.tax_rate
    }

    pub(super) fn collection_method_of(
        &self,
        subscription: Option<SubscriptionId>,
    ) -> Option<CollectionMethod> {
        Some(self.subscription_now(subscription?)?.collection_method)
    }
}

/// As many of these as one document takes, so that it is one batch of bounded size.
fn bounded<'a, T: Record + 'a>(all: impl Iterator<Item = &'a T>) -> impl Iterator<Item = &'a T> {
    let mut bytes = 0;
    all.take(MAX_USAGE_LINES).take_while(move |one| {
        let fits = bytes < MAX_USAGE_BYTES;
        bytes += one.encode().len();
        fits
    })
}
