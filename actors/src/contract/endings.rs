//! Invoices that nobody is to pay any more: voided ones, which give all that they took free, and
//! those that are written off.

use storage::Scan;

use super::Contracts;
use super::changes::Changes;
use super::credit::Given;
use super::metering;
use super::room::{Change, Context, ContractRoom};
use crate::domain::billing::invoice::{
    CarriedUsage, FollowedInvoices, Invoice, InvoiceLine, InvoiceRefusal, LineSource, Origin,
    RatingBreakdown, void, write_off,
};
use crate::domain::ids::{ContractId, InvoiceId, ProrationId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;
use crate::query;
use crate::tables::{
    CARRIED_PRORATIONS, FOLLOWABLE_INVOICES, NO_PAYMENT, OPEN_PAYMENTS, PAYMENTS, TERM_CLAIMS,
    USAGE_ADJUSTMENTS, USAGE_LINES,
};

impl Contracts {
    /// Voids an invoice: what it billed is due again, and what it had drawn comes back.
    pub async fn void_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        invoice: InvoiceId,
        reason: String,
    ) -> Result<Invoice, AskError> {
        let end = move |room: &ContractRoom, cx: &Context| {
            let known = room.invoice(cx, invoice)?.ok_or_else(Refusal::missing)?;
            let mut changes = Changes::begin(room, cx)?;
            let answer = changes.void(&known, &reason)?;
            changes.keep_payments_off(&known)?;
            let lines = cx.read(query::invoice_lines(cx.store(), seller, invoice))?;
            changes.release(invoice, &lines)?;
            changes.follow_another(invoice)?;
            Ok(changes.finish().answer(answer))
        };
        self.rooms.command((seller, contract), end).await
    }

    /// Gives the rest of an invoice up.
    pub async fn write_off_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        invoice: InvoiceId,
        reason: String,
    ) -> Result<Invoice, AskError> {
        let end = move |room: &ContractRoom, cx: &Context| {
            let known = room.invoice(cx, invoice)?.ok_or_else(Refusal::missing)?;
            let mut changes = Changes::begin(room, cx)?;
            let change = write_off(&known, &reason, changes.moment)?;
            let answer = change.invoice.clone();
            changes.invoice(&known, change)?;
            Ok(changes.finish().answer(answer))
        };
        self.rooms.command((seller, contract), end).await
    }
}

