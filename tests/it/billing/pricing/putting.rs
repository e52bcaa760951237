//! `PUT` and `GET /usage/contracts/{contractId}/metrics/{metricName}/price`.

use super::{config, per_unit, wrong};
use crate::support::make::{fresh, with};
use crate::support::{Seller, Server, Value, json};

fn path(contract: u64, metric: &str) -> String {
    format!("/contracts/{contract}/metrics/{metric}/price")
}

fn body(from: &str, config: Value) -> Value {
    json!({"effectiveFrom": from, "config": config})
}

async fn put(seller: &Seller, contract: u64, from: &str, config: Value) -> Value {
    let path = format!("/usage{}", path(contract, "api.calls"));
    seller.billing.put(&path, &body(from, config)).await.is(200)
}

#[tokio::test]
async fn a_price_is_there_as_put_under_both_prefixes() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let path = path(contract, "api.calls");
    let (usual, older) = (seller.billing.under("/billing-api/v1/usage"), seller.older());
    usual.get(&path).await.refuses_saying(404, "this metric has no price configured");
    older.get(&path).await.refuses_saying(404, "this metric has no price configured");
    let bands = json!([{"upTo": "10", "unitPrice": "1"}, {"upTo": null, "unitPrice": "0.5"}]);
    let flats = json!([{"upTo": "0.5", "flatAmount": "1"}, {"upTo": null, "flatAmount": "0"}]);
    let own = [
        json!({
            "scheme": "per_unit", "unitPrice": "0.000000000001",
            "allotment": {"includedUnits": "5.5", "rollover": "rollover"},
            "commitment": {"minimumMinor": 0, "spendCapMinor": 100, "usageCap": "7"},
        }),
        json!({"scheme": "graduated", "tiers": bands, "commitment": {"minimumMinor": 5}}),
        json!({"scheme": "volume", "tiers": bands, "rounding": "half_even"}),
        json!({"scheme": "tiered", "tiers": flats, "rounding": "up"}),
        json!({"scheme": "package", "unitPrice": "2", "packageSize": "1000", "rounding": "down"}),
        json!({
            "scheme": "percentage", "percentBps": 290,
            "allotment": {"includedUnits": "0", "rollover": "none"},
        }),
    ];
    for (index, own) in own.into_iter().enumerate() {
        let (put_at, read_at) = if index % 2 == 0 { (&usual, &older) } else { (&older, &usual) };
        let put = put_at.put(&path, &body("2027-01-01", config(own.clone()))).await.is(200);
        assert_eq!(
            put,
            json!({
                "contractId": contract, "metricName": "api.calls", "version": index + 1,
                "effectiveFrom": "2027-01-01", "config": config(own), "createdAt": put["createdAt"],
            })
        );
        assert_eq!(read_at.get(&path).await.is(200), put);
    }
    // What is not stated has its default.
    let sent = json!({
        "scheme": "graduated", "unitPrice": "not read", "allotment": {"includedUnits": "05.50"},
        "tiers": [{"upTo": null, "unitPrice": "01.10"}],
    });
    let put = put(&seller, contract, "2027-01-01", config(sent)).await;
    let stored = json!({
        "scheme": "graduated", "allotment": {"includedUnits": "5.5", "rollover": "none"},
        "tiers": [{"upTo": null, "unitPrice": "1.1"}],
    });
    assert_eq!(put["config"], config(stored));
    server.close().await;
}

#[tokio::test]
async fn the_day_decides_which_version_stands() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let current = async |seller: &Seller| {
        let path = format!("/usage{}", path(contract, "api.calls"));
        seller.billing.get(&path).await
    };
    // Today is 15 January 2027. What is to come is not in force.
    assert_eq!(put(&seller, contract, "2027-01-20", per_unit("1")).await["version"], 1);
    current(&seller).await.refuses_saying(404, "this metric has no price configured");
    assert_eq!(put(&seller, contract, "2027-01-10", per_unit("2")).await["version"], 2);
    assert_eq!(put(&seller, contract, "2026-12-01", per_unit("3")).await["version"], 3);
    assert_eq!(current(&seller).await.is(200)["version"], 2);
    // For one date the highest version stands; repeating what stands makes none.
    assert_eq!(put(&seller, contract, "2027-01-10", per_unit("4")).await["version"], 4);
    let again = put(&seller, contract, "2027-01-10", per_unit("4.00")).await;
    assert_eq!((&again["version"], current(&seller).await.is(200)), (&json!(4), again.clone()));
    assert_eq!(put(&seller, contract, "2027-01-10", per_unit("2")).await["version"], 5);
    assert_eq!(put(&seller, contract, "2027-01-20", per_unit("1")).await["version"], 1);
    server.restart().await;
    seller = server.again(&seller);
    assert_eq!(put(&seller, contract, "2027-01-10", per_unit("2")).await["version"], 5);
    assert_eq!(current(&seller).await.is(200)["version"], 5);
    server.pass_seconds(5 * 86_400);
    assert_eq!(current(&seller).await.is(200)["version"], 1);
    // Another contract counts for itself.
    let other = seller.contract("2027-01-01").await;
    assert_eq!(put(&seller, other, "2027-01-10", per_unit("2")).await["version"], 1);
    server.close().await;
}

