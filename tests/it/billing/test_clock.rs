//! `/contracts/{contractId}/test-clock`.

use crate::support::response::id;
use crate::support::{Server, Value, json};

#[tokio::test]
async fn reading_never_makes_a_clock() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/test-clock");
    for _ in 0..2 {
        let clock = seller.billing.get(&path).await.is(200);
        let now = json!({
            "contractId": contract, "now": "2027-01-15T09:00:00Z", "simulated": false,
        });
        assert_eq!(clock, now);
    }
    server.close().await;
}

#[tokio::test]
async fn an_advance_freezes_the_clock_where_it_was_sent() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let answer = seller.advance(contract, "2027-01-20T12:00:00Z").await;
    assert_eq!(answer["advanced"], true);
    let expected = json!({
        "contractId": contract, "now": "2027-01-20T12:00:00Z", "simulated": true,
        "frozenAt": "2027-01-15T09:00:00Z", "updatedAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(answer["clock"], expected);
    server.pass_seconds(3600);
    let path = format!("/contracts/{contract}/test-clock");
    assert_eq!(seller.billing.get(&path).await.is(200), expected, "it does not tick");
    let answer = seller.advance(contract, "2027-01-20T13:00:00+00:00").await;
    assert_eq!(answer["clock"]["now"], "2027-01-20T13:00:00Z");
    assert_eq!(answer["clock"]["frozenAt"], "2027-01-15T09:00:00Z");
    assert_eq!(answer["clock"]["updatedAt"], "2027-01-15T10:00:00Z");
    server.close().await;
}

#[tokio::test]
async fn the_answer_counts_everything_and_names_what_did_not_move() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let answer = seller.advance(contract, "2027-01-16T00:00:00Z").await;
    for name in [
        "trialsActivated",
        "trialsCanceled",
        "trialsPastDue",
        "renewed",
        "resumed",
        "canceled",
        "expired",
        "skipped",
    ] {
        assert_eq!(answer["lifecycle"][name], 0, "{name}");
    }
    assert_eq!(answer["lifecycle"]["cronDisabled"], false);
    let invoices =
        json!({"issued": 0, "sent": 0, "skipped": 1, "failed": 0, "passDisabled": false});
    assert_eq!(answer["invoices"], invoices);
    let kept = answer["notAdvanced"].as_array().expect("texts");
    assert!(kept.len() == 2 && kept.iter().all(Value::is_string), "{kept:?}");
    server.close().await;
}

#[tokio::test]
async fn the_target_is_after_the_clock_and_at_most_366_days_ahead() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/test-clock/advance");
    let advance = async |body: Value| seller.billing.post(&path, &body).await;
    for (body, field) in [
        (json!({}), "to"),
        (json!({"to": "tomorrow"}), "to"),
        (json!({"to": 7}), "to"),
        (json!({"to": "2027-01-15T08:59:59Z"}), "to"),
        (json!({"to": "2028-01-16T09:00:01Z"}), "to"),
    ] {
        advance(body).await.refuses(400, field);
    }
    let same = advance(json!({"to": "2027-01-15T09:00:00Z"})).await.is(200);
    assert_eq!(same["advanced"], false);
    let clock = seller.billing.get(&format!("/contracts/{contract}/test-clock")).await.is(200);
    assert_eq!(clock["simulated"], false, "nothing was advanced");
    advance(json!({"to": "2028-01-16T09:00:00Z"})).await.is(200);
    let same = advance(json!({"to": "2028-01-16T09:00:00Z"})).await.is(200);
    assert_eq!((&same["advanced"], &same["invoices"]["issued"]), (&json!(false), &json!(0)));
    advance(json!({"to": "2028-01-16T08:59:59Z"})).await.refuses(400, "to");
    let body = json!({"to": "2027-02-01T00:00:00Z"});
    let missing = seller.billing.post("/contracts/999999999/test-clock/advance", &body).await;
    missing.has_status(404);
    seller.billing.get("/contracts/999999999/test-clock").await.has_status(404);
    seller.billing.get("/contracts/x/test-clock").await.has_status(400);
    server.close().await;
}

