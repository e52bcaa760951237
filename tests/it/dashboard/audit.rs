//! What the audit log tells of the operator, and of what did not end well.

use hyper::Method;

use crate::support::orders::{order, reference};
use crate::support::{Browser, Server, Value, fresh_uuid, json};

async fn log(browser: &Browser) -> Vec<Value> {
    let log = "{ auditEntries(first: 20) { nodes { actor action object changes } } }";
    let log = browser.query(log).await["auditEntries"]["nodes"].clone();
    log.as_array().expect("entries").clone()
}

#[tokio::test]
async fn a_decision_of_the_operator_is_in_the_log_of_whom_it_is_about() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let (owner, stranger) = (server.owner_of(&seller).await, server.owner_of(&other).await);
    let before = log(&stranger).await;
    let path = format!("/payees/{}/verification", seller.payee(0));
    // A field that the route does not know tells nothing.
    let body = json!({"decision": "manual_review", "sellerAccountId": other.id});
    server.operator.post(&path, &body).await.has_status(200);
    // Neither does a reading, by whatever method.
    let terminals = format!("/sellers/{}/terminals", other.id);
    server.operator.send(Method::HEAD, &terminals, &[], "").await.has_status(200);
    let entry = &log(&owner).await[0];
    assert_eq!(entry["actor"], "operator");
    assert_eq!(entry["action"], "POST /backoffice/v1/payees/{payeeId}/verification");
    assert_eq!(entry["object"], format!("/backoffice/v1{path}"));
    assert_eq!(log(&stranger).await, before);
    let switch = json!({"enabled": false, "sellerAccountId": other.id});
    server.operator.put("/switches/billing.credits", &switch).await.has_status(200);
    assert_eq!(log(&stranger).await[0]["action"], "PUT /backoffice/v1/switches/{name}");
    server.close().await;
}

#[tokio::test]
async fn nothing_that_is_sent_beside_a_field_keeps_it_out_of_the_log() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let body = json!({"webhookUrl": "http://127.0.0.1:9/hook"});
    let webhook = seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let path = format!("/webhooks/{}", webhook["id"]);
    let long = format!(r#""{}""#, "a".repeat(3_000));
    for (nth, odd) in [long.as_str(), "1e999", r#""\ud800""#].into_iter().enumerate() {
        let stated = format!(r#""webhookUrl":"http://127.0.0.1:9/{nth}""#);
        let body = format!(r#"{{"a":{odd},{stated},"z":{odd}}}"#);
        seller.payments.send(Method::PATCH, &path, &[], &body).await.is(200);
        assert_eq!(log(&owner).await[0]["changes"], format!("{{{stated}}}"));
    }
    // What cannot be seen is left out of what is stored, and takes no room here either.
    let hidden = json!({"webhookUrl": "\u{200b}".repeat(2_000) + "http://127.0.0.1:9/seen"});
    let changed = seller.payments.patch(&path, &hidden).await.is(200);
    assert_eq!(changed["webhookUrl"], "http://127.0.0.1:9/seen");
    let told = r#"{"webhookUrl":"http://127.0.0.1:9/seen"}"#;
    assert_eq!(log(&owner).await[0]["changes"], told);
    let body = format!(r#"{{"z":1e999,"enabled":false,"sellerAccountId":{}}}"#, seller.id);
    let switch = "/switches/billing.credits";
    server.operator.send(Method::PUT, switch, &[], &body).await.has_status(200);
    let entry = &log(&owner).await[0];
    assert_eq!(entry["action"], "PUT /backoffice/v1/switches/{name}");
    let stated = format!(r#"{{"enabled":false,"sellerAccountId":{}}}"#, seller.id);
    assert_eq!(entry["changes"], stated);
    server.close().await;
}

#[tokio::test]
async fn what_a_processor_was_asked_for_is_in_the_log_whatever_came_of_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let held = order(json!({"autoSettlement": false, "captureMode": "manual"}));
    let force = "force_failure=3001";
    seller.simulate("/initialize-payment", force, &fresh_uuid(), &held).await.is(202);
    let capture = |payment: &str| {
        format!("mutation {{ capturePayment(input: {{paymentId: \"{payment}\"}}) {{ status }} }}")
    };
    let (text, code, status) = owner.error(&capture(reference(&held))).await;
    assert_eq!((text.as_str(), code.as_str(), status), ("capture failed", "UPSTREAM_FAILED", 502));
    let entries = log(&owner).await;
    assert_eq!(entries[0]["action"], "capturePayment");
    assert_eq!(entries[0]["object"], format!("payment {}", reference(&held)));
    // Where nothing was asked there is nothing to be told.
    let (_, code, _) = owner.error(&capture("nobody")).await;
    assert_eq!(code, "NOT_FOUND");
    assert_eq!(log(&owner).await, entries);
    server.close().await;
}
