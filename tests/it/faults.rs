//! What test builds alone can do: rooms that panic, a limiter that is cut off.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actors::domain::ids::{ContractId, SellerId};
use futures::future::join_all;

use crate::support::make::line;
use crate::support::{House, fresh, json};

#[tokio::test]
async fn a_contract_room_that_panics_is_rebuilt_and_disturbs_nobody() {
    let house = House::open().await;
    let seller = house.seller().await;
    let (broken, neighbour) =
        (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    let amend = async |contract: u64, version: u64| {
        let path = format!("/contracts/{contract}/amendments");
        seller.billing.post(&path, &json!({"expectedBaseVersion": version})).await
    };
    for version in 1..=5 {
        let contracts = &house.app().contracts;
        let panic = contracts.panic(SellerId(seller.id), ContractId(broken));
        let (died, other) = tokio::join!(panic, amend(neighbour, version));
        assert!(died.is_err(), "its caller is told that there is no answer");
        other.is(200);
        assert_eq!(amend(broken, version).await.is(200)["version"], version + 1);
    }
    let list = seller.billing.get(&format!("/contracts/{broken}/versions")).await.is(200);
    assert_eq!(list["versions"].as_array().map(Vec::len), Some(6));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_of_a_room_that_panics_are_answered_500() {
    let house = House::open().await;
    let seller = house.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/subscriptions");
    let body = json!({
        "frequency": "monthly", "priceMinor": 100, "currency": "EUR", "startDate": "2027-01-15",
    });
    let over = std::sync::atomic::AtomicBool::new(false);
    // Many callers, so that some wait in the mailbox when the room dies.
    let caller = async || {
        let (mut made, mut unanswered) = (Vec::new(), Vec::new());
        while !over.load(Ordering::SeqCst) {
            let key = fresh("s");
            let heard = seller.billing.create(&path, &key, &body).await;
            match heard.status {
                201 => made.push(heard["id"].as_u64().expect("an id")),
                500 => {
                    assert!(heard.error().contains("unanswered"), "{}", heard.text);
                    unanswered.push(key);
                }
                _ => panic!("{} answered {}: {}", heard.asked, heard.status, heard.text),
            }
        }
        (made, unanswered)
    };
    let panics = async {
        for _ in 0..6 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let contracts = &house.app().contracts;
            let died = contracts.panic(SellerId(seller.id), ContractId(contract)).await;
            assert!(died.is_err());
        }
        over.store(true, Ordering::SeqCst);
    };
    let (all, ()) = tokio::join!(join_all((0..32).map(|_| caller())), panics);
    let made: BTreeSet<u64> = all.iter().flat_map(|(made, _)| made.iter().copied()).collect();
    let unanswered: Vec<&String> = all.iter().flat_map(|(_, keys)| keys).collect();
    assert!(!unanswered.is_empty(), "nobody was waiting when the room died");
    // What was answered is there; what was not may be, and a replay of its key tells.
    let there = async || -> BTreeSet<u64> {
        let rows = seller.billing.all("/subscriptions", "subscriptions").await;
        rows.iter().map(|row| row["id"].as_u64().expect("an id")).collect()
    };
    assert!(made.is_subset(&there().await));
    for key in unanswered {
        let heard = seller.billing.create(&path, key, &body).await;
        assert!([200, 201].contains(&heard.status), "{}", heard.text);
        let again = seller.billing.create(&path, key, &body).await;
        assert_eq!((again.status, &again["id"]), (200, &heard["id"]));
    }
    house.close().await;
}

#[tokio::test]
async fn a_seller_room_that_panics_is_rebuilt() {
    let house = House::open().await;
    let (seller, other) = (house.seller().await, house.seller().await);
    let body = json!({"email": "a@example.com"});
    let made = seller.billing.post("/customers", &body).await.is(200);
    assert!(house.app().sellers.panic(SellerId(seller.id)).await.is_err());
    assert_eq!(seller.billing.post("/customers", &body).await.is(200), made);
    other.billing.post("/customers", &body).await.is(200);
    house.close().await;
}

#[tokio::test]
async fn without_the_limiter_the_three_quota_writes_wait_and_everything_else_passes() {
    let settings = [
        ("limits.contracts_per_day", "20"),
        ("limits.amendments_per_day", "200"),
        ("limits.invoices_per_day", "500"),
        ("limits.billing_per_hour", "1000"),
    ];
    let house = House::with(&settings).await;
    let seller = house.seller().await;
    let contract = seller.contract("2027-01-15").await;
    house.app().limiter.cut_off(true);
    let new = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    });
    let amendments = format!("/contracts/{contract}/amendments");
    let invoice = json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 1)]});
    let refused = [
        seller.billing.create("/contracts", &fresh("k"), &new).await,
        seller.billing.post(&amendments, &json!({"expectedBaseVersion": 1})).await,
        seller.billing.create("/invoices", &fresh("k"), &invoice).await,
    ];
    for heard in refused {
        heard.has_status(503);
        let wait: u32 = heard.header("retry-after").expect("Retry-After").parse().expect("seconds");
        assert!(wait >= 1);
        assert!(!heard.error().is_empty());
    }
    let read = seller.billing.get(&format!("/contracts/{contract}")).await;
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit", "ratelimit-policy"] {
        assert_eq!(read.header(name), None, "{name}");
    }
    assert_eq!(read.is(200)["version"], 1, "nothing was written");
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 1);
    assert_eq!(seller.billing.all("/invoices", "invoices").await.len(), 0);
    house.seller().await;
    house.app().limiter.cut_off(false);
    let made = seller.billing.create("/contracts", &fresh("k"), &new).await;
    assert!(made.header("x-ratelimit-limit").is_some());
    made.is(201);
    house.close().await;
}

#[tokio::test]
async fn an_unmetered_quota_never_waits_for_the_limiter() {
    let house = House::open().await;
    let seller = house.seller().await;
    house.app().limiter.cut_off(true);
    seller.contract("2027-01-15").await;
    house.close().await;
}
