//! What one object has in the sums of its account that an overview is made of.

use super::Month;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus};
use crate::domain::billing::subscription::Subscription;
use crate::domain::money::Currency;
use crate::domain::time::Date;

/// What is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SumOf {
    Count(Counted),
    /// What subscriptions bring a month now.
    Recurring(Currency),
    /// Of documents, by the wall clock.
    Month(Currency, Month, Monthly),
    /// What documents wait for, by the day on which it is due, where there is one.
    Outstanding(Currency, Option<Date>),
}

/// The numbers are on disk and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Active ones.
    Contracts = 1,
    /// Those that are charged for.
    Subscriptions = 2,
    Customers = 3,
}

/// What is summed up by month. The numbers are on disk and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Monthly {
    Billed = 1,
    Collected = 2,
    /// How many documents there are.
    Documents = 3,
}

/// How much an object has of a sum, in minor units or in objects.
pub type Contribution = (SumOf, i64);

pub const ACTIVE_CONTRACT: Contribution = (SumOf::Count(Counted::Contracts), 1);
pub const CUSTOMER: Contribution = (SumOf::Count(Counted::Customers), 1);

impl Counted {
    pub const ALL: [Self; 3] = [Self::Contracts, Self::Subscriptions, Self::Customers];
}

impl Monthly {
    pub const ALL: [Self; 3] = [Self::Billed, Self::Collected, Self::Documents];
}

/// Of a document whose status is this one.
pub fn of_invoice(invoice: &Invoice, status: InvoiceStatus) -> Vec<Contribution> {
    if matches!(status, InvoiceStatus::Draft | InvoiceStatus::Voided) {
        return Vec::new();
    }
    let currency = invoice.currency;
    let on = |day: Date, of, minor| (SumOf::Month(currency, Month::of(day), of), minor);
    let total = invoice.totals.grand_total_minor;
    let mut contributions = vec![
        on(invoice.issue_date, Monthly::Documents, 1),
        on(invoice.issue_date, Monthly::Billed, total),
    ];
    for payment in invoice.payments.iter().filter(|payment| payment.reversed_at.is_none()) {
        contributions.push(on(payment.at.date(), Monthly::Collected, payment.amount_minor));
    }
    for deposit in &invoice.deposits {
        contributions.push(on(deposit.at.date(), Monthly::Collected, deposit.counted_minor));
    }
    let waits =
        matches!(status, InvoiceStatus::Issued | InvoiceStatus::Sent | InvoiceStatus::Overdue);
    if waits && invoice.outstanding_minor > 0 {
        let due = SumOf::Outstanding(currency, invoice.due_date);
        contributions.push((due, invoice.outstanding_minor));
    }
    contributions
}

pub fn of_subscription(subscription: &Subscription) -> Vec<Contribution> {
    let mut contributions = Vec::new();
    if subscription.status.is_charged() {
        contributions.push((SumOf::Count(Counted::Subscriptions), 1));
        let brings = subscription.recurring_minor();
        contributions.push((SumOf::Recurring(subscription.currency), brings));
    }
    contributions
}
