//! Documents of closed usage: the caller's, and those of the pass (billing 3.3, 4.4, 4.9).

use crate::contract::answers::InvoiceCounts;
use crate::contract::command::Answer;
use crate::contract::invoicing::Document;
use crate::contract::room::{ContractRoom, Prior};
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::invoice::{
    ConsumedUsage, ContractFacts, DueAdjustment, DueLine, InvoiceRefusal, MAX_USAGE_LINES,
    SellerFacts, Terms, UsageDue, compose_usage,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::usage::{MetricName, UsageLine};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::query;
use crate::room::Desk;
use crate::tables::{UNBILLED_LINES, USAGE_ADJUSTMENTS, USAGE_LINES, ids};

impl ContractRoom {
    pub(super) fn run_usage_invoices(&mut self, desk: &Desk<Self>, reply: Answer<InvoiceCounts>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let counts = self.bill_usage(&mut write, desk);
        write.finish(self, desk, reply, move |result| result.map(|_| counts).map_err(unexpected));
    }

    /// Issues the invoice of closed usage, if there is any.
    fn bill_usage(&mut self, write: &mut Write, desk: &Desk<Self>) -> InvoiceCounts {
        if !write.snapshot.switch(Switch::UsageInvoicePass) {
            return InvoiceCounts { pass_disabled: true, ..InvoiceCounts::default() };
        }
        match self.compose_next_usage(write, desk) {
            Ok(None) => InvoiceCounts { skipped: 1, ..InvoiceCounts::default() },
            Ok(Some(document)) => {
                let sent = u64::from(document.composed.send);
                self.put_document(write, desk, document);
                InvoiceCounts { issued: 1, sent, ..InvoiceCounts::default() }
            }
            Err(refusal) => {
                tracing::warn!(contract = self.id.0, %refusal, "closed usage could not be billed");
                InvoiceCounts { skipped: 1, failed: 1, ..InvoiceCounts::default() }
            }
        }
    }

    /// The document of closed usage: made out and collected as the last recurring or usage one,
    /// else to the contract's customer.
    fn compose_next_usage(
        &mut self,
        write: &Write,
        desk: &Desk<Self>,
    ) -> Result<Option<Document>, Refusal> {
        if self.metering.ledger.asks_since().is_none() {
            return Ok(None);
        }
        let Some(terms) = self.usage_terms(desk)? else { return Ok(None) };
        let Some(contract) = &self.contract else { return Ok(None) };
        let facts = ContractFacts {
            id: contract.id,
            number: contract.contract_number(),
            customer: contract.customer,
            currency: contract.currency,
            bill_to: terms.bill_to.clone(),
        };
        let id = InvoiceId(desk.next_id(ids::INVOICE));
        let moment = self.moment(write.now);
        Ok(Some(self.compose_unbilled(write, id, &facts, terms, moment)?))
    }

    fn usage_terms(&mut self, desk: &Desk<Self>) -> Result<Option<Terms>, Refusal> {
        if let Some(terms) = self.terms_of(desk, self.usage_follows.as_ref())? {
            self.usage_follows = Some(Prior::Known(Box::new(terms.clone())));
            return Ok(Some(terms));
        }
        let Some(contract) = &self.contract else { return Ok(None) };
        let customer = query::customer(desk.store(), self.seller, contract.customer);
        let customer = customer.map_err(|error| {
            tracing::error!(%error, "a contract room cannot read its customer");
            Refusal::fault()
        })?;
        Ok(customer.map(|customer| Terms::first(&ContractFacts::of(contract, &customer))))
    }

    /// Composes the document of what is closed and not billed, and of what waits to correct it.
    pub(in crate::contract) fn compose_unbilled(
        &self,
        write: &Write,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
        moment: Moment,
    ) -> Result<Document, InvoiceRefusal> {
        let words = |metric: &MetricName| {
            let known = write.snapshot.metric(metric);
            known.and_then(|known| known.description.as_deref()).filter(|text| !text.is_empty())
        };
        let ledger = &self.metering.ledger;
        let lines = ledger.unbilled.values().take(MAX_USAGE_LINES).map(|line| DueLine {
            line,
            words: match line.metric.is_seats() {
                true => "Seats",
                false => words(&line.metric).unwrap_or(line.metric.as_str()),
            },
            tax_rate: self.metering_tax_rate(Some(line.subscription)),
        });
        let adjustments = ledger.adjustments.values().take(MAX_USAGE_LINES);
        let adjustments = adjustments.map(|adjustment| DueAdjustment {
            adjustment,
            tax_rate: self.metering_tax_rate(adjustment.subscription),
        });
        let due = UsageDue { lines: lines.collect(), adjustments: adjustments.collect() };
        let seller = SellerFacts::from(&write.snapshot.seller);
        compose_usage(id, facts, &seller, terms, &due, moment).map(Document::of)
    }

    fn metering_tax_rate(&self, subscription: Option<SubscriptionId>) -> Option<TaxRate> {
        self.subscriptions.get(&subscription?)?.tax_rate
    }

    /// Puts what a document takes of closed usage, so that no other one takes it.
    pub(in crate::contract) fn put_billed_usage(
        &mut self,
        write: &mut Write,
        invoice: InvoiceId,
        usage: &ConsumedUsage,
    ) {
        let (seller, contract) = (self.seller, self.id);
        let ledger = &mut self.metering.ledger;
        for id in &usage.lines {
            let Some(line) = ledger.unbilled.remove(id) else { continue };
            let line = UsageLine { billed_by: Some(invoice), ..line };
            write.batch.put(USAGE_LINES, &(seller, contract, *id), &line);
            write.batch.delete(UNBILLED_LINES, &(seller, contract, *id));
        }
        for (id, minor) in &usage.adjustments {
            let Some(adjustment) = ledger.adjustments.get_mut(id) else { continue };
            adjustment.carry(invoice, *minor);
            write.batch.put(USAGE_ADJUSTMENTS, &(seller, contract, *id), adjustment);
            if adjustment.open_minor() == 0 {
                ledger.adjustments.remove(id);
            }
        }
    }
}
