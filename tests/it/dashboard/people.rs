//! Inviting, joining, and leaving.

use hyper::Method;

use crate::support::{Browser, Server, Value, fresh_uuid, json};

const FORM: [(&str, &str); 2] =
    [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];

/// The path of the page on which an invitation is accepted.
async fn invited(owner: &Browser, email: &str, role: &str) -> (Value, String) {
    let invite = format!(
        "mutation {{ invitePerson(input: {{email: \"{email}\", role: \"{role}\"}}) {{
            id email role status inviteUrl invitationExpiresAt }} }}"
    );
    let person = owner.query(&invite).await["invitePerson"].clone();
    let url = person["inviteUrl"].as_str().expect("an address").to_owned();
    let path = url[url.find("/dashboard/").expect("a path")..].to_owned();
    (person, path)
}

async fn join(server: &Server, path: &str, password: &str) -> Browser {
    let form = format!("name=Bea+Byron&password={}", password.replace(' ', "+"));
    let joined = server.anonymous.send(Method::POST, path, &FORM, &form).await;
    assert_eq!(joined.has_status(303).header("location"), Some("/dashboard"));
    Browser::of(&server.anonymous, &joined)
}

#[tokio::test]
async fn whoever_is_invited_joins_once_within_a_week() {
    let server = Server::start().await;
    let owner = server.owner_of(&server.seller().await).await;
    let (person, path) = invited(&owner, "bea@example.com", "finance").await;
    assert_eq!((&person["status"], &person["role"]), (&json!("invited"), &json!("finance")));
    assert_eq!(person["invitationExpiresAt"], "2027-01-22T09:00:00Z");
    let page = server.anonymous.get(&path).await;
    assert!(page.has_status(200).text.contains("bea@example.com"));
    let short = server.anonymous.send(Method::POST, &path, &FORM, "name=Bea&password=x").await;
    assert!(short.has_status(400).text.contains("password must have 8"));

    let bea = join(&server, &path, "correct horse").await;
    let me = bea.query("{ me { name email role status } }").await["me"].clone();
    let expected = json!({
        "name": "Bea Byron", "email": "bea@example.com", "role": "finance", "status": "active",
    });
    assert_eq!(me, expected);
    server.anonymous.get(&path).await.has_status(404);
    server
        .anonymous
        .send(Method::POST, &path, &FORM, "name=B&password=12345678")
        .await
        .has_status(404);
    server.sign_in("Bea@example.com", "correct horse").await;

    let (_, path) = invited(&owner, "cleo@example.com", "viewer").await;
    let (_, anew) = invited(&owner, "cleo@example.com", "viewer").await;
    server.anonymous.get(&path).await.has_status(404);
    server.pass_seconds(7 * 86_400);
    server.anonymous.get(&anew).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_role_counts_at_once_and_a_removal_ends_all_sessions() {
    let server = Server::start().await;
    let owner = server.owner_of(&server.seller().await).await;
    let (person, path) = invited(&owner, "bea@example.com", "viewer").await;
    let bea = join(&server, &path, "correct horse").await;
    let id = person["id"].as_str().expect("an id");
    let rename = "mutation { updateSettings(input: {name: \"Lovelace\"}) { name } }";
    let (text, code, status) = bea.error(rename).await;
    assert_eq!((code.as_str(), status), ("FORBIDDEN", 403), "{text}");
    let role = |role: &str| {
        format!(
            "mutation {{ changeRole(input: {{personId: \"{id}\", role: \"{role}\"}}) {{ role }} }}"
        )
    };
    owner.query(&role("owner")).await;
    bea.query(rename).await;
    owner.query(&role("viewer")).await;

    let me = owner.query("{ me { id } }").await["me"]["id"].clone();
    let last = format!("mutation {{ removePerson(input: {{personId: {me}}}) {{ id }} }}");
    let (text, code, _) = owner.error(&last).await;
    assert_eq!((text.contains("last owner"), code.as_str()), (true, "UNPROCESSABLE"));
    let remove = format!("mutation {{ removePerson(input: {{personId: \"{id}\"}}) {{ email }} }}");
    owner.query(&remove).await;
    let body = json!({"query": "{ me { id } }"});
    bea.post("/dashboard/graphql", &body).await.has_status(401);
    let login = json!({"email": "bea@example.com", "password": "correct horse"});
    server.anonymous.post("/api/v1/login/dashboard", &login).await.has_status(401);
    let people = owner.query("{ people { nodes { email } } }").await;
    assert_eq!(people["people"]["nodes"].as_array().map(Vec::len), Some(1));
    // The e-mail is free again.
    invited(&owner, "bea@example.com", "viewer").await;
    server.close().await;
}

#[tokio::test]
async fn who_has_done_what_is_in_the_audit_log() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let (_, path) = invited(&owner, "bea@example.com", "finance").await;
    let bea = join(&server, &path, "correct horse").await;
    owner
        .query(
            "mutation { createApiKey(input: {name: \"A\", scopes: [\"usage:write\"]}) { secret } }",
        )
        .await;
    let log = "{ auditEntries(first: 10) { nodes { at actor action object address changes } } }";
    let entries = bea.query(log).await["auditEntries"]["nodes"].clone();
    let shown: Vec<(&str, &str)> = entries
        .as_array()
        .expect("entries")
        .iter()
        .map(|one| (one["actor"].as_str().expect("who"), one["action"].as_str().expect("what")))
        .collect();
    let own = format!("person:seller-{}@sandbox.example.com", seller.id);
    let expected = [
        (own.as_str(), "createApiKey"),
        ("person:bea@example.com", "acceptInvitation"),
        (own.as_str(), "invitePerson"),
        (own.as_str(), "login"),
    ];
    assert_eq!(shown, expected);
    assert_eq!(entries[0]["address"], "127.0.0.1");
    let object = entries[0]["object"].as_str().expect("an object");
    assert!(object.starts_with("apiKey "), "the key that was made: {object}");
    assert_eq!(entries[0]["changes"], r#"{"name":"A","scopes":["usage:write"]}"#);

    let path = format!("/sellers/{}", seller.id);
    server.operator.patch(&path, &json!({"vendorsEnabled": false})).await.has_status(200);
    let body = json!({"name": "T", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
        "mode": "live", "connector": "stripe", "baseUrl": "https://api.example.com",
        "secretKey": "sk_live_hidden"});
    server.operator.post(&format!("{path}/terminals"), &body).await.has_status(201);
    let entries = bea.query(log).await["auditEntries"]["nodes"].clone();
    assert_eq!(entries[0]["actor"], "operator");
    assert_eq!(entries[0]["action"], "POST /backoffice/v1/sellers/{sellerAccountId}/terminals");
    assert!(!entries[0]["changes"].to_string().contains("sk_live_hidden"));
    assert_eq!(entries[1]["changes"], r#"{"vendorsEnabled":false}"#);
    server.close().await;
}

#[tokio::test]
async fn where_money_goes_by_a_key_is_in_the_audit_log_without_its_numbers() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let payee = format!("/payees/{}", seller.minted["payees"][0]["id"]);
    let to = json!({"currency": "EUR", "accountName": "Ada", "iban": "DE89370400440532013000"});
    let to = seller.payments.create(&format!("{payee}/payout-methods"), &fresh_uuid(), &to).await;
    let method = format!("{payee}/payout-methods/{}", to.is(201)["id"]);
    seller.payments.delete(&method).await.is(200);
    seller.payments.patch(&payee, &json!({"taxId": "12345678901"})).await.is(200);

    let log = "{ auditEntries(first: 3) { nodes { action changes } } }";
    let entries = owner.query(log).await["auditEntries"]["nodes"].clone();
    let told: Vec<_> = (0..3).map(|nth| &entries[nth]["action"]).collect();
    let expected = [
        "PATCH /payments-api/v1/payees/{payeeId}",
        "DELETE /payments-api/v1/payees/{payeeId}/payout-methods/{methodId}",
        "POST /payments-api/v1/payees/{payeeId}/payout-methods",
    ];
    assert_eq!(told, expected);
    assert_eq!(entries[0]["changes"], r#"{"taxId":"hidden"}"#);
    assert!(!entries.to_string().contains("3704004"));
    server.close().await;
}

#[tokio::test]
async fn where_data_goes_by_a_key_is_in_the_audit_log_too() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let (key, body) = (fresh_uuid(), json!({"webhookUrl": "http://127.0.0.1:9/hook"}));
    let webhook = seller.payments.create("/webhooks", &key, &body).await.is(201);
    // A replay and a refusal have done nothing, and a usual write would pay a row for its entry.
    seller.payments.create("/webhooks", &key, &body).await.is(200);
    seller.payments.create("/webhooks", &fresh_uuid(), &json!({})).await.has_status(400);
    seller.billing.post("/customers", &json!({"email": "a@example.com"})).await;
    let path = format!("/webhooks/{}", webhook["id"]);
    seller.payments.patch(&path, &json!({"status": "disabled"})).await.is(200);
    seller.payments.delete(&path).await.has_status(204);
    let endpoint = seller.billing.post("/usage/webhook-endpoints", &json!({})).await.is(201);
    let path = format!("/usage/webhook-endpoints/{}/revoke", endpoint["id"]);
    seller.billing.post(&path, &json!({})).await.is(200);

    let keys = owner.query("{ apiKeys { nodes { name last4 } } }").await;
    let key = &keys["apiKeys"]["nodes"][0];
    let said = |field: &str| key[field].as_str().expect("a text").to_owned();
    let by = format!("key:{} …{}", said("name"), said("last4"));
    let log = "{ auditEntries(first: 10) { nodes { actor action object changes } } }";
    let entries = owner.query(log).await["auditEntries"]["nodes"].clone();
    let entries = entries.as_array().expect("entries");
    let of_keys: Vec<_> = entries.iter().filter(|entry| entry["actor"] == by.as_str()).collect();
    let actions: Vec<_> = of_keys.iter().filter_map(|entry| entry["action"].as_str()).collect();
    let expected = [
        "POST /billing-api/v1/usage/webhook-endpoints/{endpointId}/revoke",
        "POST /billing-api/v1/usage/webhook-endpoints",
        "DELETE /payments-api/v1/webhooks/{webhookId}",
        "PATCH /payments-api/v1/webhooks/{webhookId}",
        "POST /payments-api/v1/webhooks",
    ];
    assert_eq!(actions, expected);
    assert_eq!(of_keys[3]["changes"], r#"{"status":"disabled"}"#);
    assert_eq!(of_keys[3]["object"], format!("/payments-api/v1/webhooks/{}", webhook["id"]));
    server.close().await;
}
