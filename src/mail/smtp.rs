//! The way to a mail server. Its password and the links in mails are written to no log.

use std::time::Duration;

use actors::domain::billing::invoice::Invoice;
use actors::domain::billing::mail::About;
use actors::mail::{Bounce, Carrier, Letter, Taken};
use futures::FutureExt;
use hyper::Uri;
use lettre::message::header::ContentType;
use lettre::message::{self as parts, Mailbox, MultiPart};
use lettre::transport::smtp::Error as SmtpFailure;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use secrecy::ExposeSecret;

use super::{Attachment, Written, write};
use crate::config::SmtpSettings;
use crate::documents::{Document, in_turn};

/// How long a mail server may take for each step.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The answers of 5xx that are about the server alone, until somebody sets that right: it wants
/// another login (530, 534, 535, 538) or takes no mail at all (521). All others are about the mail.
const OF_THE_SERVER: [u16; 5] = [521, 530, 534, 535, 538];

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Why mails cannot be sent as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum SmtpError {
    #[error("smtp.ca cannot be read: {0}")]
    Ca(std::io::Error),
    #[error("smtp.ca is no PEM file with a certificate")]
    NoCertificate,
    #[error("smtp.url does not lead to a mail server")]
    Url,
    #[error("TLS to the mail server cannot be set up: {0}")]
    Tls(SmtpFailure),
}

/// What brings mails to the server of the settings.
///
/// # Errors
/// When these name a file that cannot be read, or no server.
pub fn carrier(settings: &SmtpSettings) -> Result<Carrier, SmtpError> {
    let transport = transport(settings)?;
    let from = settings.from.clone();
    Ok(Carrier::new(move |letter| {
        let (transport, from) = (transport.clone(), from.clone());
        async move {
            let (letter, attachment) = with_document(letter).await;
            let attached_bytes = attachment.as_ref().map(|of| of.file.len() as u64);
            let message = message(&letter, attachment, &from)
                .map_err(|reason| Bounce { reason, for_good: true })?;
            match transport.send(message).await {
                Ok(_) => Ok(Taken { attached_bytes }),
                Err(error) => Err(bounce(&error)),
            }
        }
        .boxed()
    }))
}

/// A letter and the document that it is about. A fault in making the document does not hold its
/// mail up.
async fn with_document(mut letter: Letter) -> (Letter, Option<Attachment>) {
    let About::Invoice(invoice) = &letter.about else { return (letter, None) };
    let document = Document {
        invoice: Invoice::clone(invoice),
        lines: std::mem::take(&mut letter.lines),
        payment_url: letter.url.clone(),
    };
    let made = in_turn(move || Attachment::of(&document).map_err(|error| error.to_string())).await;
    let made = made.map_err(|error| error.to_string()).flatten();
    let attachment = made.inspect_err(|error| {
        let (seller, mail) = (letter.mail.seller.0, letter.mail.id.0);
        tracing::error!(seller, mail, error, "a mail goes without its document");
    });
    (letter, attachment.ok())
}

fn transport(settings: &SmtpSettings) -> Result<Transport, SmtpError> {
    let url: Uri = settings.url.expose_secret().parse().map_err(|_| SmtpError::Url)?;
    let authority = url.authority().ok_or(SmtpError::Url)?;
    let (host, wrapped) = (authority.host(), url.scheme_str() == Some("smtps"));
    let mut tls = TlsParameters::builder(host.trim_matches(['[', ']']).to_owned());
    if let Some(path) = &settings.ca {
        let pem = std::fs::read(path).map_err(SmtpError::Ca)?;
        tls = tls.add_root_certificate(
            Certificate::from_pem(&pem).map_err(|_| SmtpError::NoCertificate)?,
        );
    }
    let tls = tls.build().map_err(SmtpError::Tls)?;
    let mut to = Transport::builder_dangerous(host)
        .port(authority.port_u16().unwrap_or(if wrapped { 465 } else { 587 }))
        .tls(if wrapped { Tls::Wrapper(tls) } else { Tls::Opportunistic(tls) })
        .timeout(Some(TIMEOUT));
    if let Some((user, password)) = credentials(authority.as_str()) {
        to = to.credentials(Credentials::new(user, password));
    }
    Ok(to.build())
}

