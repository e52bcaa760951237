//! Invoices of a contract: issued and sent.

use super::Contracts;
use super::changes::Changes;
use super::credit::Given;
use super::room::{Context, ContractRoom};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{
    CollectionMethod, Intent, Invoice, InvoiceKey, InvoiceLine, InvoiceType, LinkTarget,
    NewInvoice, PaymentLink, correct, oldest_subscription, send,
};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::tax::TaxSubtotal;
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Drawn, Once};
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::tables::{INVOICE_KEYS, LINKS, ids};

#[derive(Clone, Debug)]
pub struct IssueOrder {
    pub request: NewInvoice,
    /// The request, for comparison with a repeated one.
    pub intent: Intent,
    pub key: String,
    pub customer: Customer,
    /// The document that this one corrects, if it does.
    pub corrects: Option<InvoiceId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    pub invoice: Invoice,
    pub lines: Vec<InvoiceLine>,
}

/// A document that was asked for.
pub(super) struct Requested {
    pub(super) id: InvoiceId,
    /// How it is collected where the request does not say it.
    pub(super) collected_by_default: CollectionMethod,
    /// What the commit makes of it.
    pub(super) issued: Drawn<Issued>,
}

/// What a pass that issues invoices did to a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvoiceCounts {
    pub issued: u64,
    pub sent: u64,
    /// 1 when nothing was issued, for whatever reason.
    pub skipped: u64,
    pub failed: u64,
    /// Whether the pass is switched off; then nothing was done.
    pub pass_disabled: bool,
}

impl Contracts {
    pub async fn issue_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        order: IssueOrder,
    ) -> Result<Once<Issued>, AskError> {
        let issue = move |room: &ContractRoom, cx: &Context| {
            let row = (seller, order.key.clone());
            cx.once(INVOICE_KEYS, &row)?;
            let of = room.contract()?;
            let mut changes = Changes::begin(room, cx)?;
            let (request, customer) = (&order.request, &order.customer);
            let made = changes.issue_requested(of, request, customer, order.corrects)?;
            let intent = order.intent.clone().of_document(made.collected_by_default);
            let claim = InvoiceKey { invoice: made.id, intent };
            changes.effects.claim(INVOICE_KEYS, &row, &claim);
            Ok(changes.finish().answer_drawn(made.issued, |issued| issued))
        };
        self.rooms.once((seller, contract), issue).await
    }

    pub async fn send_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        invoice: InvoiceId,
    ) -> Result<Invoice, AskError> {
        let go = move |room: &ContractRoom, cx: &Context| {
            let known = room.invoice(cx, invoice)?.ok_or_else(Refusal::missing)?;
            let mut changes = Changes::begin(room, cx)?;
            let link = PaymentLink { id: cx.id(ids::LINK), drawn: LinkTokens::draw(cx.entropy()) };
            let token = LinkHash::of(&cx.services().links.of_link(seller, invoice, &link));
            let days = changes.seller.seller.reminder_days();
            let Some(change) = send(&known, link, days, changes.moment)? else {
                changes.mail(MailKind::Invoice, &known);
                return Ok(changes.finish().answer(known));
            };
            let sent = change.invoice.clone();
            changes.mail(MailKind::Invoice, &sent);
            if sent.link.is_some() {
                changes.effects.put(LINKS, &token, &LinkTarget { seller, contract, invoice });
                changes.look_for_a_card(sent.customer);
            }
            changes.invoice(&known, change)?;
            Ok(changes.finish().answer(sent))
        };
        self.rooms.command((seller, contract), go).await
    }

    pub async fn run_recurring(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<InvoiceCounts, AskError> {
        let run = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            changes.credit_ended()?;
            let counts = changes.issue_recurring();
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command_in_passing((seller, contract), run).await
    }

    pub async fn run_usage_invoices(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<InvoiceCounts, AskError> {
        let run = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let counts = changes.issue_usage();
            changes.credit_corrections()?;
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command_in_passing((seller, contract), run).await
    }
}

impl Changes<'_> {
    /// Issues what a request asks for.
    pub(super) fn issue_requested(
        &mut self,
        contract: &Contract,
        request: &NewInvoice,
        customer: &Customer,
        corrects: Option<InvoiceId>,
    ) -> Result<Requested, Refusal> {
        let corrected = self.corrected(corrects)?;
        let id = self.invoice_id();
        let document = self.compose(id, contract, request, customer, corrected.as_ref())?;
        let subscription = oldest_subscription(&document.composed.lines);
        let by_default = self.collection_method_of(subscription);
        let document = self.paid_by_credit(document);
        let Invoice { invoice_type, tax_summary, .. } = document.composed.invoice.clone();
        let issued = self.issue(document);
        if let (InvoiceType::CreditNote, Some(corrected)) = (invoice_type, &corrected) {
            self.correct(corrected, &tax_summary)?;
        }
        Ok(Requested {
            id,
            collected_by_default: by_default.unwrap_or(CollectionMethod::PaymentLink),
            issued,
        })
    }

    /// Takes a credit note off the invoice that it corrects. What had settled it comes back.
    fn correct(&mut self, corrected: &Invoice, note: &[TaxSubtotal]) -> Result<(), Refusal> {
        let known = self.with_refunds(corrected)?;
        let mut after = correct(&known.invoice, note, self.moment)?;
        after.change.owe_less(known.not_owed_minor, self.moment);
        self.return_credit(corrected, after.credit_returned_minor)?;
        let paid = after.given_back_minor.min(after.change.invoice.uncredited_minor());
        self.give_money_back(&mut after.change, paid, Given::Credited);
        // Behind that, so that no credit is told to be used up of which there is more.
        self.reduce_pack(corrected, &after.change.invoice)?;
        self.invoice(corrected, after.change)
    }
}
