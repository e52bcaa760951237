//! `GET /contracts/{contractId}/usage/{metric}/series`.

use crate::support::meter::event_with;
use crate::support::{Server, Value, json};

/// What a series says of its buckets: where each begins, its quantity and its events.
fn points(series: &Value) -> Vec<(String, String, u64)> {
    let points = series["points"].as_array().expect("points").iter().map(|point| {
        let text = |field: &str| point[field].as_str().expect("a text").to_owned();
        (text("start"), text("quantity"), point["events"].as_u64().expect("a count"))
    });
    points.collect()
}

fn busy(series: &Value) -> Vec<(String, String, u64)> {
    points(series).into_iter().filter(|(_, _, events)| *events > 0).collect()
}

#[tokio::test]
async fn a_series_has_every_bucket() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    for (n, (at, quantity)) in [
        ("2027-01-14T23:59:59.999999Z", "1"),
        ("2027-01-15T00:00:00Z", "2.5"),
        ("2027-01-15T00:59:59Z", "0.25"),
        ("2027-01-15T08:00:00Z", "4"),
        ("2026-12-31T10:00:00Z", "100"),
    ]
    .into_iter()
    .enumerate()
    {
        let more = json!({"occurredAt": at, "quantity": quantity});
        seller.record(&event_with(contract, &format!("e{n}"), more)).await;
    }
    let path = format!("/contracts/{contract}/usage/api.calls/series");
    let get = async |query: &str| seller.billing.get(&format!("{path}?{query}")).await.is(200);

    let days = get("from=2027-01-14&to=2027-01-16").await;
    assert_eq!((&days["contractId"], &days["metric"]), (&json!(contract), &json!("api.calls")));
    assert_eq!(days["bucket"], "day");
    assert_eq!(
        (&days["from"], &days["to"]),
        (&json!("2027-01-14T00:00:00Z"), &json!("2027-01-16T00:00:00Z"))
    );
    let row = |start: &str, quantity: &str, events| (start.to_owned(), quantity.to_owned(), events);
    assert_eq!(
        points(&days),
        [row("2027-01-14T00:00:00Z", "1", 1), row("2027-01-15T00:00:00Z", "6.75", 3)]
    );

    let hours = get("from=2027-01-14T23:30:00Z&to=2027-01-15T08:00:00.000001Z&bucket=hour").await;
    assert_eq!(points(&hours).len(), 10);
    assert_eq!(
        busy(&hours),
        [
            row("2027-01-14T23:00:00Z", "1", 1),
            row("2027-01-15T00:00:00Z", "2.75", 2),
            row("2027-01-15T08:00:00Z", "4", 1),
        ]
    );
    assert_eq!(points(&hours)[2], row("2027-01-15T01:00:00Z", "0", 0));
    assert_eq!(points(&get("from=2027-01-15&to=2027-01-16&bucket=hour").await).len(), 24);

    // Unmetered events are in it too: the series is of what happened.
    let usual = get("").await;
    assert_eq!(points(&usual).len(), 31);
    assert_eq!(busy(&usual)[0], row("2026-12-31T00:00:00Z", "100", 1));
    assert_eq!(usual["to"], "2027-01-16T00:00:00Z");
    server.close().await;
}

#[tokio::test]
async fn each_bucket_is_aggregated_for_itself() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique).await;
    for aggregation in ["max", "min", "last", "count"] {
        seller.metric(aggregation, json!({"aggregation": aggregation})).await;
    }
    let rows = [
        ("2027-01-15T01:30:00Z", "3", "a"),
        ("2027-01-15T01:10:00Z", "7", "b"),
        ("2027-01-15T02:00:00Z", "1", "a"),
        ("2027-01-14T05:00:00Z", "5", "a"),
    ];
    for metric in ["users", "max", "min", "last", "count"] {
        for (n, (at, quantity, user)) in rows.into_iter().enumerate() {
            let more = json!({
                "metric": metric, "occurredAt": at, "quantity": quantity,
                "metadata": {"user": user},
            });
            seller.record(&event_with(contract, &format!("{metric} {n}"), more)).await;
        }
    }
    for (metric, days, hours) in [
        ("users", ["1", "2"], ["1", "2", "1"]),
        ("max", ["5", "7"], ["5", "7", "1"]),
        ("min", ["5", "1"], ["5", "3", "1"]),
        ("last", ["5", "1"], ["5", "3", "1"]),
        ("count", ["1", "3"], ["1", "2", "1"]),
    ] {
        let path = format!("/contracts/{contract}/usage/{metric}/series?from=2027-01-14");
        for (bucket, expected) in [("day", &days[..]), ("hour", &hours)] {
            let series = seller.billing.get(&format!("{path}&bucket={bucket}")).await.is(200);
            let found: Vec<String> = busy(&series).into_iter().map(|point| point.1).collect();
            assert_eq!(found, expected, "{metric} by {bucket}");
        }
    }
    server.close().await;
}

