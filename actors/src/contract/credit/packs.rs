//! What becomes of a pack of credit whose invoice was issued: it is charged, paid, given up or
//! taken back.

use crate::contract::changes::Changes;
use crate::contract::collection::Collected;
use crate::contract::room::Change;
use crate::domain::billing::credit::{
    AutoTopup, Buying, CreditType, PackEnd, auto_topup_failed, failed_at_settlement, mint, pack_end,
};
use crate::domain::billing::invoice::{Invoice, void};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{CreditEntryId, InvoiceId};
use crate::domain::messages::PaymentNotice;
use crate::domain::money::share_half_up;
use crate::domain::payments::saved_card::SavedCharge;
use crate::domain::refusal::Refusal;
use crate::payment::CardOrder;
use crate::tables::{CREDIT_ENTRIES, CREDIT_PACKS, NO_PAYMENT, SAVED_CHARGES, ids};

impl Changes<'_> {
    fn set_auto_topup(&mut self, after: AutoTopup) {
        self.auto_topup = Some(after);
        self.effects.change(Change::AutoTopup(after));
    }

    /// The pack that this invoice buys, if it is being bought.
    fn pack_of(&self, invoice: InvoiceId) -> Option<(AutoTopup, Buying)> {
        let auto = self.auto_topup.filter(|auto| auto.buys(invoice))?;
        auto.buying.map(|buying| (auto, buying))
    }

    /// The charge of the pack that is being bought, unless there is a payment for it.
    pub(super) fn order_pack(&mut self) -> Result<Option<CardOrder>, Refusal> {
        let buying = self.auto_topup.and_then(|auto| auto.buying);
        let Some(buying) = buying.filter(|buying| !buying.charged) else { return Ok(None) };
        let invoice = self.invoice_now(buying.invoice)?.ok_or_else(Refusal::fault)?;
        let card = self.saved_card(invoice.customer)?;
        let collection = invoice.collection.as_ref().ok_or_else(Refusal::fault)?;
        let next = |card| SavedCharge { attempt: collection.attempts + 1, card };
        let charge = collection.under_way.or_else(|| card.as_ref().map(|card| next(card.id)));
        let mut done = Collected::default();
        if let Some(charge) = charge {
            self.order(&invoice, charge, card.as_ref(), &mut done)?;
        }
        let order = done.orders.pop();
        if order.is_none() && done.counts.skipped == 0 {
            let invoice = self.invoice_now(invoice.id)?.ok_or_else(Refusal::fault)?;
            self.pack_failed(&invoice, "no card is saved")?;
        }
        Ok(order)
    }

    /// Nobody takes the charge of a pack: it is never made, and the pack not bought. Says whether
    /// that is so: somebody else may have made it meanwhile.
    pub(super) fn pack_refused(
        &mut self,
        (invoice, charge): (InvoiceId, SavedCharge),
        why: &Refusal,
    ) -> Result<bool, Refusal> {
        let row = (self.room.seller, invoice, charge.attempt);
        if self.pack_of(invoice).is_none() || self.cx.contains(SAVED_CHARGES, &row)? {
            return Ok(false);
        }
        let invoice = self.invoice_now(invoice)?.ok_or_else(Refusal::fault)?;
        self.effects.claim(SAVED_CHARGES, &row, &NO_PAYMENT);
        self.pack_failed(&invoice, &why.to_string())?;
        Ok(true)
    }

    /// There is a payment for an invoice now, whose end will be told.
    pub(in crate::contract) fn pack_is_charged(&mut self, invoice: InvoiceId) {
        if let Some((auto, buying)) = self.pack_of(invoice) {
            let charged = Buying { charged: true, ..buying };
            self.set_auto_topup(auto.buying(Some(charged), self.moment.wall));
        }
    }

    /// The customer has saved a card: what waits for one is bought.
    pub(in crate::contract) fn buy_with_card(&mut self) {
        if let Some(auto) = self.auto_topup.filter(|auto| auto.lacks_card) {
            self.set_auto_topup(auto.with_card(true, self.moment.wall));
        }
    }

    /// Once the invoice of a pack is paid it is credit, and goes to its buyer; once it is given up
    /// by hand there is no pack.
    pub(in crate::contract) fn end_pack(&mut self, invoice: &Invoice) {
        let Some((auto, buying)) = self.pack_of(invoice.id) else { return };
        let Some(end) = pack_end(invoice) else { return };
        self.set_auto_topup(auto.buying(None, self.moment.wall));
        if end == PackEnd::Bought {
            let id = CreditEntryId(self.cx.id(ids::CREDIT_ENTRY));
            let number = invoice.number_text();
            let (of, kind) = (invoice.customer, CreditType::Purchased);
            let moment = self.credit_moment(invoice.currency);
            let reason = format!("bought with {number}");
            let lot = mint(id, of, kind, buying.amount_minor, reason, moment);
            self.effects.put(CREDIT_PACKS, &(self.room.seller, self.room.id, invoice.id), &id);
            self.move_credit(vec![lot], None);
            self.mail(MailKind::PaidInvoice, invoice);
        }
    }

    /// The pack of an invoice, if it is one that is being bought, cannot be paid: the invoice is
    /// voided, and no other pack is bought.
    pub(in crate::contract) fn pack_failed(
        &mut self,
        invoice: &Invoice,
        why: &str,
    ) -> Result<(), Refusal> {
        let Some((auto, buying)) = self.pack_of(invoice.id) else { return Ok(()) };
        self.switch_off(auto, invoice, buying.amount_minor, why);
        self.void_pack(invoice)
    }

    /// The payment of a pack failed at settlement. A lot that is whole still goes, and its invoice
    /// with it; of one that was drawn from, the invoice is owed.
    pub(in crate::contract) fn pack_taken_back(
        &mut self,
        notice: &PaymentNotice,
    ) -> Result<(), Refusal> {
        let row = (self.room.seller, self.room.id, notice.invoice);
        let Some(lot) = self.cx.get(CREDIT_PACKS, &row)? else { return Ok(()) };
        let invoice = self.invoice_now(notice.invoice)?.ok_or_else(Refusal::fault)?;
        let entry = (self.room.seller, self.room.id, lot);
        let made = self.cx.get(CREDIT_ENTRIES, &entry)?.ok_or_else(Refusal::fault)?;
        let amount_minor = made.signed_delta_minor;
        if let Some(auto) = self.auto_topup.filter(|auto| auto.enabled) {
            self.switch_off(auto, &invoice, amount_minor, "the payment failed at settlement");
        }
        if self.room.credit.left_of(lot) == amount_minor {
            let why = failed_at_settlement(&notice.reference);
            self.reverse_credit(&invoice, &why, &[(lot, amount_minor)]);
            self.void_pack(&invoice)?;
        }
        Ok(())
    }

    /// More of the invoice of a pack is credited or refunded than was `before`: that part of its lot
    /// goes, as far as it is still there. Who has money back buys no other pack by themselves.
    pub(in crate::contract) fn reduce_pack(
        &mut self,
        before: &Invoice,
        now: &Invoice,
    ) -> Result<(), Refusal> {
        let row = (self.room.seller, self.room.id, now.id);
        let Some(lot) = self.cx.get(CREDIT_PACKS, &row)? else { return Ok(()) };
        let entry = (self.room.seller, self.room.id, lot);
        let made = self.cx.get(CREDIT_ENTRIES, &entry)?.ok_or_else(Refusal::fault)?;
        let whole_minor = made.signed_delta_minor;
        let gone_of = |invoice: &Invoice| {
            let gone_minor = invoice.credited_minor.max(invoice.refunded_minor());
            share_half_up(whole_minor, gone_minor, invoice.totals.grand_total_minor)
        };
        let minor = (gone_of(now) - gone_of(before)).min(self.room.credit.left_of(lot));
        if minor > 0 {
            let number = now.number_text();
            self.reverse_credit(now, &format!("{number} was given back"), &[(lot, minor)]);
        }
        let is_refunded = now.refunded_minor() > before.refunded_minor();
        if let Some(auto) = self.auto_topup.filter(|auto| auto.enabled && is_refunded) {
            self.switch_off(auto, now, whole_minor, "the payment was refunded");
        }
        Ok(())
    }

    fn switch_off(&mut self, auto: AutoTopup, invoice: &Invoice, amount_minor: i64, why: &str) {
        let now = self.moment.wall;
        self.set_auto_topup(auto.failed(invoice.id, now));
        self.events.push(auto_topup_failed(invoice, amount_minor, why, now));
        self.timeline.push(TimelineEntry {
            kind: TimelineKind::CreditAutoTopUpFailed,
            occurred_at: self.moment.engine,
            subscription: None,
            invoice: Some(invoice.id),
            amount_minor: Some(amount_minor),
            currency: Some(invoice.currency),
            detail: Some(why.to_owned()),
        });
    }

    /// What was paid already cannot be voided, and stands.
    fn void_pack(&mut self, invoice: &Invoice) -> Result<(), Refusal> {
        match void(invoice, "the credit could not be bought", self.moment) {
            Ok(voided) => self.invoice(invoice, voided.change),
            Err(_) => Ok(()),
        }
    }
}
