//! Numbers of a seller's own, which nobody here knows the meaning of.

use hyper::Method;

use crate::support::{Server, json};

const CONFIG: &str = r#"{"deep":[{"rate":1.50}],"ref":12345678901234567890123,"small":1e-9}"#;

#[tokio::test]
async fn a_configuration_comes_back_from_graphql_as_it_was_stated() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let item =
        format!(r#"{{"componentType":"usage","quantity":"1.000","componentConfig":{CONFIG}}}"#);
    let amendments = format!("/contracts/{contract}/amendments");
    let body = format!(r#"{{"expectedBaseVersion":1,"lineItems":[{item}]}}"#);
    let amended = seller.billing.send(Method::POST, &amendments, &[], &body).await;
    assert!(amended.has_status(200).text.contains(CONFIG), "{}", amended.text);

    let query = "query ($id: ID!) { contract(id: $id) {
        version lineItems { lineItemId componentType quantity componentConfig } } }";
    let read = json!({"query": query, "variables": {"id": contract.to_string()}});
    let read = browser.post("/dashboard/graphql", &read).await;
    assert!(read.has_status(200).text.contains(CONFIG), "{}", read.text);
    // The items go back as they came, and a rate that is stated anew as it is stated.
    let start = read.text.find("\"lineItems\":").expect("items");
    let items = &read.text[start..=read.text.rfind(']').expect("an end")];
    let items = items.replace("1.50", "1.750");
    let body = format!(
        r#"{{"query":"mutation ($input: AmendContractInput!) {{
            amendContract(input: $input) {{ version }} }}","variables":{{"input":{{
            "contractId":"{contract}","expectedBaseVersion":2,{items}}}}}}}"#
    )
    .replace('\n', " ");
    let sent = browser.send(Method::POST, "/dashboard/graphql", &[], &body).await.is(200);
    assert_eq!(sent["data"]["amendContract"]["version"], 3, "{sent}");
    let now = seller.billing.get(&format!("/contracts/{contract}")).await;
    let expected = CONFIG.replace("1.50", "1.750");
    assert!(now.has_status(200).text.contains(&expected), "{}", now.text);
    let log = browser.query("{ auditEntries(first: 1) { nodes { changes } } }").await;
    let changes = log["auditEntries"]["nodes"][0]["changes"].as_str().expect("a text");
    assert!(changes.contains(&expected), "{changes}");
    server.close().await;
}
