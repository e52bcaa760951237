//! The account, its terminals, webhooks and usage in the hands of people.

use crate::support::meter::event_with;
use crate::support::{Browser, Server, fresh_uuid, json};

#[tokio::test]
async fn an_owner_changes_the_settings() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let update = "mutation { updateSettings(input: {
        name: \"Byron Ltd\", country: \"DE\", taxId: \"DE136695976\", paymentTermsDays: 30
    }) { name country taxId paymentTermsDays } }";
    let expected = json!({
        "name": "Byron Ltd", "country": "DE", "taxId": "DE136695976", "paymentTermsDays": 30,
    });
    assert_eq!(browser.query(update).await["updateSettings"], expected);
    let away = "mutation { updateSettings(input: {taxId: null}) { name taxId } }";
    let expected = json!({"name": "Byron Ltd", "taxId": null});
    assert_eq!(browser.query(away).await["updateSettings"], expected);
    let tax = "mutation { setTaxMode(input: {taxMode: \"automatic\"}) { taxMode } }";
    assert_eq!(browser.query(tax).await["setTaxMode"]["taxMode"], "automatic");
    let actions = "mutation { setPortalActions(input: {actions: [\"pay\"]}) { portalActions } }";
    assert_eq!(browser.query(actions).await["setPortalActions"]["portalActions"], json!(["pay"]));
    let hosts = "mutation { setReturnHosts(input: {hosts: [\"shop.example.com\"]}) {
        allowedReturnHosts } }";
    let set = browser.query(hosts).await["setReturnHosts"]["allowedReturnHosts"].clone();
    assert_eq!(set, json!(["shop.example.com"]));
    let (text, code, _) = browser.error("mutation { goLive { mode } }").await;
    assert_eq!((text.contains("sandbox"), code.as_str()), (true, "UNPROCESSABLE"));
    server.close().await;
}

#[tokio::test]
async fn going_live_is_asked_for_and_granted() {
    let server = Server::start().await;
    let ada = json!({"email": "ada@example.com", "password": "correct horse"});
    let started = server.anonymous.post("/api/v1/onboarding/start", &ada).await;
    let browser = Browser::of(&server.anonymous, &started);
    let early = json!({"query": "{ me { id } }"});
    let refused = browser.post("/dashboard/graphql", &early).await;
    refused.refuses_saying(403, "onboarding is not complete");
    let body = json!({"name": "Byron Ltd", "country": "DE"});
    browser.post("/api/v1/onboarding/complete", &body).await.has_status(200);
    let create = "mutation { createApiKey(input: {name: \"A\", scopes: [\"payments:read\"]}) {
        secret } }";
    let test = browser.query(create).await["createApiKey"]["secret"].clone();
    let test = test.as_str().expect("a key").to_owned();
    let methods = server.payments().with_key(&test).get("/payment-methods").await.is(200);
    assert_eq!(methods["allowedPaymentRails"], json!(["card", "apm"]));

    browser.query("mutation { goLive { goLiveRequestedAt } }").await;
    let seller = server.operator.get("/sellers").await.is(200)["sellers"][0].clone();
    assert_eq!(seller["goLiveRequestedAt"], "2027-01-15T09:00:00Z");
    let path = format!("/sellers/{}", seller["sellerAccountId"]);
    server.operator.patch(&path, &json!({"mode": "live"})).await.has_status(200);
    server.payments().with_key(&test).get("/payment-methods").await.has_status(401);
    let live = browser.query(create).await["createApiKey"]["secret"].clone();
    let live = live.as_str().expect("a key");
    assert!(live.starts_with("sk_live_"), "{live}");
    server.payments().with_key(live).get("/payment-methods").await.has_status(200);
    let (_, code, _) = browser.error("mutation { goLive { mode } }").await;
    assert_eq!(code, "CONFLICT");
    server.close().await;
}

