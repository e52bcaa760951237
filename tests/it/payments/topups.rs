//! `/topup-invoices`, and the operator's part in them.

use std::collections::BTreeSet;

use futures::future::join_all;

use crate::support::make::{line, with};
use crate::support::response::{id, ids};
use crate::support::{Response, Seller, Server, Value, fresh_uuid, json, until};

fn euros(minor: i64) -> Value {
    json!({"currency": "EUR", "amountMinor": minor})
}

async fn ask(seller: &Seller, body: &Value) -> Response {
    seller.payments.create("/topup-invoices", &fresh_uuid(), body).await
}

async fn now(seller: &Seller, topup: &Value) -> Value {
    seller.payments.get(&format!("/topup-invoices/{}", id(topup))).await.is(200)
}

/// The operator's body for 1.00 that came for a top-up.
fn deposit(seller: &Seller, topup: &Value, more: Value) -> Value {
    let body = json!({
        "invoiceNumber": topup["invoiceNumber"], "sellerAccountId": seller.id, "amountMinor": 100,
        "currency": "EUR", "reference": "T-1",
    });
    with(&body, more)
}

async fn main_wallet(seller: &Seller) -> Value {
    let list = seller.payments.get("/wallets").await.is(200);
    let wallets = list["wallets"].as_array().expect("wallets");
    wallets.iter().find(|wallet| wallet["type"] == "main").expect("a main wallet").clone()
}

/// Waits until the main wallet has this much to pay out.
async fn holds(seller: &Seller, minor: i64) {
    until(&format!("{minor} in the main wallet"), async || {
        let wallet = main_wallet(seller).await;
        (wallet["availableBalanceMinor"] == minor).then_some(())
    })
    .await;
}

async fn live(server: &Server) -> Seller {
    server.live_seller(json!({"country": "DE"})).await
}

/// Which place in its month a number has, counted from 1.
fn place(number: &Value) -> u64 {
    let letters = number.as_str().expect("a number").rsplit(|c: char| c.is_ascii_digit()).next();
    let letters = letters.expect("letters").bytes();
    letters.fold(0, |place, letter| place * 26 + u64::from(letter - b'A')) + 1
}

#[tokio::test]
async fn a_top_up_is_asked_for_paid_in_and_read() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = ask(&seller, &euros(25_000)).await.is(201);
    let expected = json!({
        "id": made["id"], "invoiceNumber": made["invoiceNumber"], "status": "issued",
        "currency": "EUR", "amountMinor": 25_000, "receivedMinor": 0,
        "issuedAt": "2027-01-15T09:00:00Z", "dueAt": "2027-01-15T09:00:00Z",
        "expiresAt": "2027-02-14T09:00:00Z", "paymentReference": made["paymentReference"],
        "bankAccount": made["bankAccount"], "mode": "demo",
    });
    assert_eq!(made, expected);
    assert_eq!(place(&made["invoiceNumber"]), 1);
    let reference = made["paymentReference"].as_str().expect("a reference");
    assert!(reference.starts_with("RF") && reference.ends_with("2701AAA"), "{reference}");
    assert!(made["bankAccount"]["iban"].is_string());

    let second = ask(&seller, &euros(100)).await.is(201);
    assert_eq!(place(&second["invoiceNumber"]), 2);
    let list = seller.payments.get("/topup-invoices").await.is(200);
    assert_eq!(ids(&list, "topupInvoices"), [id(&second), id(&made)]);
    let page = seller.payments.get("/topup-invoices?limit=1").await.is(200);
    let next = format!("/topup-invoices?limit=1&cursor={}", page["nextCursor"]);
    let rest = seller.payments.get(&next).await.is(200);
    assert_eq!((ids(&rest, "topupInvoices"), &rest["hasMore"]), (vec![id(&made)], &json!(false)));

    let body = deposit(&seller, &made, json!({"amountMinor": 10_000}));
    let matched = server.operator.post("/bank-deposits", &body).await.is(200);
    let expected = json!({
        "invoiceNumber": made["invoiceNumber"], "sellerAccountId": seller.id,
        "invoiceKind": "topup_invoice", "reference": "T-1", "amountMinor": 10_000,
        "currency": "EUR", "invoiceStatus": "partially_paid", "receivedMinor": 10_000,
        "outstandingMinor": 15_000,
    });
    assert_eq!(matched, expected);
    holds(&seller, 10_000).await;
    assert_eq!(now(&seller, &made).await["status"], "partially_paid");
    // The same transfer again is the same deposit; another one pays more than was asked for.
    assert_eq!(server.operator.post("/bank-deposits", &body).await.is(200), matched);
    let other = with(&body, json!({"amountMinor": 9}));
    let other = server.operator.post("/bank-deposits", &other).await;
    other.refuses_saying(409, "reference is already used for another amount");
    let more = with(&body, json!({"amountMinor": 16_000, "reference": "T-2"}));
    let matched = server.operator.post("/bank-deposits", &more).await.is(200);
    assert_eq!(
        (&matched["invoiceStatus"], &matched["outstandingMinor"]),
        (&json!("paid"), &json!(0))
    );
    holds(&seller, 26_000).await;
    let paid = now(&seller, &made).await;
    assert_eq!((&paid["status"], &paid["receivedMinor"]), (&json!("paid"), &json!(26_000)));
    server.close().await;
}

