//! How an invoice stands, as its payment page has to know it.

use actors::domain::billing::invoice::{Invoice, InvoiceLine, InvoiceStatus, LinkTarget};
use actors::domain::country::Country;
use actors::domain::money::Money;
use actors::domain::payments::card::ZIP_LIMIT;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::Payment;
use actors::domain::time::Timestamp;
use actors::link_tokens::LinkHash;
use actors::query;
use actors::tables::LINKS;
use storage::ReadError;

use crate::pages::bill::SellerView;
use crate::pages::context::PageContext;
use crate::pages::fields::Typed;
use crate::pages::language::Words;
use crate::pages::outcome::{Outcome, Receipt};

pub(super) struct Loaded {
    pub(super) t: &'static Words,
    pub(super) target: LinkTarget,
    pub(super) invoice: Invoice,
    pub(super) lines: Vec<InvoiceLine>,
    pub(super) seller: SellerView,
    pub(super) demo: bool,
    pub(super) standing: Standing,
    pub(super) failure: Option<FailureCode>,
    token: String,
}

/// What can be done about the invoice.
pub(super) enum Standing {
    /// A card is taken; `waiting` is an attempt that the buyer has yet to confirm.
    Payable {
        waiting: Option<Box<Payment>>,
    },
    /// A payment of this amount.
    UnderWay(Money),
    /// Too many cards were declined; `waiting` as in [`Standing::Payable`].
    Resting {
        until: Timestamp,
        waiting: Option<Box<Payment>>,
    },
    /// It is paid; by this payment, if by one.
    Paid(Option<Box<Payment>>),
    Closed,
    /// The seller's account is not open.
    Shut,
}

impl Standing {
    /// Why nothing can be paid now.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Payable { .. } => "the invoice can be paid",
            Self::UnderWay(_) => "another payment is in progress",
            Self::Resting { .. } => "too many cards were declined, try again later",
            Self::Shut => "the page is closed",
            Self::Paid(_) => "the invoice is already paid",
            Self::Closed => "the invoice is closed",
        }
    }

    fn of(invoice: &Invoice, open: Option<Payment>) -> Self {
        let open = open.map(Box::new);
        match (invoice.status, open) {
            (InvoiceStatus::Paid, open) => Self::Paid(open),
            (InvoiceStatus::Voided | InvoiceStatus::WrittenOff | InvoiceStatus::Draft, _) => {
                Self::Closed
            }
            (_, None) => Self::Payable { waiting: None },
            (_, Some(open)) if open.requires_action() => Self::Payable { waiting: Some(open) },
            (_, Some(open)) if open.status.is_open() => Self::UnderWay(open.amount),
            // The message that marks the invoice paid is still on its way.
            (_, Some(open)) => Self::Paid(Some(open)),
        }
    }
}

impl Loaded {
    /// Reads what stands behind a link; `attempt` is the reference of a payment whose failure
    /// is to be told.
    pub(super) fn read(
        cx: &PageContext,
        t: &'static Words,
        token: String,
        attempt: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Self>, ReadError> {
        let Some(target) = query::opened(&cx.app.store, LINKS, LinkHash::of(&token))? else {
            return Ok(None);
        };
        let LinkTarget { seller, invoice: id, .. } = target;
        let Some(invoice) = query::invoice(&cx.app.store, seller, id)? else { return Ok(None) };
        let lines = query::invoice_lines(&cx.app.store, seller, id)?;
        let standing = match Standing::of(&invoice, cx.app.payments.open_of(seller, id)?) {
            _ if cx.is_closed(seller, now)? => Standing::Shut,
            Standing::Payable { waiting } => {
                match cx.app.payments.link_rests_until(seller, id, now)? {
                    Some(until) => Standing::Resting { until, waiting },
                    None => Standing::Payable { waiting },
                }
            }
            standing => standing,
        };
        let attempt = match attempt {
            Some(reference) => cx.app.payments.by_reference(seller, reference)?,
            None => None,
        };
        let of_this = |payment: &Payment| payment.pays_for.invoice().is_some_and(|of| of.1 == id);
        let failure = attempt.filter(of_this).and_then(|payment| payment.failure);
        let (seller, demo) = cx.seller(t, seller)?;
        Ok(Some(Self {
            t,
            target,
            invoice,
            lines,
            seller,
            demo,
            standing,
            failure: failure.map(|failure| failure.code),
            token,
        }))
    }

    pub(super) fn path(&self) -> String {
        format!("/pay/{}", self.token)
    }

    pub(super) fn number(&self) -> String {
        self.invoice.number.map(|number| number.to_string()).unwrap_or_default()
    }

    pub(super) fn outstanding(&self) -> Money {
        Money { minor: self.invoice.outstanding_minor, currency: self.invoice.currency }
    }

    /// What is known of the buyer and fits the form.
    pub(super) fn known(&self) -> Typed {
        let bill_to = &self.invoice.bill_to;
        let country = bill_to.country.as_deref().and_then(Country::parse);
        let zip = bill_to.postal_code.clone().filter(|zip| zip.chars().count() <= ZIP_LIMIT);
        Typed {
            country: country.map(|known| known.to_string()).unwrap_or_default(),
            zip: zip.unwrap_or_default(),
            ..Typed::default()
        }
    }

    /// The page that stands in place of the card form; `None` while a card is taken.
    pub(super) fn outcome(&self, cx: &PageContext, now: Timestamp) -> Option<Outcome> {
        let outcome = match &self.standing {
            Standing::Payable { .. } => return None,
            Standing::Shut => Outcome::page_closed(self.t),
            Standing::Resting { until, waiting } => {
                let action = waiting.as_deref().and_then(|payment| cx.action(payment, now));
                Outcome::resting(self.t, *until, action)
            }
            Standing::UnderWay(amount) => Outcome::under_way(self.t, *amount),
            Standing::Closed => Outcome::closed(self.t, &self.number()),
            Standing::Paid(payment) => self.paid(payment.as_deref()),
        };
        Some(outcome.of(self.seller.clone(), self.demo))
    }

    fn paid(&self, payment: Option<&Payment>) -> Outcome {
        let received = self.invoice.received_minor();
        let alone = |payment: &&Payment| self.counted(payment) == Some(received);
        if let Some(back) = payment.filter(|payment| payment.goes_back()).filter(alone) {
            return Outcome::came(self.t, back, Some(self.number()));
        }
        // Another that goes back came too late, or is not all that paid the invoice.
        let payment = payment.filter(|payment| !payment.goes_back());
        if payment.is_none() && received == 0 {
            return Outcome::nothing_left(self.t, &self.number());
        }
        let money = |minor| Money { minor, currency: self.invoice.currency };
        let refunded = self.invoice.refunded_minor();
        let (amount, receipt) = match payment {
            Some(payment) => (payment.amount, Receipt::of(payment, Some(self.number()))),
            None => {
                let refunded = (refunded > 0).then_some(money(refunded));
                let number = Some(self.number());
                let receipt = Receipt { invoice_number: number, refunded, ..Receipt::default() };
                (money(received), receipt)
            }
        };
        let paid_on = self.invoice.paid_at.or(receipt.paid_on);
        Outcome::paid(self.t, amount, Receipt { paid_on, ..receipt })
    }

    /// What counts of a payment towards the invoice, minor units.
    fn counted(&self, payment: &Payment) -> Option<i64> {
        let mut counts = self.invoice.payments.iter().filter(|one| one.reversed_at.is_none());
        counts.find(|one| one.payment == payment.id).map(|one| one.amount_minor)
    }
}