#[tokio::test]
async fn two_that_put_the_same_at_once_make_one_version() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let puts = (0..8).map(|_| {
        let seller = seller.clone();
        tokio::spawn(async move { put(&seller, contract, "2027-01-10", per_unit("2")).await })
    });
    let puts: Vec<_> = puts.collect();
    for put in puts {
        assert_eq!(put.await.expect("joined")["version"], 1);
    }
    server.close().await;
}

#[tokio::test]
async fn a_wrong_price_is_refused_naming_the_field() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let price = format!("/usage{}", path(contract, "api.calls"));
    for (more, named) in wrong() {
        let body = body("2027-01-01", with(&per_unit("1"), more));
        seller.billing.put(&price, &body).await.refuses(400, named);
    }
    let right = body("2027-01-01", per_unit("1"));
    for (more, named) in [
        (json!({"effectiveFrom": null}), "effectiveFrom is required"),
        (json!({"effectiveFrom": "2027-02-29"}), "effectiveFrom"),
        (json!({"effectiveFrom": "2027-01-01T00:00:00Z"}), "effectiveFrom"),
        (json!({"effectiveFrom": 20270101}), "effectiveFrom"),
        (json!({"config": null}), "config is required"),
        (json!({"config": "per_unit"}), "config"),
        (json!({"config": with(&per_unit("1"), json!({"currency": "USD"}))}), "config.currency"),
    ] {
        seller.billing.put(&price, &with(&right, more)).await.refuses(400, named);
    }
    // Seats, and nothing else, are priced by the seat.
    let seats = body("2027-01-01", with(&per_unit("1"), json!({"scheme": "per_seat"})));
    let seat_price = format!("/usage{}", path(contract, "platform.seat.active"));
    seller.billing.put(&price, &seats).await.refuses(400, "config.scheme");
    seller.billing.put(&seat_price, &right).await.refuses(400, "config.scheme");
    assert_eq!(seller.billing.put(&seat_price, &seats).await.is(200)["version"], 1);
    for metric in ["unheard.of", "a%20b"] {
        let unheard = format!("/usage{}", path(contract, metric));
        // The path comes before the body.
        for body in [&right, &json!([])] {
            seller.billing.put(&unheard, body).await.refuses_saying(404, "not found");
        }
        let none = "this metric has no price configured";
        seller.billing.get(&unheard).await.refuses_saying(404, none);
    }
    // Nothing of all this was kept.
    seller.billing.get(&price).await.refuses_saying(404, "this metric has no price configured");
    server.close().await;
}

#[tokio::test]
async fn a_contract_of_another_seller_or_currency_is_its_own() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let contract = seller.metered("2027-01-01").await;
    let price = format!("/usage{}", path(contract, "api.calls"));
    let right = body("2027-01-01", per_unit("1"));
    other.metric("api.calls", json!({})).await;
    other.billing.put(&price, &right).await.refuses_saying(404, "not found");
    other.billing.get(&price).await.refuses_saying(404, "not found");
    let unknown = format!("/usage{}", path(999_999_999, "api.calls"));
    seller.billing.put(&unknown, &right).await.refuses_saying(404, "not found");
    seller.billing.get("/usage/contracts/x/metrics/m/price").await.refuses(400, "contractId");
    let dollars = json!({
        "sellerCustomerId": seller.customer(), "currency": "USD", "startDate": "2027-01-01",
    });
    let dollars = seller.billing.create("/contracts", &fresh("contract"), &dollars).await.is(201);
    let price = format!("/usage{}", path(crate::support::response::id(&dollars), "api.calls"));
    seller.billing.put(&price, &right).await.refuses(400, "config.currency must be USD");
    let own = body("2027-01-01", with(&per_unit("1"), json!({"currency": "USD"})));
    assert_eq!(seller.billing.put(&price, &own).await.is(200)["version"], 1);
    server.close().await;
}
