//! A program whose files the system lets grow to a limit.

use hyper::Method;

use crate::backup::account;
use crate::support::binary::{Binary, Start};
use crate::support::make::line;
use crate::support::response::id;
use crate::support::{fresh_uuid, json};

/// The exit code of a program whose store has stopped.
const STOPPED: i32 = 70;

#[tokio::test]
async fn a_file_that_may_not_grow_stops_the_program_like_any_write_that_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // Three MiB, or six: more than the engine takes at the beginning, and far less than the journal
    // would take.
    let mut server = Start::in_folder(folder.path()).file_blocks(6_144).run();
    let (key, contract) = account(&server).await;
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    let lines = vec![line(&"x".repeat(100), 1); 100];
    let body = json!({"contractId": contract, "origin": "one_time", "lines": lines}).to_string();
    let mut made = Vec::new();
    loop {
        let key = fresh_uuid();
        let headers = [("idempotency-key", key.as_str())];
        match billing.try_send(Method::POST, "/invoices", &headers, &body).await {
            Ok(answer) if answer.status == 201 => made.push(id(&answer.body)),
            // It cannot be written any more, or its server is gone.
            Ok(answer) if answer.status < 500 => panic!("{}", answer.text),
            _ => break,
        }
        assert!(made.len() < 10_000, "nothing limits it");
    }
    let ended = tokio::task::spawn_blocking(move || server.end()).await.expect("it ends");
    assert_eq!(ended, Some(STOPPED));
    let log = std::fs::read_to_string(folder.path().join("server.log")).expect("a log");
    assert!(log.contains("its disk can no longer be trusted"), "{log}");
    assert!(made.len() > 10, "{} before it", made.len());

    let server = Binary::start(folder.path());
    let billing = server.anonymous.under("/billing-api/v1").with_key(&key);
    for invoice in made {
        billing.get(&format!("/invoices/{invoice}")).await.has_status(200);
    }
    assert_eq!(server.terminate().0, Some(0));
}
