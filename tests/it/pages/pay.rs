//! `/pay/{token}`.

use crate::support::buyer::{DECLINED, GOOD, page_of};
use crate::support::make::line;
use crate::support::response::{column, id};
use crate::support::{Seller, Server, Value, json, until};

/// A seller with a sent invoice of 12.34.
async fn invoiced(server: &Server) -> (Seller, Value) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    (seller, invoice)
}

async fn is_paid(seller: &Seller, invoice: &Value) -> Value {
    until("the invoice to be paid", async || {
        let now = seller.invoice_now(id(invoice)).await;
        (now["status"] == "paid").then_some(now)
    })
    .await
}

#[tokio::test]
async fn a_good_card_pays_the_invoice() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let paid = server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    assert!(["provider_completed", "settled"].contains(&paid["status"].as_str().expect("status")));
    assert!(paid["paymentId"].is_string());
    assert!(paid["redirectUrl"].is_string());
    assert_eq!((paid.get("actionUrl"), paid.get("failureCode")), (None, None));
    let now = is_paid(&seller, &invoice).await;
    assert_eq!(
        (&now["outstandingMinor"], &now["paidAt"]),
        (&json!(0), &json!("2027-01-15T09:00:00Z"))
    );
    assert_eq!(now["collectibleMinor"], 1234, "frozen at issue");
    let trail = seller.billing.get(&format!("/invoices/{}/settlement", id(&invoice))).await.is(200);
    assert_eq!((&trail["paidVia"], trail.get("note")), (&json!("payment_link"), None));
    assert!(trail.get("paymentLinkId").is_some());
    let payment = &trail["payments"][0];
    assert_eq!(payment["paymentId"], paid["paymentId"]);
    assert_eq!((&payment["amountMinor"], &payment["currency"]), (&json!(1234), &json!("EUR")));
    assert_eq!(payment["payouts"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn money_that_goes_back_is_no_receipt() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    let paid = server.anonymous.pay(&page, GOOD).await.is(200);
    is_paid(&seller, &invoice).await;
    let reference = paid["paymentId"].as_str().expect("a reference");
    server.settle(&seller, reference).await;
    for (amount, status, title, said) in [
        (json!({"amount": 2.34}), "settled", "Payment received", "<dd>€2.34</dd>"),
        (json!({}), "refunded", "Your payment went back to you", "€12.34"),
    ] {
        seller.act_on(reference, "refund", &amount).await.is(202);
        server.pass_seconds(3);
        seller.wait_for_status(reference, status).await;
        let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
        let title = format!("<h1>{title}</h1>");
        assert!(shown.contains(&title) && shown.contains(said), "{shown}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_declined_card_can_be_followed_by_another() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    for (number, code) in [
        (DECLINED, 2001),
        ("4000000000000259", 2003),
        ("4000000000000119", 2002),
        ("4000000000000036", 2005),
        ("4000000000000101", 1002),
    ] {
        let failed = server.anonymous.pay(&page, number).await.is(200);
        assert_eq!((&failed["status"], &failed["failureCode"]), (&json!("failed"), &json!(code)));
        assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "sent");
    }
    server.anonymous.pay(&page, GOOD).await.is(200);
    is_paid(&seller, &invoice).await;
    let trail = seller.billing.get(&format!("/invoices/{}/settlement", id(&invoice))).await.is(200);
    let statuses = column(&trail, "payments", "status");
    assert_eq!(statuses.len(), 6, "newest first, failed ones too");
    assert!(statuses[1..].iter().all(|status| *status == "failed"), "{statuses:?}");
    server.close().await;
}

#[tokio::test]
async fn an_expired_card_is_refused_before_its_bank_is_asked() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    for (year, month) in [("2020", "12"), ("2026", "12")] {
        let old = json!({"expYear": year, "expMonth": month});
        let failed = server.anonymous.pay_with(&page, old).await.is(200);
        assert_eq!((&failed["status"], &failed["failureCode"]), (&json!("failed"), &json!(1007)));
    }
    // A card is good to the end of its month.
    server.anonymous.pay_with(&page, json!({"expYear": "27", "expMonth": "1"})).await.is(200);
    is_paid(&seller, &invoice).await;
    server.close().await;
}

