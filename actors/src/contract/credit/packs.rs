//! What becomes of a pack of credit whose invoice was issued: it is charged, paid, given up or
//! taken back.

use crate::contract::changes::Changes;
use crate::contract::collection::Collected;
use crate::contract::room::Change;
use crate::domain::billing::credit::{
    AutoTopup, Buying, CreditType, PackEnd, auto_topup_failed, failed_at_settlement, mint, pack_end,
};
use crate::domain::billing::invoice::{Invoice, asks_for_money, write_off};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{ContractId, CreditEntryId, InvoiceId, SellerId};
use crate::domain::messages::PaymentNotice;
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
    pub(in crate::contract) fn order_pack(&mut self) -> Result<Option<CardOrder>, Refusal> {
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
        self.set_pack_charged(invoice, true);
    }

    /// The payment for an invoice was interrupted before anybody was charged: another one is to be
    /// made.
    pub(in crate::contract) fn pack_is_charged_anew(&mut self, invoice: InvoiceId) {
        self.set_pack_charged(invoice, false);
    }

    fn set_pack_charged(&mut self, invoice: InvoiceId, charged: bool) {
        if let Some((auto, buying)) = self.pack_of(invoice) {
            let buying = Buying { charged, ..buying };
            self.set_auto_topup(auto.buying(Some(buying), self.moment.wall));
        }
    }

    /// The customer has saved a card: what waits for one is bought.
    pub(in crate::contract) fn buy_with_card(&mut self) {
        if let Some(auto) = self.auto_topup.filter(|auto| auto.lacks_card) {
            self.set_auto_topup(auto.with_card(true, self.moment.wall));
        }
    }

    /// Once the invoice of a pack is paid, whenever that is, it is credit; once it is given up by
    /// hand nothing is being bought, and of what is voided the credit goes as well.
    pub(in crate::contract) fn end_pack(
        &mut self,
        before: &Invoice,
        after: &Invoice,
    ) -> Result<(), Refusal> {
        let Some(end) = pack_end(after).filter(|_| before.status != after.status) else {
            return Ok(());
        };
        match end {
            PackEnd::Bought => self.credit_pack(after)?,
            PackEnd::Dropped => {}
            PackEnd::Undone => {
                if let Some(lot) = self.cx.get(CREDIT_PACKS, &self.pack_row(after.id))? {
                    let why = format!("{} was voided", after.number_text());
                    self.take_of_pack(after, lot, i64::MAX, &why);
                }
            }
        }
        if let Some((auto, _)) = self.pack_of(after.id) {
            self.set_auto_topup(auto.buying(None, self.moment.wall));
        }
        Ok(())
    }

    /// Makes a lot of the pack of an invoice that is paid, once, and mails it to its buyer. What
    /// credit notes took off before is not bought.
    fn credit_pack(&mut self, invoice: &Invoice) -> Result<(), Refusal> {
        let buying = || self.pack_of(invoice.id).map(|(_, buying)| buying.amount_minor);
        let Some(whole_minor) = invoice.pack_minor.or_else(buying) else { return Ok(()) };
        let (row, minor) = (self.pack_row(invoice.id), invoice.part_of_pack(whole_minor));
        if minor <= 0 || self.cx.contains(CREDIT_PACKS, &row)? {
            return Ok(());
        }
        let id = CreditEntryId(self.cx.id(ids::CREDIT_ENTRY));
        let reason = format!("bought with {}", invoice.number_text());
        let moment = self.credit_moment(invoice.currency);
        let lot = mint(id, invoice.customer, CreditType::Purchased, minor, reason, moment);
        self.effects.put(CREDIT_PACKS, &row, &id);
        self.move_credit(vec![lot], None);
        self.mail(MailKind::PaidInvoice, invoice);
        Ok(())
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
        self.drop_pack(invoice)
    }

    /// A payment of a pack failed at settlement, and the pack is owed. A lot that is whole still
    /// goes, and its invoice with it; of one that was drawn from, the invoice stays owed.
    pub(in crate::contract) fn pack_taken_back(
        &mut self,
        notice: &PaymentNotice,
    ) -> Result<(), Refusal> {
        let row = self.pack_row(notice.invoice);
        let Some(lot) = self.cx.get(CREDIT_PACKS, &row)? else { return Ok(()) };
        let invoice = self.invoice_now(notice.invoice)?.ok_or_else(Refusal::fault)?;
        let whole_minor = self.whole_pack(&invoice, lot)?;
        if let Some(auto) = self.auto_topup.filter(|auto| auto.enabled) {
            self.switch_off(auto, &invoice, whole_minor, "the payment failed at settlement");
        }
        let there_minor = invoice.part_of_pack(whole_minor);
        let is_whole = self.credit_now().left_of(lot) == there_minor;
        if is_whole && asks_for_money(&invoice) {
            self.take_of_pack(&invoice, lot, there_minor, &failed_at_settlement(&notice.reference));
            // Whoever pays for it all the same buys it anew.
            self.effects.delete(CREDIT_PACKS, &row);
            self.drop_pack(&invoice)?;
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
        let lot = self.cx.get(CREDIT_PACKS, &self.pack_row(now.id))?;
        let Some(lot) = lot else { return Ok(()) };
        let whole_minor = self.whole_pack(now, lot)?;
        let minor = before.part_of_pack(whole_minor) - now.part_of_pack(whole_minor);
        self.take_of_pack(now, lot, minor, &format!("{} was given back", now.number_text()));
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

    /// Nobody is to pay for a pack any more: its invoice is voided. One that a credit note corrects
    /// stands, and the rest of it is written off; what is paid already stands as well.
    fn drop_pack(&mut self, invoice: &Invoice) -> Result<(), Refusal> {
        let why = "the credit could not be bought";
        if !asks_for_money(invoice) {
            return Ok(());
        }
        if invoice.credited_minor > 0 {
            let change = write_off(invoice, why, self.moment)?;
            return self.invoice(invoice, change);
        }
        self.void(invoice, why)?;
        Ok(())
    }

    fn pack_row(&self, invoice: InvoiceId) -> (SellerId, ContractId, InvoiceId) {
        (self.room.seller, self.room.id, invoice)
    }

    /// The credit of the whole pack that an invoice has bought, of which its lot may be a part.
    fn whole_pack(&self, invoice: &Invoice, lot: CreditEntryId) -> Result<i64, Refusal> {
        if let Some(whole_minor) = invoice.pack_minor {
            return Ok(whole_minor);
        }
        let entry = (self.room.seller, self.room.id, lot);
        let made = self.cx.get(CREDIT_ENTRIES, &entry)?.ok_or_else(Refusal::fault)?;
        Ok(made.signed_delta_minor)
    }

    /// Takes so much of the lot of a pack back, as far as it is still there.
    fn take_of_pack(&mut self, of: &Invoice, lot: CreditEntryId, minor: i64, why: &str) {
        let minor = minor.min(self.credit_now().left_of(lot));
        if minor > 0 {
            self.reverse_credit(of, why, &[(lot, minor)]);
        }
    }
}
