//! `/payees` and `/payees/setup`, and the operator's word on them.

use crate::support::make::with;
use crate::support::response::{column, id, ids};
use crate::support::{Receiver, Response, Seller, Server, Value, fresh_uuid, json, until};

fn ada() -> Value {
    json!({"displayName": "Ada", "role": "contractor"})
}

fn whole() -> Value {
    json!({
        "payee": ada(),
        "payoutMethod": {"currency": "EUR", "iban": "DE89 3704 0044 0532 0130 00"},
        "wallet": {"currency": "EUR"},
    })
}

async fn post(seller: &Seller, body: &Value) -> Response {
    seller.payments.create("/payees", &fresh_uuid(), body).await
}

async fn set_up(seller: &Seller, body: &Value) -> Response {
    seller.payments.create("/payees/setup", &fresh_uuid(), body).await
}

async fn live(server: &Server) -> Seller {
    server.live_seller(json!({"country": "DE"})).await
}

#[tokio::test]
async fn a_payee_is_made_verified_and_read() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let hook = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let body = json!({
        "displayName": "Ada", "role": "tax", "kycEntityType": "Individual",
        "payeeContractId": "ada-1", "businessName": "Engines Ltd", "businessType": "sole",
        "businessAddress": {"city": "London"}, "email": "ada@example.com", "phone": "+4412",
        "taxId": "123456789", "unheard": [1],
    });
    let made = post(&seller, &body).await.is(201);
    let expected = with(
        &body,
        json!({
            "id": made["id"], "taxId": "****6789", "verification": {"status": "pending"},
            "archived": false, "createdAt": "2027-01-15T09:00:00Z", "unheard": null,
        }),
    );
    assert_eq!(made, expected);
    let path = format!("/payees/{}", id(&made));
    for kind in ["KYBVerificationStarted", "KYBVerificationPending"] {
        let payload = receiver.wait_for_type(kind).await.event["payload"].clone();
        assert_eq!(
            (&payload["payeeId"], &payload["payeeContractId"]),
            (&made["id"], &json!("ada-1"))
        );
        assert!(!payload.to_string().contains("12345"), "{payload}");
    }
    server.pass_seconds(2);
    receiver.wait_for_type("KYBVerificationApproved").await;
    let now = seller.payments.get(&path).await.is(200);
    assert_eq!(now["verification"], json!({"status": "approved"}));
    let list = seller.payments.get("/payees").await.is(200);
    assert_eq!(ids(&list, "payees"), [id(&made), seller.payee(1), seller.payee(0)]);
    assert_eq!(list["hasMore"], false);
    let page = seller.payments.get("/payees?limit=1").await.is(200);
    let next = format!("/payees?limit=1&beforeId={}", page["nextCursor"]);
    assert_eq!(ids(&seller.payments.get(&next).await.is(200), "payees"), [seller.payee(1)]);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (more, text) in [
        (json!({"displayName": null}), "displayName is required"),
        (json!({"displayName": ""}), "displayName is required"),
        (json!({"role": null}), "role is required"),
        (json!({"role": "boss"}), "role must be contractor or tax"),
        (json!({"kycEntityType": "Company"}), "kycEntityType must be Individual"),
        (json!({"email": "ada"}), "email must be a plain e-mail address"),
        (json!({"businessAddress": 7}), "businessAddress must be a text or an object"),
        (json!({"taxId": "x".repeat(65)}), "taxId must have at most 64 characters"),
        (
            json!({"payeeContractId": "x".repeat(129)}),
            "payeeContractId must have at most 128 characters",
        ),
    ] {
        post(&seller, &with(&ada(), more)).await.refuses_saying(400, text);
    }
    for malformed in [json!({"displayName": 7}), json!({"taxId": ["x"]})] {
        post(&seller, &with(&ada(), malformed)).await.refuses_saying(400, "invalid request body");
    }
    let without = seller.payments.post("/payees", &ada()).await;
    without.refuses_saying(400, "Idempotency-Key header is required");
    let other = seller.payments.create("/payees", "no-uuid", &ada()).await;
    other.refuses_saying(400, "Idempotency-Key must be a valid UUID");
    server.close().await;
}

