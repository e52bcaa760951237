//! `/payouts` and `/payees/{payeeId}/payouts`, with the operator's part and the call-backs.

use crate::support::buyer::{GOOD, page_of};
use crate::support::make::{merge, with};
use crate::support::receiver::Reply;
use crate::support::response::{id, ids};
use crate::support::{Receiver, Seller, Server, Value, fresh, fresh_uuid, json, until};

/// A seller whose first payee has 10.00.
async fn funded(server: &Server) -> Seller {
    let seller = server.seller().await;
    server.fund(&seller, seller.payee(0), 1, 1_000).await;
    seller
}

async fn needs_approval(server: &Server, seller: &Seller) {
    let body = json!({"payoutApproval": {"payee": true}});
    server.operator.patch(&format!("/sellers/{}", seller.id), &body).await.is(200);
}

async fn standing(seller: &Seller, payout: u64, status: &str) -> Value {
    until(&format!("payout {status}"), async || {
        let now = seller.payout_now(payout).await;
        (now["status"] == status).then_some(now)
    })
    .await
}

async fn balances(seller: &Seller) -> (Value, Value) {
    let mut now = seller.wallet_now(seller.wallet(0)).await;
    (now["availableBalanceMinor"].take(), now["reservedBalanceMinor"].take())
}

