//! What a projection says beside its lines.

use super::{Ahead, MAX_LATER};
use crate::contract::changes::Changes;
use crate::domain::billing::invoice::CreditLeft;
use crate::domain::billing::projection::Projection;
use crate::domain::money::Currency;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;

impl Changes<'_> {
    pub(super) fn note_later(&self, ahead: &Ahead, next: Date, notes: &mut Vec<String>) {
        let mut later: Vec<_> = ahead.iter().filter(|(_, (day, _))| *day > next).collect();
        later.sort_by_key(|(id, (day, _))| (*day, **id));
        for (id, (day, _)) in later.iter().take(MAX_LATER) {
            notes.push(format!("subscription {id}: its next term is due on {day}"));
        }
        if later.len() > MAX_LATER {
            notes.push(format!("{} more subscriptions are due later", later.len() - MAX_LATER));
        }
    }

    /// Dates come from the schedule, whatever the switches say.
    pub(super) fn note_switches(&self, shown: &mut Projection) {
        for switch in [
            Switch::LifecycleCron,
            Switch::RecurringInvoicePass,
            Switch::UsageClosePass,
            Switch::UsageInvoicePass,
        ] {
            if !self.seller.switch(switch) {
                shown.notes.push(format!("{switch} is off: the pass does nothing by itself"));
            }
        }
    }

    /// Credits that no document is to carry any more: of plan changes, where their subscription
    /// ends, and of late usage.
    pub(super) fn note_credits(
        &self,
        currency: Currency,
        notes: &mut Vec<String>,
    ) -> Result<(), Refusal> {
        if !self.binds() && !self.room.prorations.is_empty() {
            notes.push("plan changes are not bound to invoices: they wait".to_owned());
        }
        let mut ended = self.room.agenda.credits();
        for id in ended.by_ref().take(MAX_LATER) {
            let Some(of) = self.room.subscriptions.get(&id) else { continue };
            for rest in self.rests_of_ended(of)? {
                notes.push(self.note_of_rest(&rest, currency));
            }
        }
        let more = ended.count();
        if more > 0 {
            notes.push(format!("{more} more subscriptions that end have credits"));
        }
        for (credit, minor) in self.last_corrections()? {
            notes.push(note(&credit.description, minor, currency, self.credits_on()));
        }
        Ok(())
    }

    /// What becomes of a plan's credit that no document has room for.
    pub(super) fn note_of_rest(
        &self,
        (rest, rate): &(CreditLeft, TaxRate),
        currency: Currency,
    ) -> String {
        let is_stored = self.credits_on() && self.binds();
        note(&rest.description, rest.gross_minor(*rate), currency, is_stored)
    }
}

fn note(words: &str, gross_minor: i64, currency: Currency, is_stored: bool) -> String {
    let becomes = if is_stored { "becomes stored credit" } else { "waits" };
    format!("{words}: a credit of {gross_minor} {currency} minor units, tax included, {becomes}")
}
