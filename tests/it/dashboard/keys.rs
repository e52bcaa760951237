//! API keys in the hands of people.

use crate::support::{Server, json};

#[tokio::test]
async fn a_key_is_made_listed_replaced_and_revoked() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let opens =
        async |key: &str| server.billing().with_key(key).get("/contracts").await.status == 200;
    let create = "mutation { createApiKey(input: {name: \"Reports\", scopes: [\"billing:read\"]}) {
        secret apiKey { id name scopes last4 mode createdAt lastUsedAt expiresAt }
    } }";
    let made = browser.query(create).await["createApiKey"].clone();
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("sk_test_") && opens(&secret).await);
    assert_eq!(made["apiKey"]["last4"], secret[secret.len() - 4..]);
    assert_eq!(made["apiKey"]["scopes"], json!(["billing:read"]));

    let listed = browser.query("{ apiKeys { nodes { name scopes lastUsedAt } } }").await;
    let keys = listed["apiKeys"]["nodes"].as_array().expect("keys");
    let names: Vec<_> = keys.iter().map(|key| key["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["First key", "Reports"]);
    assert_eq!(keys[0]["scopes"].as_array().map(Vec::len), Some(5));
    assert_eq!(keys[1]["lastUsedAt"], "2027-01-15T09:00:00Z");

    let id = made["apiKey"]["id"].as_str().expect("an id");
    let rotate = format!(
        "mutation {{ rotateApiKey(input: {{id: \"{id}\", overlapHours: 1}}) {{
            secret apiKey {{ id name }} }} }}"
    );
    let rotated = browser.query(&rotate).await["rotateApiKey"].clone();
    let fresh = rotated["secret"].as_str().expect("a secret").to_owned();
    assert!(opens(&secret).await && opens(&fresh).await);
    server.pass_seconds(3_600);
    assert!(!opens(&secret).await && opens(&fresh).await);

    let id = rotated["apiKey"]["id"].as_str().expect("an id");
    let revoke = format!("mutation {{ revokeApiKey(input: {{id: \"{id}\"}}) {{ name }} }}");
    browser.query(&revoke).await;
    assert!(!opens(&fresh).await);
    let gone = ("not found".to_owned(), "NOT_FOUND".to_owned(), 404);
    assert_eq!(browser.error(&revoke).await, gone);
    server.close().await;
}

#[tokio::test]
async fn the_first_key_is_replaced_without_an_overlap() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let regenerate = |id: u64| {
        format!(
            "mutation {{ regenerateSellerAccountToken(merchantId: \"{id}\") {{
                id authorizationToken }} }}"
        )
    };
    let made = browser.query(&regenerate(seller.id)).await;
    let made = &made["regenerateSellerAccountToken"];
    assert_eq!(made["id"], seller.id.to_string());
    let key = made["authorizationToken"].as_str().expect("a key");
    server.billing().with_key(key).get("/contracts").await.has_status(200);
    seller.billing.get("/contracts").await.has_status(401);
    let other = browser.error(&regenerate(seller.id + 1)).await;
    assert_eq!(other, ("not found".to_owned(), "NOT_FOUND".to_owned(), 404));
    server.close().await;
}

#[tokio::test]
async fn what_a_key_cannot_be_is_refused() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    for (input, part) in [
        (r#"{name: "", scopes: ["billing:read"]}"#, "name"),
        (r#"{name: "A", scopes: []}"#, "scopes"),
        (r#"{name: "A", scopes: ["billing"]}"#, "expected billing:read"),
        (
            r#"{name: "A", scopes: ["billing:read"], expiresAt: "2020-01-01T00:00:00Z"}"#,
            "expiresAt",
        ),
    ] {
        let create = format!("mutation {{ createApiKey(input: {input}) {{ secret }} }}");
        let (text, code, status) = browser.error(&create).await;
        assert_eq!((code.as_str(), status), ("BAD_REQUEST", 400), "{text}");
        assert!(text.contains(part), "{text}");
    }
    server.close().await;
}