#[tokio::test]
async fn a_payout_is_made_arrives_and_is_reported() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let receiver = Receiver::start().await;
    let hook = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let method = seller.method(seller.payee(0)).await;
    let made = seller.payout(json!({"amount": "2.5", "amountMinor": 7})).await;
    let expected = json!({
        "id": made["id"], "walletId": seller.wallet(0), "payeeId": seller.payee(0),
        "payoutMethodId": method, "amount": "2.50", "amountMinor": 250, "currencyCode": "EUR",
        "status": "processing", "approvalStatus": "not_required", "mode": "demo",
        "destination": {
            "bankAccountType": "iban", "iban": "****3000", "bankCountry": "DE",
            "accountName": "Harbour Couriers",
        },
        "createdAt": "2027-01-15T09:00:00Z", "updatedAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(made, expected);
    assert_eq!(balances(&seller).await, (json!(750), json!(250)));
    server.pass_seconds(5);
    let done = standing(&seller, id(&made), "completed").await;
    assert_eq!(done["completedAt"], "2027-01-15T09:00:05Z");
    assert!(done["providerReference"].is_string());
    assert_eq!(balances(&seller).await, (json!(750), json!(0)));
    let payload = receiver.wait_for_type("PayoutCompleted").await.event["payload"].clone();
    assert_eq!(
        (&payload["payoutId"], &payload["amountMinor"], &payload["status"]),
        (&made["id"], &json!(250), &json!("completed"))
    );
    let by_payee = format!("/payees/{}/payouts", seller.payee(0));
    let body = json!({"payoutMethodId": method, "amountMinor": 100});
    let second = seller.payments.create(&by_payee, "any text will do", &body).await.is(201);
    assert_eq!(
        (&second["walletId"], &second["amount"]),
        (&json!(seller.wallet(0)), &json!("1.00"))
    );
    let list = seller.payments.get("/payouts").await.is(200);
    assert_eq!(ids(&list, "payouts"), [id(&second), id(&made)]);
    for (query, expected) in [
        ("status=completed", vec![id(&made)]),
        ("status=failed", vec![]),
        (&format!("payeeId={}", seller.payee(1)), vec![]),
        (&format!("walletId={}&limit=1", seller.wallet(0)), vec![id(&second)]),
    ] {
        let list = seller.payments.get(&format!("/payouts?{query}")).await.is(200);
        assert_eq!(ids(&list, "payouts"), expected, "{query}");
    }
    seller.payments.get("/payouts?status=gone").await.refuses(400, "status");
    seller.payments.get("/payouts/999999999").await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let body = seller.payout_body(json!({})).await;
    let long = "k".repeat(129);
    let post = async |more: Value| seller.payments.post("/payouts", &with(&body, more)).await;
    for (more, text) in [
        (json!({"idempotencyKey": null}), "idempotencyKey is required"),
        (json!({"idempotencyKey": ""}), "idempotencyKey is required"),
        (json!({"idempotencyKey": long}), "idempotencyKey must have 1 to 128 characters"),
        (json!({"walletId": null}), "walletId is required"),
        (json!({"currencyCode": null}), "currencyCode is required"),
        (json!({"currencyCode": "SEK"}), "currencyCode must be EUR, GBP or USD"),
        (json!({"currencyCode": "GBP"}), "currencyCode must be EUR, the currency of the wallet"),
        (json!({"payoutMethodId": null}), "payoutMethodId is required"),
        (json!({"amount": null}), "amount is required"),
        (json!({"amount": "0.00"}), "amount must be greater than 0"),
        (json!({"amount": "-1"}), "amount must be greater than 0"),
        (json!({"amount": null, "amountMinor": 0}), "amount must be greater than 0"),
        (json!({"amount": "1.001"}), "amount has more decimals than EUR has"),
        (json!({"amount": "1e2"}), "amount must be a decimal string such as 12.50"),
        (json!({"webhookUrl": "ftp://example.com"}), "webhookUrl must use https"),
        (json!({"webhookUrl": "/hook"}), "webhookUrl must be an absolute URL"),
    ] {
        post(more).await.refuses_saying(400, text);
    }
    for (more, text) in [
        (json!({"walletId": 999_999_999}), "walletId not found"),
        (json!({"payoutMethodId": 999_999_999}), "payoutMethodId not found"),
        (
            json!({"payoutMethodId": seller.method(seller.payee(1)).await}),
            "payoutMethodId not found",
        ),
    ] {
        post(more).await.refuses_saying(404, text);
    }
    for malformed in [json!({"amount": 1}), json!({"walletId": "7"}), json!({"amountMinor": 1.5})] {
        post(malformed).await.refuses_saying(400, "invalid request body");
    }
    let stranger = server.seller().await;
    let foreign = post(json!({"walletId": stranger.wallet(0)})).await;
    foreign.refuses_saying(404, "walletId not found");
    let main = id(&seller.minted["wallets"][0]);
    let own = post(json!({"walletId": main})).await;
    own.refuses_saying(404, "payoutMethodId not found");
    post(json!({"amount": "10.01"})).await.refuses_saying(409, "insufficient balance");
    let pounds = json!({"currency": "GBP", "iban": "GB29NWBK60161331926819"});
    let path = format!("/payees/{}/payout-methods", seller.payee(0));
    let pounds = id(&seller.payments.create(&path, &fresh_uuid(), &pounds).await.is(201));
    let other = post(json!({"payoutMethodId": pounds})).await;
    other.refuses_saying(400, "payoutMethodId must be of a payout method for EUR");
    let path = format!("/payees/{}/payouts", seller.payee(0));
    let by_payee = json!({"payoutMethodId": pounds, "amount": "1", "idempotencyKey": "gbp"});
    let other = seller.payments.post(&path, &by_payee).await;
    other.refuses_saying(409, "payee has no wallet in GBP");
    for (more, status, text) in [
        (json!({"idempotencyKey": null}), 400, "idempotencyKey is required"),
        (json!({"payoutMethodId": null}), 400, "payoutMethodId is required"),
        (json!({"payoutMethodId": 999_999_999}), 404, "payoutMethodId not found"),
        (json!({"amount": "x"}), 400, "amount must be a decimal string such as 12.50"),
    ] {
        seller.payments.post(&path, &with(&by_payee, more)).await.refuses_saying(status, text);
    }
    post(json!({"amount": "10.00"})).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_payee_that_is_not_approved_is_not_paid_out() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let path = format!("/payees/{}", seller.payee(0));
    seller.payments.patch(&path, &json!({"displayName": "Somebody else"})).await.is(200);
    let body = seller.payout_body(json!({})).await;
    let refused = seller.payments.post("/payouts", &body).await;
    refused.refuses_saying(409, "payee is not approved");
    server.pass_seconds(2);
    until("a payout once approved", async || {
        (seller.payments.post("/payouts", &body).await.status == 201).then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn a_key_is_spent_once_in_either_way() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let body = seller.payout_body(json!({"idempotencyKey": "order-7"})).await;
    seller
        .payments
        .post("/payouts", &with(&body, json!({"amount": "99"})))
        .await
        .refuses_saying(409, "insufficient balance");
    let made = seller.payments.post("/payouts", &body).await.is(201);
    let replayed = json!({
        "error": "payout with this idempotency key already exists", "payoutId": made["id"],
        "status": "processing",
    });
    let by_header = with(&body, json!({"idempotencyKey": null}));
    let by_header = seller.payments.create("/payouts", "order-7", &by_header).await;
    assert_eq!(by_header.is(409), replayed);
    // The body's key wins over the header's.
    let by_body = seller.payments.create("/payouts", "another", &body).await;
    assert_eq!(by_body.is(409), replayed);
    let as_minor = with(&body, json!({"amount": null, "amountMinor": 100}));
    assert_eq!(seller.payments.post("/payouts", &as_minor).await.is(409), replayed);
    let path = format!("/payees/{}/payouts", seller.payee(0));
    assert_eq!(seller.payments.post(&path, &body).await.is(409), replayed);
    for (more, field) in [
        (json!({"amount": "1.01"}), "amount"),
        (json!({"walletId": seller.wallet(1)}), "payeeId"),
        (json!({"payoutMethodId": 999_999_999}), "payoutMethodId"),
        (json!({"currencyCode": "USD"}), "currencyCode"),
        (json!({"webhookUrl": "https://example.com/"}), "webhookUrl"),
    ] {
        let text = format!("Idempotency-Key reused with a different {field}");
        let other = seller.payments.post("/payouts", &with(&body, more.clone())).await;
        other.refuses_saying(409, &text);
    }
    let stranger = funded(&server).await;
    stranger.payout(json!({"idempotencyKey": "order-7"})).await;
    server.pass_seconds(5);
    standing(&seller, id(&made), "completed").await;
    let later = seller.payments.post("/payouts", &body).await.is(409);
    assert_eq!(later["status"], "completed");
    assert_eq!(seller.payments.all("/payouts", "payouts").await.len(), 1);
    server.close().await;
}

#[tokio::test]
async fn fifty_payouts_at_once_never_overdraw() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let body = seller.payout_body(json!({})).await;
    let tries = (0..50).map(|_| {
        let body = with(&body, json!({"idempotencyKey": fresh("parallel")}));
        let api = seller.payments.clone();
        async move { api.post("/payouts", &body).await }
    });
    let responses = futures::future::join_all(tries).await;
    assert_eq!(responses.iter().filter(|one| one.status == 201).count(), 10);
    for refused in responses.iter().filter(|one| one.status != 201) {
        refused.refuses_saying(409, "insufficient balance");
    }
    assert_eq!(balances(&seller).await, (json!(0), json!(1_000)));
    let same = json!({"idempotencyKey": "same", "walletId": seller.wallet(1)});
    server.fund(&seller, seller.payee(1), 2, 1_000).await;
    let body = with(&body, same);
    let body = with(&body, json!({"payoutMethodId": seller.method(seller.payee(1)).await}));
    let tries = (0..20).map(|_| seller.payments.post("/payouts", &body));
    let responses = futures::future::join_all(tries).await;
    assert_eq!(responses.iter().filter(|one| one.status == 201).count(), 1);
    for replay in responses.iter().filter(|one| one.status != 201) {
        replay.refuses_saying(409, "payout with this idempotency key already exists");
    }
    server.close().await;
}

#[tokio::test]
async fn an_approval_comes_before_everything_else() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    needs_approval(&server, &seller).await;
    let waiting = seller.payout(json!({"amount": "4"})).await;
    assert_eq!(
        (&waiting["status"], &waiting["approvalStatus"]),
        (&json!("pending"), &json!("awaiting_approval"))
    );
    server.pass_seconds(3_600);
    let act = async |payout: &Value, action: &str, body: Value| {
        server.operator.post(&format!("/payouts/{}/{action}", id(payout)), &body).await
    };
    act(&waiting, "complete", json!({}))
        .await
        .refuses_saying(409, "invalid status transition from pending to complete");
    let approved = act(&waiting, "approve", json!({})).await.is(200);
    assert_eq!(
        (&approved["status"], &approved["approvalStatus"]),
        (&json!("processing"), &json!("approved"))
    );
    act(&waiting, "approve", json!({})).await.is(200);
    let text = "payout is not awaiting approval";
    act(&waiting, "reject", json!({})).await.refuses_saying(409, text);
    server.pass_seconds(5);
    standing(&seller, id(&waiting), "completed").await;

    let rejected = seller.payout(json!({"amount": "4"})).await;
    let after = act(&rejected, "reject", json!({})).await.is(200);
    assert_eq!(
        (&after["status"], &after["approvalStatus"]),
        (&json!("cancelled"), &json!("rejected"))
    );
    act(&rejected, "reject", json!({})).await.is(200);
    assert_eq!(balances(&seller).await, (json!(600), json!(0)));
    for action in ["approve", "reject", "complete", "fail"] {
        let path = format!("/payouts/999999999/{action}");
        server.operator.post(&path, &json!({})).await.has_status(404);
    }
    server.close().await;
}

#[tokio::test]
async fn a_failure_and_a_return_give_the_money_back() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let receiver = Receiver::start().await;
    let hook = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["PayoutFailed"]});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let act = async |payout: &Value, action: &str, body: Value| {
        server.operator.post(&format!("/payouts/{}/{action}", id(payout)), &body).await
    };
    let first = seller.payout(json!({"amount": "3"})).await;
    let failed = act(&first, "fail", json!({"failureCode": "AC04"})).await.is(200);
    assert_eq!(
        (&failed["status"], &failed["failureCode"], failed.get("failureMessage")),
        (&json!("failed"), &json!("AC04"), None)
    );
    assert_eq!(balances(&seller).await, (json!(1_000), json!(0)));
    let payload = receiver.wait_for_type("PayoutFailed").await.event["payload"].clone();
    assert_eq!((&payload["failureCode"], &payload["amountMinor"]), (&json!("AC04"), &json!(300)));
    let text = "invalid status transition from failed to complete";
    act(&first, "complete", json!({})).await.refuses_saying(409, text);

    let second = seller.payout(json!({"amount": "3"})).await;
    let reference = json!({"providerReference": "bank-77"});
    let done = act(&second, "complete", reference.clone()).await.is(200);
    assert_eq!(
        (&done["status"], &done["providerReference"]),
        (&json!("completed"), &json!("bank-77"))
    );
    act(&second, "complete", reference).await.is(200);
    assert_eq!(balances(&seller).await, (json!(700), json!(0)));
    let returned = act(&second, "fail", json!({"failureCode": "returned"})).await.is(200);
    assert_eq!(returned["status"], "failed");
    assert_eq!(balances(&seller).await, (json!(1_000), json!(0)));
    let long = json!({"failureCode": "x".repeat(65)});
    act(&second, "fail", long).await.refuses(400, "failureCode");
    act(&second, "complete", json!({"providerReference": 7}))
        .await
        .refuses(400, "providerReference");
    server.close().await;
}

