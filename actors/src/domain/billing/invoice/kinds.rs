//! The closed lists of an invoice with their names on the wire (billing 2.12, decisions 5).

use crate::domain::names::names;

names! {
    /// What an invoice bills. `subscription` is read as `recurring` (billing 9).
    Origin,
    "expected recurring, usage, milestone, project, one_time, adhoc or marketplace",
    alias "subscription" => Recurring;
    /// Due subscription terms.
    0 Recurring = "recurring",
    /// Closed usage periods.
    1 Usage = "usage",
    /// A milestone reached.
    2 Milestone = "milestone",
    /// Project work.
    3 Project = "project",
    /// One-time lines.
    4 OneTime = "one_time",
    /// Lines for a recipient named on the spot.
    5 Adhoc = "adhoc",
    /// Sales on a marketplace.
    6 Marketplace = "marketplace",
}

names! {
    /// What sort of document it is.
    InvoiceType, "expected standard, credit_note, simplified or modified";
    /// A full invoice.
    0 Standard = "standard",
    /// A document that takes back from another.
    1 CreditNote = "credit_note",
    /// An invoice with fewer particulars, for small amounts.
    2 Simplified = "simplified",
    /// A full document that stands in for another.
    3 Modified = "modified",
}

names! {
    /// Where an invoice stands (billing 3.2, decisions 5).
    InvoiceStatus, "expected draft, issued, sent, paid, overdue, voided or written_off";
    /// Composed, without a number.
    0 Draft = "draft",
    /// Numbered, not yet with the customer.
    1 Issued = "issued",
    /// With the customer, who can pay it.
    2 Sent = "sent",
    /// Nothing is outstanding.
    3 Paid = "paid",
    /// The due date passed with something outstanding.
    4 Overdue = "overdue",
    /// Taken back.
    5 Voided = "voided",
    /// Given up.
    6 WrittenOff = "written_off",
}

names! {
    /// How the money is to come.
    CollectionMethod, "expected payment_link or bank_transfer";
    /// Through a hosted page.
    0 PaymentLink = "payment_link",
    /// By a transfer that is matched by hand.
    1 BankTransfer = "bank_transfer",
}

names! {
    /// How the money came (decisions 5, 11).
    PaidVia, "expected payment_link, saved_card, bank_deposit, stored_credit or credit_note";
    /// The customer paid on the hosted page.
    0 PaymentLink = "payment_link",
    /// A saved card was charged.
    1 SavedCard = "saved_card",
    /// A transfer was matched.
    2 BankDeposit = "bank_deposit",
    /// Stored credit covered all of it.
    3 StoredCredit = "stored_credit",
    /// Credit notes took all of it back.
    4 CreditNote = "credit_note",
}

names! {
    /// What a line comes from.
    LineSource,
    "expected subscription, proration, usage, seat, one_time, project, milestone, marketplace, adhoc or adjustment";
    /// A term of a subscription.
    0 Subscription = "subscription",
    /// A plan changed within a term.
    1 Proration = "proration",
    /// A metric's closed period.
    2 Usage = "usage",
    /// Seats over a closed period.
    3 Seat = "seat",
    /// A one-time line.
    4 OneTime = "one_time",
    /// Project work.
    5 Project = "project",
    /// A milestone.
    6 Milestone = "milestone",
    /// A sale on a marketplace.
    7 Marketplace = "marketplace",
    /// A line of an ad-hoc invoice.
    8 Adhoc = "adhoc",
    /// A correction of usage billed earlier.
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
