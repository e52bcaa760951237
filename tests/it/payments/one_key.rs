//! One `Idempotency-Key` belongs to one request, whatever arrives at the same moment.

use futures::future::join_all;

use crate::support::make::Seller;
use crate::support::orders::{action_of, order, reference};
use crate::support::response::Response;
use crate::support::{Server, Value, fresh_uuid, json};

const ROUNDS: usize = 10;

/// Sends requests at once under one key: those carried out, and the replays. All others are told
/// which field differs.
async fn at_once(
    seller: &Seller,
    requests: &[(String, Value)],
    field: &str,
) -> (Vec<Response>, Vec<Response>) {
    let key = fresh_uuid();
    let sent = requests.iter().map(|(path, body)| seller.payments.create(path, &key, body));
    let (told, done): (Vec<_>, Vec<_>) =
        join_all(sent).await.into_iter().partition(|one| one.status == 409);
    for one in told {
        one.refuses_saying(409, &format!("Idempotency-Key reused with a different {field}"));
    }
    for one in &done {
        one.has_status(200);
    }
    done.into_iter().partition(|one| !one.is_replay())
}

#[tokio::test]
async fn one_key_cancels_one_of_two_payments() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for _ in 0..ROUNDS {
        let (one, two) = (seller.held(json!({})).await, seller.held(json!({})).await);
        let cancel = |name: &String| (format!("/payments/{name}/cancel"), json!({}));
        let both = [cancel(&one), cancel(&two)];
        let (done, replays) = at_once(&seller, &both, "externalOrderRef").await;
        assert_eq!((done.len(), replays.len()), (1, 0));
        let statuses = [seller.payment(&one).await, seller.payment(&two).await];
        let cancelled = statuses.iter().filter(|payment| payment["status"] == "cancelled");
        assert_eq!(cancelled.count(), 1, "{statuses:?}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_body_that_names_the_payment_does_not_stand_for_its_path() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (one, two) = (seller.held(json!({})).await, seller.held(json!({})).await);
    let key = fresh_uuid();
    let capture = async |name: &String| {
        let body = json!({"externalOrderRef": "x"});
        seller.payments.create(&format!("/payments/{name}/capture"), &key, &body).await
    };
    assert_eq!(capture(&one).await.is(200)["status"], "provider_completed");
    let reused = "Idempotency-Key reused with a different externalOrderRef";
    capture(&two).await.refuses_saying(409, reused);
    assert_eq!(seller.payment(&two).await["status"], "authorized");
    assert!(capture(&one).await.is_replay());
    server.close().await;
}

#[tokio::test]
async fn a_cancel_that_comes_many_times_at_once_is_replayed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for _ in 0..ROUNDS {
        let name = seller.held(json!({})).await;
        let same = vec![(format!("/payments/{name}/cancel"), json!({})); 8];
        let (done, replays) = at_once(&seller, &same, "nothing").await;
        assert_eq!((done.len(), replays.len()), (1, 7));
        for one in done.iter().chain(&replays) {
            assert_eq!(one["status"], "cancelled", "{}", one.text);
        }
    }
    server.close().await;
}

#[tokio::test]
async fn one_key_captures_one_amount_of_one_payment() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for _ in 0..ROUNDS {
        let (one, two) = (seller.held(json!({})).await, seller.held(json!({})).await);
        let capture = |name: &String, amount: i64| {
            (format!("/payments/{name}/capture"), json!({"amount": amount}))
        };
        let amounts: Vec<_> = (1..=6).map(|amount| capture(&one, amount)).collect();
        let (done, replays) = at_once(&seller, &amounts, "amount").await;
        assert_eq!((done.len(), replays.len()), (1, 0));
        assert_eq!(seller.payment(&one).await["capturedAmount"], done[0]["capturedAmount"]);

        let payments = [capture(&one, 1), capture(&two, 1)];
        let (done, replays) = at_once(&seller, &payments, "externalOrderRef").await;
        assert_eq!((done.len(), replays.len()), (1, 0));
    }
    server.close().await;
}

#[tokio::test]
async fn one_key_finalizes_one_amount_of_one_payment() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for _ in 0..ROUNDS {
        let mut names = Vec::new();
        for _ in 0..2 {
            let pending = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
            server.anonymous.answer_bank(action_of(&pending), "approve").await.has_status(200);
            names.push(reference(&pending).to_owned());
        }
        let finalize = |name: &String, amount: i64| {
            let body = json!({"externalOrderRef": name, "amount": amount});
            ("/finalize-payment".to_owned(), body)
        };
        let payments = [finalize(&names[0], 3), finalize(&names[1], 3)];
        let (done, replays) = at_once(&seller, &payments, "externalOrderRef").await;
        assert_eq!((done.len(), replays.len()), (1, 0));
        let (left, name) = match reference(&done[0].body) == names[0] {
            true => (1, &names[1]),
            false => (0, &names[0]),
        };
        assert_eq!(seller.payment(&names[left]).await["status"], "provider_pending");
        let amounts: Vec<_> = (1..=6).map(|amount| finalize(name, amount)).collect();
        let (done, replays) = at_once(&seller, &amounts, "amount").await;
        assert_eq!((done.len(), replays.len()), (1, 0));
        assert_eq!(seller.payment(name).await["capturedAmount"], done[0]["capturedAmount"]);
    }
    server.close().await;
}

#[tokio::test]
async fn what_is_done_with_a_payment_at_once_is_done_one_after_the_other() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    let ask = |action: &'static str, amount: i64| {
        let (seller, name) = (&seller, &name);
        async move { seller.act_on(name, action, &json!({"amount": amount})).await }
    };
    let captures = join_all((0..12).map(|_| ask("capture", 1))).await;
    for one in captures {
        one.has_status(200);
    }
    assert_eq!(seller.payment(&name).await["capturedAmount"], 12);

    let pending = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    server.anonymous.answer_bank(action_of(&pending), "approve").await.has_status(200);
    let finals = join_all((0..8).map(|_| seller.finalize(reference(&pending)))).await;
    for one in finals {
        assert_eq!(one.is(200)["status"], "provider_completed");
    }
    server.close().await;
}
