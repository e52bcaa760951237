//! The words of a mail, made of the document as it was issued, or of the content of a mail about a
//! payment link, a subscription or an invitation: seller, number or title, amount and due date.

use actors::domain::billing::invoice::{Invoice, SellerParty};
use actors::domain::billing::mail::{About, Mail, MailContent, MailKind};
use actors::domain::money::Money;
use askama::Template;

use crate::pages::language::Words;

/// A mail as its reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub subject: String,
    pub text: String,
    pub html: String,
}

#[derive(Clone, Debug)]
struct Facts {
    seller: String,
    /// Where the seller is, line by line.
    address: Vec<String>,
    /// Whom it greets.
    name: Option<String>,
    /// Of a document; of a link what it is for, of an invitation the role.
    number: String,
    /// The number of the document that it corrects.
    corrects: Option<String>,
    amount: String,
    due: Option<String>,
    /// Where the invoice is paid, or the invitation accepted.
    url: Option<String>,
}

/// Declares a kind of mail: the three templates of its folder.
macro_rules! kind {
    ($write:ident: $subject:tt $text:tt $html:tt) => {
        fn $write(facts: &Facts) -> askama::Result<Written> {
            #[derive(Template)]
            #[template(path = $subject, config = "src/mail/askama.toml")]
            struct Subject<'a> {
                facts: &'a Facts,
            }

            #[derive(Template)]
            #[template(path = $text, config = "src/mail/askama.toml")]
            struct Text<'a> {
                facts: &'a Facts,
            }

            #[derive(Template)]
            #[template(path = $html, config = "src/mail/askama.toml")]
            struct Html<'a> {
                facts: &'a Facts,
            }

            Ok(Written {
                subject: Subject { facts }.render()?.trim().to_owned(),
                text: Text { facts }.render()?,
                html: Html { facts }.render()?,
            })
        }
    };
}

kind!(invoice: "invoice/subject.txt" "invoice/body.txt" "invoice/body.html");
kind!(reminder: "reminder/subject.txt" "reminder/body.txt" "reminder/body.html");
kind!(overdue_reminder: "overdue_reminder/subject.txt" "overdue_reminder/body.txt" "overdue_reminder/body.html");
kind!(credit_note: "credit_note/subject.txt" "credit_note/body.txt" "credit_note/body.html");
kind!(paid_invoice: "paid_invoice/subject.txt" "paid_invoice/body.txt" "paid_invoice/body.html");
kind!(invitation: "invitation/subject.txt" "invitation/body.txt" "invitation/body.html");
kind!(payment_link: "payment_link/subject.txt" "payment_link/body.txt" "payment_link/body.html");
kind!(link_subscription: "link_subscription/subject.txt" "link_subscription/body.txt" "link_subscription/body.html");

/// What a mail says. `url` is where it leads.
///
/// # Errors
/// When a template cannot be filled in.
pub fn write(mail: &Mail, about: &About, url: Option<String>) -> askama::Result<Written> {
    let words = Words::english();
    let facts = match about {
        About::Invoice(invoice) => Facts::of(mail, invoice, url),
        About::Link(link, seller) => {
            let content = mail.content_or(MailContent::of_link(link, seller));
            Facts::of_content(&content, |price| words.money(price), url)
        }
        About::Invitation(person, seller) => {
            let content = mail.content_or(MailContent::of_invitation(person, seller));
            Facts::of_content(&content, |price| words.money(price), url)
        }
        About::Subscription(of, seller) => {
            let content = mail.content_or(MailContent::of_subscription(of, seller));
            Facts::of_content(&content, |price| words.money_a_term(price, of.frequency), url)
        }
    };
    match mail.kind {
        MailKind::Invoice => invoice(&facts),
        MailKind::Reminder => reminder(&facts),
        MailKind::OverdueReminder => overdue_reminder(&facts),
        MailKind::CreditNote => credit_note(&facts),
        MailKind::PaidInvoice => paid_invoice(&facts),
        MailKind::PaymentLink => payment_link(&facts),
        MailKind::Invitation => invitation(&facts),
        MailKind::LinkSubscription => link_subscription(&facts),
    }
}

impl Facts {
    fn of(mail: &Mail, invoice: &Invoice, url: Option<String>) -> Self {
        let (seller, words) = (&invoice.seller, Words::english());
        Self {
            seller: seller.name.clone(),
            address: lines_of(seller),
            name: invoice.bill_to.name.clone().or_else(|| invoice.bill_to.company_name.clone()),
            number: invoice.number.map(|number| number.to_string()).unwrap_or_default(),
            corrects: invoice.corrects.map(|number| number.to_string()),
            amount: words.money(Money { minor: mail.amount_minor, currency: invoice.currency }),
            due: invoice
                .due_date
                .filter(|_| mail.kind != MailKind::PaidInvoice)
                .map(|day| words.date(day)),
            url,
        }
    }

    fn of_content(
        content: &MailContent,
        price: impl FnOnce(Money) -> String,
        url: Option<String>,
    ) -> Self {
        Self {
            seller: content.seller.name.clone(),
            address: lines_of(&content.seller),
            name: None,
            number: content.title.clone(),
            corrects: None,
            amount: content.amount.map(price).unwrap_or_default(),
            due: content.until.map(|at| Words::english().moment(at)),
            url,
        }
    }
}

/// Where a seller is, line by line.
fn lines_of(seller: &SellerParty) -> Vec<String> {
    let address = &seller.address;
    let place = [address.postal_code.as_deref(), address.city.as_deref()];
    let place: Vec<_> = place.into_iter().flatten().collect();
    let lines = [address.line1.clone(), address.line2.clone(), Some(place.join(" "))];
    lines.into_iter().flatten().filter(|line| !line.is_empty()).collect()
}
