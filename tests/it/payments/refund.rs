//! `POST /payments/{externalOrderRef}/refund`.

use futures::future::join_all;

use crate::support::orders::order;
use crate::support::{Receiver, Server, Value, fresh_uuid, json, until};

#[tokio::test]
async fn a_payment_goes_back_in_parts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let hook = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["PaymentRefunded"]});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let name = seller.paid(json!({})).await;
    server.settle(&seller, &name).await;
    let (path, key) = (format!("/payments/{name}/refund"), fresh_uuid());
    let body = json!({"amount": 2.5, "reason": "damaged"});
    let refund = seller.payments.create(&path, &key, &body).await.is(202);
    let expected = json!({
        "refundId": refund["refundId"], "paymentId": name, "status": "pending", "amount": 2.5,
        "currencyCode": "EUR", "reason": "damaged", "createdAt": "2027-01-15T09:00:06Z",
        "updatedAt": "2027-01-15T09:00:06Z",
    });
    assert_eq!(refund, expected);
    assert_eq!(seller.payment(&name).await["status"], "refund_pending");
    let second = seller.act_on(&name, "refund", &json!({})).await;
    second.refuses_saying(409, "refund is already in progress");
    server.pass_seconds(3);
    let back = seller.wait_for_status(&name, "settled").await;
    assert_eq!(back["refundedAmount"], 2.5);
    assert_eq!(back["refunds"][0]["status"], "succeeded");
    let replay = seller.payments.create(&path, &key, &body).await;
    assert!(replay.is_replay());
    assert_eq!(replay.is(200)["status"], "succeeded");
    let payload = receiver.wait_for_count(1).await[0].event["payload"].clone();
    assert_eq!(
        (&payload["refundedAmountMinor"], &payload["partial"], &payload["refundId"]),
        (&json!(250), &json!(true), &refund["refundId"])
    );
    let above = seller.act_on(&name, "refund", &json!({"amount": 10.01})).await;
    above.refuses_saying(409, "refund amount exceeds remaining refundable amount");
    let rest = seller.act_on(&name, "refund", &json!({})).await.is(202);
    assert_eq!(rest["amount"], 10);
    server.pass_seconds(3);
    let all = seller.wait_for_status(&name, "refunded").await;
    assert_eq!(
        (&all["refundedAmount"], all["refunds"].as_array().map(Vec::len)),
        (&json!(12.5), Some(2))
    );
    let done = seller.act_on(&name, "refund", &json!({})).await;
    done.refuses_saying(409, "payment is already refunded");
    server.close().await;
}

#[tokio::test]
async fn refunds_fail_and_are_cancelled_by_order() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let (path, key) = (format!("/payments/{name}/refund"), fresh_uuid());
    let some = json!({"amount": 2.5});
    let early = seller.simulate(&path, "force_failure=2004", &key, &some).await.is(202);
    assert_eq!((&early["status"], &early["failureCode"]), (&json!("failed"), &json!(2004)));
    assert_eq!(seller.payment(&name).await["status"], "refund_failed");
    let forced = seller.simulate(&path, "force_failure=2004", &key, &some).await.is(202);
    assert_eq!((&forced["refundId"], &forced["status"]), (&early["refundId"], &json!("failed")));
    let again = seller.payments.create(&path, &key, &some).await.is(202);
    assert_eq!((&again["refundId"], &again["status"]), (&early["refundId"], &json!("pending")));
    server.pass_seconds(3);
    let some_back = seller.wait_for_status(&name, "provider_completed").await;
    assert_eq!(some_back["refundedAmount"], 2.5);
    let cancelled =
        seller.simulate(&path, "force_refund=cancelled", &fresh_uuid(), &json!({})).await;
    let cancelled = cancelled.is(202);
    assert_eq!(cancelled["status"], "cancelled");
    assert_ne!(cancelled["refundId"], early["refundId"]);
    assert_eq!(seller.payment(&name).await["status"], "refund_cancelled");
    let wrong = seller.simulate(&path, "force_failure=2001", &fresh_uuid(), &json!({})).await;
    wrong.refuses_saying(400, "Simulator must be force_failure=2004 or force_refund=cancelled");
    let whole = seller.act_on(&name, "refund", &json!({})).await.is(202);
    assert_eq!(whole["status"], "pending");
    server.pass_seconds(3);
    let all = seller.wait_for_status(&name, "refunded").await;
    let shown: Vec<&Value> =
        all["refunds"].as_array().expect("refunds").iter().map(|one| &one["status"]).collect();
    assert_eq!(shown, ["succeeded", "cancelled", "succeeded"]);
    server.close().await;
}

