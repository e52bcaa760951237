//! The closed lists of an invoice with their names on the wire.

use crate::domain::names::names;

names! {
    /// What an invoice bills. `subscription` is read as `recurring`.
    Origin,
    "expected recurring, usage, milestone, project, one_time, adhoc or marketplace",
    alias "subscription" => Recurring;
    0 Recurring = "recurring",
    1 Usage = "usage",
    2 Milestone = "milestone",
    3 Project = "project",
    4 OneTime = "one_time",
    5 Adhoc = "adhoc",
    6 Marketplace = "marketplace",
}

names! {
    InvoiceType, "expected standard, credit_note, simplified or modified";
    0 Standard = "standard",
    1 CreditNote = "credit_note",
    2 Simplified = "simplified",
    /// A full document that stands in for another.
    3 Modified = "modified",
}

names! {
    InvoiceStatus, "expected draft, issued, sent, paid, overdue, voided or written_off";
    0 Draft = "draft",
    /// Numbered, not yet with the customer.
    1 Issued = "issued",
    2 Sent = "sent",
    3 Paid = "paid",
    4 Overdue = "overdue",
    5 Voided = "voided",
    6 WrittenOff = "written_off",
}

names! {
    CollectionMethod, "expected payment_link or bank_transfer";
    0 PaymentLink = "payment_link",
    1 BankTransfer = "bank_transfer",
}

names! {
    PaidVia, "expected payment_link, saved_card, bank_deposit, stored_credit or credit_note";
    0 PaymentLink = "payment_link",
    1 SavedCard = "saved_card",
    2 BankDeposit = "bank_deposit",
    3 StoredCredit = "stored_credit",
    4 CreditNote = "credit_note",
}

names! {
    LineSource,
    "expected subscription, proration, usage, seat, one_time, project, milestone, marketplace, adhoc or adjustment";
    0 Subscription = "subscription",
    1 Proration = "proration",
    2 Usage = "usage",
    3 Seat = "seat",
    4 OneTime = "one_time",
    5 Project = "project",
    6 Milestone = "milestone",
    7 Marketplace = "marketplace",
    8 Adhoc = "adhoc",
    9 Adjustment = "adjustment",
}

impl Origin {
    /// The source of the caller's lines; `None` where the engine makes the lines itself.
    pub fn source_of_given_lines(self) -> Option<LineSource> {
        match self {
            Self::Recurring | Self::Usage => None,
            Self::Milestone => Some(LineSource::Milestone),
            Self::Project => Some(LineSource::Project),
            Self::OneTime => Some(LineSource::OneTime),
            Self::Adhoc => Some(LineSource::Adhoc),
            Self::Marketplace => Some(LineSource::Marketplace),
        }
    }
}
