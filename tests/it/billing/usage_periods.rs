//! Periods that close, their documents, and what the lines say of them.

use crate::support::meter::event_with;
use crate::support::response::{column, ids};
use crate::support::{Seller, Server, Value, json};

const DAY: i64 = 86_400;

async fn price(seller: &Seller, contract: u64, metric: &str, config: Value) {
    let path = format!("/usage/contracts/{contract}/metrics/{metric}/price");
    let mut body = json!({"effectiveFrom": "2026-12-01", "config": {
        "currency": "EUR", "rounding": "half_up",
    }});
    crate::support::make::merge(&mut body["config"], config);
    seller.billing.put(&path, &body).await.is(200);
}

/// A contract with a weekly subscription from `start` on, and the metric `api.calls`.
async fn weekly(seller: &Seller, start: &str) -> u64 {
    seller.metric("api.calls", json!({})).await;
    let contract = seller.contract(start).await;
    seller.subscribe(contract, start, json!({"frequency": "weekly"})).await;
    contract
}

async fn pass(server: &Server, name: &str) -> Value {
    server.operator.post(&format!("/passes/{name}/run"), &json!({})).await.is(200)
}

/// The usage documents of a contract, oldest first.
async fn documents(seller: &Seller, contract: u64) -> Vec<Value> {
    let path = format!("/invoices?contractId={contract}&origin=usage&limit=100");
    let list = seller.billing.get(&path).await.is(200);
    let mut documents = Vec::new();
    for id in ids(&list, "invoices").into_iter().rev() {
        documents.push(seller.billing.get(&format!("/invoices/{id}")).await.is(200));
    }
    documents
}

#[tokio::test]
async fn a_period_closes_and_its_document_explains_every_amount() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2026-12-18").await;
    price(
        &seller,
        contract,
        "api.calls",
        json!({
            "scheme": "graduated",
            "tiers": [{"upTo": "100", "unitPrice": "0.10"}, {"upTo": null, "unitPrice": "0.055"}],
            "allotment": {"includedUnits": "50", "rollover": "rollover"},
        }),
    )
    .await;
    price(
        &seller,
        contract,
        "platform.seat.active",
        json!({
            "scheme": "per_seat", "unitPrice": "31", "rounding": "up",
            "commitment": {"minimumMinor": 700},
        }),
    )
    .await;
    seller.record(&event_with(contract, "many", json!({"quantity": "251"}))).await;
    server.pass_seconds(4 * DAY);
    let closed = pass(&server, "billing.usage.close_pass").await;
    assert_eq!(closed["counts"], json!({"closed": 1, "lines": 2, "failed": 0}));
    let again = pass(&server, "billing.usage.close_pass").await;
    assert_eq!(again["counts"], json!({"closed": 0, "lines": 0, "failed": 0}));
    assert_eq!(documents(&seller, contract).await.len(), 0);
    let billed = pass(&server, "billing.usage.invoice_pass").await;
    let counts = json!({"issued": 1, "sent": 1, "skipped": 0, "failed": 0});
    assert_eq!(billed["counts"], counts);
    let again = pass(&server, "billing.usage.invoice_pass").await;
    assert_eq!(again["counts"]["issued"], 0);

    let invoice = documents(&seller, contract).await.remove(0);
    assert_eq!((&invoice["origin"], &invoice["status"]), (&json!("usage"), &json!("sent")));
    // 50 of 251 are included; 100 at 0.10 and 101 at 0.055 are 15.555, rounded half up.
    assert_eq!(invoice["grandTotalMinor"], 1_556 + 700);
    let lines = invoice["lines"].as_array().expect("lines");
    let usage = lines.iter().find(|line| line["source"] == "usage").expect("a usage line");
    for (field, value) in [
        ("quantity", json!("251")),
        ("amountMinor", json!(1_556)),
        ("metricName", json!("api.calls")),
        ("periodStart", json!("2026-12-18")),
        ("periodEnd", json!("2027-01-18")),
    ] {
        assert_eq!(usage[field], value, "{field}");
    }
    assert_eq!(usage.get("unitPriceMinor"), None);
    let breakdown = &usage["ratingBreakdown"];
    for (field, value) in [
        ("scheme", json!("graduated")),
        ("rounding", json!("half_up")),
        ("configVersion", json!(1)),
        ("usedUnits", json!("251")),
        ("includedUnits", json!("50")),
        ("billableUnits", json!("201")),
        ("exactAmount", json!("15.555")),
        ("unusedUnits", json!("0")),
        (
            "flags",
            json!({
                "includedUnitsApplied": true, "usageCapApplied": false,
                "minimumApplied": false, "spendCapApplied": false,
            }),
        ),
        (
            "lines",
            json!([
                {"from": "0", "upTo": "100", "quantity": "100", "unitPrice": "0.1", "amount": "10"},
                {"from": "100", "upTo": null, "quantity": "101", "unitPrice": "0.055",
                 "amount": "5.555"},
            ]),
        ),
    ] {
        assert_eq!(breakdown[field], value, "{field}");
    }
    assert!(breakdown["formula"].as_str().is_some_and(|text| text.contains("exactAmount")));
    let seats = lines.iter().find(|line| line["source"] == "seat").expect("a seat line");
    assert_eq!((&seats["quantity"], &seats["amountMinor"]), (&json!("0"), &json!(700)));
    let breakdown = &seats["ratingBreakdown"];
    for (field, value) in [
        ("scheme", json!("per_seat")),
        ("seatDays", json!(0)),
        ("periodDays", json!(31)),
        ("seatEquivalents", json!("0")),
        ("unitPrice", json!("31")),
        ("minimumMinor", json!(700)),
    ] {
        assert_eq!(breakdown[field], value, "{field}");
    }
    server.close().await;
}

