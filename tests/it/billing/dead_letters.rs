//! `/usage/dead-letters`: listed, tried again, given up.

use crate::support::meter::EARLIER;
use crate::support::response::{column, id, ids};
use crate::support::{Seller, Server, Value, json, until};

use super::csv::{Csv, done};

/// Rows of a metric that nobody registered, parked by an upload.
async fn parked(seller: &Seller, contract: u64, rows: usize) -> Vec<u64> {
    let file = format!("quantity\n{}", "1\n".repeat(rows));
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": "late.metric"},
        "quantity": "quantity", "occurredAt": {"const": EARLIER},
    });
    let upload = Csv::of(&file, &mapping).send(&seller.billing).await.is(202);
    let end = done(seller, &upload).await;
    assert_eq!(end["parked"], rows);
    let list = seller.billing.get("/usage/dead-letters?status=parked&limit=100").await.is(200);
    ids(&list, "deadLetters")
}

async fn act(seller: &Seller, letter: u64, action: &str) -> Value {
    let path = format!("/usage/dead-letters/{letter}/{action}");
    seller.billing.post(&path, &json!({})).await.is(200)
}

#[tokio::test]
async fn a_letter_is_redriven_once_its_cause_is_gone() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let [letter] = parked(&seller, contract, 1).await[..] else { panic!("one letter") };
    server.pass_seconds(60);
    let still = act(&seller, letter, "redrive").await;
    assert_eq!((&still["status"], &still["attempts"]), (&json!("parked"), &json!(2)));
    assert!(still["reason"].as_str().expect("a reason").contains("late.metric"), "{still}");
    assert_eq!(still["lastAttemptAt"], server.now().to_string());
    assert_ne!(still["createdAt"], still["lastAttemptAt"]);

    seller.metric("late.metric", json!({})).await;
    let driven = act(&seller, letter, "redrive").await;
    assert_eq!((&driven["status"], &driven["attempts"]), (&json!("redriven"), &json!(3)));
    assert_eq!(driven["reason"], "recorded by a redrive");
    assert_eq!(seller.used(contract, "late.metric").await, "1");
    for action in ["redrive", "discard"] {
        let path = format!("/usage/dead-letters/{letter}/{action}");
        let response = seller.billing.post(&path, &json!({})).await;
        response.refuses_saying(422, "the dead letter is redriven, not parked");
    }
    server.restart().await;
    seller = server.again(&seller);
    let list = seller.billing.get("/usage/dead-letters").await.is(200);
    assert_eq!(list["deadLetters"], json!([driven]));
    assert_eq!(seller.used(contract, "late.metric").await, "1");
    server.close().await;
}

#[tokio::test]
async fn lists_are_newest_first_by_status_and_in_pages() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let all = parked(&seller, contract, 30).await;
    assert!(all.is_sorted_by(|one, next| one > next), "{all:?}");
    for letter in &all[3..6] {
        assert_eq!(act(&seller, *letter, "discard").await["status"], "discarded");
    }
    seller.metric("late.metric", json!({})).await;
    act(&seller, all[4 + 5], "redrive").await;
    let of = async |query: &str| {
        let rows = seller.older().all(&format!("/dead-letters{query}"), "deadLetters").await;
        rows.iter().map(id).collect::<Vec<u64>>()
    };
    assert_eq!(of("").await, all);
    assert_eq!(of("?status=discarded").await, all[3..6]);
    assert_eq!(of("?status=redriven").await, [all[9]]);
    assert_eq!(of("?status=parked").await.len(), 26);
    let first = seller.billing.get("/usage/dead-letters?limit=7").await.is(200);
    assert_eq!(ids(&first, "deadLetters"), all[..7]);
    assert_eq!((&first["hasMore"], &first["nextBeforeId"]), (&json!(true), &json!(all[6])));
    let path = format!("/usage/dead-letters?limit=7&beforeId={}", all[6]);
    assert_eq!(ids(&seller.billing.get(&path).await.is(200), "deadLetters"), all[7..14]);
    seller.billing.get("/usage/dead-letters?status=lost").await.refuses(400, "status");

    let stranger = server.seller().await;
    let list = stranger.billing.get("/usage/dead-letters").await.is(200);
    assert_eq!(column(&list, "deadLetters", "id"), Vec::<&Value>::new());
    for action in ["redrive", "discard"] {
        let path = format!("/usage/dead-letters/{}/{action}", all[0]);
        stranger.billing.post(&path, &json!({})).await.refuses_saying(404, "not found");
    }
    server.close().await;
}

#[tokio::test]
async fn two_who_redrive_at_once_record_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let all = parked(&seller, contract, 8).await;
    seller.metric("late.metric", json!({})).await;
    for letter in all {
        let path = format!("/usage/dead-letters/{letter}/redrive");
        let body = json!({});
        let (one, other) =
            tokio::join!(seller.billing.post(&path, &body), seller.billing.post(&path, &body));
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert!([[200, 200], [200, 422]].contains(&statuses), "{statuses:?}");
    }
    until("all of them", async || {
        (seller.used(contract, "late.metric").await == "8").then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn a_row_that_is_too_short_keeps_its_fault() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mapping = json!({
        "contractId": "c", "metric": "m", "quantity": {"const": "1"},
        "occurredAt": {"const": EARLIER},
    });
    let upload = Csv::of("c,m\n1\n", &mapping).send(&seller.billing).await.is(202);
    done(&seller, &upload).await;
    let list = seller.billing.get("/usage/dead-letters").await.is(200);
    let letter = &list["deadLetters"][0];
    assert_eq!(letter["event"], json!({"cells": ["1"]}));
    let fault = "row 1: the row has 1 cells, the header has 2";
    assert_eq!(letter["reason"], fault);
    let tried = act(&seller, id(letter), "redrive").await;
    assert_eq!((&tried["reason"], &tried["attempts"]), (&json!(fault), &json!(2)));
    assert_eq!(act(&seller, id(letter), "discard").await["status"], "discarded");
    server.close().await;
}
