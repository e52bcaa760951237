//! `DELETE /payees/{payeeId}` against the payments that name the payee.

use actors::domain::ids::{PayeeId, SellerId};
use actors::tables::{CLOSED_PAYEES, PAYEES};
use futures::future::join_all;
use hyper::Method;

use crate::support::make::Seller;
use crate::support::orders::{order, reference};
use crate::support::response::id;
use crate::support::{Server, Value, fresh, fresh_uuid, json, until};

const NAMED: &str = "payee is named by an open payment";

async fn payee(seller: &Seller) -> u64 {
    let body = json!({"displayName": "Harbour Couriers", "role": "contractor"});
    id(&seller.payments.create("/payees", &fresh_uuid(), &body).await.is(201))
}

/// A payment that is held, with a share for a payee.
fn shared(payee: u64) -> Value {
    order(json!({
        "captureMode": "manual", "autoSettlement": false,
        "orderData": {"totalAmount": 12.5, "payeeDistribution": [{"payeeId": payee, "amount": 5}]},
    }))
}

#[tokio::test]
async fn a_payee_that_an_open_payment_names_stays() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let held = payee(&seller).await;
    let path = format!("/payees/{held}");
    let body = shared(held);
    seller.initiate(&body).await.is(202);
    seller.payments.delete(&path).await.refuses_saying(409, NAMED);
    assert_eq!(seller.payments.get(&path).await.is(200)["archived"], false);
    seller.initiate(&shared(held)).await.is(202);
    let name = reference(&body);
    seller.act_on(name, "capture", &json!({})).await.is(200);
    seller.payments.delete(&path).await.refuses(409, "payee");

    let pending = payee(&seller).await;
    let path = format!("/payees/{pending}");
    let session = json!({
        "externalOrderRef": fresh("order"), "amount": 49.9, "currencyCode": "EUR",
        "returnUrls": {"success": "https://a.example/", "failure": "https://a.example/"},
        "orderData": {"payeeDistribution": [{"payeeId": pending, "amount": 5}]},
    });
    let made = seller.payments.create("/checkout", &fresh_uuid(), &session).await.is(201);
    seller.payments.delete(&path).await.refuses_saying(409, NAMED);
    let page = made["checkoutUrl"].as_str().expect("a page");
    server.anonymous.post(page, &json!({"action": "leave"})).await.is(200);
    assert_eq!(seller.payments.delete(&path).await.is(200), json!({"archived": true}));
    let late = seller.initiate(&shared(pending)).await;
    late.refuses_saying(409, "payee is archived");
    server.close().await;
}

#[tokio::test]
async fn a_payee_whose_payment_was_cancelled_or_has_failed_can_go() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = payee(&seller).await;
    let body = shared(payee);
    seller.initiate(&body).await.is(202);
    let mut declined = shared(payee);
    declined["cardData"]["cardNumber"] = json!("4000000000000002");
    seller.initiate(&declined).await.refuses_saying(502, "payment declined");
    let path = format!("/payees/{payee}");
    seller.payments.delete(&path).await.refuses_saying(409, NAMED);
    seller.act_on(reference(&body), "cancel", &json!({})).await.is(200);
    seller.payments.delete(&path).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn no_payment_is_begun_for_a_payee_while_it_is_archived() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut archived = 0;
    for round in 0..12 {
        let payee = payee(&seller).await;
        let path = format!("/payees/{payee}");
        if round == 0 {
            // At least once a payment is faster.
            seller.initiate(&shared(payee)).await.is(202);
        }
        let bodies: Vec<_> = (0..4).map(|_| shared(payee)).collect();
        let begun = join_all(bodies.iter().map(|body| seller.initiate(body)));
        let gone = seller.payments.send(Method::DELETE, &path, &[], "");
        let (begun, gone) = tokio::join!(begun, gone);
        let open = begun.iter().filter(|one| one.status == 202).count();
        for one in begun.iter().filter(|one| one.status != 202) {
            one.refuses_saying(409, "payee is archived");
        }
        let is_archived = seller.payments.get(&path).await.is(200)["archived"] == true;
        assert_eq!(is_archived, gone.status == 200, "{}", gone.text);
        assert!(!is_archived || open == 0, "{open} payments of an archived payee");
        archived += usize::from(is_archived);
        if !is_archived {
            let again = shared(payee);
            seller.initiate(&again).await.is(202);
        }
    }
    assert!(archived < 12, "a payment that was faster kept nobody from archiving");
    server.close().await;
}

#[tokio::test]
async fn an_archiving_that_was_left_halfway_is_brought_to_its_end() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let payee = payee(&seller).await;
    let key = (SellerId(seller.id), PayeeId(payee));
    server.app().payees.half_archive(key.0, key.1).await.expect("closed");
    seller.initiate(&shared(payee)).await.refuses_saying(409, "payee is archived");
    assert_eq!(server.app().store.contains(CLOSED_PAYEES, &key), Ok(true));
    server.restart().await;
    server.pass_seconds(6);
    until("the payee to be archived", async || {
        let payee = server.app().store.get(PAYEES, &key).expect("readable").expect("there");
        payee.is_archived().then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn a_payment_is_not_tried_again_for_a_payee_that_was_archived_meanwhile() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = payee(&seller).await;
    let mut failing = shared(payee);
    failing["cardData"]["cardNumber"] = json!("4000000000000119");
    let key = fresh_uuid();
    let try_it = async || seller.payments.create("/initialize-payment", &key, &failing).await;
    for _ in 0..2 {
        assert_eq!(try_it().await.is(502)["failureCode"], 2002);
    }
    seller.payments.delete(&format!("/payees/{payee}")).await.is(200);
    try_it().await.refuses_saying(409, "payee is archived");
    server.close().await;
}