#[tokio::test]
async fn keys_and_contract_ids_are_used_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let body = with(&ada(), json!({"payeeContractId": "c-1"}));
    let made = seller.payments.create("/payees", &key, &body).await.is(201);
    let again = seller.payments.create("/payees", &key, &body).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = with(&body, json!({"role": "tax"}));
    let other = seller.payments.create("/payees", &key, &other).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different role");
    post(&seller, &body).await.refuses_saying(409, "payeeContractId is already used");
    let stranger = server.seller().await;
    post(&stranger, &body).await.is(201);
    let second = post(&seller, &with(&ada(), json!({"payeeContractId": "c-2"}))).await.is(201);
    let path = format!("/payees/{}", id(&second));
    let taken = seller.payments.patch(&path, &json!({"payeeContractId": "c-1"})).await;
    taken.refuses_saying(409, "payeeContractId is already used");
    let moved = seller.payments.patch(&path, &json!({"payeeContractId": "c-3"})).await.is(200);
    assert_eq!(moved["payeeContractId"], "c-3");
    post(&seller, &with(&ada(), json!({"payeeContractId": "c-2"}))).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_change_of_who_it_is_restarts_verification() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let path = format!("/payees/{}", seller.payee(0));
    let patch = async |body: Value| seller.payments.patch(&path, &body).await;
    let changed = patch(json!({"phone": "+47", "email": "a@b.no", "role": "tax"})).await.is(200);
    assert_eq!(
        (&changed["phone"], &changed["verification"]["status"]),
        (&json!("+47"), &json!("approved"))
    );
    assert_eq!(patch(json!({"phone": null})).await.is(200).get("phone"), None);
    let renamed = patch(json!({"displayName": "Other"})).await.is(200);
    assert_eq!(renamed["verification"], json!({"status": "pending"}));
    server.pass_seconds(2);
    until("approval", async || {
        let now = seller.payments.get(&path).await.is(200);
        (now["verification"]["status"] == "approved").then_some(())
    })
    .await;
    let taxed = patch(json!({"taxId": "11223344"})).await.is(200);
    assert_eq!(
        (&taxed["taxId"], &taxed["verification"]["status"]),
        (&json!("****3344"), &json!("pending"))
    );
    for (body, text) in [
        (json!({"displayName": null}), "displayName must not be null"),
        (json!({"role": null}), "role must not be null"),
        (json!({"email": "x"}), "email must be a plain e-mail address"),
    ] {
        patch(body).await.refuses_saying(400, text);
    }
    patch(json!({"phone": 7})).await.refuses_saying(400, "invalid request body");
    seller.payments.patch("/payees/999999999", &json!({})).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_setup_is_all_three_or_none() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (more, text) in [
        (json!({"payee": null}), "payee is required"),
        (json!({"payoutMethod": null}), "payoutMethod is required"),
        (json!({"wallet": null}), "wallet is required"),
        (json!({"payee": {"role": "tax"}}), "payee.displayName is required"),
        (json!({"payoutMethod": {"currency": "EUR"}}), "payoutMethod.iban is required"),
        (
            json!({"payoutMethod": {"currency": "EUR", "iban": "DE00"}}),
            "payoutMethod.iban must be a valid IBAN",
        ),
        (json!({"wallet": {}}), "wallet.currency is required"),
        (json!({"wallet": {"currency": "SEK"}}), "wallet.currency must be EUR, GBP or USD"),
    ] {
        set_up(&seller, &with(&whole(), more)).await.refuses_saying(400, text);
    }
    let malformed = with(&whole(), json!({"wallet": {"currency": 7}}));
    set_up(&seller, &malformed).await.refuses_saying(400, "invalid request body");
    let count = async |path: &str, list: &str| seller.payments.all(path, list).await.len();
    assert_eq!((count("/payees", "payees").await, count("/wallets", "wallets").await), (2, 3));

    let key = fresh_uuid();
    let made = seller.payments.create("/payees/setup", &key, &whole()).await.is(201);
    assert_eq!(made["payee"]["displayName"], "Ada");
    assert_eq!(made["payoutMethod"]["payeeId"], made["payee"]["id"]);
    assert_eq!(made["payoutMethod"]["iban"], "****3000");
    assert_eq!(made["wallet"]["payeeId"], made["payee"]["id"]);
    assert_eq!(made["wallet"]["type"], "cashout_balance");
    let again = seller.payments.create("/payees/setup", &key, &whole()).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    assert_eq!((count("/payees", "payees").await, count("/wallets", "wallets").await), (3, 4));
    server.close().await;
}

#[tokio::test]
async fn a_setup_of_demo_mode_has_nothing_to_withdraw_once_the_account_is_live() {
    let server = Server::start().await;
    let (owner, seller) = server.beginner().await;
    let key = fresh_uuid();
    let made = seller.payments.create("/payees/setup", &key, &whole()).await.is(201);
    let payee = id(&made["payee"]);
    server.fund(&seller, payee, 1, 100).await;
    let seller = server.go_live(&owner, &seller).await;
    let decision = json!({"decision": "approved"});
    server.operator.post(&format!("/payees/{payee}/verification"), &decision).await.is(200);
    let wallet =
        seller.payments.create("/payees/setup", &key, &whole()).await.is(200)["wallet"].clone();
    assert_eq!((&wallet["mode"], &wallet["availableBalanceMinor"]), (&json!("demo"), &json!(100)));
    assert_eq!(wallet["withdrawableBalanceMinor"], 0);
    assert_eq!(seller.wallet_now(id(&wallet)).await, wallet);
    server.close().await;
}

