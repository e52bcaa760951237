//! The seller's own wallets and payouts.

use actors::domain::ids::SellerId;
use actors::domain::messages::{DepositNotice, PayeeMessage};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::bank::BankAccount;
use actors::domain::payments::share::ShareMove;
use actors::domain::payments::wallet::OWN;
use actors::domain::platform::seller::Mode;

use crate::support::make::{Seller, fresh};
use crate::support::response::id;
use crate::support::{Server, Value, json};

/// A bank account of the seller, as the dashboard saves it.
async fn own_method(server: &Server, seller: &Seller) -> u64 {
    let account = BankAccount::of_iban(Currency::EUR, "NO9386011117947").expect("sound");
    let account = BankAccount { account_name: Some("Harbour Ltd".to_owned()), ..account };
    let saved = server.app().payees.save_own_payout_method(SellerId(seller.id), account).await;
    saved.expect("saved").id.0
}

async fn balances(seller: &Seller, wallet: u64) -> [i64; 4] {
    let now = seller.wallet_now(wallet).await;
    ["pending", "available", "withdrawable", "reserved"]
        .map(|name| now[format!("{name}BalanceMinor")].as_i64().expect("an integer"))
}

fn body(wallet: u64, method: u64, amount: &str) -> Value {
    json!({
        "walletId": wallet, "currencyCode": "EUR", "amount": amount, "payoutMethodId": method,
        "idempotencyKey": fresh("own"),
    })
}

#[tokio::test]
async fn the_main_wallet_is_paid_out_to_the_seller() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let main = id(&seller.minted["wallets"][0]);
    server.share(&seller, OWN.0, ShareMove::Credited, 1, 1_000).await;
    assert_eq!(balances(&seller, main).await, [1_000, 0, 0, 0]);
    server.share(&seller, OWN.0, ShareMove::Settled, 1, 1_000).await;
    assert_eq!(balances(&seller, main).await, [0, 1_000, 1_000, 0]);

    let method = own_method(&server, &seller).await;
    let order = body(main, method, "8.00");
    let made = seller.payments.post("/payouts", &order).await.is(201);
    assert_eq!((&made["walletId"], made.get("payeeId")), (&json!(main), None));
    assert_eq!(made["destination"]["iban"], "****7947");
    assert_eq!(balances(&seller, main).await, [0, 200, 200, 800]);
    let again = seller.payments.post("/payouts", &order).await;
    again.refuses_saying(409, "payout with this idempotency key already exists");
    let poor = seller.payments.post("/payouts", &body(main, method, "2.01")).await;
    poor.refuses_saying(409, "insufficient balance");
    let of_payee = body(seller.wallet(0), method, "1.00");
    let of_payee = seller.payments.post("/payouts", &of_payee).await;
    of_payee.refuses_saying(404, "payoutMethodId not found");

    let path = format!("/payouts/{}", id(&made));
    let done = server.operator.post(&format!("{path}/complete"), &json!({})).await.is(200);
    assert_eq!(done["status"], "completed");
    let back = server.operator.post(&format!("{path}/fail"), &json!({})).await.is(200);
    assert_eq!(back["status"], "failed");
    assert_eq!(balances(&seller, main).await, [0, 1_000, 1_000, 0]);
    let none = seller.payments.get("/payees/0").await;
    none.refuses_saying(400, "payeeId must be a positive integer");
    server.close().await;
}

#[tokio::test]
async fn own_payouts_wait_for_approval_where_it_is_asked_for() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let main = id(&seller.minted["wallets"][0]);
    let asked = json!({"payoutApproval": {"self": true}});
    server.operator.patch(&format!("/sellers/{}", seller.id), &asked).await.is(200);
    server.share(&seller, OWN.0, ShareMove::Credited, 1, 500).await;
    server.share(&seller, OWN.0, ShareMove::Settled, 1, 500).await;
    let method = own_method(&server, &seller).await;
    let made = seller.payments.post("/payouts", &body(main, method, "1.00")).await.is(201);
    assert_eq!(
        (&made["status"], &made["approvalStatus"]),
        (&json!("pending"), &json!("awaiting_approval"))
    );
    let path = format!("/payouts/{}/approve", id(&made));
    let approved = server.operator.post(&path, &json!({})).await.is(200);
    assert_eq!(approved["status"], "processing");
    server.close().await;
}

#[tokio::test]
async fn a_deposit_is_reported_by_its_reference() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let main = id(&seller.minted["wallets"][0]);
    let notice = DepositNotice {
        reference: "TOPUP-7".to_owned(),
        amount: Money::new(2_500, Currency::EUR).expect("money"),
        at: server.now(),
        mode: Mode::Demo,
    };
    server.tell(&seller, OWN, PayeeMessage::Deposited(notice)).await;
    assert_eq!(balances(&seller, main).await, [0, 2_500, 2_500, 0]);
    let entries = seller.payments.get(&format!("/wallets/{main}/entries")).await.is(200);
    let mut entry = entries["entries"][0].clone();
    entry["id"].take();
    let expected = json!({
        "id": null, "cause": "deposited", "reference": "TOPUP-7",
        "postings": [
            {"account": "available", "amountMinor": 2_500},
            {"account": "clearing", "amountMinor": -2_500},
        ],
        "createdAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(entry, expected);
    server.close().await;
}
