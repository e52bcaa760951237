//! What is kept where no mail server is set.

use hyper::Method;

use crate::support::make::line;
use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

pub(super) async fn mails(server: &Server, seller: &Seller) -> Vec<Value> {
    let list = server.operator.get(&format!("/mails?sellerAccountId={}", seller.id)).await.is(200);
    list["mails"].as_array().expect("mails").clone()
}

#[tokio::test]
async fn a_sent_invoice_is_a_mail_that_says_what_is_to_be_paid() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let profile = json!({"name": "Byron & Söhne", "city": "Berlin", "addressLine1": "Hof 1"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &profile).await.is(200);
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 123_450).await;
    let [mail] = &mails(&server, &seller).await[..] else { panic!("one mail") };
    assert_eq!((&mail["status"], &mail["attempts"]), (&json!("not_sent"), &json!(0)));
    assert_eq!((&mail["to"], &mail["kind"]), (&invoice["billTo"]["email"], &json!("invoice")));
    assert_eq!((&mail["invoiceId"], &mail["createdAt"]), (&invoice["id"], &invoice["sentAt"]));
    let number = invoice["invoiceNumber"].as_str().expect("a number");
    let url = invoice["paymentUrl"].as_str().expect("a page");
    assert_eq!(mail["subject"], format!("Invoice {number} from Byron & Söhne"));
    let readable = |part: &str| mail[part].as_str().expect("words").replace('\u{a0}', " ");
    let text = readable("text");
    for part in [number, "Byron & Söhne", "€1,234.50", "29 January 2027", url, "Hof 1\nBerlin"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let html = readable("html");
    for part in [number, "Byron &#38; Söhne", "€1,234.50", "29 January 2027", url] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    assert!(!html.contains("Byron & "), "{html}");
    // Sending it again mails the same link again.
    let path = format!("/invoices/{}/send", id(&invoice));
    seller.billing.post(&path, &json!({})).await.is(200);
    let all = mails(&server, &seller).await;
    assert_eq!(all.len(), 2);
    assert_eq!(all[0]["text"], all[1]["text"]);
    // One that nobody is to pay by a link, and one that is not sent, are none.
    let by_bank = json!({
        "contractId": contract, "origin": "one_time", "collectionMethod": "bank_transfer",
        "lines": [{"description": "Work", "quantity": "1", "unitPriceMinor": 100}],
    });
    seller.billing.create("/invoices", "by-bank", &by_bank).await.is(201);
    assert_eq!(mails(&server, &seller).await.len(), 2);
    let stranger = server.seller().await;
    assert_eq!(mails(&server, &stranger).await.len(), 0);
    server.operator.get("/mails").await.refuses(400, "sellerAccountId");
    server.operator.get("/mails?sellerAccountId=99999").await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_payment_link_goes_to_its_recipient_and_to_each_new_one() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let to = |to: &str| json!({"recipientEmail": to, "title": "A <b> poster"});
    let link = browser.payment_link(to("ada@example.com")).await;
    browser.payment_link(json!({})).await;
    let [mail] = &mails(&server, &seller).await[..] else { panic!("one mail") };
    assert_eq!((&mail["kind"], &mail["to"]), (&json!("payment_link"), &json!("ada@example.com")));
    assert_eq!((&mail["status"], mail.get("invoiceId")), (&json!("not_sent"), None));
    assert_eq!(mail["paymentLinkId"].to_string(), link["id"].as_str().expect("an id"));
    assert_eq!(mail["attachments"], json!([]));
    let url = link["url"].as_str().expect("a page");
    for (part, title) in [("text", "A <b> poster"), ("html", "A &#60;b&#62; poster")] {
        let words = mail[part].as_str().expect("words");
        for said in [title, "€25.00", url] {
            assert!(words.contains(said), "{said} is not in {words}");
        }
    }
    let update = |more: &str| {
        format!(
            "mutation {{ updatePaymentLink(input: {{paymentLinkId: {}, {more}}}) {{ id }} }}",
            link["id"]
        )
    };
    browser.query(&update("title: \"A print\"")).await;
    assert_eq!(mails(&server, &seller).await.len(), 1, "the same recipient has it");
    browser.query(&update("recipientEmail: \"bob@example.com\"")).await;
    let all = mails(&server, &seller).await;
    assert_eq!((all.len(), &all[0]["to"]), (2, &json!("bob@example.com")));
    server.close().await;
}