/// `user:password` before the host, each with its `%` signs decoded.
fn credentials(authority: &str) -> Option<(String, String)> {
    let (user, _) = authority.rsplit_once('@')?;
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    Some((decoded(user), decoded(password)))
}

fn decoded(part: &str) -> String {
    // The only difference to a form: a plus sign stays one.
    let text = part.replace('+', "%2B");
    form_urlencoded::parse(format!("v={text}").as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn message(
    letter: &Letter,
    attachment: Option<Attachment>,
    from: &Address,
) -> Result<Message, String> {
    let Letter { mail, about, url, .. } = letter;
    let Written { subject, text, html } =
        write(mail, about, url.clone()).map_err(|error| error.to_string())?;
    let to: Address = mail.to.as_str().parse().map_err(|error| format!("the address: {error}"))?;
    let seller = match about {
        About::Invoice(invoice) => &invoice.seller,
        About::Link(_, seller) | About::Subscription(_, seller) | About::Invitation(_, seller) => {
            seller
        }
    };
    let mut message = Message::builder()
        .from(Mailbox::new(Some(seller.name.clone()), from.clone()))
        .to(Mailbox::new(None, to))
        .subject(subject)
        .message_id(Some(message_id(letter, from)));
    if let Ok(reply) = seller.email.as_str().parse() {
        message = message.reply_to(Mailbox::new(Some(seller.name.clone()), reply));
    }
    let words = MultiPart::alternative_plain_html(text, html);
    let body = match attachment {
        None => words,
        Some(Attachment { name, file }) => {
            let kind = ContentType::parse(Attachment::TYPE).map_err(|error| error.to_string())?;
            let file = parts::Attachment::new(name).body(file, kind);
            MultiPart::mixed().multipart(words).singlepart(file)
        }
    };
    message.multipart(body).map_err(|error| error.to_string())
}

/// The same for every attempt of a mail, so that whoever gets it twice can tell.
fn message_id(Letter { mail, .. }: &Letter, from: &Address) -> String {
    let (seller, id, at) = (mail.seller, mail.id, mail.created_at.micros());
    format!("<{at}.{id}.{seller}@{}>", from.domain())
}

fn bounce(error: &SmtpFailure) -> Bounce {
    let of_server = error.status().is_some_and(|code| OF_THE_SERVER.contains(&u16::from(code)));
    Bounce { reason: error.to_string(), for_good: error.is_permanent() && !of_server }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// How a mail fares at a server that says this, one answer after each line of the client.
    async fn bounced(answers: &[&str]) -> Bounce {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let serve = async {
            let (stream, _) = listener.accept().await.expect("a client");
            let mut stream = BufReader::new(stream);
            for answer in answers {
                stream.write_all(format!("{answer}\r\n").as_bytes()).await.expect("written");
                let mut line = String::new();
                stream.read_line(&mut line).await.expect("read");
            }
        };
        let from: Address = "billing@example.com".parse().expect("an address");
        let url = format!("smtp://accrue:old@127.0.0.1:{port}").into();
        let settings = SmtpSettings { url, from: from.clone(), ca: None };
        let transport = transport(&settings).expect("a server");
        let message = Message::builder()
            .from(Mailbox::new(None, from.clone()))
            .to(Mailbox::new(None, from))
            .body(String::from("Hello"))
            .expect("a message");
        let (sent, ()) = tokio::join!(transport.send(message), serve);
        bounce(&sent.expect_err("a refusal"))
    }

    #[tokio::test]
    async fn a_server_that_lets_nobody_in_gives_no_mail_up_and_one_that_refuses_it_does() {
        const HELLO: &str = "250-localhost\r\n250 AUTH PLAIN";
        const IN: &str = "235 come in";
        for (answers, for_good) in [
            (&["521 no service here"][..], false),
            (&["220 hello", HELLO, "535 5.7.8 wrong password"][..], false),
            (&["220 hello", HELLO, IN, "530 5.7.0 log in first"][..], false),
            (&["220 hello", HELLO, IN, "250 ok", "451 4.3.0 come back later"][..], false),
            (&["220 hello", HELLO, IN, "250 ok", "550 5.1.1 nobody of this name"][..], true),
            (&["220 hello", HELLO, IN, "250 ok", "554 5.7.1 not wanted"][..], true),
        ] {
            let Bounce { reason, for_good: found } = bounced(answers).await;
            assert_eq!(found, for_good, "{reason}");
        }
    }
}
