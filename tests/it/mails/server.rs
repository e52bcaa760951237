//! The same with a mail server that others wrote. The test command starts it (`tests/mail/run`)
//! and says in `MAIL_SERVER` where it is; without that these tests have nobody to write to.

use std::path::PathBuf;

use data_encoding::BASE64;

use super::kept::mails;
use crate::support::{Seller, Server, Value, fresh, json, until};

const PASSWORD: &str = "p%40ss%20word";

struct MailServer {
    starttls: u64,
    smtps: u64,
    ca: String,
    folder: PathBuf,
}

impl MailServer {
    fn there() -> Option<Self> {
        let said = std::env::var("MAIL_SERVER").ok()?;
        let said: Value = serde_json::from_str(&said).expect("JSON");
        let text = |name: &str| said[name].as_str().expect("a text").to_owned();
        Some(Self {
            starttls: said["starttls"].as_u64().expect("a port"),
            smtps: said["smtps"].as_u64().expect("a port"),
            ca: text("ca"),
            folder: text("folder").into(),
        })
    }

    fn url(&self, scheme: &str, password: &str) -> String {
        let port = if scheme == "smtps" { self.smtps } else { self.starttls };
        format!("{scheme}://accrue:{password}@localhost:{port}")
    }

    async fn accrue(&self, url: &str) -> Server {
        let settings = [
            ("smtp.url", url),
            ("smtp.from", "billing@accrue.example.com"),
            ("smtp.ca", &self.ca),
            ("smtp.retry_seconds", "60,600,3600"),
        ];
        Server::with(&settings).await
    }

    /// The mails to an address that were taken.
    fn taken(&self, to: &str) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).expect("a folder");
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|kind| kind == "eml") {
                let text =
                    String::from_utf8_lossy(&std::fs::read(path).expect("a mail")).into_owned();
                found.extend(text.starts_with(&format!("To: {to}\n")).then_some(text));
            }
        }
        found
    }
}

/// The one file of a mail that was taken: its name and what is in it.
fn attachment_of(mail: &str) -> (String, Vec<u8>) {
    let mut parts = mail.split("Content-Disposition: attachment; filename=\"").skip(1);
    let (part, others) = (parts.next().expect("a file"), parts.count());
    assert_eq!(others, 0, "one file");
    let (name, part) = part.split_once('"').expect("a name");
    let (headers, body) = part.split_once("\r\n\r\n").expect("a body");
    assert!(headers.contains("Content-Transfer-Encoding: base64"), "{headers}");
    let body = body.split("\r\n--").next().expect("an end");
    let file = BASE64.decode(body.replace("\r\n", "").as_bytes());
    (name.to_owned(), file.expect("base64"))
}

/// Sends an invoice to somebody whom no other test writes to; the answer and the address.
async fn invoice_to(seller: &Seller, who: &str) -> (Value, String) {
    let to = format!("{}@example.com", fresh(who));
    let body = json!({
        "origin": "adhoc", "currency": "EUR", "billTo": {"email": to, "name": "Ada"},
        "lines": [{"description": "Work", "quantity": "1", "unitPriceMinor": 4_200}],
    });
    (seller.billing.create("/invoices", &fresh("mailed"), &body).await.is(201), to)
}

async fn mail_to(server: &Server, seller: &Seller, to: &str) -> Value {
    let found = mails(server, seller).await.into_iter().find(|mail| mail["to"] == *to);
    found.expect("a mail to this address")
}

async fn until_tried(server: &Server, seller: &Seller, to: &str, attempts: u64) -> Value {
    until("the mail was tried", async || {
        let mail = mail_to(server, seller, to).await;
        (mail["attempts"] == attempts).then_some(mail)
    })
    .await
}

#[tokio::test]
async fn an_invoice_reaches_its_buyer_over_tls() {
    let Some(post) = MailServer::there() else { return };
    for scheme in ["smtp", "smtps"] {
        let server = post.accrue(&post.url(scheme, PASSWORD)).await;
        let seller = server.seller().await;
        let (invoice, to) = invoice_to(&seller, "buyer").await;
        let mail = until_tried(&server, &seller, &to, 1).await;
        assert_eq!((&mail["status"], mail.get("lastError")), (&json!("sent"), None), "{scheme}");
        assert!(mail["sentAt"].is_string());
        let [taken] = &post.taken(&to)[..] else { panic!("one mail by {scheme}") };
        let number = invoice["invoiceNumber"].as_str().expect("a number");
        for part in [
            "By: TLS",
            "<billing@accrue.example.com>",
            "Reply-To: ",
            "Message-ID: <",
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "text/html",
            number,
        ] {
            assert!(taken.contains(part), "{part} is not in {taken}");
        }
        // What the seller reads of it, and whoever else asks how it went.
        let (name, file) = attachment_of(taken);
        assert_eq!(name, format!("{number}.pdf"));
        let path = format!("/invoices/{}/pdf", invoice["id"]);
        assert_eq!(file, seller.billing.get(&path).await.bytes, "{scheme}");
        let told = json!([{"name": name, "contentType": "application/pdf", "size": file.len()}]);
        assert_eq!(mail["attachments"], told);
        let log = server.operator.get("/mails?sellerAccountId=1").await;
        assert!(!log.text.contains("p@ss"), "no password is shown");
        server.close().await;
    }
}