#[tokio::test]
async fn whoever_is_invited_has_a_mail_with_the_link_to_join_by() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let profile = json!({"name": "Byron & Söhne"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &profile).await.is(200);
    let browser = server.owner_of(&seller).await;
    let invite = "mutation { invitePerson(input: {email: \"bea@example.com\", role: \"finance\"}) {
        id inviteUrl mailed } }";
    let person = browser.query(invite).await["invitePerson"].clone();
    assert_eq!(person["mailed"], false, "no mail server is set");
    let [mail] = &mails(&server, &seller).await[..] else { panic!("one mail") };
    assert_eq!((&mail["kind"], &mail["to"]), (&json!("invitation"), &json!("bea@example.com")));
    assert_eq!(mail["status"], "not_sent");
    assert_eq!(mail["personId"].to_string(), person["id"].as_str().expect("an id"));
    assert_eq!(mail["attachments"], json!([]));
    assert_eq!(mail["subject"], "Byron & Söhne invites you to its dashboard");
    let url = person["inviteUrl"].as_str().expect("a page");
    for (part, name) in [("text", "Byron & Söhne"), ("html", "Byron &#38; Söhne")] {
        let words = mail[part].as_str().expect("words").replace('\u{a0}', " ");
        for said in [name, "as finance", url, "22 January 2027"] {
            assert!(words.contains(said), "{said} is not in {words}");
        }
        assert!(!words.contains("Amount"), "{words}");
    }
    // Once it is accepted, the link is shown no more.
    let form = [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];
    let path = &url[url.find("/dashboard/").expect("a path")..];
    let joined = server.anonymous.send(Method::POST, path, &form, "name=Bea&password=long+enough");
    joined.await.has_status(303);
    let [mail] = &mails(&server, &seller).await[..] else { panic!("one mail") };
    assert!(!mail["text"].as_str().expect("words").contains(url));
    server.close().await;
}

#[tokio::test]
async fn a_mail_that_was_written_says_the_same_whatever_is_changed_later() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let account = format!("/sellers/{}", seller.id);
    server.operator.patch(&account, &json!({"name": "Byron Ltd"})).await.is(200);
    let browser = server.owner_of(&seller).await;
    let recipient = json!({"recipientEmail": "ada@example.com", "title": "Deposit"});
    let link = browser.payment_link(recipient).await;
    let invite = "mutation { invitePerson(input: {email: \"bea@example.com\", role: \"viewer\"}) {
        id inviteUrl } }";
    let person = browser.query(invite).await["invitePerson"].clone();
    let before = mails(&server, &seller).await;
    let subject = before[1]["subject"].as_str().expect("a subject").replace('\u{a0}', " ");
    assert_eq!(subject, "Deposit: €25.00 to Byron Ltd");

    let update = format!(
        "mutation {{ updatePaymentLink(input: {{paymentLinkId: {}, title: \"Final bill\", \
         amountMinor: 99900, currency: \"SEK\", expiresAt: \"2027-03-01T00:00:00Z\"}}) {{ id }} }}",
        link["id"]
    );
    browser.query(&update).await;
    server.operator.patch(&account, &json!({"name": "Renamed Ltd"})).await.is(200);
    let role = format!(
        "mutation {{ changeRole(input: {{personId: {}, role: \"owner\"}}) {{ id }} }}",
        person["id"]
    );
    browser.query(&role).await;
    assert_eq!(mails(&server, &seller).await, before);
    // Invited anew, another mail has the other link.
    server.pass_seconds(60);
    let anew = browser.query(invite).await["invitePerson"].clone();
    let [last, first, of_link] = &mails(&server, &seller).await[..] else { panic!("three mails") };
    let url = anew["inviteUrl"].as_str().expect("a page");
    let says = |mail: &Value, part: &str| mail["text"].as_str().expect("words").contains(part);
    assert!(says(last, url) && !says(first, url) && says(first, "as viewer"), "{first}");
    assert_eq!(of_link, &before[1]);
    server.close().await;
}