#[tokio::test]
async fn a_terminal_is_saved_and_a_webhooks_secret_replaced() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let save = |more: &str| {
        format!(
            "mutation {{ saveTerminal(input: {{ {more} name: \"Cards\", rail: \"card\",
                methods: [\"card\"], currencies: [\"EUR\"], mode: \"demo\",
                connector: \"simulator\" }}) {{ id name currencies }} }}"
        )
    };
    let made = browser.query(&save("")).await["saveTerminal"].clone();
    let id = made["id"].as_str().expect("an id");
    let saved = browser.query(&save(&format!("terminalId: \"{id}\","))).await;
    assert_eq!(saved["saveTerminal"]["id"], id);
    let listed = browser.query("{ terminals { nodes { id } } }").await;
    assert_eq!(listed["terminals"]["nodes"].as_array().map(Vec::len), Some(3));
    let (text, ..) = browser.error(&save("terminalId: \"999\",")).await;
    assert_eq!(text, "not found");

    let body = json!({"webhookUrl": "http://127.0.0.1:9/hook"});
    let hook = seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let rotate = format!(
        "mutation {{ rotateWebhookSecret(input: {{webhookId: \"{}\"}}) {{ id secretKey }} }}",
        hook["id"]
    );
    let rotated = browser.query(&rotate).await["rotateWebhookSecret"].clone();
    assert_eq!(rotated["id"], hook["id"].to_string());
    assert_ne!(rotated["secretKey"], hook["secretKey"]);
    server.close().await;
}

#[tokio::test]
async fn a_seller_does_not_say_where_its_processor_is() {
    let server = Server::start().await;
    let account = json!({"name": "Byron Ltd", "email": "byron@example.com"});
    let made = server.operator.post("/sellers", &account).await.is(201);
    let login = &made["dashboard"];
    let credentials = json!({"email": login["email"], "password": login["password"]});
    let answer = server.anonymous.post("/api/v1/login/dashboard", &credentials).await;
    let browser = Browser::of(&server.anonymous, &answer);
    let save = |more: &str| {
        format!(
            "mutation {{ saveTerminal(input: {{ {more} name: \"Mine\", rail: \"card\",
                methods: [\"card\"], currencies: [\"USD\"], mode: \"live\",
                connector: \"stripe\" }}) {{ id currencies baseUrl status }} }}"
        )
    };
    for (field, value) in
        [("baseUrl", "http://127.0.0.1:1/internal"), ("secretKey", "sk_own"), ("status", "active")]
    {
        let (text, ..) = browser.error(&save(&format!("{field}: \"{value}\","))).await;
        assert!(text.contains(field), "{text}");
    }
    let (text, code, _) = browser.error(&save("")).await;
    assert!(text.starts_with("connector is the operator's to set"), "{text}");
    assert_eq!(code, "UNPROCESSABLE");

    let path = format!("/sellers/{}/terminals", made["sellerAccountId"]);
    let base = "https://api.example.com";
    let body = json!({"name": "Cards", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": base, "secretKey": "sk_live_1",
        "status": "disabled"});
    let terminal = server.operator.post(&path, &body).await.is(201);
    let id = terminal["id"].to_string();
    let saved = browser.query(&save(&format!("terminalId: \"{id}\","))).await;
    let expected = json!({"id": id, "currencies": ["USD"], "baseUrl": base, "status": "disabled"});
    assert_eq!(saved["saveTerminal"], expected);
    server.close().await;
}

#[tokio::test]
async fn a_limit_and_the_seats_of_a_contract_are_set() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-01").await;
    seller.subscribe(contract, "2027-01-01", json!({})).await;
    seller.metric("api.calls", json!({})).await;
    let limit = |cap: &str| {
        format!(
            "mutation {{ setUsageLimitPolicy(input: {{contractId: \"{contract}\",
                metric: \"api.calls\", capQuantity: {cap}, capMode: \"hard\"}}) {{
                capQuantity capMode }} }}"
        )
    };
    let set = browser.query(&limit("\"10\"")).await["setUsageLimitPolicy"].clone();
    assert_eq!(set, json!({"capQuantity": "10", "capMode": "hard"}));
    let softer = limit("\"10\"").replace("capQuantity: \"10\",", "").replace("hard", "soft");
    let set = browser.query(&softer).await["setUsageLimitPolicy"].clone();
    assert_eq!(set, json!({"capQuantity": "10", "capMode": "soft"}), "what is left out stays");
    let none = browser.query(&limit("null")).await["setUsageLimitPolicy"].clone();
    assert_eq!(none["capQuantity"], serde_json::Value::Null);
    let (text, code, _) = browser.error(&softer).await;
    assert_eq!((text.as_str(), code.as_str()), ("capQuantity is required", "BAD_REQUEST"));

    let seats = |count: i64, at: &str| {
        format!(
            "mutation {{ changeSeats(input: {{contractId: \"{contract}\", seats: {count} {at}}}) {{
                seats delta }} }}"
        )
    };
    let ten = browser.query(&seats(10, "")).await["changeSeats"].clone();
    assert_eq!(ten, json!({"seats": 10, "delta": 10}));
    let fewer = browser.query(&seats(7, "")).await["changeSeats"].clone();
    assert_eq!(fewer, json!({"seats": 7, "delta": -3}));
    let (text, code, _) = browser.error(&seats(7, "")).await;
    assert_eq!((text.as_str(), code.as_str()), ("seats are 7 then already", "UNPROCESSABLE"));
    let (text, code, _) = browser.error(&seats(3, ", at: \"2030-01-01T00:00:00Z\"")).await;
    assert_eq!((text.contains("ahead"), code.as_str()), (true, "BAD_REQUEST"));
    let other = server.owner_of(&server.seller().await).await;
    let (text, ..) = other.error(&seats(3, "")).await;
    assert_eq!(text, "not found");
    server.close().await;
}

