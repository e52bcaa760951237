//! `/vendors`, their page and the operator's word on them.

use crate::support::make::with;
use crate::support::response::{id, ids};
use crate::support::{Receiver, Response, Seller, Server, Value, fresh_uuid, json};

fn nord() -> Value {
    json!({"displayName": "Atelier Nord", "email": "nord@example.com", "country": "SE"})
}

async fn make(seller: &Seller) -> Value {
    seller.payments.create("/vendors", &fresh_uuid(), &nord()).await.is(201)
}

async fn now(seller: &Seller, vendor: &Value) -> Value {
    seller.payments.get(&format!("/vendors/{}", id(vendor))).await.is(200)
}

async fn link(seller: &Seller, vendor: &Value) -> Response {
    let path = format!("/vendors/{}/verification-link", id(vendor));
    seller.payments.create(&path, &fresh_uuid(), &json!({})).await
}

async fn decide(server: &Server, vendor: &Value, status: &str) -> Value {
    let path = format!("/vendors/{}/verification", id(vendor));
    server.operator.post(&path, &json!({"status": status})).await.is(200)
}

async fn allow(server: &Server, vendor: &Value, body: Value) -> Response {
    server.operator.post(&format!("/vendors/{}/allowance", id(vendor)), &body).await
}

/// The path of a page at this server.
fn path_of(url: &Value) -> String {
    let url = url.as_str().expect("an address");
    url[url.find("/verify/").expect("a page")..].to_owned()
}

