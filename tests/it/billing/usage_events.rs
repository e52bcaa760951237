//! `POST /usage/events` under both prefixes.

use crate::support::meter::{event, event_with};
use crate::support::{Server, json};

#[tokio::test]
async fn a_recorded_event_is_in_the_very_next_snapshot() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let mut ids = Vec::new();
    for n in 1..=40 {
        let response = seller.record(&event(contract, &format!("e{n}"))).await;
        assert_eq!((&response["status"], &response["metered"]), (&json!("ingested"), &json!(true)));
        assert_eq!((response.get("message"), response.get("late")), (None, None));
        ids.push(response["eventId"].as_u64().expect("an id"));
        assert_eq!(seller.used(contract, "api.calls").await, n.to_string());
    }
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let usage = seller.usage(contract).await;
    assert_eq!(usage["contractId"], contract);
    let row = &usage["metrics"][0];
    assert_eq!(
        (&row["periodStart"], &row["periodEnd"]),
        (&json!("2027-01-15"), &json!("2027-02-15"))
    );
    for absent in ["capQuantity", "capMode", "percentOfCap", "percentOfPlan", "overflowed"] {
        assert_eq!(row.get(absent), None, "{absent}");
    }
    server.close().await;
}

#[tokio::test]
async fn both_prefixes_are_one_route() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let first = seller.older().post("/events", &event(contract, "a")).await.is(201);
    let again = seller.billing.post("/usage/events", &event(contract, "a")).await.is(200);
    assert_eq!((&again["status"], &again["eventId"]), (&json!("duplicate"), &first["eventId"]));
    let body = json!({"events": [event(contract, "a"), event(contract, "b")]});
    let batch = seller.older().post("/events:batch", &body).await.is(200);
    assert_eq!((&batch["ingested"], &batch["duplicates"]), (&json!(1), &json!(1)));
    let last = seller.older().post("/events", &event(contract, "b")).await.is(200);
    assert_eq!(last["eventId"], batch["items"][1]["eventId"]);
    assert_eq!(seller.used(contract, "api.calls").await, "2");
    server.close().await;
}

#[tokio::test]
async fn a_repeated_event_is_a_duplicate_however_it_is_written() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let metadata = json!({"region": "eu", "size": {"w": 10, "h": 2.5}, "tags": ["a", "b"]});
    let first = event_with(contract, "k", json!({"quantity": "1.50", "metadata": metadata}));
    let made = seller.record(&first).await;
    let head = format!("\"contractId\":\"{contract}\",\"metric\":\"api.calls\"");
    let notations = [
        format!(
            "{{{head},\"idempotencyKey\":\"k\",\"quantity\":\"1.5\",\
             \"occurredAt\":\"2027-01-15T09:30:00.000+01:00\",\"metadata\":\
             {{\"tags\":[\"\\u0061\",\"b\"],\"size\":{{\"h\":25e-1,\"w\":1e1}},\"region\":\"eu\"}}}}"
        ),
        format!(
            "{{ \"more\": [1], {head}, \"quantity\": \"01.500\", \"idempotencyKey\": \"k\",\n\
             \"metadata\": {{ \"size\": {{\"w\": 10.0, \"h\": 2.50}}, \"region\": \"\\u0065u\", \
             \"tags\": [ \"a\", \"b\" ] }}, \"occurredAt\": \"2027-01-15T08:30:00Z\" }}"
        ),
        first.to_string(),
    ];
    for text in &notations {
        let response = seller.billing.send(hyper::Method::POST, "/usage/events", &[], text).await;
        let again = response.is(200);
        assert_eq!((&again["status"], &again["eventId"]), (&json!("duplicate"), &made["eventId"]));
    }
    assert_eq!(seller.used(contract, "api.calls").await, "1.5");
    // For ever: also after a restart, and when the metric has another definition.
    server.restart().await;
    let seller = server.again(&seller);
    seller.metric("api.calls", json!({"unit": "requests"})).await;
    let again = seller.billing.post("/usage/events", &first).await.is(200);
    assert_eq!((&again["status"], &again["eventId"]), (&json!("duplicate"), &made["eventId"]));
    server.close().await;
}

