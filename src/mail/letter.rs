//! The words of a mail, made of the document as it was issued: seller, number, amount and due date.

use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::mail::{Mail, MailKind};
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
    number: String,
    /// The number of the document that it corrects.
    corrects: Option<String>,
    amount: String,
    due: Option<String>,
    /// Where the invoice is paid.
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

/// What a mail says. `url` is where its invoice is paid.
///
/// # Errors
/// When a template cannot be filled in.
pub fn write(mail: &Mail, invoice: &Invoice, url: Option<String>) -> askama::Result<Written> {
    let facts = Facts::of(mail, invoice, url);
    match mail.kind {
        MailKind::Invoice => self::invoice(&facts),
        MailKind::Reminder => reminder(&facts),
        MailKind::OverdueReminder => overdue_reminder(&facts),
        MailKind::CreditNote => credit_note(&facts),
    }
}

impl Facts {
    fn of(mail: &Mail, invoice: &Invoice, url: Option<String>) -> Self {
        let (seller, address) = (&invoice.seller, &invoice.seller.address);
        let words = Words::english();
        let place = [address.postal_code.as_deref(), address.city.as_deref()];
        let place: Vec<_> = place.into_iter().flatten().collect();
        let lines = [address.line1.clone(), address.line2.clone(), Some(place.join(" "))];
        Self {
            seller: seller.name.clone(),
            address: lines.into_iter().flatten().filter(|line| !line.is_empty()).collect(),
            name: invoice.bill_to.name.clone().or_else(|| invoice.bill_to.company_name.clone()),
            number: invoice.number.map(|number| number.to_string()).unwrap_or_default(),
            corrects: invoice.corrects.map(|number| number.to_string()),
            amount: words.money(Money { minor: mail.amount_minor, currency: invoice.currency }),
            due: invoice.due_date.map(|day| words.date(day)),
            url,
        }
    }
}
