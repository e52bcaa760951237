//! Paying an invoice: by card on its page, or by charging a saved card.

use std::sync::Arc;

use super::Payments;
use super::order::{BeginRefusal, PaymentOrder};
use super::reads::rests_until;
use super::room::PaymentRoom;
use crate::domain::billing::invoice::{Invoice, asks_for_money};
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{Payment, PaysFor};
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
use crate::domain::payments::source::Source;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Effects, Once};
use crate::tables::{INVOICE_PAYMENTS, INVOICES, NO_PAYMENT, OPEN_PAYMENTS, SAVED_CHARGES};

/// An invoice to be paid, as its page showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoiceOrder {
    pub seller: SellerId,
    pub contract: ContractId,
    pub invoice: InvoiceId,
    /// The invoice's number; the payment's reference begins with it.
    pub number: String,
    /// What is outstanding; above 0.
    pub amount: Money,
    /// Whose card is saved once the invoice is paid.
    pub saves_for: Option<CustomerId>,
}

/// An invoice to be charged to a saved card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardOrder {
    pub invoice: InvoiceOrder,
    pub charge: SavedCharge,
    /// Not there any more where the attempt was made before.
    pub card: Option<SavedCard>,
}

impl Payments {
    /// Pays an invoice by card, and answers the payment as the provider's first answer left it. A
    /// payment of the invoice that waits for the buyer is given up for this one.
    pub async fn pay_invoice(
        &self,
        order: &InvoiceOrder,
        card: CardData,
    ) -> Result<Payment, AskError> {
        let open = self.open_of(order.seller, order.invoice);
        let open = self.read(order.seller, order.invoice.0, open)?;
        if let Some(open) = open {
            self.give_up(&open).await?;
        }
        let id = self.next_id(order.seller);
        let InvoiceOrder { seller, contract, invoice, ref number, amount, saves_for } = *order;
        let pays_for = PaysFor::Invoice { contract, invoice };
        let new = PaymentOrder::new(seller, format!("{number}-{id}"), amount);
        let new = PaymentOrder { pays_for, saves_for, ..new };
        match self.begin(id, new, Some(Source::Card(Arc::new(card))), None).await? {
            Once::Made(payment) => Ok(payment),
            Once::Before => Err(BeginRefusal::InProgress.into()),
        }
    }

    /// Charges a saved card for an invoice, once for each attempt: the payment as the provider's
    /// answer left it, made now or before.
    ///
    /// # Errors
    /// Refused while another payment of the invoice is open, when it does not ask for the amount
    /// any more, and where the card cannot be charged by anybody; [`AskError::Busy`] where its
    /// processor is left alone, and then nothing was begun.
    pub async fn charge_saved_card(&self, order: CardOrder) -> Result<Payment, AskError> {
        let CardOrder { invoice: of, charge, card } = order;
        let (seller, row) = (of.seller, (of.seller, of.invoice, charge.attempt));
        if let Some(made) =
            self.read(seller, of.invoice.0, self.store().get(SAVED_CHARGES, &row))?
        {
            return self.charge_made(seller, made).await;
        }
        let card = card.ok_or_else(Refusal::missing)?;
        self.reaches_keeper(seller, &card)?;
        let invoice = self.store().get(INVOICES, &(seller, of.invoice));
        let invoice = self.read(seller, of.invoice.0, invoice)?;
        let asks =
            |known: &Invoice| asks_for_money(known) && known.outstanding_minor == of.amount.minor;
        if !invoice.as_ref().is_some_and(asks) {
            return Err(BeginRefusal::Paid.into());
        }
        let opened = self.tools().processors.open_card(seller, &card).map_err(|error| {
            let (seller, card) = (seller.0, card.id.0);
            tracing::error!(seller, card, %error, "a saved card cannot be charged");
            Refusal::fault()
        })?;
        let id = self.next_id(seller);
        let pays_for = PaysFor::Invoice { contract: of.contract, invoice: of.invoice };
        let new = PaymentOrder::new(seller, format!("{}-{id}", of.number), of.amount);
        let new = PaymentOrder { pays_for, saved: Some((charge, card)), ..new };
        match self.begin(id, new, Some(Source::Saved(Arc::new(opened))), None).await? {
            Once::Made(payment) => Ok(payment),
            Once::Before => {
                let made =
                    self.read(seller, of.invoice.0, self.store().get(SAVED_CHARGES, &row))?;
                self.charge_made(seller, made.ok_or_else(Refusal::fault)?).await
            }
        }
    }

    /// Nobody tries a charge again at once that was begun in vain: where the processor that keeps the
    /// card is not called at the moment, none begins.
    pub(super) fn reaches_keeper(
        &self,
        seller: SellerId,
        card: &SavedCard,
    ) -> Result<(), AskError> {
        let calls = &self.tools().calls;
        match !self.store().is_held() && calls.are_made((seller, card.terminal)) {
            true => Ok(()),
            false => Err(AskError::Busy),
        }
    }

    async fn charge_made(&self, seller: SellerId, made: PaymentId) -> Result<Payment, AskError> {
        match made {
            NO_PAYMENT => Err(BeginRefusal::CalledOff.into()),
            made => self.once_answered(seller, made).await,
        }
    }

    async fn give_up(&self, open: &Payment) -> Result<(), AskError> {
        if !open.status.is_open() {
            return Err(BeginRefusal::Paid.into());
        }
        if !open.requires_action() {
            return Err(BeginRefusal::InProgress.into());
        }
        self.leave(open.seller, open.id).await.map(|_| ())
    }
}

impl PaymentRoom {
    /// An invoice has one open payment at most, so that two pages cannot both pay, and its page
    /// takes so many declined cards.
    pub(super) fn begin_at_invoice(
        &self,
        cx: &Context<Self>,
        payment: &Payment,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let Some((_, invoice)) = payment.pays_for.invoice() else { return Ok(()) };
        let seller = self.seller;
        effects.put(INVOICE_PAYMENTS, &(seller, invoice, payment.id), &());
        if payment.status.is_lost() {
            return Ok(());
        }
        let open = (seller, invoice);
        match cx.get(OPEN_PAYMENTS, &open)? {
            Some(NO_PAYMENT) => return Err(BeginRefusal::Voided.into()),
            Some(_) => return Err(BeginRefusal::InProgress.into()),
            None => {}
        }
        // Looked for behind the one before, which has ended by now.
        if cx.read(rests_until(cx.store(), seller, invoice, cx.now()))?.is_some() {
            return Err(BeginRefusal::TooManyDeclines.into());
        }
        effects.claim(OPEN_PAYMENTS, &open, &payment.id);
        Ok(())
    }
}
