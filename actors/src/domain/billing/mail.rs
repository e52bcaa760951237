//! Mails to buyers, and to those who are invited: what is kept of each, and what an attempt makes
//! of it. The words are made when they are needed: of the document that it is about, or of the
//! content that is kept of a mail about a payment link, a subscription or an invitation.

mod content;

use storage::CborRecord;

use crate::domain::billing::invoice::{
    Invoice, InvoiceStatus, PaidVia, SellerParty, asks_for_money, invoice_event,
};
use crate::domain::email::Email;
use crate::domain::ids::{
    ContractId, InvoiceId, LinkSubscriptionId, MailId, PaymentLinkId, PersonId, SellerId,
};
use crate::domain::names::names;
use crate::domain::payments::link_subscription::{LinkSubscription, LinkSubscriptionStatus};
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::person::Person;
use crate::domain::time::Timestamp;

pub use content::MailContent;

/// The longest reason that is kept of a failure, in characters.
const LONGEST_ERROR: usize = 500;

names! {
    MailKind;
    /// An invoice with the link to pay it by.
    0 Invoice = "invoice",
    /// That an invoice is to be paid soon.
    1 Reminder = "reminder",
    /// That an invoice was to be paid.
    2 OverdueReminder = "overdue_reminder",
    /// A credit note, which asks for nothing.
    15 CreditNote = "credit_note",
    /// An invoice that a saved card had paid before it went, and that asks for nothing.
    32 PaidInvoice = "paid_invoice",
    /// The address of a payment link that the seller made.
    30 PaymentLink = "payment_link",
    /// The address by which somebody joins the account of the seller.
    31 Invitation = "invitation",
    /// The address of the page at which a subscription is signed.
    33 LinkSubscription = "link_subscription",
}

names! {
    MailStatus;
    /// Waits for its first or its next attempt.
    0 Queued = "queued",
    /// A mail server has taken it.
    1 Sent = "sent",
    /// It is not to be sent: no mail server is set, or there is nothing left to pay.
    2 NotSent = "not_sent",
    /// Given up.
    3 Failed = "failed",
}

/// The pauses before the second, third and fourth attempt, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailRetries(pub [u32; 3]);

impl Default for MailRetries {
    fn default() -> Self {
        Self([60, 600, 3_600])
    }
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Mail {
    #[n(0)]
    pub id: MailId,
    #[n(1)]
    pub seller: SellerId,
    /// With the invoice, of one that is about an invoice.
    #[n(2)]
    pub contract: Option<ContractId>,
    #[n(3)]
    pub invoice: Option<InvoiceId>,
    #[n(4)]
    pub kind: MailKind,
    #[n(5)]
    pub to: Email,
    /// What was to be paid when it was written or last went out, in minor units of the currency of
    /// what it is about; of a credit note what it credits, of an invoice that is paid what was paid.
    #[n(6)]
    pub amount_minor: i64,
    #[n(7)]
    pub status: MailStatus,
    /// How often it was tried.
    #[n(8)]
    pub attempts: u32,
    /// While it is queued.
    #[n(9)]
    pub next_attempt_at: Option<Timestamp>,
    #[n(10)]
    pub last_error: Option<String>,
    #[n(11)]
    pub created_at: Timestamp,
    #[n(12)]
    pub sent_at: Option<Timestamp>,
    /// How large the document was that went with it, in bytes.
    #[n(25)]
    pub attached_bytes: Option<u64>,
    #[n(30)]
    pub link: Option<PaymentLinkId>,
    /// Who is invited by it.
    #[n(31)]
    pub person: Option<PersonId>,
    #[n(32)]
    pub subscription: Option<LinkSubscriptionId>,
    /// What it said when it was written or last went out, of one that is about no document.
    #[n(33)]
    pub content: Option<MailContent>,
}

/// What a mail is about.
#[derive(Clone, Debug)]
pub enum About {
    Invoice(Box<Invoice>),
    /// A payment link, and who asks to be paid.
    Link(Box<PaymentLink>, Box<SellerParty>),
    /// Somebody who is invited, and by whom.
    Invitation(Box<Person>, Box<SellerParty>),
    /// A subscription by payment link, and who offers it.
    Subscription(Box<LinkSubscription>, Box<SellerParty>),
}

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// With a document of so many bytes.
    Taken { attached_bytes: Option<u64> },
    /// The invoice asks for nothing any more.
    Pointless,
    /// `for_good` where no other attempt would do better.
    Refused { reason: String, for_good: bool },
}

impl Mail {
    /// A mail about a document that is being sent or that waits; `posts`: a mail server is set.
    pub fn new(
        id: MailId,
        seller: SellerId,
        kind: MailKind,
        about: &Invoice,
        posts: bool,
        now: Timestamp,
    ) -> Self {
        let to = about.bill_to.email.clone();
        let amount_minor = match kind {
            MailKind::CreditNote => -about.totals.grand_total_minor,
            MailKind::PaidInvoice => about.totals.grand_total_minor,
            _ => about.outstanding_minor,
        };
        let mail = Self::to((id, seller), kind, to, amount_minor, posts, now);
        Self { contract: Some(about.contract), invoice: Some(about.id), ..mail }
    }