#[tokio::test]
async fn every_term_on_the_way_is_renewed_and_one_invoice_is_issued() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    // Without a recurring invoice to continue from, nothing is issued.
    let answer = seller.advance(contract, "2027-02-15T12:00:00Z").await;
    assert_eq!(answer["lifecycle"]["renewed"], 1);
    assert_eq!(
        (&answer["invoices"]["issued"], &answer["invoices"]["skipped"]),
        (&json!(0), &json!(1))
    );
    let first = seller.recurring(contract).await;
    assert_eq!(first["periodStart"], "2027-01-15");
    let answer = seller.advance(contract, "2027-05-20T12:00:00Z").await;
    assert_eq!(answer["lifecycle"]["renewed"], 3);
    let counts = json!({"issued": 1, "sent": 1, "skipped": 0, "failed": 0, "passDisabled": false});
    assert_eq!(answer["invoices"], counts);
    assert_eq!(seller.subscription(sub).await["currentPeriodStart"], "2027-05-15");
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    let latest = &list["invoices"][0];
    assert_eq!(latest["periodStart"], "2027-02-15", "the oldest due term");
    assert_eq!(latest["issueDate"], "2027-01-15", "dated at real time");
    for start in ["2027-03-15", "2027-04-15", "2027-05-15"] {
        assert_eq!(seller.recurring(contract).await["periodStart"], start);
    }
    let path = format!("/contracts/{contract}/timeline?limit=100");
    let timeline = seller.billing.get(&path).await.is(200);
    let renewals: Vec<&Value> = timeline["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["kind"] == "subscription_renewed")
        .collect();
    assert_eq!(renewals.len(), 4);
    server.close().await;
}

#[tokio::test]
async fn switched_off_passes_are_reported() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    seller.recurring(contract).await;
    server.switch("billing.subscription.lifecycle_cron", false).await;
    server.switch("billing.recurring.invoice_pass", false).await;
    let answer = seller.advance(contract, "2027-02-15T12:00:00Z").await;
    assert_eq!(
        (&answer["advanced"], &answer["lifecycle"]["cronDisabled"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&answer["lifecycle"]["renewed"], &answer["invoices"]["passDisabled"]),
        (&json!(0), &json!(true))
    );
    assert_eq!(answer["invoices"]["issued"], 0);
    assert_eq!(seller.subscription(sub).await["currentPeriodStart"], "2027-01-15");
    server.switch("billing.subscription.lifecycle_cron", true).await;
    server.switch("billing.recurring.invoice_pass", true).await;
    let answer = seller.advance(contract, "2027-02-15T13:00:00Z").await;
    assert_eq!(
        (&answer["lifecycle"]["renewed"], &answer["invoices"]["issued"]),
        (&json!(1), &json!(1))
    );
    server.close().await;
}

#[tokio::test]
async fn scheduled_passes_leave_simulated_contracts_alone_and_the_operators_do_not() {
    let server = Server::with(&[("passes.interval_seconds", "1")]).await;
    let seller = server.seller().await;
    let held = seller.contract("2027-01-15").await;
    let free = seller.contract("2027-01-15").await;
    let weekly = json!({"frequency": "weekly"});
    let subs = [
        id(&seller.subscribe(held, "2027-01-15", weekly.clone()).await),
        id(&seller.subscribe(free, "2027-01-15", weekly).await),
    ];
    seller.advance(held, "2027-01-16T12:00:00Z").await;
    server.pass_seconds(10 * 86_400);
    crate::support::until("the free contract's renewal", async || {
        let now = seller.subscription(subs[1]).await;
        (now["currentPeriodStart"] == "2027-01-22").then_some(())
    })
    .await;
    assert_eq!(seller.subscription(subs[0]).await["currentPeriodStart"], "2027-01-15");
    let path = "/passes/billing.subscription.lifecycle_cron/run";
    server.operator.post(path, &json!({})).await.is(200);
    // By its own clock, which stands on 16 January, nothing is due.
    assert_eq!(seller.subscription(subs[0]).await["currentPeriodStart"], "2027-01-15");
    server.close().await;
}