#[tokio::test]
async fn an_allotment_rolls_over_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = weekly(&seller, "2027-01-01").await;
    price(
        &seller,
        contract,
        "api.calls",
        json!({
            "scheme": "per_unit", "unitPrice": "1",
            "allotment": {"includedUnits": "10", "rollover": "rollover"},
        }),
    )
    .await;
    // 4 of 10 used, then 18 of 16, then 13 of 10: what the second week used up, the third lacks.
    for (on, used) in [("2027-01-02", "4"), ("2027-01-09", "18"), ("2027-01-15", "13")] {
        let more = json!({"quantity": used, "occurredAt": format!("{on}T08:00:00Z")});
        seller.record(&event_with(contract, &format!("used {used}"), more)).await;
    }
    server.pass_seconds(8 * DAY);
    pass(&server, "billing.usage.close_pass").await;
    pass(&server, "billing.usage.invoice_pass").await;
    let invoice = documents(&seller, contract).await.remove(0);
    let amounts = column(&invoice, "lines", "amountMinor");
    assert_eq!(amounts, [&json!(0), &json!(200), &json!(300)]);
    let rolled: Vec<_> = invoice["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| line["ratingBreakdown"]["rolledOverUnits"].clone())
        .collect();
    assert_eq!(rolled, [json!("0"), json!("6"), json!("0")]);
    server.close().await;
}

#[tokio::test]
async fn a_usage_invoice_is_made_of_what_is_closed_and_of_nothing_else() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = weekly(&seller, "2027-01-11").await;
    price(&seller, contract, "api.calls", json!({"scheme": "per_unit", "unitPrice": "0.5"})).await;
    seller.record(&event_with(contract, "one", json!({"quantity": "3"}))).await;
    let body = json!({"contractId": contract, "origin": "usage"});
    seller.billing.create("/invoices", "early", &body).await.refuses(422, "closed usage");
    server.pass_seconds(4 * DAY);
    pass(&server, "billing.usage.close_pass").await;
    let lines = json!([{"description": "x", "quantity": "1", "unitPriceMinor": 1}]);
    let stated = json!({"contractId": contract, "origin": "usage", "lines": lines});
    seller.billing.create("/invoices", "stated", &stated).await.refuses(400, "lines");
    let transfer = json!({
        "contractId": contract, "origin": "usage", "collectionMethod": "bank_transfer",
        "send": false,
    });
    let made = seller.billing.create("/invoices", "k", &transfer).await.is(201);
    assert_eq!((&made["status"], &made["grandTotalMinor"]), (&json!("issued"), &json!(150)));
    assert_eq!(made["lines"][0]["unitPriceMinor"], 50);
    let again = seller.billing.create("/invoices", "k", &transfer).await.is(200);
    assert_eq!(again["id"], made["id"]);
    seller.billing.create("/invoices", "more", &body).await.refuses(422, "closed usage");
    // The pass goes on as the last document did.
    server.pass_seconds(7 * DAY);
    pass(&server, "billing.usage.close_pass").await;
    pass(&server, "billing.usage.invoice_pass").await;
    let next = documents(&seller, contract).await.remove(1);
    assert_eq!(
        (&next["collectionMethod"], &next["status"]),
        (&json!("bank_transfer"), &json!("paid"))
    );
    let timeline = seller.billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
    let kinds = column(&timeline, "entries", "kind");
    let closed = kinds.iter().filter(|kind| kind.as_str() == Some("usage_period_closed")).count();
    assert_eq!(closed, 2);
    server.close().await;
}

