//! `/sellers`.

use crate::support::{Browser, Server, Value, json, until};

#[tokio::test]
async fn sellers_are_listed_and_a_live_one_is_made() {
    let server = Server::start().await;
    let minted = server.seller().await;
    let body = json!({
        "name": "Live Ltd", "email": "live@example.com", "country": "DE", "taxId": "DE123456789",
    });
    let made = server.operator.post("/sellers", &body).await.is(201);
    assert_eq!(made["mode"], "live");
    let key = made["apiKey"].as_str().expect("a key");
    assert!(key.starts_with("sk_live_"), "{key}");
    let list = server.operator.get("/sellers").await.is(200);
    let sellers = list["sellers"].as_array().expect("sellers");
    let of =
        |id: &Value| sellers.iter().find(|row| &row["sellerAccountId"] == id).expect("the seller");
    let live = of(&made["sellerAccountId"]);
    assert_eq!(
        (&live["name"], &live["mode"], &live["status"]),
        (&json!("Live Ltd"), &json!("live"), &json!("active"))
    );
    assert_eq!(of(&json!(minted.id))["mode"], "demo");
    assert!(!list.to_string().contains(key), "a key is answered once");
    server.billing().with_key(key).get("/contracts").await.is(200);
    // An e-mail belongs to one account.
    let again = json!({"name": "Other Ltd", "email": "LIVE@example.com"});
    server.operator.post("/sellers", &again).await.refuses(409, "email");
    let of_sandbox = format!("seller-{}@sandbox.example.com", minted.id);
    let again = json!({"name": "Other Ltd", "email": of_sandbox});
    server.operator.post("/sellers", &again).await.refuses(409, "email");
    for (body, field) in [
        (json!({"email": "a@example.com"}), "name"),
        (json!({"name": "A", "email": "no"}), "email"),
        (json!({"name": "A"}), "email"),
        (json!({"name": "A", "email": "a@example.com", "country": "Germany"}), "country"),
    ] {
        server.operator.post("/sellers", &body).await.refuses(400, field);
    }
    server.close().await;
}

#[tokio::test]
async fn an_inactive_account_is_reported_so_and_a_pending_one_too() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let path = format!("/sellers/{}", seller.id);
    for status in ["inactive", "pending"] {
        let changed = server.operator.patch(&path, &json!({"status": status})).await.is(200);
        assert_eq!(changed["status"], status);
        for response in
            [seller.billing.get("/contracts").await, seller.payments.get("/webhooks").await]
        {
            assert_eq!((response.status, response.media_type()), (403, "text/plain"));
        }
        server.billing().with_key("sk_test_wrong").get("/contracts").await.has_status(401);
    }
    server.operator.patch(&path, &json!({"status": "active"})).await.is(200);
    seller.billing.get("/contracts").await.is(200);
    for body in [
        json!({"status": "gone"}),
        json!({"mode": "test"}),
        json!({"mode": "live"}),
        json!({"quotas": {"contractsPerDay": -1}}),
    ] {
        let response = server.operator.patch(&path, &body).await;
        assert!(
            [400, 409, 422].contains(&response.status),
            "{}: {}",
            response.request,
            response.text
        );
    }
    server.operator.patch("/sellers/999999999", &json!({})).await.has_status(404);
    server.operator.patch("/sellers/x", &json!({})).await.has_status(400);
    server.close().await;
}