/// A webhook that subscribes to every vendor event, and one that named none.
async fn listening(seller: &Seller) -> (Receiver, Receiver) {
    let (named, plain) = (Receiver::start().await, Receiver::start().await);
    let families = [
        "MarketplaceVendorActivated",
        "MarketplaceVendorVerificationRequired",
        "MarketplaceVendorVerificationInProgress",
        "MarketplaceVendorVerificationPendingReview",
        "MarketplaceVendorVerificationComplete",
        "MarketplaceVendorBlocked",
        "MarketplaceVendorPayoutAllowanceChanged",
    ];
    let body = json!({"webhookUrl": named.url("/"), "eventTypes": families});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let body = json!({"webhookUrl": plain.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    (named, plain)
}

/// A payout method and a funded wallet of the payee that a vendor is, as a payout's body.
async fn fund(server: &Server, seller: &Seller, vendor: &Value, minor: i64) -> Value {
    let payee = vendor["payeeId"].as_u64().expect("a payee");
    let path = format!("/payees/{payee}/payout-methods");
    let account = json!({"currency": "EUR", "iban": "DE89370400440532013000"});
    let method = id(&seller.payments.create(&path, &fresh_uuid(), &account).await.is(201));
    server.fund(seller, payee, 1, minor).await;
    let list = seller.payments.get(&format!("/wallets?payeeId={payee}")).await.is(200);
    json!({
        "walletId": id(&list["wallets"][0]), "currencyCode": "EUR", "amount": "1.00",
        "payoutMethodId": method,
    })
}

/// Whoever reads the folder cannot speak for the vendor.
fn not_kept(server: &Server, url: &Value) {
    use actors::tables::{EVENTS, PAYEES};
    let (store, all) = (&server.app().store, storage::Scan::all());
    let payees: Vec<_> = store.scan(PAYEES, all.clone()).collect();
    let events: Vec<_> = store.scan(EVENTS, all).collect();
    assert!(!payees.is_empty() && !events.is_empty());
    let token = path_of(url).trim_start_matches("/verify/").to_owned();
    let kept = format!("{payees:?}{events:?}");
    assert!(!kept.contains(&token) && !kept.contains("/verify/"), "{kept}");
}

async fn pay(seller: &Seller, body: &Value, amount: &str) -> Response {
    let more = json!({"amount": amount, "idempotencyKey": fresh_uuid()});
    seller.payments.post("/payouts", &with(body, more)).await
}

#[tokio::test]
async fn a_vendor_verifies_itself_over_its_link() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (named, plain) = listening(&seller).await;
    let made = make(&seller).await;
    let expected = json!({
        "id": made["id"], "payeeId": made["payeeId"], "displayName": "Atelier Nord",
        "email": "nord@example.com", "country": "SE", "payoutsEnabled": false,
        "verification": {"status": "required"},
        "payoutAllowance": {"enforcement": "enforced", "unlimited": true},
        "createdAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(made, expected);
    let payee = seller.payments.get(&format!("/payees/{}", made["payeeId"])).await.is(200);
    assert_eq!(payee["verification"], json!({"status": "pending"}));
    server.pass_seconds(60);
    assert_eq!(now(&seller, &made).await["verification"]["status"], "required");

    let linked = link(&seller, &made).await.is(201);
    assert_eq!(linked["expiresAt"], "2027-01-22T09:01:00Z");
    let waiting = json!({
        "status": "required", "actionUrl": linked["url"], "actionExpiresAt": linked["expiresAt"],
    });
    assert_eq!(now(&seller, &made).await["verification"], waiting);
    let event = named
        .wait_for("a link", |one| one.event["payload"]["verification"]["actionUrl"].is_string())
        .await;
    assert_eq!(event.event["eventType"], "MarketplaceVendorVerificationRequired");
    assert_eq!(event.event["payload"]["verification"], waiting);
    let kind = "eventType=MarketplaceVendorVerificationRequired";
    let listed = seller.billing.get(&format!("/events?{kind}")).await.is(200);
    assert_eq!(listed["events"][1], event.event);
    not_kept(&server, &linked["url"]);

    let path = path_of(&linked["url"]);
    let page = server.anonymous.open_page(&path).await;
    assert_eq!((page.status, page.media_type()), (200, "text/html"));
    assert!(page.text.contains("Atelier Nord") && page.text.contains("<form"), "{}", page.text);
    let begun = server.anonymous.submit(&path, "").await;
    assert_eq!(begun.has_status(303).header("location"), Some(path.as_str()));
    let again = server.anonymous.post(&path, &json!({})).await.is(200);
    assert_eq!(again, json!({"status": "in_progress"}));
    assert!(!server.anonymous.get(&path).await.text.contains("<form"));
    let under_way = now(&seller, &made).await;
    assert_eq!(under_way["verification"], json!({"status": "in_progress"}));
    named.wait_for_type("MarketplaceVendorVerificationInProgress").await;

    server.pass_seconds(2);
    let payload = named.wait_for_type("MarketplaceVendorActivated").await.event["payload"].clone();
    let expected = json!({
        "vendorId": made["id"], "payeeId": made["payeeId"], "displayName": "Atelier Nord",
        "payoutsEnabled": true, "verification": {"status": "complete"},
        "payoutAllowance": {"enforcement": "enforced", "unlimited": true},
    });
    assert_eq!(payload, expected);
    named.wait_for_type("MarketplaceVendorVerificationComplete").await;
    assert_eq!(now(&seller, &made).await["payoutsEnabled"], true);
    let over = link(&seller, &made).await;
    over.refuses_saying(409, "verification of the vendor is complete");
    let shown = server.anonymous.submit(&path, "").await;
    assert_eq!((shown.status, shown.media_type()), (409, "text/html"));
    assert!(shown.text.contains("You are verified"), "{}", shown.text);
    // Who has not asked for vendors gets events of their payees alone.
    plain.wait_for_type("KYBVerificationApproved").await;
    let deliveries = plain.deliveries();
    let kind = |one: &Value| one["eventType"].as_str().expect("a type").to_owned();
    assert!(deliveries.iter().all(|one| !kind(&one.event).starts_with("MarketplaceVendor")));
    assert!(named.deliveries().iter().all(|one| kind(&one.event).starts_with("MarketplaceVendor")));
    server.close().await;
}

#[tokio::test]
async fn a_link_is_good_for_its_week_and_its_vendor() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = make(&seller).await;
    let path = path_of(&link(&seller, &made).await.is(201)["url"]);
    for wrong in ["/verify/x".to_owned(), format!("{path}A"), path[..path.len() - 1].to_owned()] {
        let page = server.anonymous.open_page(&wrong).await;
        assert_eq!((page.status, page.media_type()), (404, "text/html"), "{wrong}");
    }
    server.pass_seconds(7 * 24 * 3_600);
    server.anonymous.get(&path).await.has_status(404);
    server.anonymous.post(&path, &json!({})).await.has_status(404);
    assert_eq!(now(&seller, &made).await["verification"], json!({"status": "required"}));
    let again = path_of(&link(&seller, &made).await.is(201)["url"]);
    server.anonymous.get(&again).await.has_status(200);
    server.close().await;
}

#[tokio::test]
async fn keys_of_vendors_and_links_are_used_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let made = seller.payments.create("/vendors", &key, &nord()).await.is(201);
    let again = seller.payments.create("/vendors", &key, &nord()).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = with(&nord(), json!({"country": "DK"}));
    let other = seller.payments.create("/vendors", &key, &other).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different country");
    let path = format!("/vendors/{}/verification-link", id(&made));
    let linked = seller.payments.create(&path, &key, &json!({})).await.is(201);
    let again = seller.payments.create(&path, &key, &json!({})).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), linked);
    let second = make(&seller).await;
    let other = format!("/vendors/{}/verification-link", id(&second));
    let other = seller.payments.create(&other, &key, &json!({})).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different vendorId");
    let list = seller.payments.get("/vendors").await.is(200);
    assert_eq!(ids(&list, "vendors"), [id(&second), id(&made)]);
    let page = seller.payments.get("/vendors?limit=1").await.is(200);
    let next = format!("/vendors?limit=1&beforeId={}", page["nextCursor"]);
    assert_eq!(ids(&seller.payments.get(&next).await.is(200), "vendors"), [id(&made)]);
    server.close().await;
}