    /// A mail with the address of a link to its recipient, if it has one.
    pub fn of_link(
        id: MailId,
        (about, seller): (&PaymentLink, &SellerParty),
        posts: bool,
        now: Timestamp,
    ) -> Option<Self> {
        let (of, kind) = ((id, about.seller), MailKind::PaymentLink);
        let mail = Self::to(of, kind, about.recipient.clone()?, about.amount.minor, posts, now);
        let content = Some(MailContent::of_link(about, seller));
        Some(Self { link: Some(about.id), content, ..mail })
    }

    /// A mail to somebody who is invited.
    pub fn of_invitation(
        id: MailId,
        (invited, seller): (&Person, &SellerParty),
        posts: bool,
        now: Timestamp,
    ) -> Self {
        let (of, kind) = ((id, invited.seller), MailKind::Invitation);
        let mail = Self::to(of, kind, invited.email.clone(), 0, posts, now);
        let content = Some(MailContent::of_invitation(invited, seller));
        Self { person: Some(invited.id), content, ..mail }
    }

    /// A mail with the address of a subscription's page to its recipient, if it has one.
    pub fn of_subscription(
        (about, seller): (&LinkSubscription, &SellerParty),
        posts: bool,
        now: Timestamp,
    ) -> Option<Self> {
        let (of, kind) = ((about.mail?, about.seller), MailKind::LinkSubscription);
        let mail = Self::to(of, kind, about.recipient.clone()?, about.amount.minor, posts, now);
        let content = Some(MailContent::of_subscription(about, seller));
        Some(Self { subscription: Some(about.id), content, ..mail })
    }

    /// A mail about nothing so far.
    fn to(
        (id, seller): (MailId, SellerId),
        kind: MailKind,
        to: Email,
        amount_minor: i64,
        posts: bool,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            seller,
            contract: None,
            invoice: None,
            kind,
            to,
            amount_minor,
            status: if posts { MailStatus::Queued } else { MailStatus::NotSent },
            attempts: 0,
            next_attempt_at: posts.then_some(now),
            last_error: None,
            created_at: now,
            sent_at: None,
            attached_bytes: None,
            link: None,
            person: None,
            subscription: None,
            content: None,
        }
    }

    /// The mail as it goes out now: over what is open by now, which is what the document beside it
    /// says. An invoice that a saved card has paid before its turn came goes as one that is paid.
    #[must_use]
    pub fn as_due(self, about: &Invoice) -> Self {
        let charged =
            about.status == InvoiceStatus::Paid && about.paid_via == Some(PaidVia::SavedCard);
        match self.kind {
            MailKind::Invoice if charged => {
                let amount_minor = about.received_minor();
                Self { kind: MailKind::PaidInvoice, amount_minor, ..self }
            }
            MailKind::Invoice | MailKind::Reminder | MailKind::OverdueReminder
                if asks_for_money(about) =>
            {
                Self { amount_minor: about.outstanding_minor, ..self }
            }
            _ => self,
        }
    }

    /// Whether an attempt at it would still be of use.
    pub fn has_a_point(&self, about: &About, now: Timestamp) -> bool {
        match about {
            About::Invoice(invoice) => match self.kind {
                MailKind::CreditNote => true,
                MailKind::PaidInvoice => invoice.status == InvoiceStatus::Paid,
                _ => asks_for_money(invoice),
            },
            About::Link(link, _) => {
                link.is_payable(now) && link.recipient.as_ref() == Some(&self.to)
            }
            About::Invitation(person, _) => {
                person.invitation.as_ref().is_some_and(|invitation| invitation.is_open(now))
            }
            About::Subscription(of, _) => of.status == LinkSubscriptionStatus::Pending,
        }
    }

    /// What an attempt makes of it.
    #[must_use]
    pub fn tried(&self, tried: Tried, retries: MailRetries, now: Timestamp) -> Self {
        let mut mail = Self { next_attempt_at: None, ..self.clone() };
        match tried {
            Tried::Taken { attached_bytes } => {
                mail.attached_bytes = attached_bytes;
                mail.attempts += 1;
                mail.status = MailStatus::Sent;
                mail.sent_at = Some(now);
                mail.last_error = None;
            }
            Tried::Pointless => mail.status = MailStatus::NotSent,
            Tried::Refused { reason, for_good } => {
                let pause = retries.0.get(mail.attempts as usize).filter(|_| !for_good);
                mail.attempts += 1;
                mail.last_error = Some(reason.chars().take(LONGEST_ERROR).collect());
                mail.next_attempt_at = pause.map(|pause| now.plus_seconds(i64::from(*pause)));
                mail.status = match pause {
                    Some(_) => MailStatus::Queued,
                    None => MailStatus::Failed,
                };
            }
        }
        mail
    }

    /// What webhooks are told of a mail that was given up.
    pub fn failure(&self, about: &Invoice, now: Timestamp) -> NewEvent {
        let mut event = invoice_event(EventType::PaymentLinkEmailFailed, about, now);
        event.payload["mailId"] = self.id.0.into();
        if let Some(link) = &about.link {
            event.payload["paymentLinkId"] = link.id.into();
        }
        event
    }
}

impl CborRecord for Mail {}

#[cfg(test)]
mod tests;
