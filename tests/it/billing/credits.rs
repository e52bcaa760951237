//! `GET /contracts/{contractId}/credits`, `GET /credits`, `POST …/credits/top-up`, and what
//! invoices draw.

use crate::support::make::{line, with};
use crate::support::response::{column, id, ids};
use crate::support::{Receiver, Seller, Server, Value, fresh, fresh_uuid, json};

fn grant(kind: &str, minor: i64) -> Value {
    json!({"creditType": kind, "amountMinor": minor, "currency": "EUR", "reason": "welcome"})
}

async fn top_up(seller: &Seller, contract: u64, body: Value) -> Value {
    let path = format!("/contracts/{contract}/credits/top-up");
    seller.billing.create(&path, &fresh("grant"), &body).await.is(201)
}

async fn credits(seller: &Seller, contract: u64) -> Value {
    seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200)
}

#[tokio::test]
async fn a_grant_is_an_entry_of_the_ledger() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let empty = json!({"balances": [], "entries": [], "hasMore": false});
    assert_eq!(credits(&seller, contract).await, empty);
    let body = with(
        &grant("Gift", 500),
        json!({
            "currency": "eur", "reason": " hello ", "expiresAt": "2027-06-01T00:00:00Z",
        }),
    );
    let made = top_up(&seller, contract, body).await;
    let expected = json!({
        "id": made["id"], "sellerCustomerId": seller.customer(), "kind": "topup",
        "creditType": "gift", "signedDeltaMinor": 500, "currency": "EUR", "invoiceId": null,
        "expiresAt": "2027-06-01T00:00:00Z", "reason": "hello",
        "occurredAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(made, expected);
    top_up(&seller, contract, grant("purchased", 70)).await;
    let all = credits(&seller, contract).await;
    assert_eq!(all["entries"][1], expected);
    let row = |kind: &str, minor: i64, paid_for: bool| {
        json!({
            "currency": "EUR", "creditType": kind, "balanceMinor": minor, "isLiability": paid_for,
        })
    };
    assert_eq!(all["balances"], json!([row("purchased", 70, true), row("gift", 500, false)]));
    let second = seller.contract("2027-01-15").await;
    top_up(&seller, second, grant("gift", 30)).await;
    let sums = seller.billing.get("/credits").await.is(200);
    let expected = json!({"balances": [row("purchased", 70, true), row("gift", 530, false)]});
    assert_eq!(sums, expected);
    let stranger = server.seller().await;
    assert_eq!(stranger.billing.get("/credits").await.is(200), json!({"balances": []}));
    server.close().await;
}

#[tokio::test]
async fn entries_are_paged_and_balances_are_whole_on_every_page() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for minor in 1..=5 {
        top_up(&seller, contract, grant("manual", minor)).await;
    }
    let path = format!("/contracts/{contract}/credits?limit=2");
    let first = seller.billing.get(&path).await.is(200);
    assert_eq!(column(&first, "entries", "signedDeltaMinor"), [&json!(5), &json!(4)]);
    let last = ids(&first, "entries")[1];
    assert_eq!((&first["nextCursor"], &first["nextBeforeId"]), (&json!(last), &json!(last)));
    for name in ["cursor", "beforeId"] {
        let next = seller.billing.get(&format!("{path}&{name}={last}")).await.is(200);
        assert_eq!(column(&next, "entries", "signedDeltaMinor"), [&json!(3), &json!(2)]);
        assert_eq!(next["balances"], first["balances"]);
    }
    seller.billing.get(&format!("{path}&cursor=1&beforeId=2")).await.has_status(400);
    server.close().await;
}