#[tokio::test]
async fn without_the_capability_there_are_no_vendors() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = make(&seller).await;
    let page = path_of(&link(&seller, &made).await.is(201)["url"]);
    let account = format!("/sellers/{}", seller.id);
    server.operator.patch(&account, &json!({"vendorsEnabled": false})).await.is(200);
    let path = format!("/vendors/{}", id(&made));
    seller.payments.get("/vendors").await.has_status(404);
    seller.payments.get(&path).await.has_status(404);
    seller.payments.create("/vendors", &fresh_uuid(), &nord()).await.has_status(404);
    link(&seller, &made).await.has_status(404);
    server.anonymous.get(&page).await.has_status(404);
    server.operator.patch(&account, &json!({"vendorsEnabled": true})).await.is(200);
    seller.payments.get(&path).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (more, text) in [
        (json!({"displayName": null}), "displayName is required"),
        (json!({"email": null}), "email is required"),
        (json!({"email": "nord"}), "email must be a plain e-mail address"),
        (json!({"country": "Sweden"}), "country must be an ISO 3166-1 alpha-2 code"),
    ] {
        let response =
            seller.payments.create("/vendors", &fresh_uuid(), &with(&nord(), more)).await;
        response.refuses_saying(400, text);
    }
    let made = make(&seller).await;
    let path = format!("/vendors/{}/verification", id(&made));
    for (body, text) in [
        (json!({}), "status is required"),
        (
            json!({"status": "approved"}),
            "status must be required, in_progress, pending_review, complete or blocked",
        ),
    ] {
        server.operator.post(&path, &body).await.refuses_saying(400, text);
    }
    for (body, text) in [
        (json!({"limitMinor": -1}), "limitMinor must be between 0 and 10^15"),
        (json!({"enforcement": "soft"}), "enforcement must be enforced or advisory"),
        (json!({"unlimited": false}), "limitMinor is required unless unlimited is true"),
        (
            json!({"unlimited": true, "limitMinor": 5}),
            "limitMinor must not be stated when unlimited is true",
        ),
    ] {
        allow(&server, &made, body).await.refuses_saying(400, text);
    }
    server.operator.post("/vendors/999999/allowance", &json!({})).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_vendor_is_paid_out_when_it_is_verified_and_within_its_allowance() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (named, _) = listening(&seller).await;
    let made = make(&seller).await;
    let body = fund(&server, &seller, &made, 10_000).await;
    pay(&seller, &body, "1.00").await.refuses_saying(409, "payee is not approved");
    let complete = decide(&server, &made, "complete").await;
    assert_eq!(complete["payoutsEnabled"], true);

    let changed = allow(&server, &made, json!({"limitMinor": 5_000})).await.is(200);
    let allowance = json!({"limitMinor": 5_000, "enforcement": "enforced", "unlimited": false});
    assert_eq!(changed["payoutAllowance"], allowance);
    let event = named.wait_for_type("MarketplaceVendorPayoutAllowanceChanged").await;
    assert_eq!(event.event["payload"]["payoutAllowance"], allowance);
    let beyond = "payout exceeds the payout allowance of the vendor";
    pay(&seller, &body, "50.01").await.refuses_saying(409, beyond);
    let first = pay(&seller, &body, "30.00").await.is(201);
    pay(&seller, &body, "20.01").await.refuses_saying(409, beyond);
    // What comes back may go out again.
    let failed = format!("/payouts/{}/fail", id(&first));
    server.operator.post(&failed, &json!({})).await.is(200);
    pay(&seller, &body, "50.00").await.is(201);
    pay(&seller, &body, "0.01").await.refuses_saying(409, beyond);
    allow(&server, &made, json!({"enforcement": "advisory"})).await.is(200);
    pay(&seller, &body, "10.00").await.is(201);
    allow(&server, &made, json!({"enforcement": "enforced", "unlimited": true})).await.is(200);
    pay(&seller, &body, "10.00").await.is(201);

    let blocked = decide(&server, &made, "blocked").await;
    assert_eq!(blocked["payoutsEnabled"], false);
    named.wait_for_type("MarketplaceVendorBlocked").await;
    pay(&seller, &body, "1.00").await.refuses_saying(409, "payee is not approved");
    server.close().await;
}

