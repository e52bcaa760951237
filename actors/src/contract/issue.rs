//! Issuing a document: what it claims, and what is written once its number is drawn.

use std::collections::HashMap;
use std::sync::Arc;

use storage::Batch;

use super::Issued;
use super::changes::{Changes, put_timeline};
use super::documents::Document;
use super::invoice_rows::put_invoice;
use super::metering;
use super::room::{Change, ContractKey};
use crate::delivery::Origin;
use crate::directory::SellerSnapshot;
use crate::domain::billing::credit::CreditEntry;
use crate::domain::billing::invoice::{
    self, BilledTerm, ConsumedUsage, Invoice, InvoiceHead, InvoiceStatus, LineChunk, LineSource,
    LinkTarget, PaymentLink, Terms, issue,
};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::overview::contributions::of_invoice;
use crate::domain::billing::subscription::TermClaim;
use crate::domain::platform::event::{Event, NewEvent};
use crate::kernel::Drawn;
use crate::link_tokens::{LinkHash, LinkTokens};
use crate::listing::relist;
use crate::sums::resum;
use crate::tables::{CREDIT_ENTRIES, INVOICE_LINES, INVOICE_NUMBERS, LINKS, TERM_CLAIMS, ids};

const ENTRIES: usize = 3;

impl Changes<'_> {
    /// Issues a document: marks what it bills, and puts it under the number that the commit
    /// draws.
    pub(super) fn issue(&mut self, document: Document) -> Drawn<Issued> {
        let Document { mut composed, billed, rests } = document;
        let (seller, contract) = (self.room.seller, self.room.id);
        let id = composed.invoice.id;
        let taxes: HashMap<_, _> = composed
            .lines
            .iter()
            .filter(|line| line.source == LineSource::Subscription)
            .map(|line| ((line.subscription, line.period_start), line.tax_treatment()))
            .collect();
        for BilledTerm { subscription, start, charged_minor } in billed {
            let Some(known) = self.subscription_now(subscription) else { continue };
            let Some(tax) = taxes.get(&(Some(subscription), Some(start))) else { continue };
            let mut known = known.clone();
            if let Some(term) = known.mark_billed(start, id, charged_minor, *tax) {
                let claim = TermClaim { invoice: id, term };
                self.effects.claim(TERM_CLAIMS, &(seller, subscription, start), &claim);
                self.subscriptions.insert(subscription, known);
            }
        }
        for taken in &composed.prorations {
            if let Some(mut proration) = self.proration_now(taken.proration).cloned() {
                proration.claim(id, taken.part, taken.amount_minor);
                self.prorations.insert(taken.proration, proration);
            }
        }
        self.credit_rests(composed.invoice.customer, rests);
        let currency = composed.invoice.currency;
        let drawn = composed.credit.clone();
        let drawn = drawn.map(|drawn| self.take_drawn(id, &drawn, currency)).unwrap_or_default();
        let usage = std::mem::take(&mut composed.usage);
        if usage != ConsumedUsage::default() {
            self.effects.change(Change::Usage(metering::Change::Billed(id, usage)));
        }
        let lines = std::mem::take(&mut composed.lines);
        self.claim_items(id, &lines);
        let digest = composed.invoice.digest(&lines);
        for (chunk, number) in LineChunk::of(&lines).iter().zip(0_u16..) {
            self.effects.put(INVOICE_LINES, &(seller, id, number), chunk);
        }
        let by_link = composed.send && !composed.invoice.is_credit_note();
        let link = by_link.then(|| PaymentLink {
            id: self.cx.id(ids::LINK),
            drawn: LinkTokens::draw(self.cx.entropy()),
        });
        if let Some(link) = &link {
            let target = LinkTarget { seller, contract, invoice: id };
            let token = self.cx.services().links.of_link(seller, id, link);
            self.effects.put(LINKS, &LinkHash::of(&token), &target);
        }
        if by_link {
            self.look_for_a_card(composed.invoice.customer);
        }
        if composed.send {
            self.mail(MailKind::Invoice, &composed.invoice);
        }
        // What the commit makes of it contributes the same: it draws the number alone.
        let status = match composed.is_paid_at_once() {
            true => InvoiceStatus::Paid,
            false => InvoiceStatus::Issued,
        };
        resum(&mut self.effects.rows, seller, &[], &of_invoice(&composed.invoice, status));
        let issuing = (id, InvoiceHead::issuing(&composed), Terms::continued(&composed.invoice));
        self.effects.change(Change::Issuing(Box::new(issuing)));
        let told = composed.events_when_issued();
        let announcement = self.announce(told);
        // Told of behind the document itself.
        if composed.is_paid_at_once() {
            self.recover_by_any(&lines);
        }
        let series = composed.series;
        let sequence = series.sequence(seller);
        self.effects.draw_and_tell((&sequence, digest), (seller, told), move |linked, rows| {
            let order = linked.number;
            let number = (seller, series.year, series.month, order);
            rows.put(INVOICE_NUMBERS, &number, &linked.given_to(id));
            let (invoice, events) = announcement.put(rows, issue(composed, order, link));
            put_drawn(rows, (seller, contract), &invoice, drawn);
            (Issued { invoice, lines }, events)
        })
    }

    /// Prepares so many events and the timeline entries of a document that has no number yet. What
    /// has happened before comes before them.
    fn announce(&mut self, events: usize) -> Announcement {
        let key = (self.room.seller, self.room.id);
        let before = std::mem::take(&mut self.timeline);
        let ids = self.cx.ids(ids::TIMELINE, before.len());
        put_timeline(&mut self.effects.rows, key, ids, before);
        let before = std::mem::take(&mut self.events);
        self.effects.emit_now(self.cx, &self.seller, &before);
        Announcement {
            key,
            origin: self.cx.origin(),
            event_ids: self.cx.ids(ids::EVENT, events),
            timeline_ids: self.cx.ids(ids::TIMELINE, ENTRIES),
            seller: Arc::clone(&self.seller),
        }
    }
}

/// The entries of what a document has drawn, which name it by its number.
fn put_drawn(
    rows: &mut Batch,
    (seller, contract): ContractKey,
    invoice: &Invoice,
    drawn: Vec<CreditEntry>,
) {
    let number = invoice.number_text();
    for entry in drawn {
        let entry = CreditEntry { reason: format!("applied to {number}"), ..entry };
        rows.put(CREDIT_ENTRIES, &(seller, contract, entry.id), &entry);
    }
}

struct Announcement {
    key: ContractKey,
    origin: Origin,
    seller: Arc<SellerSnapshot>,
    event_ids: Vec<u64>,
    timeline_ids: Vec<u64>,
}

impl Announcement {
    fn put(self, rows: &mut Batch, issued: invoice::Change) -> (Invoice, Vec<Event>) {
        let invoice::Change { invoice, events, timeline } = issued;
        put_invoice(rows, self.key.0, &invoice);
        relist(rows, self.key.0, None, &invoice);
        put_timeline(rows, self.key, self.timeline_ids, timeline);
        let webhooks = &self.seller.webhooks;
        let event = |(event, id): (&NewEvent, u64)| self.origin.event(id, event, webhooks);
        let events = events.iter().zip(self.event_ids).map(event).collect();
        (invoice, events)
    }
}