#[tokio::test]
async fn a_wrong_question_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    let path = format!("/contracts/{contract}/usage/api.calls/series");
    for (query, part) in [
        ("from=yesterday", "from"),
        ("to=2027-13-01", "to"),
        ("bucket=week", "bucket"),
        ("bucket=", "bucket"),
        ("from=2027-01-15&to=2027-01-15", "from"),
        ("from=2027-01-16&to=2027-01-15", "from"),
        ("from=2027-02-01", "from"),
        ("from=2025-01-01&to=2027-01-01&bucket=hour", "10000"),
        ("from=0001-01-01&to=9999-12-31", "10000"),
        ("from=2027-01-14&from=2027-01-15", "from"),
    ] {
        seller.billing.get(&format!("{path}?{query}")).await.refuses(400, part);
    }
    for (query, buckets) in [
        ("from=9999-12-31&to=9999-12-31T23:59:59Z", 1),
        ("from=0001-01-01&to=0001-01-02&bucket=hour", 24),
    ] {
        let edge = seller.billing.get(&format!("{path}?{query}")).await.is(200);
        assert_eq!(points(&edge).len(), buckets, "{query}");
    }
    for missing in [
        format!("/contracts/{contract}/usage/unheard.of/series"),
        format!("/contracts/{contract}/usage/a%20b/series"),
        "/contracts/999999999/usage/api.calls/series".to_owned(),
    ] {
        seller.billing.get(&missing).await.refuses_saying(404, "not found");
    }
    // A registered metric without events, and no seats, have nothing but zeros.
    seller.metric("idle", json!({})).await;
    for metric in ["idle", "platform.seat.active"] {
        let path = format!("/contracts/{contract}/usage/{metric}/series");
        let series = seller.billing.get(&path).await.is(200);
        assert!(
            points(&series).iter().all(|(_, used, events)| (used.as_str(), *events) == ("0", 0))
        );
    }
    server.close().await;
}

#[tokio::test]
async fn seats_are_told_by_day_as_they_add_up_in_the_snapshot() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-01").await;
    for (seats, at) in [(3, "2027-01-11T10:00:00Z"), (5, "2027-01-13T23:59:59Z")] {
        seller.set_seats(&server, contract, seats, at).await;
    }
    let path = format!("/contracts/{contract}/usage/platform.seat.active/series");
    let series = seller.billing.get(&format!("{path}?from=2027-01-10&to=2027-01-18")).await.is(200);
    let days = points(&series);
    let seats: Vec<_> = days.iter().map(|(_, seats, _)| seats.as_str()).collect();
    // Days that have not come have none.
    assert_eq!(seats, ["0", "3", "3", "5", "5", "5", "0", "0"]);
    assert_eq!((days[1].0.as_str(), days[1].2), ("2027-01-11T00:00:00Z", 0));
    let ahead = seller.billing.get(&format!("{path}?from=2027-02-01&to=2027-02-03")).await.is(200);
    assert!(points(&ahead).iter().all(|(_, seats, _)| seats == "0"));
    let by_hour = seller.billing.get(&format!("{path}?bucket=hour")).await;
    by_hour.refuses_saying(400, "bucket of platform.seat.active must be day");
    let open = json!({
        "metricName": "platform.seat.active", "used": "21",
        "periodStart": "2027-01-01", "periodEnd": "2027-02-01",
    });
    assert_eq!(seller.usage(contract).await["metrics"], json!([open]));

    // For a contract on a test clock the days behind its clock have come.
    let turn = format!("/contracts/{contract}/test-clock/advance");
    seller.billing.post(&turn, &json!({"to": "2027-02-02T12:00:00Z"})).await.is(200);
    let behind = seller.billing.get(&format!("{path}?from=2027-02-01&to=2027-02-04")).await.is(200);
    let seats: Vec<_> = points(&behind).into_iter().map(|(_, seats, _)| seats).collect();
    assert_eq!(seats, ["5", "5", "0"]);
    server.close().await;
}

#[tokio::test]
async fn a_contract_without_usage_has_an_empty_snapshot() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let empty = json!({"contractId": contract, "metrics": []});
    assert_eq!(seller.usage(contract).await, empty);
    seller.billing.get("/contracts/999999999/usage").await.refuses_saying(404, "not found");
    seller.billing.get("/contracts/x/usage").await.refuses(400, "contractId");
    let late = seller.billing.get(&format!("/contracts/{contract}/usage/late")).await.is(200);
    assert_eq!(late, json!({"events": [], "hasMore": false}));
    server.close().await;
}