#[tokio::test]
async fn another_event_under_a_key_is_a_conflict() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    seller.metric("bytes", json!({})).await;
    let other = seller.contract("2027-01-15").await;
    let first = event_with(contract, "k", json!({"metadata": {"a": 1}}));
    seller.record(&first).await;
    for more in [
        json!({"quantity": "2"}),
        json!({"metric": "bytes"}),
        json!({"occurredAt": "2027-01-15T08:30:00.001Z"}),
        json!({"metadata": {"a": 2}}),
        json!({"metadata": {"a": "1"}}),
        json!({"metadata": {"a": 1, "b": null}}),
        json!({"metadata": null}),
        json!({"contractId": other.to_string()}),
        // Nothing that is judged later hides the conflict.
        json!({"metric": "unheard.of"}),
        json!({"occurredAt": "2099-01-01T00:00:00Z"}),
    ] {
        let changed = crate::support::make::with(&first, more);
        let response = seller.billing.post("/usage/events", &changed).await;
        response.refuses(409, "idempotencyKey");
    }
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    // Another seller's keys are its own.
    let stranger = server.seller().await;
    let theirs = stranger.metered("2027-01-15").await;
    stranger.record(&event(theirs, "k")).await;
    server.close().await;
}

#[tokio::test]
async fn an_event_outside_every_subscription_waits_for_one() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.metric("api.calls", json!({})).await;
    let contract = seller.contract("2027-01-01").await;
    let first = seller.record(&event(contract, "a")).await;
    assert_eq!((&first["status"], &first["metered"]), (&json!("ingested"), &json!(false)));
    assert!(first["message"].as_str().expect("a message").contains("occurredAt"), "{first}");
    let long_ago = event_with(contract, "b", json!({"occurredAt": "1999-12-31T23:59:59Z"}));
    assert_eq!(seller.record(&long_ago).await["metered"], false);
    let repeated = seller.billing.post("/usage/events", &event(contract, "a")).await.is(200);
    assert_eq!((&repeated["status"], &repeated["metered"]), (&json!("duplicate"), &json!(false)));
    assert!(repeated["message"].is_string());
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    let repeated = seller.billing.post("/usage/events", &event(contract, "a")).await.is(200);
    assert_eq!((&repeated["metered"], repeated.get("message")), (&json!(true), None));
    assert_eq!(repeated["eventId"], first["eventId"]);
    assert_eq!(seller.record(&event(contract, "c")).await["metered"], true);
    assert_eq!(seller.used(contract, "api.calls").await, "2");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_event_is_refused_by_its_field_and_spends_no_key() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique).await;
    let long = "ü".repeat(256);
    for (more, expected) in [
        (json!({"contractId": contract}), "contractId"),
        (json!({"contractId": "x"}), "contractId"),
        (json!({"contractId": ""}), "contractId"),
        (json!({"contractId": null}), "contractId"),
        (json!({"metric": null}), "metric"),
        (json!({"metric": "a b"}), "metric"),
        (json!({"metric": "unheard.of"}), "metric"),
        (json!({"metric": "platform.seat.active"}), "platform.seat.active"),
        (json!({"quantity": 1}), "quantity"),
        (json!({"quantity": "-1"}), "quantity"),
        (json!({"quantity": "1e3"}), "quantity"),
        (json!({"quantity": "1.0000000001"}), "quantity"),
        (json!({"quantity": "1000000000000000000"}), "quantity"),
        (json!({"quantity": null}), "quantity"),
        (json!({"occurredAt": "2027-01-15"}), "occurredAt"),
        (json!({"occurredAt": 1_768_465_800}), "occurredAt"),
        (json!({"occurredAt": "2027-01-15T09:00:00.000001Z"}), "occurredAt"),
        (json!({"occurredAt": null}), "occurredAt"),
        (json!({"idempotencyKey": ""}), "idempotencyKey"),
        (json!({"idempotencyKey": long}), "idempotencyKey"),
        (json!({"idempotencyKey": "tab\t"}), "idempotencyKey"),
        (json!({"idempotencyKey": null}), "idempotencyKey"),
        (json!({"metadata": []}), "metadata"),
        (json!({"metadata": "x"}), "metadata"),
        (json!({"metadata": {"a": "x".repeat(16_384)}}), "metadata"),
        (json!({"metric": "users"}), "user"),
        (json!({"metric": "users", "metadata": {"users": "u1"}}), "user"),
    ] {
        let response = seller.billing.post("/usage/events", &event_with(contract, "k", more)).await;
        response.refuses(400, expected);
    }
    let unknown = event_with(contract, "k", json!({"contractId": "999999999"}));
    seller.billing.post("/usage/events", &unknown).await.refuses_saying(404, "not found");
    let never = event_with(contract, "k", json!({"contractId": "99999999999999999999"}));
    seller.billing.post("/usage/events", &never).await.refuses_saying(404, "not found");
    // What is malformed comes before what is not there, and that before what is not so.
    for contract in ["999999999", "99999999999999999999"] {
        let malformed = json!({"contractId": contract, "quantity": "x"});
        let response = seller.billing.post("/usage/events", &event_with(1, "k", malformed)).await;
        response.refuses(400, "quantity");
        let untrue = json!({"contractId": contract, "metric": "unheard.of"});
        let response = seller.billing.post("/usage/events", &event_with(1, "k", untrue)).await;
        response.refuses_saying(404, "not found");
    }
    let foreign = server.seller().await.contract("2027-01-15").await;
    let foreign = event_with(contract, "k", json!({"contractId": foreign.to_string()}));
    seller.billing.post("/usage/events", &foreign).await.refuses_saying(404, "not found");
    // Now is not ahead of now.
    let now = event_with(contract, "k", json!({"occurredAt": server.now().to_string()}));
    seller.record(&now).await;
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    server.close().await;
}