#[tokio::test]
async fn a_grant_is_made_once_for_its_key_and_held_against_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let other = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/credits/top-up");
    let body = with(&grant("gift", 500), json!({"expiresAt": "2027-01-15T10:00:00Z"}));
    let key = fresh("grant");
    let made = seller.billing.create(&path, &key, &body).await.is(201);
    let loud = json!({
        "creditType": "GIFT", "currency": "eur", "reason": "  welcome  ",
        "sellerCustomerId": seller.customer(),
    });
    // What it says of the future is over by now.
    server.pass_seconds(7_200);
    let again = seller.billing.create(&path, &key, &with(&body, loud)).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let second = id(&seller.minted["customers"][1]);
    for (more, field) in [
        (json!({"amountMinor": 501}), "amountMinor"),
        (json!({"creditType": "manual"}), "creditType"),
        (json!({"currency": "USD"}), "currency"),
        (json!({"expiresAt": null}), "expiresAt"),
        (json!({"sellerCustomerId": second}), "sellerCustomerId"),
        (json!({"reason": "else"}), "reason"),
    ] {
        let text = format!("Idempotency-Key was used for a credit grant with a different {field}");
        let answer = seller.billing.create(&path, &key, &with(&body, more)).await;
        answer.refuses_saying(422, &text);
    }
    let elsewhere = format!("/contracts/{other}/credits/top-up");
    let answer = seller.billing.create(&elsewhere, &key, &body).await;
    answer.refuses(422, "different contractId");
    server.close().await;
}

