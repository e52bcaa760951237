//! Money comes for an invoice, and may be taken back.

use crate::domain::billing::invoice::event::link_event;
use crate::domain::billing::invoice::status::overdue::by_due_date;
use crate::domain::billing::invoice::{
    Change, DepositReceived, Invoice, InvoiceRefusal, InvoiceStatus, PaidVia, PaymentReceived,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::PaymentId;
use crate::domain::money::Money;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

/// The most payments that an invoice keeps. Those that were taken back make room for others.
const MAX_PAYMENTS: usize = 64;
const MAX_DEPOSITS: usize = 64;

/// An invoice that money came for, and how much of it was more than it asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Paid {
    pub change: Change,
    /// Minor units, 0 or more: the payer's, as stored credit or to get back.
    pub surplus_minor: i64,
}

/// Counts a payment towards an invoice; once nothing is outstanding it is paid. A payment that
/// was counted before, even one taken back since, is `None`; a second success for a paid invoice is
/// refused, and the payer's to get back. What comes for a voided one is surplus.
pub fn pay(
    invoice: &Invoice,
    received: PaymentReceived,
    moment: Moment,
) -> Result<Option<Paid>, InvoiceRefusal> {
    if invoice.payments.iter().any(|known| known.payment == received.payment) {
        return Ok(None);
    }
    if received.amount_minor <= 0 {
        return Err(InvoiceRefusal::PaymentOfNothing);
    }
    if invoice.status == InvoiceStatus::Paid || !takes_money(invoice) {
        return Err(InvoiceRefusal::PaymentOf(invoice.status));
    }
    let mut change = Change::of(invoice.clone());
    let invoice = &mut change.invoice;
    if invoice.payments.len() >= MAX_PAYMENTS {
        let reversed = invoice.payments.iter().position(|known| known.reversed_at.is_some());
        invoice.payments.remove(reversed.ok_or(InvoiceRefusal::TooManyPayments(MAX_PAYMENTS))?);
    }
    let amount_minor = received.amount_minor.min(invoice.asks_for_minor());
    let surplus_minor = received.amount_minor - amount_minor;
    let (via, at) = (received.via, received.at);
    let reference = received.reference.clone();
    invoice.payments.push(PaymentReceived { amount_minor, ..received });
    settle(&mut change, via, at, moment);
    if via == PaidVia::PaymentLink && change.invoice.status == InvoiceStatus::Paid {
        change.events.extend(paid_by_link(&change.invoice, amount_minor, reference, moment));
    }
    Ok(Some(Paid { change, surplus_minor }))
}

/// Tells that a link was paid, at last by `amount_minor`.
fn paid_by_link(
    invoice: &Invoice,
    amount_minor: i64,
    reference: String,
    moment: Moment,
) -> Option<NewEvent> {
    let mut event = link_event(EventType::PaymentLinkPaid, invoice, moment.wall)?;
    event.payload["amountMinor"] = amount_minor.into();
    event.payload["paymentId"] = reference.into();
    Some(event)
}

/// Matches a bank deposit to an invoice. The same one again, by its reference, is `None`. A paid
/// or voided invoice takes it as surplus, which needs stored credits.
pub fn deposit(
    invoice: &Invoice,
    amount: Money,
    reference: &str,
    credits_on: bool,
    moment: Moment,
) -> Result<Option<Paid>, InvoiceRefusal> {
    if amount.currency != invoice.currency {
        return Err(InvoiceRefusal::DepositCurrency(invoice.currency));
    }
    if let Some(known) = invoice.deposits.iter().find(|known| known.reference == reference) {
        let same = known.amount_minor == amount.minor;
        return if same { Ok(None) } else { Err(InvoiceRefusal::DepositReferenceUsed) };
    }
    if !takes_money(invoice) {
        return Err(InvoiceRefusal::DepositNotTaken);
    }
    if invoice.deposits.len() >= MAX_DEPOSITS {
        return Err(InvoiceRefusal::TooManyDeposits(MAX_DEPOSITS));
    }
    let counted_minor = amount.minor.min(invoice.asks_for_minor());
    let surplus_minor = amount.minor - counted_minor;
    if surplus_minor > 0 && !credits_on {
        return Err(InvoiceRefusal::SurplusWithoutCredits);
    }
    let mut change = Change::of(invoice.clone());
    change.invoice.deposits.push(DepositReceived {
        reference: reference.to_owned(),
        amount_minor: amount.minor,
        counted_minor,
        at: moment.wall,
    });
    if counted_minor > 0 {
        settle(&mut change, PaidVia::BankDeposit, moment.wall, moment);
    }
    Ok(Some(Paid { change, surplus_minor }))
}

/// Takes note that money was counted: what was written off is paid as well when all of it came.
fn settle(change: &mut Change, via: PaidVia, at: Timestamp, moment: Moment) {
    let invoice = &mut change.invoice;
    let left_minor = invoice.receivable_minor();
    if is_open(invoice) {
        invoice.outstanding_minor = left_minor;
    }
    if left_minor > 0 || invoice.status == InvoiceStatus::Voided {
        return;
    }
    invoice.status = InvoiceStatus::Paid;
    invoice.paid_at = Some(at);
    invoice.paid_via = Some(via);
    change.tell(EventType::InvoicePaid, moment);
    let received = change.invoice.received_minor();
    change.enter(TimelineKind::InvoicePaid, received, moment);
}

/// Takes back a payment that had succeeded and failed at settlement (code 4001): what it paid is
/// outstanding again, and a paid invoice is sent or overdue again, by its due date. `None` when
/// it does not count; one that was voided or written off stays so.
pub fn reopen(
    invoice: &Invoice,
    payment: PaymentId,
    at: Timestamp,
    moment: Moment,
) -> Option<Change> {
    let counts = |known: &PaymentReceived| known.payment == payment && known.reversed_at.is_none();
    let index = invoice.payments.iter().position(counts)?;
    let mut change = Change::of(invoice.clone());
    let invoice = &mut change.invoice;
    invoice.payments[index].reversed_at = Some(at);
    if is_open(invoice) {
        invoice.outstanding_minor = invoice.receivable_minor();
    }
    if invoice.status == InvoiceStatus::Paid && invoice.receivable_minor() > 0 {
        let sent = invoice.sent_at.is_some();
        invoice.status = if sent { InvoiceStatus::Sent } else { InvoiceStatus::Issued };
        invoice.outstanding_minor = invoice.receivable_minor();
        invoice.paid_at = None;
        invoice.paid_via = None;
        by_due_date(&mut change, moment);
    } else if invoice.status == InvoiceStatus::Paid && invoice.received_minor() == 0 {
        // What is left to pay it is what credit notes took off it.
        invoice.paid_via = Some(PaidVia::CreditNote);
    }
    Some(change)
}

impl Invoice {
    /// How much money counts towards it: of a voided one none.
    fn asks_for_minor(&self) -> i64 {
        if self.status == InvoiceStatus::Voided { 0 } else { self.receivable_minor().max(0) }
    }
}

fn takes_money(invoice: &Invoice) -> bool {
    invoice.status != InvoiceStatus::Draft && !invoice.is_credit_note()
}

/// Whether an invoice still asks its buyer for money.
pub fn asks_for_money(invoice: &Invoice) -> bool {
    is_open(invoice) && invoice.outstanding_minor > 0
}

pub(super) fn is_open(invoice: &Invoice) -> bool {
    matches!(invoice.status, InvoiceStatus::Issued | InvoiceStatus::Sent | InvoiceStatus::Overdue)
}