#[tokio::test]
async fn the_states_of_a_contract_do_not_matter_to_its_events() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let path = format!("/contracts/{contract}/amendments");
    for (version, status) in [(1, "active"), (2, "suspended"), (3, "closed")] {
        let body = json!({"expectedBaseVersion": version, "status": status});
        seller.billing.post(&path, &body).await.is(200);
        let response = seller.record(&event(contract, status)).await;
        assert_eq!(response["metered"], true, "{status}");
    }
    assert_eq!(seller.used(contract, "api.calls").await, "3");
    server.close().await;
}

#[tokio::test]
async fn distinct_values_are_counted_up_to_a_thousand() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique).await;
    let seen = |key: String, user: crate::support::Value| {
        let more = json!({"metric": "users", "metadata": {"plan": "team", "user": user}});
        event_with(contract, &key, more)
    };
    for (key, user, used) in [
        ("a", json!(1), "1"),
        ("b", json!(1.0), "1"),
        ("c", json!("1"), "2"),
        ("d", json!(null), "3"),
        ("e", json!({"x": 1, "y": 2}), "4"),
    ] {
        seller.record(&seen(key.to_owned(), user)).await;
        assert_eq!(seller.used(contract, "users").await, used, "{key}");
    }
    let many: Vec<_> = (0..996).map(|n| seen(format!("m{n}"), json!(format!("u{n}")))).collect();
    for part in many.chunks(498) {
        assert_eq!(seller.record_all(part).await["ingested"], 498);
    }
    let row = seller.usage_of(contract, "users").await;
    assert_eq!((&row["used"], row.get("overflowed")), (&json!("1000"), None));
    seller.record(&seen("beyond".to_owned(), json!("one more"))).await;
    let row = seller.usage_of(contract, "users").await;
    assert_eq!((&row["used"], &row["overflowed"]), (&json!("1000"), &json!(true)));
    server.close().await;
}

