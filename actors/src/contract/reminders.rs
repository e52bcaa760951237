//! Buyers are reminded of the invoices of a contract.

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom};
use super::strides::{Decided, Stride};
use crate::domain::billing::invoice::{Reminded, remind};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

/// About how many rows a mail comes to.
const MAIL_ROWS: usize = 2;

impl Contracts {
    /// How many reminders went out.
    pub async fn run_reminders(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        self.in_strides((seller, contract), ContractRoom::remind).await
    }
}

impl ContractRoom {
    pub(super) fn remind(&self, cx: &Context) -> Decided<u64> {
        let mut changes = Changes::begin(self, cx)?;
        let stride = changes.remind()?;
        Ok(changes.finish().answer(stride))
    }
}

impl Changes<'_> {
    /// Reminds the buyers whose day has come by the contract's clock, as many as one batch takes;
    /// says how many.
    pub(super) fn remind(&mut self) -> Result<Stride<u64>, Refusal> {
        let mut stride = Stride { done: 0, more: false };
        if !self.seller.switch(Switch::Reminders) {
            return Ok(stride);
        }
        let room = self.room;
        for id in room.agenda.reminders.by(self.moment.today()) {
            if self.is_full() {
                stride.more = true;
                break;
            }
            let Some(invoice) = self.invoice_now(id)? else { continue };
            let days = self.seller.seller.reminder_days();
            let Some(Reminded { change, mail }) = remind(&invoice, days, self.moment) else {
                continue;
            };
            if let Some(kind) = mail {
                self.mail(kind, &change.invoice);
                self.weigh(0, MAIL_ROWS);
                stride.done += 1;
            }
            self.invoice(&invoice, change);
        }
        Ok(stride)
    }
}