#[tokio::test]
async fn a_payment_settles_a_few_seconds_later() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    is_paid(&seller, &invoice).await;
    let path = format!("/invoices/{}/settlement", id(&invoice));
    let status = async || {
        let trail = seller.billing.get(&path).await.is(200);
        trail["payments"][0]["status"].clone()
    };
    assert_eq!(status().await, "provider_completed");
    server.pass_seconds(5);
    until("the payment to settle", async || (status().await == "settled").then_some(())).await;
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named_to_programs_and_people() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    for (more, field) in [
        (json!({"cardNumber": ""}), "cardNumber"),
        (json!({"cardNumber": "4242424242424241"}), "cardNumber"),
        (json!({"cardNumber": "42424242424"}), "cardNumber"),
        (json!({"expMonth": "13"}), "expMonth"),
        (json!({"expYear": "x"}), "expYear"),
        (json!({"cvv": "12"}), "cvv"),
        (json!({"holderName": "Jürgen"}), "holderName"),
        (json!({"holderName": "x".repeat(81)}), "holderName"),
    ] {
        server.anonymous.pay_with(&page, more).await.refuses(400, field);
    }
    let form = "cardNumber=4242424242424241&expMonth=13&expYear=30&cvv=987&holderName=Ada+B";
    let response = server.anonymous.submit(&page, form).await;
    assert_eq!((response.status, response.media_type()), (400, "text/html"));
    assert!(response.text.contains("id=\"cardNumber-problem\""), "{}", response.text);
    assert!(response.text.contains("id=\"expiry-problem\""), "{}", response.text);
    assert!(response.text.contains("Ada B"), "what was typed is kept");
    assert!(
        !response.text.contains("4242424242424241") && !response.text.contains("987"),
        "but no card"
    );
    assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "sent");
    server.close().await;
}

#[tokio::test]
async fn the_page_shows_what_is_paid_and_needs_no_script() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    let shown = server.anonymous.open_page(&page).await;
    assert_eq!((shown.status, shown.media_type()), (200, "text/html"));
    let number = invoice["invoiceNumber"].as_str().expect("a number");
    for part in ["12.34", "Set-up", number, "<form method=\"post\"", "for=\"cardNumber\"", "lang="]
    {
        assert!(shown.text.contains(part), "{part} is missing: {}", shown.text);
    }
    let policy = shown.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    assert!(shown.header("referrer-policy").is_some());
    assert!(shown.header("cache-control").is_some_and(|value| value.contains("no-store")));
    let form = "cardNumber=4242+4242+4242+4242&expMonth=12&expYear=30&cvv=123&holderName=";
    let sent = server.anonymous.submit(&page, form).await;
    sent.has_status(303);
    let next = format!("{}{}", server.anonymous.origin, sent.header("location").expect("Location"));
    let shown = server.anonymous.open_page(&next).await;
    shown.has_status(200);
    is_paid(&seller, &invoice).await;
    let shown = server.anonymous.open_page(&page).await;
    assert_eq!(shown.status, 200);
    assert!(!shown.text.contains("<form"), "nothing is left to pay");
    server.close().await;
}

#[tokio::test]
async fn a_decline_is_reported_on_the_page() {
    let server = Server::start().await;
    let (_, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    let form = format!("cardNumber={DECLINED}&expMonth=12&expYear=30&cvv=123");
    let sent = server.anonymous.submit(&page, &form).await;
    sent.has_status(303);
    let next = format!("{}{}", server.anonymous.origin, sent.header("location").expect("Location"));
    let shown = server.anonymous.open_page(&next).await;
    assert_eq!(shown.status, 200);
    assert!(
        shown.text.contains("role=\"alert\"") && shown.text.contains("<form"),
        "{}",
        shown.text
    );
    assert!(!shown.text.contains("2001"), "no codes for people");
    server.close().await;
}

#[tokio::test]
async fn a_paid_link_takes_no_second_payment() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    server.anonymous.pay(&page, GOOD).await.is(200);
    server.anonymous.pay(&page, GOOD).await.has_status(409);
    is_paid(&seller, &invoice).await;
    server.anonymous.pay(&page, GOOD).await.has_status(409);
    let form = format!("cardNumber={GOOD}&expMonth=12&expYear=30&cvv=123");
    let response = server.anonymous.submit(&page, &form).await;
    assert_eq!((response.status, response.media_type()), (409, "text/html"));
    let trail = seller.billing.get(&format!("/invoices/{}/settlement", id(&invoice))).await.is(200);
    assert_eq!(trail["payments"].as_array().map(Vec::len), Some(1));
    server.close().await;
}