#[tokio::test]
async fn an_event_of_a_closed_period_is_late() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered_by("2027-01-15", "weekly").await;
    let path = format!("/usage/contracts/{contract}/metrics/api.calls/price");
    let price = json!({"effectiveFrom": "2027-01-15", "config": {
        "scheme": "per_unit", "currency": "EUR", "rounding": "half_up", "unitPrice": "0.10",
    }});
    seller.billing.put(&path, &price).await.is(200);
    let counted = event(contract, "in time");
    assert_eq!(seller.record(&counted).await.get("late"), None);
    server.pass_seconds(7 * 86_400);
    let close = "/passes/billing.usage.close_pass/run";
    server.operator.post(close, &json!({})).await.is(200);
    let late = event_with(contract, "late", json!({"quantity": "7"}));
    let response = seller.record(&late).await;
    assert_eq!((&response["status"], &response["late"]), (&json!("ingested"), &json!(true)));
    assert_eq!(response["metered"], true);
    let again = seller.billing.post("/usage/events", &late).await.is(200);
    assert_eq!((&again["status"], &again["late"]), (&json!("duplicate"), &json!(true)));
    let again = seller.billing.post("/usage/events", &counted).await.is(200);
    assert_eq!((&again["status"], again.get("late")), (&json!("duplicate"), None));
    let batch = seller.record_all(&[late.clone(), event_with(contract, "b", json!({}))]).await;
    assert_eq!(batch["items"][0]["late"], true);
    assert_eq!(
        (&batch["items"][1]["status"], &batch["items"][1]["late"]),
        (&json!("ingested"), &json!(true))
    );
    let list = seller.billing.get(&format!("/contracts/{contract}/usage/late")).await.is(200);
    let keys = crate::support::response::column(&list, "events", "idempotencyKey");
    assert_eq!(keys, ["b", "late"]);
    assert_eq!(list["events"][1]["quantity"], "7");
    assert_eq!((&list["hasMore"], list.get("nextCursor")), (&json!(false), None));
    // What was closed stays as it was, and the open period knows nothing of it.
    let fresh = event_with(contract, "fresh", json!({"occurredAt": server.now().to_string()}));
    assert_eq!(seller.record(&fresh).await.get("late"), None);
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    let bill = json!({"contractId": contract, "origin": "usage"});
    let invoice = seller.invoice(bill).await;
    assert_eq!(
        (&invoice["lines"][0]["quantity"], &invoice["grandTotalMinor"]),
        (&json!("1"), &json!(10))
    );
    server.close().await;
}

#[tokio::test]
async fn numbers_in_metadata_count_and_come_back_digit_for_digit() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique).await;
    for (key, user, status) in [
        ("ü 1", "12345678901234567890123", 201),
        ("ü 2", "12345678901234567890124", 201),
        ("ü 2", "12345678901234567890124.0", 200),
        ("ü 2", "12345678901234567890123", 409),
    ] {
        let text = event_with(contract, key, json!({"metric": "users"})).to_string();
        let open = text.strip_suffix('}').expect("an object");
        let body = format!("{open},\"metadata\":{{\"user\":{user}}}}}");
        let sent = seller.billing.send(hyper::Method::POST, "/usage/events", &[], &body).await;
        sent.has_status(status);
    }
    assert_eq!(seller.used(contract, "users").await, "2");
    server.close().await;
}

#[tokio::test]
async fn what_cannot_be_seen_in_metadata_makes_no_other_user() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let unique = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", unique).await;
    let send = async |key, metadata| {
        let event = event_with(contract, key, json!({"metric": "users", "metadata": metadata}));
        seller.billing.post("/usage/events", &event).await
    };
    send("e1", json!({"user": "ada", "n": 1})).await.has_status(201);
    send("e2", json!({"user": "a\u{200B}da", "n": 1})).await.has_status(201);
    send("e1", json!({"us\u{2066}er": "ada\u{FEFF}", "n": 1})).await.has_status(200);
    let refused = send("e3", json!({"user": "ada\u{0}"})).await;
    let text = "invalid request body: metadata: expected texts without control characters";
    refused.refuses_saying(400, text);
    assert_eq!(seller.used(contract, "users").await, "1");
    server.close().await;
}
