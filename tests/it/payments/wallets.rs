//! `/wallets`.

use actors::domain::payments::share::ShareMove;

use crate::support::make::with;
use crate::support::response::{column, id, ids};
use crate::support::{Server, Value, fresh_uuid, json};

#[tokio::test]
async fn a_payee_has_one_wallet_for_each_currency() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = seller.payee(0);
    let provide = async |currency: &str| {
        let body = json!({"payeeId": payee, "currency": currency});
        seller.payments.create("/wallets", &fresh_uuid(), &body).await
    };
    let known = provide("EUR").await.is(200);
    assert_eq!(ids(&known, "wallets"), [seller.wallet(0)]);
    let made = provide("GBP").await.is(201);
    let expected = json!({"wallets": [{
        "id": made["wallets"][0]["id"], "payeeId": payee, "type": "cashout_balance",
        "currency": "GBP", "status": "active", "mode": "demo", "availableBalanceMinor": 0,
        "withdrawableBalanceMinor": 0, "pendingBalanceMinor": 0, "reservedBalanceMinor": 0,
        "createdAt": "2027-01-15T09:00:00Z",
    }]});
    assert_eq!(made, expected);
    assert_eq!(provide("GBP").await.is(200), made);
    let list = seller.payments.get("/wallets").await.is(200);
    let mut all: Vec<u64> = ids(&seller.minted, "wallets");
    all.push(id(&made["wallets"][0]));
    all.reverse();
    assert_eq!(ids(&list, "wallets"), all, "the seller's own too, newest first");
    assert_eq!(column(&list, "wallets", "type").last(), Some(&&json!("main")));
    let own = seller.payments.get(&format!("/wallets?payeeId={payee}")).await.is(200);
    assert_eq!(ids(&own, "wallets"), [all[0], seller.wallet(0)]);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({"payeeId": seller.payee(0), "currency": "USD"});
    let post = async |more: Value| {
        seller.payments.create("/wallets", &fresh_uuid(), &with(&body, more)).await
    };
    post(json!({"currency": null})).await.refuses_saying(400, "currency is required");
    let unknown = "currency must be EUR, GBP or USD";
    for currency in ["SEK", "usd", "XXX"] {
        post(json!({"currency": currency})).await.refuses_saying(400, unknown);
    }
    post(json!({"payeeId": null})).await.refuses_saying(400, "payeeId is required");
    for wrong in [json!("7"), json!(-1), json!(1.5)] {
        post(json!({"payeeId": wrong})).await.refuses_saying(400, "invalid request body");
    }
    post(json!({"payeeId": 999_999_999})).await.has_status(404);
    let stranger = server.seller().await;
    post(json!({"payeeId": stranger.payee(0)})).await.has_status(404);
    let key = fresh_uuid();
    seller.payments.create("/wallets", &key, &body).await.is(201);
    let again = seller.payments.create("/wallets", &key, &body).await;
    assert!(again.is_replay());
    let other = with(&body, json!({"currency": "GBP"}));
    let other = seller.payments.create("/wallets", &key, &other).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different currency");
    seller.payments.get("/wallets/999999999").await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn balances_follow_the_payment_and_entries_sum_to_zero() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (payee, wallet) = (seller.payee(0), seller.wallet(0));
    let balances = async || {
        let now = seller.wallet_now(wallet).await;
        ["pending", "available", "withdrawable", "reserved"]
            .map(|name| now[format!("{name}BalanceMinor")].as_i64().expect("an integer"))
    };
    server.share(&seller, payee, ShareMove::Credited, 1, 1_000).await;
    assert_eq!(balances().await, [1_000, 0, 0, 0]);
    server.share(&seller, payee, ShareMove::TakenBack, 1, 100).await;
    server.share(&seller, payee, ShareMove::Settled, 1, 900).await;
    assert_eq!(balances().await, [0, 900, 900, 0]);
    let payout = id(&seller.payout(json!({"amount": "8.00"})).await);
    assert_eq!(balances().await, [0, 100, 100, 800]);
    server.share(&seller, payee, ShareMove::TakenBack, 1, 300).await;
    assert_eq!(balances().await, [0, -200, 0, 800], "below zero, and nothing to be had");
    seller.payments.patch(&format!("/payees/{payee}"), &json!({"taxId": "1"})).await.is(200);
    server.fund(&seller, payee, 2, 500).await;
    assert_eq!(balances().await, [0, 300, 0, 800], "not approved, nothing to be had");
    let path = format!("/wallets/{wallet}/entries");
    let list = seller.payments.get(&path).await.is(200);
    let causes: Vec<&str> = column(&list, "entries", "cause")
        .iter()
        .map(|cause| cause.as_str().expect("a cause"))
        .collect();
    let expected = [
        "share_settled",
        "share_credited",
        "share_taken_back",
        "payout_reserved",
        "share_settled",
        "share_taken_back",
        "share_credited",
    ];
    assert_eq!(causes, expected);
    let mut sums = std::collections::BTreeMap::new();
    for entry in list["entries"].as_array().expect("a list") {
        let postings = entry["postings"].as_array().expect("postings");
        let amount = |posting: &Value| posting["amountMinor"].as_i64().expect("an integer");
        assert_eq!(postings.iter().map(amount).sum::<i64>(), 0, "{entry}");
        for posting in postings {
            *sums.entry(posting["account"].as_str().expect("a name")).or_insert(0) +=
                amount(posting);
        }
    }
    let expected = [("available", 300), ("clearing", -1_100), ("pending", 0), ("reserved", 800)];
    assert_eq!(sums.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(list["entries"][0]["paymentId"], "order-2");
    assert_eq!(list["entries"][3]["payoutId"], payout);
    let page = seller.payments.get(&format!("{path}?limit=3")).await.is(200);
    assert_eq!(
        (&page["hasMore"], page["entries"].as_array().map(Vec::len)),
        (&json!(true), Some(3))
    );
    server.close().await;
}