#[tokio::test]
async fn a_period_beyond_all_amounts_is_listed_and_nothing_waits_for_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = weekly(&seller, "2027-01-15").await;
    seller.metric("bytes", json!({})).await;
    let per_unit = |price: &str| json!({"scheme": "per_unit", "unitPrice": price});
    price(&seller, contract, "api.calls", per_unit("1000")).await;
    price(&seller, contract, "bytes", per_unit("1")).await;
    let huge = json!({"quantity": "100000000000"});
    seller.record(&event_with(contract, "huge", huge)).await;
    seller.record(&event_with(contract, "b1", json!({"metric": "bytes"}))).await;
    server.pass_seconds(7 * DAY);
    let occurred = json!({"occurredAt": server.now().to_string()});
    seller.record(&event_with(contract, "next", occurred)).await;
    assert!(seller.usage(contract).await.get("blocked").is_none());
    // The second week is over; the account is for another eight hours.
    server.pass_seconds(6 * DAY + 16 * 3_600);
    let ran = pass(&server, "billing.usage.close_pass").await;
    assert_eq!(
        (&ran["counts"]["failed"], &ran["counts"]["lines"]),
        (&json!(1), &json!(3)),
        "{ran}"
    );
    let blocked = json!([{
        "metricName": "api.calls", "periodStart": "2027-01-15", "periodEnd": "2027-01-22",
        "reason": "the amount is beyond 10^15 minor units",
    }]);
    let usage = seller.usage(contract).await;
    assert_eq!(usage["blocked"], blocked, "{usage}");
    pass(&server, "billing.usage.invoice_pass").await;
    let billed = documents(&seller, contract).await;
    assert_eq!(billed.len(), 1);
    // A correction of the price lets it close.
    price(&seller, contract, "api.calls", per_unit("0.0001")).await;
    pass(&server, "billing.usage.close_pass").await;
    assert!(seller.usage(contract).await.get("blocked").is_none());
    pass(&server, "billing.usage.invoice_pass").await;
    assert_eq!(documents(&seller, contract).await.len(), 2);
    server.close().await;
}

#[tokio::test]
async fn a_period_waits_for_late_arrivals_as_long_as_its_seller_says() {
    let server = Server::with(&[("usage.grace_minutes", "60")]).await;
    let seller = server.seller().await;
    let contract = weekly(&seller, "2027-01-15").await;
    price(&seller, contract, "api.calls", json!({"scheme": "per_unit", "unitPrice": "1"})).await;
    seller.record(&event_with(contract, "in time", json!({}))).await;
    // The period ends with the 21st; it is 00:30 of the 22nd.
    server.pass_seconds(6 * DAY + 15 * 3_600 + 1_800);
    assert_eq!(server.now().to_string(), "2027-01-22T00:30:00Z");
    let lines = async || {
        let ran = pass(&server, "billing.usage.close_pass").await;
        ran["counts"]["lines"].as_u64().unwrap_or_default()
    };
    assert_eq!(lines().await, 0);
    let late = seller.record(&event_with(contract, "late", json!({}))).await;
    assert!(late.get("late").is_none(), "{late}");
    let path = format!("/sellers/{}", seller.id);
    let wait = json!({"usageGraceMinutes": 120});
    let shown = server.operator.patch(&path, &wait).await.is(200);
    assert_eq!(shown["usageGraceMinutes"], 120);
    server
        .operator
        .patch(&path, &json!({"usageGraceMinutes": 43_201}))
        .await
        .refuses(400, "usageGraceMinutes");
    server.pass_seconds(3_600);
    assert_eq!(lines().await, 0);
    let back = server.operator.patch(&path, &json!({"usageGraceMinutes": null})).await.is(200);
    assert_eq!(back["usageGraceMinutes"], 60);
    assert_eq!(lines().await, 1);
    let late = seller.record(&event_with(contract, "too late", json!({}))).await;
    assert_eq!(late["late"], true);
    server.close().await;
}
