//! `Idempotency-Key` on billing writes.

use crate::support::make::{line, with};
use crate::support::response::id;
use crate::support::{Response, Seller, Server, Value, json};

async fn contract(seller: &Seller, key: &str, more: Value) -> Response {
    let body = with(
        &json!({
            "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
        }),
        more,
    );
    seller.billing.create("/contracts", key, &body).await
}

#[tokio::test]
async fn the_syntax_of_a_key_is_checked_first() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let own = seller.contract("2027-01-15").await;
    let subscriptions = format!("/contracts/{own}/subscriptions");
    for path in ["/contracts", "/invoices", &subscriptions] {
        let missing = seller.billing.post(path, &json!("no object")).await;
        missing.refuses(400, "Idempotency-Key");
        let long = "k".repeat(129);
        let wrong = [
            "a b",
            "a/b",
            "a,b",
            "ä",
            long.as_str(),
            "proration:1",
            "proration-grant:1",
            "redeem:1",
            "subscription:1",
            "credit_note:1",
            "refund:1",
            "usage-adjustment:1",
        ];
        for key in wrong {
            let response = seller.billing.create(path, key, &json!("no object")).await;
            response.refuses(400, "Idempotency-Key");
        }
    }
    let most = "k".repeat(128);
    for key in ["Az09_.:-", "Subscription:1", "refund", &most] {
        contract(&seller, key, json!({})).await.is(201);
    }
    server.close().await;
}

#[tokio::test]
async fn a_replay_answers_200_with_the_contract_as_it_is_now() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = contract(&seller, "k", json!({})).await.is(201);
    let replay = contract(&seller, "k", json!({})).await;
    assert!(replay.is_replay());
    assert_eq!(replay.is(200), made);
    let path = format!("/contracts/{}/amendments", id(&made));
    seller
        .billing
        .post(&path, &json!({"expectedBaseVersion": 1, "status": "active"}))
        .await
        .is(200);
    let replay = contract(&seller, "k", json!({})).await.is(200);
    assert_eq!((&replay["version"], &replay["status"]), (&json!(2), &json!("active")));
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 1);
    server.close().await;
}