#[tokio::test]
async fn a_call_back_is_signed_and_only_to_listed_addresses() {
    let server = Server::start().await;
    let seller = funded(&server).await;
    let receiver = Receiver::start().await;
    let body = seller.payout_body(json!({"webhookUrl": receiver.url("/paid")})).await;
    let unlisted = seller.payments.post("/payouts", &body).await;
    unlisted.refuses_saying(
        400,
        "webhookUrl cannot be used: the address is not in the webhook allowlist",
    );
    let allow = async |cidr: &str| {
        let body = json!({"cidr": cidr});
        id(&seller.payments.create("/webhook-allowlist", &fresh_uuid(), &body).await.is(201))
    };
    let elsewhere = allow("203.0.113.0/24").await;
    seller.payments.post("/payouts", &body).await.refuses(400, "webhookUrl");
    let home = allow("127.0.0.0/8").await;
    let private = with(&body, json!({"webhookUrl": "https://10.0.0.1/"}));
    allow("10.0.0.0/8").await;
    seller
        .payments
        .post("/payouts", &private)
        .await
        .refuses_saying(400, "webhookUrl cannot be used: the address is not a public one");
    let nowhere = with(&body, json!({"webhookUrl": "https://nowhere.invalid/"}));
    seller.payments.post("/payouts", &nowhere).await.refuses(400, "webhookUrl cannot be used");

    let made = seller.payments.post("/payouts", &body).await;
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let made = made.is(201);
    let secret = made["webhookSecret"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() == 49, "{secret}");
    assert_eq!(seller.payout_now(id(&made)).await.get("webhookSecret"), None);
    // The first attempt is kept away, the second one fails, the third arrives.
    seller.payments.delete(&format!("/webhook-allowlist/{home}")).await.is(200);
    seller.payments.delete(&format!("/webhook-allowlist/{elsewhere}")).await.is(200);
    receiver.next_replies(&[Reply::Status(500)]);
    server.operator.post(&format!("/payouts/{}/complete", id(&made)), &json!({})).await.is(200);
    let attempts = async |count: u64| {
        until("an attempt", async || {
            let list = seller.payments.get("/webhook-deliveries?eventType=PayoutUpdated").await;
            (list.is(200)["deliveries"][0]["attempts"].as_u64() >= Some(count)).then_some(())
        })
        .await;
    };
    attempts(1).await;
    assert_eq!(receiver.deliveries().len(), 0);
    allow("127.0.0.1").await;
    server.pass_seconds(15);
    receiver.wait_for_count(1).await;
    attempts(2).await;
    server.pass_seconds(90);
    let came = receiver.wait_for_count(2).await;
    for one in &came {
        assert_eq!(
            (one.path.as_str(), &one.event["eventType"]),
            ("/paid", &json!("PayoutUpdated"))
        );
        one.verifies(&secret, server.now().unix_seconds());
        let payload = &one.event["payload"];
        assert_eq!((&payload["id"], &payload["status"]), (&made["id"], &json!("completed")));
        assert_eq!(payload["destination"]["iban"], "****3000");
    }
    assert_eq!(came[0].raw, came[1].raw);
    let named = json!({"webhookUrl": receiver.url("/all"), "eventTypes": ["PayoutUpdated"]});
    let named = seller.payments.create("/webhooks", &fresh_uuid(), &named).await;
    named.refuses(400, "PayoutUpdated");
    server.close().await;
}

