//! Items of a contract that are billed once: which are due, and that their work is done.

use super::Contracts;
use super::changes::Changes;
use super::documents::Issuing;
use super::room::{Change, Context, ContractRoom, Decision};
use crate::domain::billing::contract::{Contract, PricedItem, complete_work};
use crate::domain::billing::invoice::{InvoiceLine, Origin, compose_items, origin_of_item};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{ContractId, InvoiceId, LineItemId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;
use crate::tables::ITEM_CLAIMS;

impl Contracts {
    /// Says of an item that its work is done, in a new version of the contract; what says so
    /// already stays as it is.
    pub async fn complete_work_item(
        &self,
        seller: SellerId,
        contract: ContractId,
        item: LineItemId,
    ) -> Result<Contract, AskError> {
        let complete = move |room: &ContractRoom, cx: &Context| {
            let known = room.contract()?;
            let Some(after) = complete_work(known, item, cx.now())? else {
                return Ok(Decision::unchanged(known.clone()));
            };
            let mut changes = Changes::begin(room, cx)?;
            let done = after.current.line_items.iter().find(|known| known.id == item);
            changes.work_done(done.and_then(|item| item.priced()));
            changes.effects.change(Change::Contract(Box::new(after.clone())));
            Ok(changes.finish().answer(after))
        };
        self.rooms.command((seller, contract), complete).await
    }
}

impl Changes<'_> {
    fn work_done(&mut self, item: Option<PricedItem>) {
        let currency = self.room.contract.as_ref().map(|contract| contract.currency);
        self.timeline.push(TimelineEntry {
            kind: TimelineKind::WorkCompleted,
            occurred_at: self.moment.engine,
            subscription: None,
            invoice: None,
            amount_minor: item.as_ref().map(|item| item.amount_minor),
            currency,
            detail: item.map(|item| item.description),
        });
    }

    /// Issues the document of an origin's items that are due and that none carries yet: made out
    /// and collected as the last recurring or usage one, else to the contract's customer.
    pub(super) fn issue_items(&mut self, origin: Origin) -> Result<Option<Issuing>, Refusal> {
        let room = self.room;
        let Some(contract) = &room.contract else { return Ok(None) };
        let due = self.due_items(contract, origin)?;
        if due.is_empty() {
            return Ok(None);
        }
        let prior = room.continues_from.as_ref().or(room.usage_follows.as_ref());
        let terms = self.next_terms(contract, prior)?;
        let facts = self.continuing(contract, &terms)?;
        let (id, seller) = (self.invoice_id(), self.seller_facts());
        let composed = compose_items((id, origin), &facts, &seller, terms, &due, self.moment)?;
        Ok(Some(self.issue_composed(composed.into())))
    }

    fn due_items(&self, contract: &Contract, origin: Origin) -> Result<Vec<PricedItem>, Refusal> {
        let (seller, mut due) = (self.room.seller, Vec::new());
        for item in contract.current.line_items.iter().filter_map(|item| item.priced()) {
            let is_meant = origin_of_item(item.component) == Some(origin) && item.completed;
            if is_meant && !self.cx.contains(ITEM_CLAIMS, &(seller, contract.id, item.id))? {
                due.push(item);
            }
        }
        Ok(due)
    }

    /// Marks the items that a document bills, so that no other one bills them.
    pub(super) fn claim_items(&mut self, invoice: InvoiceId, lines: &[InvoiceLine]) {
        let (seller, contract) = (self.room.seller, self.room.id);
        for item in lines.iter().filter_map(|line| line.item) {
            self.effects.claim(ITEM_CLAIMS, &(seller, contract, item), &invoice);
        }
    }

    /// Gives the items free that a document has billed.
    pub(super) fn release_items(
        &mut self,
        invoice: InvoiceId,
        lines: &[InvoiceLine],
    ) -> Result<(), Refusal> {
        for item in lines.iter().filter_map(|line| line.item) {
            let row: (SellerId, ContractId, LineItemId) = (self.room.seller, self.room.id, item);
            if self.cx.get(ITEM_CLAIMS, &row)? == Some(invoice) {
                self.effects.delete(ITEM_CLAIMS, &row);
            }
        }
        Ok(())
    }
}
