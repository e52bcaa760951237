//! Bank deposits that are matched to invoices.

use super::Contracts;
use super::changes::Changes;
use super::credit::Given;
use super::room::{Context, ContractRoom, Decision};
use crate::domain::billing::invoice::{Invoice, deposit};
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::domain::payments::topup::NewDeposit;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Contracts {
    /// Matches a deposit to an invoice, once for each reference. What is more than outstanding
    /// becomes stored credit.
    pub async fn deposit(
        &self,
        seller: SellerId,
        contract: ContractId,
        invoice: InvoiceId,
        new: NewDeposit,
    ) -> Result<Invoice, AskError> {
        let take = move |room: &ContractRoom, cx: &Context| {
            let known = room.invoice(cx, invoice)?.ok_or_else(Refusal::missing)?;
            let mut changes = Changes::begin(room, cx)?;
            let credits_on = changes.credits_on();
            let paid = deposit(&known, new.amount, &new.reference, credits_on, changes.moment)?;
            let Some(mut paid) = paid else { return Ok(Decision::unchanged(known)) };
            changes.give_money_back(&mut paid.change, paid.surplus_minor, Given::SurplusOfDeposit);
            let answer = paid.change.invoice.clone();
            changes.invoice(&known, paid.change)?;
            Ok(changes.finish().answer(answer))
        };
        self.rooms.command((seller, contract), take).await
    }
}
