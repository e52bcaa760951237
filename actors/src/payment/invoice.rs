//! Paying an invoice through its link (decisions 13): at most one open payment at a time.

use std::sync::Arc;

use storage::Scan;

use super::handle::{Asked, Command, Payments};
use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{NewPayment, Payment, PaysFor};
use crate::domain::payments::terminal::{Connector, Rail};
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::entropy::Entropy;
use crate::room::AskError;
use crate::tables::{TERMINALS, ids};

/// An invoice to be paid, as its page showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoiceOrder {
    /// Whose invoice it is.
    pub seller: SellerId,
    /// The contract it belongs to.
    pub contract: ContractId,
    /// The invoice.
    pub invoice: InvoiceId,
    /// Its number; the payment's reference begins with it.
    pub number: String,
    /// What is outstanding; above 0.
    pub amount: Money,
}

impl Payments {
    /// Pays an invoice by card, and answers the payment as the provider's first answer left
    /// it. A payment of the invoice that waits for the buyer is given up for this one.
    ///
    /// # Errors
    /// As [`AskError`] says; refused as a conflict while another payment of the invoice is
    /// being processed, and once it is paid.
    pub async fn pay_invoice(&self, order: &InvoiceOrder, card: CardData) -> Asked {
        let open = match self.open_of(order.seller, order.invoice) {
            Ok(open) => open,
            Err(error) => return failed(&error),
        };
        if let Some(refusal) = self.make_way(open).await? {
            return Ok(Err(refusal));
        }
        let new = match self.new_payment(order) {
            Ok(new) => new,
            Err(error) => return failed(&error),
        };
        let card = Arc::new(card);
        let command = |reply| {
            let (new, card) = (Box::new(new.clone()), Arc::clone(&card));
            Command::Start { new, card, reply }
        };
        let asked = self.rooms.ask((new.seller, new.id), command).await;
        self.carry_on(asked, Some(card)).await
    }

    /// Gives up the open payment if that can be done; else says why it is in the way.
    async fn make_way(&self, open: Option<Payment>) -> Result<Option<Refusal>, AskError> {
        let Some(open) = open else { return Ok(None) };
        if !open.status.is_open() {
            return Ok(Some(Refusal::conflict("the invoice is already paid")));
        }
        if !open.requires_action() {
            return Ok(Some(Refusal::conflict("another payment is in progress")));
        }
        Ok(self.cancel(open.seller, open.id).await?.err())
    }

    fn new_payment(&self, order: &InvoiceOrder) -> Result<NewPayment, storage::ReadError> {
        let id = PaymentId(self.store.next_id(ids::PAYMENT));
        let seller = self.rooms.tools().directory.seller(order.seller)?;
        let mode = seller.map_or(Mode::Live, |snapshot| snapshot.seller.mode);
        Ok(NewPayment {
            id,
            seller: order.seller,
            reference: format!("{}-{id}", order.number),
            amount: order.amount,
            pays_for: PaysFor::Invoice { contract: order.contract, invoice: order.invoice },
            demo: mode == Mode::Demo,
            provider_key: Entropy.token(),
            connector: self.route(order, mode)?,
        })
    }

    /// Who carries out a card payment: the first terminal of the seller's mode that takes it.
    fn route(
        &self,
        order: &InvoiceOrder,
        mode: Mode,
    ) -> Result<Option<Connector>, storage::ReadError> {
        for row in self.store.scan(TERMINALS, Scan::prefix(&(order.seller,))) {
            let (_, terminal) = row?;
            let fits = terminal.rail == Rail::Card
                && terminal.mode == mode
                && terminal.takes("card", order.amount.currency, None);
            if fits {
                return Ok(Some(terminal.connector));
            }
        }
        Ok(None)
    }
}

fn failed(error: &storage::ReadError) -> Asked {
    tracing::error!(%error, "a payment could not be prepared");
    Ok(Err(Refusal::fault()))
}