#[tokio::test]
async fn a_top_up_gets_overdue_and_ends_and_is_credited_even_then() {
    let day = 24 * 3_600;
    let server = Server::start().await;
    // A minted account would end before its invoice does.
    let seller = live(&server).await;
    let path = format!("/sellers/{}/safeguarding/EUR", seller.id);
    let account = json!({"accountName": "Live Ltd", "iban": "DE89370400440532013000"});
    server.operator.put(&path, &account).await.is(200);
    let body = with(&euros(100), json!({"dueAt": "2027-01-17T09:00:00Z"}));
    let topup = ask(&seller, &body).await.is(201);
    assert_eq!(topup["dueAt"], "2027-01-17T09:00:00Z");
    for (days, status) in [(8, "issued"), (1, "overdue"), (20, "overdue"), (1, "expired")] {
        server.pass_seconds(days * day);
        assert_eq!(now(&seller, &topup).await["status"], status, "{days} days on");
    }
    let body = deposit(&seller, &topup, json!({}));
    let matched = server.operator.post("/bank-deposits", &body).await.is(200);
    assert_eq!(matched["invoiceStatus"], "paid");
    holds(&seller, 100).await;
    server.close().await;
}

#[tokio::test]
async fn wrong_top_ups_are_refused_by_their_field() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let range = "dueAt must be between the issue date and 23 days after it";
    for (more, text) in [
        (json!({"currency": null}), "currency is required"),
        (json!({"currency": "euro"}), "currency must be an ISO 4217 code"),
        (json!({"currency": "GBP"}), "currency GBP has no main wallet"),
        (json!({"amountMinor": null}), "amountMinor is required"),
        (json!({"amountMinor": 0}), "amountMinor must be greater than 0"),
        (json!({"amountMinor": -5}), "amountMinor must be greater than 0"),
        (json!({"dueAt": "soon"}), "dueAt must be an RFC 3339 timestamp"),
        (json!({"dueAt": "2027-01-14T23:59:59Z"}), range),
        (json!({"dueAt": "2027-02-07T09:00:01Z"}), range),
    ] {
        ask(&seller, &with(&euros(100), more)).await.refuses_saying(400, text);
    }
    for malformed in [json!({"amountMinor": "5"}), json!({"amountMinor": 1.5})] {
        let body = with(&euros(100), malformed);
        ask(&seller, &body).await.refuses_saying(400, "invalid request body");
    }
    ask(&seller, &with(&euros(100), json!({"dueAt": "2027-02-07T09:00:00Z"}))).await.is(201);
    let without = seller.payments.post("/topup-invoices", &euros(5)).await;
    without.refuses_saying(400, "Idempotency-Key header is required");
    server.close().await;
}

#[tokio::test]
async fn a_key_asks_for_one_top_up() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let made = seller.payments.create("/topup-invoices", &key, &euros(100)).await.is(201);
    let again = seller.payments.create("/topup-invoices", &key, &euros(100)).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = seller.payments.create("/topup-invoices", &key, &euros(101)).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different amountMinor");
    let key = &fresh_uuid();
    let body = &euros(7);
    let all = join_all((0..20).map(|_| seller.payments.create("/topup-invoices", key, body))).await;
    let made: BTreeSet<u64> = all.iter().map(|response| id(&response.body)).collect();
    assert_eq!(made.len(), 1);
    assert_eq!(all.iter().filter(|response| response.status == 201).count(), 1);
    server.close().await;
}

#[tokio::test]
async fn top_ups_and_invoices_of_contracts_share_one_series_without_a_gap() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut contracts = Vec::new();
    for _ in 0..4 {
        contracts.push(seller.contract("2027-01-15").await);
    }
    let body = &euros(100);
    let topups = join_all((0..40).map(|_| ask(&seller, body)));
    let invoices = join_all((0..40).map(|nth| seller.one_time(contracts[nth % 4], 100)));
    // Some of the calls fail, and must take no number.
    let crowns = &with(body, json!({"currency": "SEK"}));
    let refused = join_all((0..10).map(|_| ask(&seller, crowns)));
    let (topups, invoices, refused) = futures::join!(topups, invoices, refused);
    assert!(refused.iter().all(|response| response.status == 400));
    let topups: Vec<Value> = topups.into_iter().map(|response| response.is(201)).collect();
    let all = topups.iter().chain(&invoices);
    let mut places: Vec<u64> = all.map(|made| place(&made["invoiceNumber"])).collect();
    places.sort_unstable();
    assert_eq!(places, (1..=80).collect::<Vec<u64>>());
    server.close().await;
}