#[tokio::test]
async fn a_refund_that_came_too_early_is_replayed_as_it_is_once_another_takes_its_money() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let (path, key) = (format!("/payments/{name}/refund"), fresh_uuid());
    let early = seller.simulate(&path, "force_failure=2004", &key, &json!({})).await.is(202);
    assert_eq!((&early["status"], &early["failureCode"]), (&json!("failed"), &json!(2004)));
    let is_replayed = async || {
        let again = seller.payments.create(&path, &key, &json!({})).await;
        assert!(again.is_replay(), "{}", again.text);
        assert_eq!(again.is(200), early);
    };
    seller.act_on(&name, "refund", &json!({})).await.is(202);
    is_replayed().await;
    server.pass_seconds(3);
    seller.wait_for_status(&name, "refunded").await;
    is_replayed().await;
    server.close().await;
}

#[tokio::test]
async fn a_refund_that_came_too_early_is_tried_again_by_one_of_many_at_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let (path, key) = (format!("/payments/{name}/refund"), fresh_uuid());
    let body = json!({"amount": 5});
    let early = seller.simulate(&path, "force_failure=2004", &key, &body).await.is(202);
    let responses = join_all((0..20).map(|_| seller.payments.create(&path, &key, &body))).await;
    for one in &responses {
        assert!([200, 202].contains(&one.status), "{}", one.text);
        assert_eq!((&one["refundId"], &one["status"]), (&early["refundId"], &json!("pending")));
    }
    assert_eq!(responses.iter().filter(|one| one.status == 202).count(), 1);
    server.close().await;
}

#[tokio::test]
async fn what_holds_nothing_is_not_refunded() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let held = seller.held(json!({})).await;
    let response = seller.act_on(&held, "refund", &json!({})).await;
    response.refuses_saying(409, "refund is not allowed for a payment in status authorized");
    seller.act_on("nothing", "refund", &json!({})).await.has_status(404);
    let paid = seller.paid(json!({})).await;
    for (body, text) in [
        (json!({"amount": 0}), "amount must be greater than 0"),
        (json!({"amount": 1.999}), "amount has more decimals than EUR has"),
        (json!({"amount": "1"}), "invalid request body"),
        (json!({"reason": "r".repeat(256)}), "reason must have at most 255 characters"),
    ] {
        seller.act_on(&paid, "refund", &body).await.refuses_saying(400, text);
    }
    server.close().await;
}

#[tokio::test]
async fn fifty_refunds_at_once_never_give_back_more_than_came() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let mut succeeded = 0;
    while succeeded < 2 {
        let body = json!({"amount": 5});
        let responses = join_all((0..50).map(|_| seller.act_on(&name, "refund", &body))).await;
        assert_eq!(responses.iter().filter(|one| one.status == 202).count(), 1);
        for one in responses.iter().filter(|one| one.status != 202) {
            one.refuses_saying(409, "refund is already in progress");
        }
        server.pass_seconds(3);
        succeeded += 1;
        let back = 5 * succeeded;
        until("the money back", async || {
            (seller.payment(&name).await["refundedAmount"] == back).then_some(())
        })
        .await;
    }
    let above = seller.act_on(&name, "refund", &json!({"amount": 5})).await;
    above.refuses_saying(409, "refund amount exceeds remaining refundable amount");
    server.close().await;
}

#[tokio::test]
async fn one_key_many_times_at_once_makes_one_refund() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let (path, key) = (format!("/payments/{name}/refund"), fresh_uuid());
    let body = json!({"amount": 5});
    let responses = join_all((0..20).map(|_| seller.payments.create(&path, &key, &body))).await;
    let first = responses[0]["refundId"].clone();
    for one in &responses {
        assert!([200, 202].contains(&one.status), "{}", one.text);
        assert_eq!(one["refundId"], first);
    }
    assert_eq!(responses.iter().filter(|one| one.status == 202).count(), 1);
    let other = seller.payments.create(&path, &key, &json!({"amount": 6})).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different amount");
    let elsewhere = seller.paid(json!({})).await;
    let elsewhere = format!("/payments/{elsewhere}/refund");
    let other = seller.payments.create(&elsewhere, &key, &body).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different externalOrderRef");
    server.close().await;
}

#[tokio::test]
async fn each_party_gives_back_its_part() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let shared = json!({"orderData": {"payeeDistribution": [
        {"payeeId": seller.payee(0), "amount": 5}, {"payeeId": seller.payee(1), "amount": 2.5},
    ]}});
    let payment = seller.initiate(&order(shared)).await.is(202);
    let name = payment["paymentId"].as_str().expect("a name");
    server.settle(&seller, name).await;
    seller.act_on(name, "refund", &json!({"amount": 5})).await.is(202);
    server.pass_seconds(3);
    seller.wait_for_status(name, "settled").await;
    for (which, minor) in [(0, 300), (1, 150)] {
        until("what is left", async || {
            let wallet = seller.wallet_now(seller.wallet(which)).await;
            (wallet["availableBalanceMinor"] == minor).then_some(())
        })
        .await;
    }
    server.close().await;
}