#[tokio::test]
async fn parallel_payouts_stay_within_the_allowance() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let made = make(&seller).await;
    let body = fund(&server, &seller, &made, 100_000).await;
    decide(&server, &made, "complete").await;
    allow(&server, &made, json!({"limitMinor": 1_000})).await.is(200);
    let all = futures::future::join_all((0..50).map(|_| pay(&seller, &body, "1.00"))).await;
    assert_eq!(all.iter().filter(|response| response.status == 201).count(), 10);
    assert!(all.iter().all(|response| matches!(response.status, 201 | 409)));
    server.restart().await;
    let seller = server.again(&seller);
    pay(&seller, &body, "1.00").await.has_status(409);
    server.close().await;
}

#[tokio::test]
async fn the_operators_decision_is_reported_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (named, _) = listening(&seller).await;
    let made = make(&seller).await;
    for (status, kind) in [
        ("pending_review", "MarketplaceVendorVerificationPendingReview"),
        ("complete", "MarketplaceVendorVerificationComplete"),
        ("in_progress", "MarketplaceVendorVerificationInProgress"),
        ("blocked", "MarketplaceVendorBlocked"),
    ] {
        let decided = decide(&server, &made, status).await;
        assert_eq!(decided["verification"]["status"], status);
        assert_eq!(decide(&server, &made, status).await, decided);
        named.wait_for_type(kind).await;
        assert_eq!(named.of(kind).len(), 1);
    }
    // The operator's word on the payee is one on the vendor.
    let path = format!("/payees/{}/verification", made["payeeId"]);
    server.operator.post(&path, &json!({"decision": "approved"})).await.is(200);
    assert_eq!(now(&seller, &made).await["verification"]["status"], "complete");
    server.close().await;
}