#[tokio::test]
async fn what_an_account_says_of_itself_is_checked() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let path = format!("/sellers/{}", seller.id);
    let before = server.operator.patch(&path, &json!({})).await.is(200);
    assert_eq!(
        (&before["taxMode"], &before["reminderDays"], &before["portalActions"]),
        (&json!("manual"), &json!([-3, 3, 7, 14]), &json!([]))
    );
    let taken = format!("SELLER-{}@sandbox.example.com", other.id);
    for (body, status, field) in [
        (json!({"name": ""}), 400, "name"),
        (json!({"email": "x"}), 400, "email"),
        (json!({"email": taken}), 409, "email"),
        (json!({"country": "Germany"}), 400, "country"),
        (json!({"city": "x".repeat(129)}), 400, "city"),
        (json!({"defaultTaxRate": "101"}), 400, "defaultTaxRate"),
        (json!({"paymentTermsDays": 366}), 400, "paymentTermsDays"),
        (json!({"reminderDays": [3, 3]}), 400, "reminderDays"),
        (json!({"portalActions": ["refund"]}), 400, "portalActions"),
        (json!({"taxMode": "guess"}), 400, "taxMode"),
        (json!({"taxMode": "automatic", "country": "CH"}), 422, "taxMode"),
    ] {
        server.operator.patch(&path, &body).await.refuses(status, field);
    }
    assert_eq!(server.operator.patch(&path, &json!({})).await.is(200), before);
    let body = json!({
        "taxMode": "automatic", "country": "NL", "reminderDays": [], "email": "me@example.com",
        "portalActions": ["pay", "cancel"],
    });
    let after = server.operator.patch(&path, &body).await.is(200);
    assert_eq!(
        (&after["taxMode"], &after["reminderDays"], &after["portalActions"]),
        (&json!("automatic"), &json!([]), &json!(["cancel", "pay"]))
    );
    // The old address belongs to nobody, the new one to this account.
    let left = json!({"email": before["email"]});
    let own = json!({"name": "A", "email": "ME@example.com"});
    server.operator.post("/sellers", &own).await.refuses(409, "email");
    server.operator.patch(&format!("/sellers/{}", other.id), &left).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_live_account_has_no_test_clock_and_is_told_nothing_of_its_budget_there() {
    let limits = [("limits.billing_per_hour", "3600"), ("limits.billing_burst", "100")];
    let server = Server::with(&limits).await;
    let body = json!({"name": "Live Ltd", "email": "live@example.com"});
    let made = server.operator.post("/sellers", &body).await.is(201);
    let live = server.billing().with_key(made["apiKey"].as_str().expect("a key"));
    let customer = live.post("/customers", &json!({"email": "c@example.com"})).await.is(200);
    let body = json!({
        "sellerCustomerId": customer["id"], "currency": "EUR", "startDate": "2027-01-15",
    });
    let contract = live.create("/contracts", "k", &body).await;
    assert!(contract.header("x-ratelimit-limit").is_some(), "it has a budget");
    let contract = contract.is(201)["id"].clone();
    let read = live.get(&format!("/contracts/{contract}/test-clock")).await;
    let path = format!("/contracts/{contract}/test-clock/advance");
    let advanced = live.post(&path, &json!({"to": "2027-02-01T00:00:00Z"})).await;
    for refused in [read, advanced] {
        assert_eq!(refused.has_status(403).header("x-ratelimit-limit"), None);
    }
    server.close().await;
}

#[tokio::test]
async fn a_contract_that_was_tried_on_a_test_clock_goes_on_once_its_account_is_live() {
    let server = Server::start().await;
    let ada = json!({"email": "ada@example.com", "password": "correct horse"});
    let started = server.anonymous.post("/api/v1/onboarding/start", &ada).await;
    let browser = Browser::of(&server.anonymous, &started);
    let body = json!({"name": "Byron Ltd", "country": "DE"});
    browser.post("/api/v1/onboarding/complete", &body).await.has_status(200);
    let with_key = async || {
        let create = "mutation { createApiKey(input: {name: \"A\", scopes: [\"billing:write\"]}) {
            secret } }";
        let made = browser.query(create).await;
        server.billing().with_key(made["createApiKey"]["secret"].as_str().expect("a key"))
    };
    let demo = with_key().await;
    let customer = demo.post("/customers", &json!({"email": "c@example.com"})).await.is(200);
    let body = json!({
        "sellerCustomerId": customer["id"], "currency": "EUR", "startDate": "2027-01-15",
    });
    let contract = demo.create("/contracts", "c", &body).await.is(201)["id"].clone();
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": "2027-01-15",
    });
    demo.create(&format!("/contracts/{contract}/subscriptions"), "s", &body).await.is(201);
    let body = json!({"contractId": contract, "origin": "recurring"});
    demo.create("/invoices", "i", &body).await.is(201);
    let (clock, to) = (format!("/contracts/{contract}/test-clock"), "2027-01-20T00:00:00Z");
    demo.post(&format!("{clock}/advance"), &json!({"to": to})).await.is(200);

    let seller = server.operator.get("/sellers").await.is(200)["sellers"][0].clone();
    let path = format!("/sellers/{}", seller["sellerAccountId"]);
    server.operator.patch(&path, &json!({"mode": "live"})).await.is(200);
    let live = with_key().await;
    live.get(&clock).await.has_status(403);
    server.pass_seconds(32 * 86_400);
    let run = async |pass: &str| {
        let path = format!("/passes/billing.{pass}/run");
        server.operator.post(&path, &json!({})).await.is(200)["counts"].clone()
    };
    // The contract hears of it by a message.
    until("its term is renewed", async || {
        (run("subscription.lifecycle_cron").await["renewed"] == 1).then_some(())
    })
    .await;
    assert_eq!(run("recurring.invoice_pass").await["issued"], 1);
    let list = live.get(&format!("/invoices?contractId={contract}")).await.is(200);
    assert_eq!(list["invoices"][0]["periodStart"], "2027-02-15");
    server.close().await;
}