#[tokio::test]
async fn what_credit_has_settled_is_no_receipt() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let credit = async |minor: i64| {
        let note = json!({
            "invoiceType": "credit_note", "corrects": invoice["invoiceNumber"],
            "lines": [line("Set-up", minor)],
        });
        seller.invoice(note).await;
        server.anonymous.open_page(&page_of(&invoice)).await.has_status(200).text.clone()
    };
    let shown = credit(1_000).await;
    assert!(shown.contains("€2.34") && shown.contains("<form"), "{shown}");
    let shown = credit(234).await;
    assert!(shown.contains("Nothing is left to pay"), "{shown}");
    assert!(!shown.contains("received") && !shown.contains("€"), "{shown}");
    server.close().await;
}

#[tokio::test]
async fn an_overdue_invoice_is_paid_like_any_other() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("x", 100)],
        "dueDate": "2027-01-16",
    });
    let invoice = seller.invoice(body).await;
    server.pass_seconds(3 * 86_400);
    server.operator.post("/passes/invoice.overdue/run", &json!({})).await.is(200);
    assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "overdue");
    server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    is_paid(&seller, &invoice).await;
    server.close().await;
}

#[tokio::test]
async fn unknown_tokens_are_missing_alike() {
    let server = Server::start().await;
    for path in ["/pay/nothing", "/scheme/nothing", "/return/nothing"] {
        server.anonymous.get(path).await.refuses_saying(404, "not found");
        let shown = server.anonymous.open_page(&format!("{}{path}", server.anonymous.origin)).await;
        assert_eq!((shown.status, shown.media_type()), (404, "text/html"));
    }
    server
        .anonymous
        .pay(&format!("{}/pay/nothing", server.anonymous.origin), GOOD)
        .await
        .has_status(404);
    server.close().await;
}

#[tokio::test]
async fn an_address_opens_so_many_pages_a_minute() {
    let server = Server::with(&[("limits.pages_per_minute", "2")]).await;
    let (_, invoice) = invoiced(&server).await;
    let page = page_of(&invoice);
    for _ in 0..2 {
        server.anonymous.open_page(&page).await.has_status(200);
    }
    let refused = server.anonymous.open_page(&page).await;
    refused.has_status(429);
    assert!(refused.header("retry-after").is_some());
    server.pass_seconds(60);
    server.anonymous.open_page(&page).await.has_status(200);
    server.close().await;
}

#[tokio::test]
async fn no_secret_reaches_the_disk() {
    let server = Server::start().await;
    let (seller, invoice) = invoiced(&server).await;
    let body = json!({"webhookUrl": "http://127.0.0.1:9/"});
    let key = crate::support::fresh_uuid();
    let webhook = seller.payments.create("/webhooks", &key, &body).await.is(201);
    let password = &seller.minted["dashboard"]["password"];
    let secrets = [
        "5555555555554444",
        &seller.key,
        webhook["secretKey"].as_str().expect("a secret"),
        password.as_str().expect("a password"),
    ];
    let other = json!({"cardNumber": "5555555555554444"});
    server.anonymous.pay_with(&page_of(&invoice), other).await.is(200);
    is_paid(&seller, &invoice).await;
    let data = server.data();
    let mut folders = vec![data];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            read += bytes.len();
            for secret in secrets.map(str::as_bytes) {
                let found = bytes.windows(secret.len()).any(|part| part == secret);
                assert!(!found, "{} holds {:?}", path.display(), String::from_utf8_lossy(secret));
            }
        }
    }
    assert!(read > 0);
    server.close().await;
}