#[tokio::test]
async fn an_invoice_shows_which_payouts_took_its_money() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let paid = seller.payments.pay(&page_of(&invoice), GOOD).await.is(200);
    let reference = paid["paymentId"].as_str().expect("a reference");
    let app = server.app();
    let payment = app
        .payments
        .by_reference(actors::domain::ids::SellerId(seller.id), reference)
        .expect("readable")
        .expect("a payment");
    let trail = async || {
        let path = format!("/invoices/{}/settlement", id(&invoice));
        let mut trail = seller.billing.get(&path).await.is(200);
        trail["payments"][0]["payouts"].take()
    };
    server.fund(&seller, seller.payee(0), payment.id.0, 600).await;
    assert_eq!(trail().await, json!([]), "settled, and in no payout");
    let first = seller.payout(json!({"amount": "2.00"})).await;
    let mut expected = json!({
        "payoutId": first["id"], "status": "processing", "state": "reserved",
        "attributedMinor": 200, "currency": "EUR",
    });
    assert_eq!(trail().await, json!([expected]));
    server.pass_seconds(5);
    standing(&seller, id(&first), "completed").await;
    merge(
        &mut expected,
        json!({
            "status": "completed", "state": "finalized", "completedAt": "2027-01-15T09:00:05Z",
        }),
    );
    assert_eq!(trail().await, json!([expected]));
    let second = seller.payout(json!({"amount": "4.00"})).await;
    server.operator.post(&format!("/payouts/{}/fail", id(&second)), &json!({})).await.is(200);
    let released = json!({
        "payoutId": second["id"], "status": "failed", "state": "released",
        "attributedMinor": 400, "currency": "EUR",
    });
    assert_eq!(trail().await, json!([released, expected]));
    server.close().await;
}
