//! Credit that documents draw, and that comes back.

use std::borrow::Cow;

use storage::{Batch, Scan};

use super::CreditLots;
use crate::contract::changes::Changes;
use crate::contract::documents::Document;
use crate::contract::room::Change;
use crate::domain::billing::credit::{
    CreditDrawn, CreditEntry, CreditKind, CreditMoment, CreditType, DrawnCredit, credit_depleted,
    draw, give_back, mint, reverse,
};
use crate::domain::billing::invoice::{self, CreditLeft, GivenBack, Invoice};
use crate::domain::billing::subscription::{ProrationLot, Subscription};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{CreditEntryId, CustomerId, InvoiceId, PaymentId};
use crate::domain::money::Currency;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::tables::{CREDIT_ENTRIES, DRAWN_CREDIT, ids};

/// Why money becomes stored credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contract) enum Given {
    /// A payment brought more than was outstanding.
    Surplus(PaymentId),
    SurplusOfDeposit,
    /// What had been paid of a voided invoice.
    Voided,
    /// What had been paid of what a credit note takes off.
    Credited,
}

impl Given {
    fn words(self) -> &'static str {
        match self {
            Self::Surplus(_) | Self::SurplusOfDeposit => "surplus of",
            Self::Voided => "paid for the voided",
            Self::Credited => "credit note for",
        }
    }
}