impl Changes<'_> {
    /// Voids an invoice: the credit that it had drawn comes back, and the money that had come for
    /// it, but for what was refunded.
    pub(super) fn void(&mut self, known: &Invoice, reason: &str) -> Result<Invoice, Refusal> {
        let refunded = self.with_refunds(known)?;
        let mut voided = void(&refunded.invoice, reason, self.moment)?;
        voided.change.owe_less(refunded.not_owed_minor, self.moment);
        self.return_credit(known, voided.credit_returned_minor)?;
        let paid = voided.given_back_minor.min(voided.change.invoice.uncredited_minor());
        self.give_money_back(&mut voided.change, paid, Given::Voided);
        let after = voided.change.invoice.clone();
        self.invoice(known, voided.change)?;
        Ok(after)
    }

    /// Lets no payment of an invoice begin any more. One that begins in this moment is the first,
    /// or finds that it is too late. Refused while one is under way, or has succeeded and is not
    /// counted yet.
    fn keep_payments_off(&mut self, invoice: &Invoice) -> Result<(), Refusal> {
        let (cx, seller) = (self.cx, self.room.seller);
        // Read once: what comes behind this read meets the claim.
        let Some(id) = cx.get(OPEN_PAYMENTS, &(seller, invoice.id))? else {
            self.effects.claim(OPEN_PAYMENTS, &(seller, invoice.id), &NO_PAYMENT);
            return Ok(());
        };
        let counted = invoice.payments.iter().any(|known| known.payment == id);
        let payment = cx.read(cx.store().get(PAYMENTS, &(seller, id)))?;
        match payment.is_some_and(|payment| !counted && !payment.status.is_lost()) {
            true => Err(InvoiceRefusal::PaymentInProgress.into()),
            false => Ok(()),
        }
    }

    /// Gives free what a document has claimed: terms, prorations, items, closed usage and
    /// corrections.
    fn release(&mut self, invoice: InvoiceId, lines: &[InvoiceLine]) -> Result<(), Refusal> {
        for line in lines.iter().filter(|line| line.source == LineSource::Subscription) {
            self.release_term(invoice, line)?;
        }
        let mut prorations: Vec<_> = lines.iter().flat_map(prorations_of).collect();
        prorations.sort_unstable();
        prorations.dedup();
        for id in prorations {
            self.release_proration(invoice, id)?;
        }
        self.release_items(invoice, lines)?;
        self.release_usage(invoice, lines)
    }

    fn release_term(&mut self, invoice: InvoiceId, line: &InvoiceLine) -> Result<(), Refusal> {
        let Some((id, start)) = line.subscription.zip(line.period_start) else { return Ok(()) };
        let row = (self.room.seller, id, start);
        let claimed = self.cx.get(TERM_CLAIMS, &row)?.filter(|claim| claim.invoice == invoice);
        if let (Some(claim), Some(known)) = (claimed, self.subscription_now(id)) {
            let mut subscription = known.clone();
            subscription.release_term(invoice, &claim.term);
            self.subscriptions.insert(id, subscription);
            self.effects.delete(TERM_CLAIMS, &row);
        }
        Ok(())
    }

    fn release_proration(&mut self, invoice: InvoiceId, id: ProrationId) -> Result<(), Refusal> {
        let row = (self.room.seller, self.room.id, id);
        let known = match self.room.prorations.get(id) {
            Some(open) => Some(open.clone()),
            None => self.cx.get(CARRIED_PRORATIONS, &row)?,
        };
        if let Some(mut record) = known {
            record.release(invoice);
            if record.is_open() && self.room.prorations.get(id).is_none() {
                self.effects.delete(CARRIED_PRORATIONS, &row);
            }
            self.prorations.insert(id, record);
        }
        Ok(())
    }

    fn release_usage(&mut self, invoice: InvoiceId, lines: &[InvoiceLine]) -> Result<(), Refusal> {
        let (seller, contract) = (self.room.seller, self.room.id);
        let (mut closed, mut adjustments) = (Vec::new(), Vec::new());
        for carried in lines.iter().filter_map(|line| line.usage) {
            match carried {
                CarriedUsage::Line(id) => {
                    closed.extend(self.cx.get(USAGE_LINES, &(seller, contract, id))?);
                }
                CarriedUsage::Adjustment(id) => {
                    adjustments.extend(self.cx.get(USAGE_ADJUSTMENTS, &(seller, contract, id))?);
                }
            }
        }
        if !closed.is_empty() || !adjustments.is_empty() {
            let released = metering::Change::Released(invoice, closed, adjustments);
            self.effects.change(Change::Usage(released));
        }
        Ok(())
    }

    /// Later documents go on from the newest one before this, if they went on from this.
    fn follow_another(&mut self, voided: InvoiceId) -> Result<(), Refusal> {
        let followed = self.room.followed();
        if followed.by_recurring != Some(voided) && followed.by_usage != Some(voided) {
            return Ok(());
        }
        let found = self.newest_followed(voided)?;
        let kept = |known: Option<InvoiceId>, found| match known {
            Some(id) if id != voided => Some(id),
            _ => found,
        };
        self.effects.change(Change::Followed(FollowedInvoices {
            by_recurring: kept(followed.by_recurring, found.by_recurring),
            by_usage: kept(followed.by_usage, found.by_usage),
        }));
        Ok(())
    }

    fn newest_followed(&self, voided: InvoiceId) -> Result<FollowedInvoices, Refusal> {
        let by_recurring = self.newest_of(Origin::Recurring, voided)?;
        let by_usage = self.newest_of(Origin::Usage, voided)?.max(by_recurring);
        Ok(FollowedInvoices { by_recurring, by_usage })
    }

    /// The newest invoice of an origin, but this one, that others may go on from. Whatever is older
    /// than an invoice that is durable is durable itself; those that are being voided are still
    /// listed.
    fn newest_of(&self, origin: Origin, voided: InvoiceId) -> Result<Option<InvoiceId>, Refusal> {
        let (cx, listed) = (self.cx, (self.room.seller, self.room.id, origin as u8));
        for key in cx.store().scan(FOLLOWABLE_INVOICES, Scan::prefix(&listed).reverse()).keys() {
            let key = cx.read(key)?;
            if key.3 != voided && cx.contains(FOLLOWABLE_INVOICES, &key)? {
                return Ok(Some(key.3));
            }
        }
        Ok(None)
    }
}

fn prorations_of(line: &InvoiceLine) -> impl Iterator<Item = ProrationId> {
    let own = match &line.breakdown {
        Some(RatingBreakdown::Proration(of)) => Some(of.proration),
        _ => None,
    };
    own.into_iter().chain(line.credits.iter().map(|credit| credit.breakdown.proration))
}
