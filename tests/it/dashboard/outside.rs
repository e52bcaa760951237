//! What leads out of an account and into it: bank accounts of payees, networks that deliveries may
//! go to, and endpoints that usage comes in by.

use crate::support::{Server, Value, json};

#[tokio::test]
async fn a_bank_account_of_a_payee_is_added_and_removed_and_stays_out_of_the_log() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let payee = seller.payee(0);
    let add = "mutation ($input: AddPayoutMethodInput!) { addPayoutMethod(input: $input) {
        id iban accountName status } }";
    let account = json!({"input": {
        "payeeId": payee, "currency": "EUR", "iban": "NO9386011117947", "accountName": "Ada",
    }});
    let made = browser.query_with(add, account).await["addPayoutMethod"].clone();
    assert_eq!((&made["iban"], &made["accountName"]), (&json!("****7947"), &json!("Ada")));
    let wrong = json!({"input": {"payeeId": payee, "currency": "EUR", "iban": "NO938601111794"}});
    let refused = browser.operation(add, wrong).await;
    assert_eq!(refused["errors"][0]["message"], "iban must be a valid IBAN");
    let list = format!("{{ payoutMethods(payeeId: {payee}) {{ nodes {{ id }} }} }}");
    let before = browser.query(&list).await["payoutMethods"]["nodes"].clone();
    let mut left = before.as_array().expect("methods").clone();
    assert_eq!(left.remove(0), json!({"id": made["id"]}));
    let delete = format!(
        "mutation {{ deletePayoutMethod(input: {{payeeId: {payee}, methodId: {}}}) {{ deleted }} }}",
        made["id"]
    );
    assert_eq!(browser.query(&delete).await["deletePayoutMethod"]["deleted"], true);
    assert_eq!(browser.query(&list).await["payoutMethods"]["nodes"], json!(left));
    let log = "{ auditEntries(first: 2) { nodes { action changes } } }";
    let log = browser.query(log).await["auditEntries"]["nodes"].clone();
    assert_eq!(log[1]["action"], "addPayoutMethod");
    assert!(!log.to_string().contains("NO93"), "{log}");
    server.close().await;
}

#[tokio::test]
async fn a_network_is_allowed_and_taken_away_again() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let allow = "mutation { allowNetwork(input: {cidr: \"203.0.113.0/24\"}) { id cidr } }";
    let made = browser.query(allow).await["allowNetwork"].clone();
    assert_eq!(made["cidr"], "203.0.113.0/24");
    let (text, ..) = browser.error("mutation { allowNetwork(input: {cidr: \"x\"}) { id } }").await;
    assert!(text.starts_with("cidr must be"), "{text}");
    let away =
        format!("mutation {{ disallowNetwork(input: {{entryId: {}}}) {{ deleted }} }}", made["id"]);
    assert_eq!(browser.query(&away).await["disallowNetwork"]["deleted"], true);
    let left = browser.query("{ allowlist { nodes { id } } }").await;
    assert_eq!(left["allowlist"]["nodes"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn an_endpoint_for_usage_is_made_given_a_new_secret_and_revoked() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let make = "mutation { createUsageEndpoint(input: {description: \"The data centre\"}) {
        id url secret status } }";
    let made = browser.query(make).await["createUsageEndpoint"].clone();
    assert_eq!(made["status"], "active");
    assert!(made["secret"].as_str().is_some_and(|secret| secret.len() > 20), "{made}");
    let id = &made["id"];
    let rotate = format!(
        "mutation {{ rotateUsageEndpointSecret(input: {{endpointId: {id}}}) {{ secret }} }}"
    );
    let rotated = browser.query(&rotate).await["rotateUsageEndpointSecret"].clone();
    assert!(rotated["secret"].is_string() && rotated["secret"] != made["secret"]);
    let revoke =
        format!("mutation {{ revokeUsageEndpoint(input: {{endpointId: {id}}}) {{ status }} }}");
    assert_eq!(browser.query(&revoke).await["revokeUsageEndpoint"]["status"], "revoked");
    let (text, code, _) = browser.error(&rotate).await;
    assert_eq!(code, "UNPROCESSABLE", "{text}");
    let log = browser.query("{ auditEntries { nodes { action changes } } }").await;
    assert!(!log.to_string().contains(made["secret"].as_str().expect("a secret")), "{log}");
    server.close().await;
}

#[tokio::test]
async fn an_amendment_takes_items_in_a_variable_whatever_their_configuration_names() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let amend = "mutation ($input: AmendContractInput!) { amendContract(input: $input) {
        version lineItems { lineItemId componentType quantity componentConfig } } }";
    let with = |version: u64, item: Value| {
        json!({"input": {
            "contractId": contract, "expectedBaseVersion": version, "lineItems": [item],
        }})
    };
    let version = browser
        .query(&format!("{{ contract(id: {contract}) {{ version }} }}"))
        .await["contract"]["version"]
        .as_u64()
        .expect("a version");
    let item = json!({
        "componentType": "recurring", "quantity": "2",
        "componentConfig": {"description": "Support", "cost-centre": {"no": 7}},
    });
    let amended = browser.query_with(amend, with(version, item.clone())).await;
    let made = amended["amendContract"]["lineItems"][0].clone();
    assert_eq!(made["componentConfig"], item["componentConfig"]);
    let mut wrong = item;
    wrong["componentType"] = json!("project");
    wrong["lineItemId"] = made["lineItemId"].clone();
    let refused = browser.operation(amend, with(version + 1, wrong)).await;
    let text = refused["errors"][0]["message"].as_str().expect("a text");
    assert!(text.starts_with("lineItems[0].componentConfig.amountMinor must be"), "{text}");
    server.close().await;
}
