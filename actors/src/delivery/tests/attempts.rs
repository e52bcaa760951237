use std::collections::HashSet;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::fixture::{Fixture, SELLER, secret, settings, until};
use super::receiver::Reply;
use crate::delivery::{DeliverySettings, names};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed, Pending};
use crate::domain::platform::webhook::signature::verify;

#[tokio::test(flavor = "multi_thread")]
async fn three_attempts_send_the_same_bytes_with_fresh_signatures() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(3, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let id = fixture.emit(&[webhook], 1).await[0];

    fixture.until_attempts(id, 1).await;
    assert_eq!(fixture.receiver.count("/hook"), 1);
    fixture.push_seconds(9);
    fixture.at_rest().await;
    assert_eq!(fixture.receiver.count("/hook"), 1, "not before its time");
    fixture.push_seconds(2);
    fixture.until_attempts(id, 2).await;
    fixture.push_seconds(66);
    fixture.until_status(&[id], Failed).await;
    fixture.push_seconds(100_000);
    fixture.at_rest().await;

    let taken = fixture.receiver.taken();
    assert_eq!(taken.len(), 3, "three attempts in all");
    let row = fixture.row(id);
    assert_eq!((row.attempts, row.last_status, row.next_attempt_at), (3, Some(500), None));
    let mut times = HashSet::new();
    for one in &taken {
        assert_eq!(one.body, taken[0].body);
        assert_eq!(one.headers["content-type"], "application/json");
        assert_eq!(one.headers["user-agent"], "Accrue");
        let time = &one.headers["x-service-timestamp"];
        let signature = &one.headers["x-service-signature"];
        let sent = crate::domain::time::Timestamp::from_micros(0);
        let sent = sent.plus_seconds(time.parse().unwrap());
        verify(secret(3).as_bytes(), time, signature, &one.body, sent).unwrap();
        times.insert(time.clone());
    }
    assert_eq!(times.len(), 3, "each attempt has a time of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_succeeds_ends_the_series() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(3, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(503));
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    fixture.receiver.reply("/hook", Reply::Status(200));
    fixture.push_seconds(11);
    fixture.until_status(&[id], Delivered).await;
    let row = fixture.row(id);
    assert_eq!((row.attempts, row.last_status, row.last_error), (2, Some(200), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_and_other_successes_are_failures() {
    let fixture = Fixture::new().await;
    let webhooks = [fixture.webhook(1, "/moved"), fixture.webhook(2, "/accepted")];
    fixture.receiver.reply("/moved", Reply::RedirectTo("/elsewhere"));
    fixture.receiver.reply("/accepted", Reply::Status(202));
    let ids = fixture.emit(&webhooks, 1).await;
    for id in &ids {
        fixture.until_attempts(*id, 1).await;
        assert_eq!(fixture.row(*id).status, Pending);
    }
    assert_eq!(fixture.row(ids[0]).last_error.as_deref(), Some("answered 302"));
    assert_eq!(fixture.receiver.count("/elsewhere"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_place_to_look_a_host_up_is_not_the_endpoints_time() {
    let timeout = Duration::from_millis(200);
    let fixture = Fixture::with(DeliverySettings { timeout, ..settings() }).await;
    // All places of the seller are taken, as by names that nobody answers for.
    let held = names::all_unknown_of(SELLER).await;
    let url = format!("http://localhost:{}/named", fixture.receiver.port());
    let named = fixture.emit(&[fixture.webhook_at(1, &url, &[])], 1).await[0];
    // Two that hang, one after the other: when the second has failed, the named one would have.
    for (id, path) in [(2, "/first"), (3, "/second")] {
        fixture.receiver.reply(path, Reply::Never);
        let hangs = fixture.emit(&[fixture.webhook(id, path)], 1).await[0];
        fixture.until_attempts(hangs, 1).await;
    }
    assert_eq!(fixture.row(named).attempts, 0);
    drop(held);
    fixture.until_status(&[named], Delivered).await;
    assert_eq!((fixture.row(named).attempts, fixture.receiver.count("/named")), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_body_never_comes_is_an_answer() {
    let timeout = Duration::from_millis(500);
    let fixture = Fixture::with(DeliverySettings { timeout, ..settings() }).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let read = stream.read(&mut [0; 4_096]).await.unwrap();
        assert!(read > 0, "it posts");
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n").await.unwrap();
        let _ = ended.await;
    });
    let id = fixture.emit(&[fixture.webhook_at(1, &url, &[])], 1).await[0];
    fixture.until_status(&[id], Delivered).await;
    assert_eq!(fixture.row(id).last_status, Some(200));
    drop(end);
    serving.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_hangs_runs_out_of_time() {
    let timeout = Duration::from_secs(1);
    let fixture = Fixture::with(DeliverySettings { timeout, ..settings() }).await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Never);
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    assert_eq!(fixture.row(id).last_error.as_deref(), Some("no answer within 1 s"));
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_judged_at_each_attempt() {
    let fixture =
        Fixture::with(DeliverySettings { guard: AddressGuard::default(), ..settings() }).await;
    let localhost = format!("http://localhost:{}/hook", fixture.receiver.port());
    let webhooks = [fixture.webhook(1, "/hook"), fixture.webhook_at(2, &localhost, &[])];
    for id in fixture.emit(&webhooks, 1).await {
        fixture.until_attempts(id, 1).await;
        let error = fixture.row(id).last_error;
        assert_eq!(error.as_deref(), Some("the address is not a public one"));
    }
    assert_eq!(fixture.receiver.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_account_is_told_nothing_in_clear() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.go_live();
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    assert_eq!(fixture.row(id).last_error.as_deref(), Some("webhookUrl must use https"));
    assert_eq!(fixture.receiver.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_resolved_and_the_allowlist_narrows() {
    let fixture = Fixture::new().await;
    let localhost = format!("http://localhost:{}/named", fixture.receiver.port());
    let named = fixture.webhook_at(1, &localhost, &["127.0.0.1/32"]);
    let narrowed = fixture.webhook_at(2, &fixture.receiver.url("/narrow"), &["203.0.113.0/24"]);
    let ids = fixture.emit(&[named, narrowed], 1).await;
    fixture.until_status(&ids[..1], Delivered).await;
    let host = fixture.receiver.taken()[0].headers["host"].clone();
    assert_eq!(host, format!("localhost:{}", fixture.receiver.port()));
    fixture.until_attempts(ids[1], 1).await;
    let error = fixture.row(ids[1]).last_error;
    assert_eq!(error.as_deref(), Some("the address is not in the webhook allowlist"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_where_nobody_listens_is_a_failed_attempt() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook_at(1, "http://127.0.0.1:1/hook", &[]);
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    let error = fixture.row(id).last_error.unwrap();
    assert!(error.to_lowercase().contains("refused"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_used_again() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    let ids = fixture.emit(&[webhook], 200).await;
    fixture.until_status(&ids, Delivered).await;
    until(|| fixture.pool.counts().held == 0).await;
    assert_eq!(fixture.receiver.count("/hook"), 200);
    let widest = fixture.settings.per_endpoint;
    // A client that finds none idle begins to connect, and may find one idle meanwhile.
    assert!(fixture.receiver.connections() <= 4 * widest, "{}", fixture.receiver.connections());
}