async fn printed(seller: &Seller, document: &Value) -> usize {
    let file = seller.billing.get(&format!("/invoices/{}/pdf", id(document))).await;
    file.has_status(200).bytes.len()
}

#[tokio::test]
async fn a_mail_has_the_document_beside_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 123_450).await;
    let lines: Vec<_> = (0..101).map(|n| line(&format!("Work {n}"), 100)).collect();
    let body = json!({"contractId": contract, "origin": "one_time", "lines": lines});
    let long = seller.invoice(body).await;
    let [of_long, mail] = &mails(&server, &seller).await[..] else { panic!("two mails") };
    let name = |of: &Value| format!("{}.pdf", of["invoiceNumber"].as_str().expect("a number"));
    let size = printed(&seller, &invoice).await;
    let kind = "application/pdf";
    let file = json!([{"name": name(&invoice), "contentType": kind, "size": size}]);
    assert_eq!(mail["attachments"], file);
    // A long one is not made only to be measured.
    assert_eq!(of_long["attachments"], json!([{"name": name(&long), "contentType": kind}]));
    server.close().await;
}

#[tokio::test]
async fn a_credit_note_is_a_mail_with_words_of_its_own() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 123_450).await;
    let number = invoice["invoiceNumber"].as_str().expect("a number");
    let lines = json!([line("Too much", 1_050)]);
    let body = json!({"invoiceType": "credit_note", "corrects": number, "lines": lines});
    let note = seller.billing.create("/invoices", "note", &body).await.is(201);
    let of_note = note["invoiceNumber"].as_str().expect("a number");
    let [mail, _] = &mails(&server, &seller).await[..] else { panic!("two mails") };
    assert_eq!((&mail["kind"], &mail["invoiceId"]), (&json!("credit_note"), &note["id"]));
    let subject = mail["subject"].as_str().expect("a subject");
    assert!(subject.starts_with(&format!("Credit note {of_note} from ")), "{subject}");
    assert_eq!(mail["attachments"][0]["name"], format!("{of_note}.pdf"));
    assert_eq!(mail["attachments"][0]["size"], printed(&seller, &note).await);
    for part in ["text", "html"] {
        let words = mail[part].as_str().expect("words").replace('\u{a0}', " ");
        for told in [of_note, number, "€10.50", "Amount credited", "There is nothing to pay"] {
            assert!(words.contains(told), "{told} is not in {words}");
        }
        assert!(!words.contains("/pay/") && !words.contains("Due"), "{words}");
    }
    // It is sent again as itself.
    seller.billing.post(&format!("/invoices/{}/send", id(&note)), &json!({})).await.is(200);
    let all = mails(&server, &seller).await;
    assert_eq!((all.len(), &all[0]["text"]), (3, &mail["text"]));
    server.close().await;
}

#[tokio::test]
async fn settings_of_a_mail_server_are_checked() {
    use accrue::config::Settings;
    let load = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::load(None, std::iter::empty(), pairs.collect()).map_err(|error| error.to_string())
    };
    let (url, from) = (("smtp.url", "smtps://a:hunter2@h"), ("smtp.from", "billing@example.com"));
    let set = load(&[url, from, ("smtp.retry_seconds", "1,2,3")]).expect("settings");
    assert_eq!(set.mail_retries, [1, 2, 3]);
    assert!(!format!("{set:?}").contains("hunter2"), "{set:?}");
    for (pairs, name) in [
        (&[url][..], "smtp.url"),
        (&[from][..], "smtp.from"),
        (&[("smtp.ca", "/ca.pem")][..], "smtp.ca"),
        (&[("smtp.url", "http://a:hunter2@h"), from][..], "smtp.url"),
        (&[("smtp.url", "smtp://"), from][..], "smtp.url"),
        (&[url, ("smtp.from", "Billing <b@example.com>")][..], "smtp.from"),
        (&[("smtp.retry_seconds", "1,2")][..], "smtp.retry_seconds"),
    ] {
        let refusal = load(pairs).expect_err("a refusal");
        assert!(refusal.contains(name) && !refusal.contains("hunter2"), "{refusal}");
    }
}
