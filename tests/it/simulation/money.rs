//! Random sellers and buyers against an independent referee of money: payments of all methods,
//! split among payees, captured in parts, given back, replayed and forced to fail while time goes
//! by. The referee adds up what was captured and refunded by the responses; at the end the payments
//! show the same, and the wallets hold exactly that.

use std::collections::BTreeMap;

use super::{Random, with_seeds};
use crate::support::orders::{local_order, order};
use crate::support::response::Response;
use crate::support::{Seller, Server, Value, fresh_uuid, json, until};

/// A payment as the referee sees it, in minor units.
#[derive(Clone, Debug, Default)]
struct Account {
    captured: i64,
    refunded: i64,
}

/// The referee's books, by reference, and every request with its key, to be sent again.
#[derive(Default)]
struct Books {
    accounts: BTreeMap<String, Account>,
    sent: Vec<(String, String, Value)>,
}

#[tokio::test]
async fn the_wallets_hold_what_was_captured_and_not_given_back() {
    with_seeds(story).await;
}

async fn story(random: &mut Random) {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut books = Books::default();
    for _ in 0..12 {
        begin(&seller, &mut books, random).await;
    }
    for _ in 0..60 {
        let names: Vec<&String> = books.accounts.keys().collect();
        let name = random.one_of(&names).clone();
        match random.below(10) {
            0..4 => capture(&seller, &mut books, &name, random).await,
            4..8 => refund(&seller, &mut books, &name, random).await,
            8 => replay(&seller, &books, random).await,
            _ => pass(&server, &seller, 1 + random.below(4)).await,
        }
    }
    pass(&server, &seller, 3).await;
    pass(&server, &seller, 8).await;
    compare(&seller, &books).await;
    server.close().await;
}

/// Lets time go by until no refund that is due by then is under way.
async fn pass(server: &Server, seller: &Seller, seconds: u64) {
    server.pass_seconds(i64::try_from(seconds).expect("few"));
    if seconds < 3 {
        return;
    }
    until("every refund to arrive", async || {
        let open = seller.payments.all("/payments?status=refund_pending", "payments").await;
        open.is_empty().then_some(())
    })
    .await;
}

async fn begin(seller: &Seller, books: &mut Books, random: &mut Random) {
    let minor = i64::try_from(300 + random.below(5_000)).expect("an amount");
    let mut shares = Vec::new();
    let mut left = minor;
    for which in 0..random.below(3) {
        let share =
            i64::try_from(random.below(u64::try_from(left / 2).expect("above 0"))).expect("small");
        if share > 0 {
            let payee = seller.payee(usize::try_from(which).expect("0 or 1"));
            shares.push(json!({"payeeId": payee, "amount": major(share)}));
            left -= share;
        }
    }
    let mut more = json!({"amount": major(minor)});
    if !shares.is_empty() {
        more["orderData"] = json!({"totalAmount": major(minor), "payeeDistribution": shares});
    }
    let manual = random.below(2) == 0;
    let body = match random.below(6) {
        0 => local_order("bancontact", "EUR", "BE", more),
        1 => local_order("multibanco", "EUR", "PT", more),
        _ => {
            if manual {
                more["captureMode"] = json!("manual");
                more["autoSettlement"] = json!(false);
            }
            order(more)
        }
    };
    let response = send(seller, books, "/initialize-payment", &body).await;
    let payment = response.is(202);
    let name = payment["paymentId"].as_str().expect("a reference").to_owned();
    let taken = if payment["status"] == "provider_completed" { minor } else { 0 };
    books.accounts.insert(name, Account { captured: taken, refunded: 0 });
}

async fn send(seller: &Seller, books: &mut Books, path: &str, body: &Value) -> Response {
    let key = fresh_uuid();
    let response = seller.payments.create(path, &key, body).await;
    if [200, 202].contains(&response.status) {
        books.sent.push((path.to_owned(), key, body.clone()));
    }
    response
}

async fn capture(seller: &Seller, books: &mut Books, name: &str, random: &mut Random) {
    let minor = i64::try_from(1 + random.below(2_000)).expect("an amount");
    let body = json!({"amount": major(minor), "final": random.below(8) == 0});
    let response = send(seller, books, &format!("/payments/{name}/capture"), &body).await;
    assert!([200, 409].contains(&response.status), "{}: {}", response.request, response.text);
    if response.status == 200 {
        books.accounts.get_mut(name).expect("known").captured += minor;
    }
}

async fn refund(seller: &Seller, books: &mut Books, name: &str, random: &mut Random) {
    let minor = i64::try_from(1 + random.below(900)).expect("an amount");
    let (path, body) = (format!("/payments/{name}/refund"), json!({"amount": major(minor)}));
    if random.below(4) == 0 {
        let instruction = random.one_of(&["force_failure=2004", "force_refund=cancelled"]);
        let response = seller.simulate(&path, instruction, &fresh_uuid(), &body).await;
        assert!([202, 409].contains(&response.status), "{}: {}", response.request, response.text);
        return;
    }
    let response = send(seller, books, &path, &body).await;
    assert!([202, 409].contains(&response.status), "{}: {}", response.request, response.text);
    if response.status == 202 {
        books.accounts.get_mut(name).expect("known").refunded += minor;
    }
}

/// Sends a request again that was carried out: nothing happens.
async fn replay(seller: &Seller, books: &Books, random: &mut Random) {
    let (path, key, body) = {
        let index = random.below(u64::try_from(books.sent.len()).expect("few"));
        &books.sent[usize::try_from(index).expect("an index")]
    };
    let response = seller.payments.create(path, key, body).await;
    assert!(
        response.status == 200 && response.is_replay(),
        "{}: {}",
        response.request,
        response.text
    );
}

/// Compares payments and wallets with the referee's books.
async fn compare(seller: &Seller, books: &Books) {
    let mut kept = 0;
    for (name, account) in &books.accounts {
        let payment = seller.payment(name).await;
        let stored = (minor(&payment["capturedAmount"]), minor(&payment["refundedAmount"]));
        assert_eq!(stored, (account.captured, account.refunded), "{payment}");
        assert!(account.refunded <= account.captured, "{payment}");
        kept += account.captured - account.refunded;
    }
    until("the wallets to hold what was kept", async || {
        let wallets = seller.payments.all("/wallets", "wallets").await;
        let held: i64 = wallets
            .iter()
            .flat_map(|wallet| ["availableBalanceMinor", "pendingBalanceMinor"].map(|n| &wallet[n]))
            .map(|balance| balance.as_i64().expect("an integer"))
            .sum();
        (held == kept).then_some(())
    })
    .await;
}

/// Minor units in major ones.
fn major(minor: i64) -> Value {
    let text = format!("{}.{:02}", minor / 100, minor % 100);
    serde_json::from_str(&text).expect("a number")
}

/// Major units in minor ones.
fn minor(amount: &Value) -> i64 {
    let text = amount.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<2}").parse().expect("a number")
}