#[tokio::test]
async fn a_credit_note_reaches_its_buyer_also_when_its_invoice_asks_for_nothing_more() {
    let Some(post) = MailServer::there() else { return };
    let server = post.accrue(&post.url("smtps", PASSWORD)).await;
    let seller = server.seller().await;
    let (invoice, to) = invoice_to(&seller, "credited").await;
    until_tried(&server, &seller, &to, 1).await;
    let lines = json!([{"description": "Work", "quantity": "1", "unitPriceMinor": 4_200}]);
    let corrects = &invoice["invoiceNumber"];
    let body = json!({"invoiceType": "credit_note", "corrects": corrects, "lines": lines});
    let note = seller.billing.create("/invoices", &fresh("note"), &body).await.is(201);
    let mail = until_tried(&server, &seller, &to, 1).await;
    assert_eq!((&mail["kind"], &mail["status"]), (&json!("credit_note"), &json!("sent")));
    let taken = post.taken(&to);
    let number = note["invoiceNumber"].as_str().expect("a number");
    let of_note = taken.iter().find(|mail| mail.contains(&format!("Credit note {number}")));
    let (name, file) = attachment_of(of_note.expect("a mail of the note"));
    assert_eq!(name, format!("{number}.pdf"));
    let path = format!("/invoices/{}/pdf", note["id"]);
    assert_eq!(file, seller.billing.get(&path).await.bytes);
    server.close().await;
}

#[tokio::test]
async fn a_refusal_for_now_is_tried_again_and_then_given_up_and_told() {
    let Some(post) = MailServer::there() else { return };
    let server = post.accrue(&post.url("smtps", PASSWORD)).await;
    let seller = server.seller().await;
    let (invoice, to) = invoice_to(&seller, "later").await;
    for (attempt, pause) in [(1, 60), (2, 600), (3, 3_600)] {
        let mail = until_tried(&server, &seller, &to, attempt).await;
        assert_eq!(mail["status"], "queued");
        assert!(mail["lastError"].as_str().is_some_and(|why| why.contains("come back later")));
        let next = server.now().plus_seconds(pause).to_string();
        assert_eq!(mail["nextAttemptAt"], next);
        server.pass_seconds(pause);
    }
    let mail = until_tried(&server, &seller, &to, 4).await;
    assert_eq!((&mail["status"], mail.get("nextAttemptAt")), (&json!("failed"), None));
    let events = seller.billing.get("/events?eventType=PaymentLinkEmailFailed").await.is(200);
    let [event] = &events["events"].as_array().expect("events")[..] else { panic!("one event") };
    assert_eq!(event["payload"]["invoiceId"], invoice["id"]);
    assert_eq!(seller.invoice_now(invoice["id"].as_u64().expect("an id")).await["status"], "sent");
    server.close().await;
}

#[tokio::test]
async fn a_refusal_for_good_is_given_up_at_once() {
    let Some(post) = MailServer::there() else { return };
    let server = post.accrue(&post.url("smtp", PASSWORD)).await;
    let seller = server.seller().await;
    let (_, to) = invoice_to(&seller, "refused").await;
    let mail = until_tried(&server, &seller, &to, 1).await;
    assert_eq!(mail["status"], "failed");
    assert!(mail["lastError"].as_str().is_some_and(|why| why.contains("nobody of this name")));
    assert!(post.taken(&to).is_empty());
    server.close().await;
}

#[tokio::test]
async fn mails_that_wait_outlive_a_restart_and_a_lost_mail_server_is_tried_again() {
    let Some(post) = MailServer::there() else { return };
    // Nobody listens there.
    let mut server = post.accrue("smtp://accrue:x@localhost:1").await;
    let seller = server.seller().await;
    let (_, to) = invoice_to(&seller, "patient").await;
    let mail = until_tried(&server, &seller, &to, 1).await;
    assert_eq!(mail["status"], "queued");
    server.restart().await;
    let again = server.again(&seller);
    assert_eq!(mail_to(&server, &again, &to).await["nextAttemptAt"], mail["nextAttemptAt"]);
    server.pass_seconds(60);
    until_tried(&server, &again, &to, 2).await;
    server.close().await;
}

#[tokio::test]
async fn an_invoice_that_was_paid_meanwhile_is_not_mailed() {
    let Some(post) = MailServer::there() else { return };
    let server = post.accrue("smtp://accrue:x@localhost:1").await;
    let seller = server.seller().await;
    let (invoice, to) = invoice_to(&seller, "prompt").await;
    until_tried(&server, &seller, &to, 1).await;
    let page = crate::support::buyer::page_of(&invoice);
    seller.payments.pay(&page, crate::support::buyer::GOOD).await.is(200);
    let id = invoice["id"].as_u64().expect("an id");
    until("it is paid", async || (seller.invoice_now(id).await["status"] == "paid").then_some(()))
        .await;
    server.pass_seconds(60);
    until("it is called off", async || {
        let mail = mail_to(&server, &seller, &to).await;
        (mail["status"] == "not_sent").then_some(())
    })
    .await;
    server.close().await;
}