#[tokio::test]
async fn what_cannot_be_granted_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let foreign = server.seller().await.customer();
    let path = format!("/contracts/{contract}/credits/top-up");
    for (more, text) in [
        (json!({"creditType": null}), "creditType is required"),
        (json!({"creditType": "cash"}), "creditType must be"),
        (json!({"creditType": "proration"}), "cannot be granted"),
        (json!({"amountMinor": 0}), "amountMinor must be between 1 and 10^12"),
        (json!({"amountMinor": 1_000_000_000_001_i64}), "amountMinor must be between"),
        (json!({"currency": "USD"}), "currency must be the contract's, EUR"),
        (json!({"expiresAt": "2027-01-15T09:00:00Z"}), "expiresAt must be in the future"),
        (json!({"expiresAt": "tomorrow"}), "expiresAt must be an RFC 3339 timestamp"),
        (
            json!({"creditType": "enterprise", "expiresAt": "2028-01-01T00:00:00Z"}),
            "expiresAt is not accepted for creditType enterprise",
        ),
        (json!({"reason": null}), "reason is required"),
        (json!({"reason": "x".repeat(513)}), "reason may have at most 512 characters"),
        (json!({"sellerCustomerId": foreign}), "sellerCustomerId is not a customer"),
    ] {
        let body = with(&grant("gift", 500), more);
        seller.billing.create(&path, &fresh("grant"), &body).await.refuses(400, text);
    }
    seller.billing.create(&path, "proration:1", &grant("gift", 5)).await.has_status(400);
    let close = json!({"expectedBaseVersion": 1, "status": "closed"});
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &close).await.is(200);
    let closed = seller.billing.create(&path, &fresh("grant"), &grant("gift", 5)).await;
    closed.refuses(422, "the contract is closed");
    assert_eq!(credits(&seller, contract).await["entries"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn while_the_switch_is_off_nothing_of_it_is_there() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    top_up(&seller, contract, grant("gift", 500)).await;
    server.switch("billing.credits", false).await;
    let of_contract = format!("/contracts/{contract}/credits");
    seller.billing.get(&of_contract).await.refuses_saying(501, "not available");
    seller.billing.get("/credits").await.refuses_saying(501, "not available");
    let path = format!("{of_contract}/top-up");
    let refused = seller.billing.create(&path, &fresh("grant"), &grant("gift", 5)).await;
    refused.refuses_saying(501, "not available");
    assert_eq!(seller.one_time(contract, 100).await["creditAppliedMinor"], 0);
    server.switch("billing.credits", true).await;
    assert_eq!(seller.one_time(contract, 100).await["creditAppliedMinor"], 100);
    server.close().await;
}

#[tokio::test]
async fn credit_pays_what_is_to_be_collected_and_tells_so() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let seller = server.seller().await;
    let hook = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    top_up(&seller, contract, grant("purchased", 1_000)).await;
    let soon = with(&grant("gift", 200), json!({"expiresAt": "2027-03-01T00:00:00Z"}));
    let gift = top_up(&seller, contract, soon).await;
    let mut work = line("Work", 500);
    work["taxRate"] = json!("21");
    let body = json!({"contractId": contract, "origin": "one_time", "lines": [work]});
    let whole = seller.invoice(body.clone()).await;
    assert_eq!((&whole["taxMinor"], &whole["creditAppliedMinor"]), (&json!(105), &json!(605)));
    assert_eq!((&whole["collectibleMinor"], &whole["status"]), (&json!(0), &json!("paid")));
    assert_eq!(whole.get("paymentUrl"), None);
    let path = format!("/invoices/{}", id(&whole));
    seller.billing.post(&format!("{path}/send"), &json!({})).await.has_status(422);
    let trail = seller.billing.get(&format!("{path}/settlement")).await.is(200);
    assert_eq!(trail["paidVia"], "stored_credit");
    assert_eq!(trail["note"], "discharged entirely by stored credit");

    let ledger = credits(&seller, contract).await;
    let drawn = &ledger["entries"].as_array().expect("entries")[..2];
    let row =
        |entry: &Value| json!([entry["kind"], entry["creditType"], entry["signedDeltaMinor"]]);
    assert_eq!(row(&drawn[1]), json!(["deduction", "gift", -200]));
    assert_eq!(row(&drawn[0]), json!(["deduction", "purchased", -405]));
    assert_eq!((&drawn[1]["lotId"], &drawn[1]["invoiceId"]), (&gift["id"], &whole["id"]));
    let reason = format!("applied to {}", whole["invoiceNumber"].as_str().expect("a number"));
    assert_eq!(drawn[1]["reason"], json!(reason));

    let events = seller.billing.get("/events?limit=100").await.is(200);
    let names = column(&events, "events", "eventType");
    let from = names.iter().position(|name| **name == "InvoiceIssued").expect("issued");
    let told = ["InvoiceIssued", "CreditApplied", "CreditDepleted", "InvoicePaid"];
    assert_eq!(names[from..from + 4], told.map(|name| json!(name)).iter().collect::<Vec<_>>());
    let payloads = column(&events, "events", "payload");
    let applied = json!({
        "contractId": contract, "invoiceId": whole["id"], "amountMinor": 605, "currency": "EUR",
        "balanceMinor": 595,
    });
    assert_eq!(*payloads[from + 1], applied);
    let depleted = json!({"contractId": contract, "currency": "EUR", "creditType": "gift"});
    assert_eq!(*payloads[from + 2], depleted);
    assert_eq!(receiver.wait_for_type("CreditApplied").await.event["payload"], applied);
    assert_eq!(receiver.wait_for_type("CreditDepleted").await.event["payload"], depleted);

    let part = seller.invoice(body.clone()).await;
    assert_eq!((&part["creditAppliedMinor"], &part["collectibleMinor"]), (&json!(595), &json!(10)));
    assert_eq!((&part["status"], &part["outstandingMinor"]), (&json!("sent"), &json!(10)));
    top_up(&seller, contract, grant("gift", 200)).await;
    let by_bank = with(&body, json!({"collectionMethod": "bank_transfer"}));
    assert_eq!(seller.invoice(by_bank).await["creditAppliedMinor"], 0);
    let timeline = seller.billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
    let kinds = column(&timeline, "entries", "kind");
    assert!(kinds.contains(&&json!("credit_applied")) && kinds.contains(&&json!("credit_granted")));
    server.close().await;
}

#[tokio::test]
async fn what_expires_is_forfeited_when_somebody_looks_or_the_pass_comes() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (read, swept) = (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    for contract in [read, swept] {
        let soon = with(&grant("promotional", 200), json!({"expiresAt": "2027-01-16T00:00:00Z"}));
        top_up(&seller, contract, soon).await;
        top_up(&seller, contract, grant("manual", 10)).await;
    }
    server.pass_seconds(86_400);
    let sums = seller.billing.get("/credits").await.is(200);
    assert_eq!(column(&sums, "balances", "balanceMinor"), [&json!(0), &json!(20)]);
    let ledger = credits(&seller, read).await;
    let expiry = &ledger["entries"][0];
    assert_eq!((&expiry["kind"], &expiry["signedDeltaMinor"]), (&json!("expiry"), &json!(-200)));
    assert_eq!(expiry["lotId"], ledger["entries"][2]["id"]);
    let run = async || server.operator.post("/passes/credit.expiry/run", &json!({})).await.is(200);
    assert_eq!(run().await["counts"], json!({"expired": 1}));
    assert_eq!(run().await["counts"], json!({"expired": 0}));
    assert_eq!(ids(&credits(&seller, swept).await, "entries").len(), 3);
    server.close().await;
}