#[tokio::test]
async fn late_usage_is_charged_as_its_closed_period_was() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered_by("2027-01-15", "weekly").await;
    let path = format!("/usage/contracts/{contract}/metrics/api.calls/price");
    let price = json!({"effectiveFrom": "2027-01-15", "config": {
        "scheme": "per_unit", "currency": "EUR", "rounding": "half_up", "unitPrice": "0.10",
    }});
    seller.billing.put(&path, &price).await.is(200);
    server.pass_seconds(7 * 86_400);
    server.operator.post("/passes/billing.usage.close_pass/run", &json!({})).await.is(200);
    // A session would not have lasted that long.
    let browser = server.owner_of(&seller).await;
    let late = event_with(contract, "late", json!({"quantity": "7"}));
    assert_eq!(seller.record(&late).await["late"], true);
    let list = format!(
        "{{ lateUsage(contractId: \"{contract}\") {{ nodes {{ eventId adjustmentId }} }} }}"
    );
    let found = browser.query(&list).await["lateUsage"]["nodes"].clone();
    let event = found[0]["eventId"].as_str().expect("an id").to_owned();
    let correct = |reason: &str| {
        format!(
            "mutation {{ correctLateUsage(input: {{eventId: \"{event}\" {reason}}}) {{
                id amountMinor reason }} }}"
        )
    };
    let made = browser.query(&correct("")).await["correctLateUsage"].clone();
    assert_eq!(
        (&made["amountMinor"], &made["reason"]),
        (&json!(70), &json!("api.calls, 2027-01-15, recorded late"))
    );
    // Once more it answers what it made; for another reason it is refused.
    assert_eq!(browser.query(&correct("")).await["correctLateUsage"], made);
    let (text, ..) = browser.error(&correct(", reason: \"Other\"")).await;
    assert!(text.contains("another description"), "{text}");
    let found = browser.query(&list).await["lateUsage"]["nodes"].clone();
    assert_eq!(found[0]["adjustmentId"], made["id"]);
    let other = server.owner_of(&server.seller().await).await;
    assert_eq!(other.error(&correct("")).await.0, "not found");
    server.close().await;
}
