//! Paying an invoice through its link (decisions 13): at most one open payment at a time.

use std::sync::Arc;

use super::command::Start;
use super::handle::{Asked, Payments};
use super::initiate::Initiated;
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::card::CardData;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{CaptureMode, NewPayment, Payment, PaysFor};
use crate::domain::payments::source::Source;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::entropy::Entropy;
use crate::room::AskError;

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
            return Err(refusal.into());
        }
        let source = Source::Card(Arc::new(card));
        let Ok(new) = self.new_payment(order) else { return Err(Refusal::fault().into()) };
        let start = Start { new, source: Some(source), split: None, spend: None };
        match self.begin(start).await? {
            Initiated::Made(payment) => Ok(*payment),
            Initiated::KeyUsed | Initiated::ReferenceUsed => {
                Err(Refusal::conflict("another payment is in progress").into())
            }
        }
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
        match self.cancel(open.seller, open.id).await {
            Ok(_) => Ok(None),
            Err(AskError::Refused(refusal)) => Ok(Some(refusal)),
            Err(error) => Err(error),
        }
    }

    fn new_payment(&self, order: &InvoiceOrder) -> Result<NewPayment, storage::ReadError> {
        let method = Method::Card;
        let (id, mode, route) = self.prepare(order.seller, method, order.amount, None)?;
        Ok(NewPayment {
            id,
            seller: order.seller,
            reference: format!("{}-{id}", order.number),
            amount: order.amount,
            pays_for: PaysFor::Invoice { contract: order.contract, invoice: order.invoice },
            demo: mode == Mode::Demo,
            provider_key: Entropy.token(),
            route,
            method,
            country: None,
            capture: CaptureMode::Automatic,
            order: None,
            split: None,
            checkout: None,
            forced: None,
        })
    }
}

fn failed(error: &storage::ReadError) -> Asked {
    tracing::error!(%error, "a payment could not be prepared");
    Err(Refusal::fault().into())
}