#[tokio::test]
async fn a_contract_key_with_other_content_names_the_difference() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let other = id(&seller.minted["customers"][1]);
    let item = |n: u32| json!({"componentType": "recurring", "quantity": n.to_string(), "componentConfig": {"a": n}});
    let first = json!({
        "endDate": "2028-01-15", "lineItems": [item(1), item(2)], "customerName": "Ada",
    });
    contract(&seller, "k", first.clone()).await.is(201);
    for (more, field) in [
        (json!({"sellerCustomerId": other}), "sellerCustomerId"),
        (json!({"currency": "USD"}), "currency"),
        (json!({"startDate": "2027-01-16"}), "startDate"),
        (json!({"endDate": "2028-01-16"}), "endDate"),
        (json!({"endDate": null}), "endDate"),
        (json!({"lineItems": [item(1)]}), "lineItems"),
        (json!({"lineItems": null}), "lineItems"),
        (json!({"lineItems": [item(1), item(3)]}), "lineItems"),
        (json!({"customerName": "Eve"}), "customerName"),
        (json!({"customerPhone": "1"}), "customerPhone"),
    ] {
        contract(&seller, "k", with(&first, more)).await.refuses(422, field);
    }
    // Not stated, or only in another order: no difference.
    contract(&seller, "k", with(&first, json!({"customerName": null}))).await.is(200);
    let turned = with(&first, json!({"lineItems": [item(2), item(1)]}));
    contract(&seller, "k", turned).await.is(200);
    let mut plain = item(1);
    plain["quantity"] = json!("1.0");
    let padded = with(&first, json!({"lineItems": [plain, item(2)]}));
    contract(&seller, "k", padded).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_refused_write_does_not_spend_its_key() {
    let server = Server::start().await;
    let seller = server.seller().await;
    contract(&seller, "k", json!({"currency": "CHF"})).await.has_status(400);
    contract(&seller, "k", json!({"startDate": "1999-01-01"})).await.has_status(400);
    let made = id(&contract(&seller, "k", json!({})).await.is(201));
    let path = format!("/contracts/{made}/subscriptions");
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    });
    let wrong = with(&body, json!({"currency": "USD"}));
    seller.billing.create(&path, "k", &wrong).await.has_status(400);
    seller.billing.create(&path, "k", &body).await.is(201);
    let nothing_due = json!({"contractId": made, "origin": "usage"});
    seller.billing.create("/invoices", "k", &nothing_due).await.has_status(422);
    let due = json!({"contractId": made, "origin": "recurring"});
    seller.billing.create("/invoices", "k", &due).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_key_is_of_one_seller_and_one_kind_of_object() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let made = id(&contract(&seller, "same", json!({})).await.is(201));
    contract(&other, "same", json!({})).await.is(201);
    let path = format!("/contracts/{made}/subscriptions");
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    });
    seller.billing.create(&path, "same", &body).await.is(201);
    let body = json!({"contractId": made, "origin": "recurring"});
    seller.billing.create("/invoices", "same", &body).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_subscription_replay_is_not_compared_but_its_contract_is() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (one, other) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    });
    let path = |contract| format!("/contracts/{contract}/subscriptions");
    let made = seller.billing.create(&path(one), "k", &body).await.is(201);
    let changed = with(&body, json!({"priceMinor": 7, "frequency": "weekly"}));
    let replay = seller.billing.create(&path(one), "k", &changed).await;
    assert!(replay.is_replay());
    assert_eq!(replay.is(200), made);
    // A wrong body shape is refused all the same, before the key is looked up.
    seller.billing.create(&path(one), "k", &json!({"priceMinor": "x"})).await.has_status(400);
    seller.billing.create(&path(other), "k", &body).await.refuses(422, "contractId");
    let list = seller.billing.get(&format!("/subscriptions?contractId={other}")).await.is(200);
    assert_eq!(list["subscriptions"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn a_replay_is_a_replay_even_when_the_same_request_would_be_refused_today() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = contract(&seller, "k", json!({"startDate": "2026-01-20"})).await.is(201);
    let path = format!("/contracts/{}/subscriptions", id(&made));
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2026-01-20",
    });
    seller.billing.create(&path, "s", &body).await.is(201);
    let close = json!({"expectedBaseVersion": 1, "status": "closed"});
    seller.billing.post(&format!("/contracts/{}/amendments", id(&made)), &close).await.is(200);
    server.pass_seconds(7 * 86_400);
    contract(&seller, "new", json!({"startDate": "2026-01-20"})).await.has_status(400);
    contract(&seller, "k", json!({"startDate": "2026-01-20"})).await.is(200);
    seller.billing.create(&path, "s", &body).await.is(200);
    let today = with(&body, json!({"startDate": "2027-01-22"}));
    seller.billing.create(&path, "new", &today).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn an_invoice_key_with_other_content_names_the_difference() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (own, other) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    let first = json!({
        "contractId": own, "origin": "one_time", "memo": "Thanks",
        "lines": [line("One", 100), line("Two", 200)],
        "billTo": {"email": "Ada@Example.com", "name": "Ada"},
    });
    let create =
        async |more: Value| seller.billing.create("/invoices", "k", &with(&first, more)).await;
    let made = create(json!({})).await.is(201);
    let replay = create(json!({})).await;
    assert!(replay.is_replay());
    assert_eq!(replay.is(200), made);
    for (more, field) in [
        (json!({"contractId": other}), "contractId"),
        (json!({"origin": "project"}), "origin"),
        (json!({"invoiceType": "simplified"}), "invoiceType"),
        (json!({"memo": "Thank you"}), "memo"),
        (json!({"memo": null}), "memo"),
        (json!({"send": false}), "send"),
        (json!({"lines": [line("Two", 200), line("One", 100)]}), "lines"),
        (json!({"lines": [line("One", 100)]}), "lines"),
        (json!({"billTo": {"email": "eve@example.com", "name": "Ada"}}), "billTo"),
    ] {
        create(more).await.refuses(422, field);
    }
    // Defaults, numbers written otherwise and another case of the e-mail make no difference.
    create(json!({"currency": "EUR", "invoiceType": "standard", "send": true})).await.is(200);
    create(json!({"collectionMethod": "payment_link"})).await.is(200);
    create(json!({"billTo": {"email": "ada@example.com", "name": "Ada"}})).await.is(200);
    let mut one = line("One", 100);
    one["quantity"] = json!("1.00");
    one["discountMinor"] = json!(0);
    create(json!({"lines": [one, line("Two", 200)]})).await.is(200);
    // A due date that was not stated is not compared.
    assert_eq!(seller.billing.all("/invoices", "invoices").await.len(), 1);
    // The alias of an origin is the origin.
    seller.subscribe(own, "2027-01-15", json!({})).await;
    let recurring = |origin| json!({"contractId": own, "origin": origin});
    let first = seller.billing.create("/invoices", "r", &recurring("subscription")).await.is(201);
    assert_eq!(first["origin"], "recurring");
    seller.billing.create("/invoices", "r", &recurring("recurring")).await.is(200);
    // What the subscription decided is what a request must not say otherwise.
    let again = async |more: Value| {
        seller.billing.create("/invoices", "r", &with(&recurring("recurring"), more)).await
    };
    again(json!({"collectionMethod": "payment_link", "send": true})).await.is(200);
    again(json!({"collectionMethod": "bank_transfer"})).await.refuses(422, "collectionMethod");
    again(json!({"send": false})).await.refuses(422, "send");
    seller.subscribe(other, "2027-01-15", json!({"collectionMethod": "bank_transfer"})).await;
    let by_bank = async |more: Value| {
        let of_other = json!({"contractId": other, "origin": "recurring"});
        seller.billing.create("/invoices", "b", &with(&of_other, more)).await
    };
    assert_eq!(by_bank(json!({})).await.is(201)["collectionMethod"], "bank_transfer");
    by_bank(json!({})).await.is(200);
    by_bank(json!({"collectionMethod": "bank_transfer", "send": false})).await.is(200);
    by_bank(json!({"collectionMethod": "payment_link"})).await.refuses(422, "collectionMethod");
    server.close().await;
}