impl Changes<'_> {
    pub(in crate::contract) fn credits_on(&self) -> bool {
        self.seller.switch(Switch::Credits)
    }

    pub(in crate::contract) fn credit_moment(&self, currency: Currency) -> CreditMoment {
        CreditMoment { now: self.moment.wall, currency }
    }

    /// Stored credit as the steps before have left it.
    pub(in crate::contract) fn credit_now(&self) -> Cow<'_, CreditLots> {
        let mut credit = Cow::Borrowed(&self.room.credit);
        if !self.credit_moved.is_empty() {
            let contract = (self.room.seller, self.room.id);
            credit.to_mut().apply(contract, &self.credit_moved, &mut Batch::new());
        }
        credit
    }

    /// The document with as much of it paid by stored credit as there is, while credits are on.
    pub(in crate::contract) fn paid_by_credit(&self, document: Document) -> Document {
        let payable = document.composed.payable_by_credit();
        if payable <= 0 || !self.credits_on() {
            return document;
        }
        let (credit, now) = (self.credit_now(), self.moment.wall);
        let lots = draw(credit.in_order(), payable, now);
        let mut before = credit.available(document.composed.invoice.currency, now);
        // It is there once this document is, which does not draw on it.
        before.add(CreditType::Proration, document.rests_minor());
        match CreditDrawn::of(lots, &before) {
            None => document,
            Some(mut drawn) => {
                drawn.depleted.retain(|kind| !credit.is_to_forfeit(*kind, now));
                let composed = document.composed.paid_by_credit(drawn);
                Document { composed, ..document }
            }
        }
    }

    /// Takes what a document has drawn from its lots. The entries are put with its number.
    pub(in crate::contract) fn take_drawn(
        &mut self,
        invoice: InvoiceId,
        drawn: &CreditDrawn,
        currency: Currency,
    ) -> Vec<CreditEntry> {
        let moment = self.credit_moment(currency);
        let ids = self.cx.ids(ids::CREDIT_ENTRY, drawn.lots.len());
        let mut entries = Vec::with_capacity(drawn.lots.len());
        for (one, id) in drawn.lots.iter().zip(ids) {
            entries.push(one.entry(CreditEntryId(id), invoice, moment));
            let row = (self.room.seller, invoice, one.lot.id);
            self.effects.put(DRAWN_CREDIT, &row, &DrawnCredit::from(one));
        }
        self.chain(&mut entries);
        self.weigh(0, 2 * entries.len());
        self.credit_moved.extend_from_slice(&entries);
        self.effects.change(Change::Credit(entries.clone()));
        entries
    }

    /// Links movements to those before them.
    fn chain(&mut self, entries: &mut [CreditEntry]) {
        for entry in entries {
            entry.link = Some(entry.link(self.credit_link.as_ref()));
            self.credit_link = entry.link;
        }
    }

    /// Puts movements that are whole, and takes them into the lots.
    pub(in crate::contract) fn move_credit(
        &mut self,
        mut entries: Vec<CreditEntry>,
        of: Option<InvoiceId>,
    ) {
        self.chain(&mut entries);
        let (seller, contract) = (self.room.seller, self.room.id);
        for entry in &entries {
            self.effects.put(CREDIT_ENTRIES, &(seller, contract, entry.id), entry);
            self.timeline.push(TimelineEntry {
                kind: match (entry.kind, of) {
                    (CreditKind::Expiry, _) => TimelineKind::CreditExpired,
                    (CreditKind::Reversal, _) => TimelineKind::CreditReversed,
                    (_, Some(_)) => TimelineKind::CreditReturned,
                    (_, None) => TimelineKind::CreditGranted,
                },
                occurred_at: self.moment.engine,
                subscription: None,
                invoice: of,
                amount_minor: Some(entry.signed_delta_minor.abs()),
                currency: Some(entry.currency),
                detail: Some(entry.reason.clone()),
            });
        }
        self.weigh(0, 2 * entries.len());
        self.credit_moved.extend_from_slice(&entries);
        self.effects.change(Change::Credit(entries));
    }

    /// Makes a lot of the days that a prorated cancel gives back.
    pub(in crate::contract) fn give_days_back(
        &mut self,
        of: &Subscription,
        lot: &ProrationLot,
    ) -> Result<(), Refusal> {
        let ProrationLot { term_start, days_left, days_in_term, .. } = *lot;
        let rate = lot.tax_rate.map_or_else(|| self.rate_now(), Ok)?;
        let reason = format!(
            "{days_left} of {days_in_term} days of the term from {term_start}, subscription {}",
            of.id
        );
        self.mint_proration(of.customer, lot.gross_minor(rate), reason, lot.currency);
        Ok(())
    }

    /// What no document has room for of plan changes becomes stored credit, with its tax.
    pub(in crate::contract) fn credit_rests(
        &mut self,
        of: CustomerId,
        rests: Vec<(CreditLeft, TaxRate)>,
    ) {
        for (rest, rate) in rests {
            let Some(known) = self.proration_now(rest.proration) else { continue };
            let mut record = known.clone();
            if record.credit_rest(rest.part) > 0 {
                let currency = record.currency;
                self.prorations.insert(rest.proration, record);
                self.mint_proration(of, rest.gross_minor(rate), rest.description, currency);
            }
        }
    }

    /// Credits of subscriptions that have ended, with no document left to carry them, become
    /// stored credit by themselves.
    pub(in crate::contract) fn credit_ended(&mut self) -> Result<(), Refusal> {
        let today = self.moment.today();
        if !self.credits_on() || !self.seller.switch(Switch::ProrationBinding) {
            return Ok(());
        }
        for id in self.with_credits_due_by(today) {
            let Some(of) = self.subscription_now(id) else { continue };
            let (customer, rests) = (of.customer, self.rests_of_ended(of)?);
            self.credit_rests(customer, rests);
        }
        Ok(())
    }

    /// What is open of the credits of a subscription that no document is to carry any more, each
    /// with the rate of its tax.
    pub(in crate::contract) fn rests_of_ended(
        &self,
        of: &Subscription,
    ) -> Result<Vec<(CreditLeft, TaxRate)>, Refusal> {
        let mut rests = Vec::new();
        for (id, record) in self.room.prorations.of(of.id) {
            for rest in CreditLeft::of(id, &record, of) {
                let rate = self.rate_of_rest(&rest, &[])?;
                rests.push((rest, rate));
            }
        }
        Ok(rests)
    }

    pub(in crate::contract) fn mint_proration(
        &mut self,
        customer: CustomerId,
        amount_minor: i64,
        reason: String,
        currency: Currency,
    ) {
        let id = CreditEntryId(self.cx.id(ids::CREDIT_ENTRY));
        let moment = self.credit_moment(currency);
        let lot = mint(id, customer, CreditType::Proration, amount_minor, reason, moment);
        self.move_credit(vec![lot], None);
    }

    /// Gives part of what an invoice has drawn back.
    pub(in crate::contract) fn return_credit(
        &mut self,
        invoice: &Invoice,
        amount_minor: i64,
    ) -> Result<(), Refusal> {
        if amount_minor == 0 {
            return Ok(());
        }
        let cx = self.cx;
        let rows = cx.store().scan(DRAWN_CREDIT, Scan::prefix(&(self.room.seller, invoice.id)));
        let mut drawn = Vec::new();
        for key in rows.keys() {
            let key = cx.read(key)?;
            let row = cx.get(DRAWN_CREDIT, &key)?.ok_or_else(Refusal::fault)?;
            drawn.push((key.2, row));
        }
        drawn.sort_by_key(|(lot, row)| row.order(*lot));
        let before = drawn.clone();
        let number = invoice.number_text();
        let moment = self.credit_moment(invoice.currency);
        let id = || CreditEntryId(cx.id(ids::CREDIT_ENTRY));
        let entries = give_back(&mut drawn, amount_minor, &number, moment, id);
        for ((lot, row), (_, known)) in drawn.iter().zip(&before) {
            if row != known {
                self.effects.put(DRAWN_CREDIT, &(self.room.seller, invoice.id, *lot), row);
            }
        }
        self.move_credit(entries, Some(invoice.id));
        Ok(())
    }

    /// Gives money that came back as stored credit; while credits are off it is owed.
    pub(in crate::contract) fn give_money_back(
        &mut self,
        change: &mut invoice::Change,
        amount_minor: i64,
        why: Given,
    ) {
        if amount_minor == 0 {
            return;
        }
        let lot = match self.credits_on() {
            false => {
                change.owe_back(amount_minor, self.moment);
                None
            }
            true => {
                let invoice = &change.invoice;
                let number = invoice.number_text();
                let id = CreditEntryId(self.cx.id(ids::CREDIT_ENTRY));
                let moment = self.credit_moment(invoice.currency);
                let (kind, reason) = (CreditType::Purchased, format!("{} {number}", why.words()));
                let lot = mint(id, invoice.customer, kind, amount_minor, reason, moment);
                self.move_credit(vec![lot], Some(invoice.id));
                Some(id)
            }
        };
        let payment = match why {
            // Nobody takes a deposit back.
            Given::SurplusOfDeposit => return,
            Given::Surplus(payment) => Some(payment),
            Given::Voided | Given::Credited => None,
        };
        change.invoice.note_given_back(GivenBack { lot, amount_minor, payment });
    }

    /// Takes credit of lots back that was made of what came for an invoice.
    pub(in crate::contract) fn reverse_credit(
        &mut self,
        of: &Invoice,
        why: &str,
        from: &[(CreditEntryId, i64)],
    ) {
        let moment = self.credit_moment(of.currency);
        let credit = self.credit_now();
        let mut left = credit.available(of.currency, moment.now);
        let (mut entries, mut depleted) = (Vec::with_capacity(from.len()), Vec::new());
        for &(lot, minor) in from {
            let Some(lot) = credit.get(lot) else { continue };
            let id = CreditEntryId(self.cx.id(ids::CREDIT_ENTRY));
            entries.push(reverse(lot, id, minor, why.to_owned(), moment));
            left.add(lot.credit_type, -minor);
            let (contract, kind) = (self.room.id, lot.credit_type);
            if left.of(kind) == 0 && !credit.is_to_forfeit(kind, moment.now) {
                depleted.push(credit_depleted(contract, kind, of.currency, moment.now));
            }
        }
        drop(credit);
        self.events.extend(depleted);
        if !entries.is_empty() {
            self.move_credit(entries, Some(of.id));
        }
    }
}