#[tokio::test]
async fn many_setups_under_one_key_make_one() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let body = with(
        &whole(),
        json!({"payee": {"displayName": "A", "role": "tax", "payeeContractId": "c"}}),
    );
    let tries = (0..20).map(|_| seller.payments.create("/payees/setup", &key, &body));
    let responses = futures::future::join_all(tries).await;
    assert_eq!(responses.iter().filter(|one| one.status == 201).count(), 1);
    assert!(
        responses.iter().all(|one| one.status == 201 || (one.status == 200 && one.is_replay()))
    );
    assert_eq!(seller.payments.all("/payees", "payees").await.len(), 3);
    server.close().await;
}

#[tokio::test]
async fn archiving_needs_an_empty_wallet() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = seller.payee(0);
    let path = format!("/payees/{payee}");
    server.fund(&seller, payee, 1, 100).await;
    let held = seller.payments.delete(&path).await;
    held.refuses_saying(409, "payee has a balance that is not zero");
    let payout = id(&seller.payout(json!({})).await);
    let open = seller.payments.delete(&path).await;
    open.refuses_saying(409, "payee has an open payout");
    server.operator.post(&format!("/payouts/{payout}/complete"), &json!({})).await.is(200);
    assert_eq!(seller.payments.delete(&path).await.is(200), json!({"archived": true}));
    assert_eq!(seller.payments.delete(&path).await.is(200), json!({"archived": true}));
    assert_eq!(seller.payments.get(&path).await.is(200)["archived"], true);
    assert_eq!(seller.wallet_now(seller.wallet(0)).await["status"], "closed");
    let patch = seller.payments.patch(&path, &json!({"phone": "1"})).await;
    patch.refuses_saying(409, "payee is archived");
    let wallet = json!({"payeeId": payee, "currency": "GBP"});
    let wallet = seller.payments.create("/wallets", &fresh_uuid(), &wallet).await;
    wallet.refuses_saying(409, "payee is archived");
    let verification = format!("/payees/{payee}/verification");
    let decided = server.operator.post(&verification, &json!({"decision": "approved"})).await;
    decided.refuses_saying(409, "payee is archived");
    server.close().await;
}

#[tokio::test]
async fn a_live_payee_waits_for_the_operator() {
    let server = Server::start().await;
    let seller = live(&server).await;
    let made = set_up(&seller, &whole()).await.is(201);
    let (payee, wallet) = (id(&made["payee"]), id(&made["wallet"]));
    server.pass_seconds(3_600);
    let path = format!("/payees/{payee}");
    assert_eq!(seller.payments.get(&path).await.is(200)["verification"]["status"], "pending");
    let decide = async |decision: &str| {
        let body = json!({"decision": decision});
        server.operator.post(&format!("/payees/{payee}/verification"), &body).await
    };
    let body = json!({
        "walletId": wallet, "currencyCode": "EUR", "amount": "1", "idempotencyKey": "k",
        "payoutMethodId": made["payoutMethod"]["id"],
    });
    for (decision, expected) in [
        ("manual_review", json!({"status": "manual_review"})),
        ("rejected_retry", json!({"status": "rejected", "reviewRejectType": "retry"})),
        ("rejected_final", json!({"status": "rejected", "reviewRejectType": "final"})),
    ] {
        assert_eq!(decide(decision).await.is(200)["verification"], expected);
        assert_eq!(seller.payments.get(&path).await.is(200)["verification"], expected);
        let refused = seller.payments.post("/payouts", &body).await;
        refused.refuses_saying(409, "payee is not approved");
    }
    assert_eq!(decide("approved").await.is(200)["verification"], json!({"status": "approved"}));
    assert_eq!(decide("approved").await.is(200)["verification"], json!({"status": "approved"}));
    seller.payments.post("/payouts", &body).await.refuses_saying(409, "insufficient balance");
    let unknown = "decision must be approved, rejected_retry, rejected_final or manual_review";
    decide("maybe").await.refuses_saying(400, unknown);
    let none = server.operator.post(&format!("/payees/{payee}/verification"), &json!({})).await;
    none.refuses_saying(400, "decision is required");
    let body = json!({"decision": "approved"});
    server.operator.post("/payees/999999999/verification", &body).await.has_status(404);
    let sandbox = server.seller().await;
    let list = sandbox.payments.get("/payees").await.is(200);
    let statuses = column(&list, "payees", "verification");
    assert_eq!(statuses, [&json!({"status": "approved"}), &json!({"status": "approved"})]);
    server.close().await;
}
