//! Drafts of invoices. Only the dashboard knows of them: no list and no read of invoices does.

use super::changes::Changes;
use super::room::{Context, ContractRoom, Decision};
use super::{Contracts, Issued};
use crate::chunked::{self, Chunked};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::invoice::{Draft, InvoiceRefusal, NewInvoice};
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::listing::relist;
use crate::query;
use crate::tables::{DRAFT_PARTS, DRAFTS};

#[derive(Clone, Debug)]
pub struct DraftOrder {
    pub request: NewInvoice,
    /// The document that it is to correct, if it does.
    pub corrects: Option<InvoiceId>,
}

/// What a draft is issued with, otherwise than it says itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct IssuedOtherwise {
    pub send: Option<bool>,
    /// For a draft whose own due date has passed.
    pub due_date: Option<Date>,
}

impl Contracts {
    /// Keeps a draft as the request would be issued now, once for each key. What could not be
    /// issued is refused.
    pub async fn create_draft_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        order: DraftOrder,
        claim: KeyClaim,
    ) -> Result<Once<Draft>, AskError> {
        let create = move |room: &ContractRoom, cx: &Context| {
            claim.check(cx, room.seller)?;
            let mut changes = Changes::begin(room, cx)?;
            let id = changes.invoice_id();
            let draft = changes.draft(room.contract()?, id, &order)?;
            changes.put_draft(None, &draft);
            claim.hold(&mut changes.effects, room.seller, id.0);
            Ok(changes.finish().answer(draft))
        };
        self.rooms.once((seller, contract), create).await
    }

    /// Issues what a draft asks for, as of now, but for what is said otherwise here. One that was
    /// issued before answers its invoice as it is now.
    pub async fn issue_draft_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        draft: InvoiceId,
        otherwise: IssuedOtherwise,
    ) -> Result<Issued, AskError> {
        let issue = move |room: &ContractRoom, cx: &Context| {
            let known = room.draft(cx, draft)?.ok_or_else(Refusal::missing)?;
            if let Some(issued) = known.issued_as {
                return Ok(Decision::unchanged(Err(issued)));
            }
            let of = room.contract()?;
            let request = NewInvoice {
                send: otherwise.send.or(known.request.send),
                due_date: otherwise.due_date.or(known.request.due_date),
                ..known.request.clone()
            };
            let mut changes = Changes::begin(room, cx)?;
            let customer = query::customer(cx.store(), seller, of.customer);
            let customer = cx.read(customer)?.ok_or_else(Refusal::fault)?;
            let issuing = changes.issue_requested(of, &request, &customer, known.corrects)?;
            let (invoice, issued) = (issuing.id, issuing.issued);
            changes.delete_draft(draft)?;
            let left = Draft {
                issued_as: Some(invoice),
                lines: Vec::new(),
                request: NewInvoice { lines: None, ..request },
                updated_at: cx.now(),
                ..known.clone()
            };
            changes.put_draft(Some(&known), &left);
            Ok(changes.finish().answer_drawn(issued, Ok))
        };
        match self.rooms.command((seller, contract), issue).await? {
            Ok(issued) => Ok(issued),
            Err(before) => self.issued_before(seller, before),
        }
    }

    /// A document whose issue is durable.
    fn issued_before(&self, seller: SellerId, invoice: InvoiceId) -> Result<Issued, AskError> {
        let store = &self.rooms.services().store;
        let invoice_of = |id| {
            let lines = query::invoice_lines(store, seller, id)?;
            Ok::<_, storage::ReadError>((query::invoice(store, seller, id)?, lines))
        };
        match invoice_of(invoice) {
            Ok((Some(invoice), lines)) => Ok(Issued { invoice, lines }),
            read => {
                tracing::error!(seller = seller.0, ?read, "the invoice of a draft cannot be read");
                Err(Refusal::fault().into())
            }
        }
    }
}

impl ContractRoom {
    /// A draft of this contract.
    fn draft(&self, cx: &Context, id: InvoiceId) -> Result<Option<Draft>, Refusal> {
        let key = (self.seller, id);
        let Some(row) = cx.get(DRAFTS, &key)? else { return Ok(None) };
        let part = |part| cx.get(DRAFT_PARTS, &(key, part))?.ok_or_else(Refusal::fault);
        let draft: Draft = match row {
            Chunked::Whole(draft) => draft,
            Chunked::Parts(head) => head.join(part)?.map_err(|_| Refusal::fault())?,
        };
        Ok(Some(draft).filter(|draft| draft.contract == self.id))
    }
}

impl Changes<'_> {
    fn draft(
        &self,
        contract: &Contract,
        id: InvoiceId,
        DraftOrder { request, corrects }: &DraftOrder,
    ) -> Result<Draft, Refusal> {
        if request.contract.is_some_and(|stated| stated != contract.id) {
            return Err(InvoiceRefusal::ContractOfDraft.into());
        }
        let customer = query::customer(self.cx.store(), self.room.seller, contract.customer);
        let customer = self.cx.read(customer)?.ok_or_else(Refusal::fault)?;
        let corrected = self.corrected(*corrects)?;
        let composed = self.compose(id, contract, request, &customer, corrected.as_ref())?.composed;
        let now = self.moment.wall;
        Ok(Draft {
            id,
            contract: contract.id,
            request: request.clone(),
            corrects: *corrects,
            invoice: composed.invoice,
            lines: composed.lines,
            created_at: now,
            updated_at: now,
            issued_as: None,
        })
    }

    fn put_draft(&mut self, before: Option<&Draft>, after: &Draft) {
        let (rows, key) = (&mut self.effects.rows, (self.room.seller, after.id));
        chunked::put(rows, DRAFTS, &key, DRAFT_PARTS, &key, after);
        relist(rows, self.room.seller, before, after);
    }

    /// Takes a draft away with its parts; another one may be put in its place.
    fn delete_draft(&mut self, id: InvoiceId) -> Result<(), Refusal> {
        let key = (self.room.seller, id);
        if let Some(Chunked::Parts(head)) = self.cx.get(DRAFTS, &key)? {
            for part in head.numbers() {
                self.effects.delete(DRAFT_PARTS, &(key, part));
            }
        }
        self.effects.delete(DRAFTS, &key);
        Ok(())
    }
}