#[tokio::test]
async fn fifty_deposits_at_once_are_all_credited() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let topup = ask(&seller, &euros(5_000)).await.is(201);
    let bodies: Vec<Value> = (0..50)
        .map(|nth| deposit(&seller, &topup, json!({"reference": format!("T-{}", nth / 2)})))
        .collect();
    let all =
        join_all(bodies.iter().map(|body| server.operator.post("/bank-deposits", body))).await;
    assert!(all.iter().all(|response| response.status == 200));
    holds(&seller, 2_500).await;
    server.restart().await;
    let seller = server.again(&seller);
    assert_eq!(now(&seller, &topup).await["receivedMinor"], 2_500);
    assert_eq!(main_wallet(&seller).await["availableBalanceMinor"], 2_500);
    server.close().await;
}

#[tokio::test]
async fn wrong_deposits_are_refused_by_their_field() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let other = server.seller().await;
    let topup = ask(&seller, &euros(100)).await.is(201);
    let unknown = "invoiceNumber is not of an invoice of the seller";
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let note = json!({
        "invoiceType": "credit_note", "corrects": invoice["invoiceNumber"], "lines": [line("x", 1)],
    });
    let note = seller.invoice(note).await;
    for (more, text) in [
        (json!({"invoiceNumber": null}), "invoiceNumber is required"),
        (json!({"invoiceNumber": "X-1"}), unknown),
        (json!({"sellerAccountId": other.id}), unknown),
        (
            json!({"invoiceNumber": note["invoiceNumber"]}),
            "invoiceNumber is of an invoice that takes no deposits",
        ),
        (json!({"sellerAccountId": null}), "sellerAccountId is required"),
        (json!({"sellerAccountId": 999_999}), "sellerAccountId is not a seller account"),
        (json!({"amountMinor": 0}), "amountMinor must be greater than 0"),
        (json!({"currency": "GBP"}), "currency must be EUR, the currency of the invoice"),
        (json!({"reference": null}), "reference is required"),
        (json!({"reference": ""}), "reference must have 1 to 140 plain characters"),
    ] {
        let body = deposit(&seller, &topup, more);
        server.operator.post("/bank-deposits", &body).await.refuses_saying(400, text);
    }
    assert_eq!(now(&seller, &topup).await["receivedMinor"], 0);
    server.close().await;
}

#[tokio::test]
async fn a_live_seller_tops_up_where_the_operator_has_opened_an_account() {
    let server = Server::start().await;
    let seller = live(&server).await;
    let pounds = json!({"currency": "GBP", "amountMinor": 500});
    ask(&seller, &pounds).await.refuses_saying(400, "currency GBP has no main wallet");
    let path = format!("/sellers/{}/safeguarding/GBP", seller.id);
    let account = json!({"accountName": "Live Ltd", "iban": "GB82WEST12345698765432"});
    let opened = server.operator.put(&path, &account).await.is(200);
    assert_eq!((&opened["status"], &opened["mode"]), (&json!("active"), &json!("live")));
    assert_eq!(opened["bankAccount"], account);
    let topup = ask(&seller, &pounds).await.is(201);
    assert_eq!((&topup["mode"], &topup["bankAccount"]), (&json!("live"), &account));
    let body = deposit(&seller, &topup, json!({"currency": "GBP", "amountMinor": 500}));
    server.operator.post("/bank-deposits", &body).await.is(200);
    holds(&seller, 500).await;
    assert_eq!(main_wallet(&seller).await["mode"], "live");

    let closed = with(&account, json!({"status": "closed"}));
    server.operator.put(&path, &closed).await.is(200);
    let text = "currency GBP has no active safeguarding account";
    ask(&seller, &pounds).await.refuses_saying(400, text);
    for (path, body, text) in [
        (path.clone(), with(&account, json!({"iban": "GB00"})), "iban must be a valid IBAN"),
        (path.clone(), with(&account, json!({"accountName": null})), "accountName is required"),
        (
            path.clone(),
            with(&account, json!({"status": "open"})),
            "status must be active or closed",
        ),
        (
            format!("/sellers/{}/safeguarding/SEK", seller.id),
            account.clone(),
            "currency must be EUR, GBP or USD",
        ),
    ] {
        server.operator.put(&path, &body).await.refuses_saying(400, text);
    }
    server.operator.put("/sellers/999999/safeguarding/EUR", &account).await.has_status(404);
    server.close().await;
}
