//! What is kept where no mail server is set.

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
