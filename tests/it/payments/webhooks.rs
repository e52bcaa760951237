//! `/webhooks`.

use crate::support::receiver::Reply;
use crate::support::response::{column, id, ids};
use crate::support::{Receiver, Response, Seller, Server, Value, fresh_uuid, json, until};

async fn register(seller: &Seller, body: Value) -> Response {
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await
}

#[tokio::test]
async fn a_webhook_shows_its_secret_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let url = "http://127.0.0.1:9/hook";
    let made = register(&seller, json!({"webhookUrl": url})).await.is(201);
    assert_eq!((&made["webhookUrl"], &made["status"]), (&json!(url), &json!("active")));
    assert_eq!((&made["eventTypes"], &made["ordered"]), (&json!([]), &json!(false)));
    assert!(made["merchantId"].is_string());
    assert_eq!(
        (&made["createdAt"], &made["updatedAt"]),
        (&json!("2027-01-15T09:00:00Z"), &json!("2027-01-15T09:00:00Z"))
    );
    let secret = made["secretKey"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_") && secret.len() == 6 + 43, "{secret}");
    let again = register(&seller, json!({"webhookUrl": url})).await.is(200);
    assert_eq!((&again["id"], again.get("secretKey")), (&made["id"], None));
    let list = seller.payments.get("/webhooks").await.is(200);
    assert_eq!(
        (&list["webhooks"][0]["id"], list["webhooks"][0].get("secretKey")),
        (&made["id"], None)
    );
    server.close().await;
}

#[tokio::test]
async fn a_replay_is_compared_and_shows_no_secret() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let post = async |url: &str| {
        seller.payments.create("/webhooks", &key, &json!({"webhookUrl": url})).await
    };
    let made = post("http://127.0.0.1:9/a").await.is(201);
    let replay = post("http://127.0.0.1:9/a").await;
    assert!(replay.is_replay());
    let replay = replay.is(200);
    assert_eq!((&replay["id"], replay.get("secretKey")), (&made["id"], None));
    let other = post("http://127.0.0.1:9/b").await;
    other.refuses(409, "Idempotency-Key reused with a different webhookUrl");
    let body = json!({"webhookUrl": "http://127.0.0.1:9/c"});
    seller
        .payments
        .post("/webhooks", &body)
        .await
        .refuses_saying(400, "Idempotency-Key header is required");
    seller
        .payments
        .create("/webhooks", "no-uuid", &body)
        .await
        .refuses_saying(400, "Idempotency-Key must be a valid UUID");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let long = format!("https://example.com/{}", "x".repeat(2048));
    for (body, field) in [
        (json!({}), "webhookUrl"),
        (json!({"webhookUrl": ""}), "webhookUrl"),
        (json!({"webhookUrl": "/hook"}), "webhookUrl"),
        (json!({"webhookUrl": "ftp://example.com/"}), "webhookUrl"),
        (json!({"webhookUrl": "https://user:pass@example.com/"}), "webhookUrl"),
        (json!({"webhookUrl": long}), "webhookUrl"),
        (json!({"webhookUrl": "http://169.254.169.254/"}), "webhookUrl"),
        (json!({"webhookUrl": "http://10.0.0.1/"}), "webhookUrl"),
        (json!({"webhookUrl": "http://[fe80::1]/"}), "webhookUrl"),
        (json!({"webhookUrl": "https://example.com/", "eventTypes": ["Nothing"]}), "Nothing"),
        (json!({"webhookUrl": "https://example.com/", "status": "on"}), "status"),
    ] {
        register(&seller, body).await.refuses(400, field);
    }
    for malformed in [
        json!({"webhookUrl": 7}),
        json!({"webhookUrl": "https://example.com/",
        "eventTypes": "InvoicePaid"}),
    ] {
        register(&seller, malformed).await.refuses_saying(400, "invalid request body");
    }
    server.close().await;
}

#[tokio::test]
async fn a_live_seller_registers_https_only() {
    let server = Server::start().await;
    let live = server.live_seller(json!({"country": "DE"})).await;
    assert!(live.key.starts_with("sk_live_"));
    let post = async |url: &str| {
        live.payments.create("/webhooks", &fresh_uuid(), &json!({"webhookUrl": url})).await
    };
    post("http://example.com/").await.refuses(400, "webhookUrl");
    post("https://example.com/").await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_change_replaces_what_is_stated() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({"webhookUrl": "http://127.0.0.1:9/a", "eventTypes": ["InvoicePaid"]});
    let made = register(&seller, body).await.is(201);
    assert_eq!(made["eventTypes"], json!(["InvoicePaid"]));
    let path = format!("/webhooks/{}", id(&made));
    let patch = async |body: Value| seller.payments.patch(&path, &body).await;
    let changed = patch(json!({"eventTypes": ["InvoiceIssued", "InvoiceSent"]})).await.is(200);
    assert_eq!(changed["eventTypes"], json!(["InvoiceIssued", "InvoiceSent"]));
    assert_eq!((&changed["webhookUrl"], changed.get("secretKey")), (&made["webhookUrl"], None));
    let changed = patch(json!({"webhookUrl": "http://127.0.0.1:9/b"})).await.is(200);
    assert_eq!(changed["eventTypes"], json!(["InvoiceIssued", "InvoiceSent"]));
    assert_eq!(patch(json!({"eventTypes": []})).await.is(200)["eventTypes"], json!([]));
    assert_eq!(patch(json!({"ordered": true})).await.is(200)["ordered"], true);
    assert_eq!(patch(json!({"status": "disabled"})).await.is(200)["status"], "disabled");
    for (body, field) in [
        (json!({"webhookUrl": null}), "webhookUrl"),
        (json!({"eventTypes": null}), "eventTypes"),
        (json!({"status": null}), "status"),
        (json!({"ordered": null}), "ordered"),
        (json!({"ordered": "yes"}), "invalid request body"),
        (json!({"status": "gone"}), "status"),
        (json!({"eventTypes": ["Nothing"]}), "Nothing"),
    ] {
        patch(body).await.refuses(400, field);
    }
    seller.payments.patch("/webhooks/999999999", &json!({})).await.has_status(404);
    seller.payments.patch("/webhooks/x", &json!({})).await.has_status(400);
    server.close().await;
}

#[tokio::test]
async fn a_disabled_url_that_is_registered_again_has_its_old_secret() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({"webhookUrl": "http://127.0.0.1:9/a"});
    let made = register(&seller, body.clone()).await.is(201);
    let path = format!("/webhooks/{}", id(&made));
    seller.payments.patch(&path, &json!({"status": "disabled"})).await.is(200);
    let body = json!({"webhookUrl": "http://127.0.0.1:9/a", "eventTypes": ["InvoicePaid"]});
    let back = register(&seller, body).await.is(200);
    assert_eq!((&back["id"], &back["status"]), (&made["id"], &json!("active")));
    assert_eq!(back["secretKey"], made["secretKey"]);
    assert_eq!(back["eventTypes"], json!(["InvoicePaid"]));
    let list = seller.payments.get("/webhooks").await.is(200);
    assert_eq!(column(&list, "webhooks", "status"), [&json!("active")]);
    server.close().await;
}

#[tokio::test]
async fn events_go_to_those_who_want_them() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    register(&seller, json!({"webhookUrl": receiver.url("/all")})).await.is(201);
    let only = json!({"webhookUrl": receiver.url("/issued"), "eventTypes": ["InvoiceIssued"]});
    register(&seller, only).await.is(201);
    let off = json!({"webhookUrl": receiver.url("/off"), "status": "disabled"});
    register(&seller, off).await.is(201);
    let other = server.seller().await;
    register(&other, json!({"webhookUrl": receiver.url("/other")})).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let came = receiver.wait_for_count(4).await;
    let mut came: Vec<(String, String)> = came
        .iter()
        .map(|one| (one.path.clone(), one.event["eventType"].as_str().expect("type").to_owned()))
        .collect();
    came.sort();
    let expected = [
        ("/all", "InvoiceIssued"),
        ("/all", "InvoiceSent"),
        ("/all", "PaymentLinkCreated"),
        ("/issued", "InvoiceIssued"),
    ];
    assert_eq!(came, expected.map(|(path, kind)| (path.to_owned(), kind.to_owned())));
    // One event has one id on all URLs.
    let ids: Vec<u64> = receiver.of("InvoiceIssued").iter().map(|one| one.event_id()).collect();
    assert_eq!(ids[0], ids[1]);
    server.close().await;
}

#[tokio::test]
async fn one_place_has_one_webhook_however_its_url_is_spelled() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let made = register(&seller, json!({"webhookUrl": "http://localhost/Hook?a=b"})).await.is(201);
    for spelling in
        ["HTTP://LocalHost/Hook?a=b", "http://localhost:80/Hook?a=b", "http://localhost/Hook?a=b#x"]
    {
        let again = register(&seller, json!({"webhookUrl": spelling})).await.is(200);
        assert_eq!((&again["id"], &again["webhookUrl"]), (&made["id"], &made["webhookUrl"]));
    }
    let other = register(&seller, json!({"webhookUrl": "http://localhost/hook?a=b"})).await.is(201);
    let path = format!("/webhooks/{}", id(&other));
    let taken = json!({"webhookUrl": "http://LOCALHOST:80/Hook?a=b"});
    seller.payments.patch(&path, &taken).await.refuses(409, "registered already");
    server.close().await;
}

#[tokio::test]
async fn a_sandbox_account_has_twenty_webhooks_at_most_and_lists_them_in_pages() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let url = |nth: u64| json!({"webhookUrl": format!("http://127.0.0.1:9/{nth}")});
    let mut made = Vec::new();
    for nth in 0..20 {
        made.push(id(&register(&seller, url(nth)).await.is(201)));
    }
    register(&seller, url(20)).await.refuses(422, "at most 20 webhooks");
    register(&seller, url(19)).await.is(200);

    made.reverse();
    let first = seller.payments.get("/webhooks?limit=15").await.is(200);
    assert_eq!((ids(&first, "webhooks"), &first["hasMore"]), (made[..15].to_vec(), &json!(true)));
    let cursor = &first["nextCursor"];
    let rest = seller.payments.get(&format!("/webhooks?cursor={cursor}")).await.is(200);
    assert_eq!((ids(&rest, "webhooks"), &rest["hasMore"]), (made[15..].to_vec(), &json!(false)));
    for wrong in ["limit=0", "limit=101", "cursor=x", "beforeId=-1"] {
        seller.payments.get(&format!("/webhooks?{wrong}")).await.has_status(400);
    }

    // A deleted one does not count.
    seller.payments.delete(&format!("/webhooks/{}", made[0])).await.has_status(204);
    register(&seller, url(20)).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_and_its_deliveries_stay_listed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    receiver.always_replies(Reply::Status(500));
    let made = register(&seller, json!({"webhookUrl": receiver.url("/")})).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    receiver.wait_for_count(3).await;

    let path = format!("/webhooks/{}", id(&made));
    seller.payments.delete(&path).await.has_status(204);
    seller.payments.get(&path).await.has_status(404);
    seller.payments.delete(&path).await.has_status(404);
    seller.payments.patch(&path, &json!({"status": "active"})).await.has_status(404);
    let list = seller.payments.get("/webhooks").await.is(200);
    assert_eq!(ids(&list, "webhooks"), [0_u64; 0]);
    let failed = until("what waited has failed", async || {
        let list = seller.payments.get("/webhook-deliveries?status=failed").await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(3)).then_some(list)
    })
    .await;
    assert_eq!(failed["deliveries"][0]["webhookId"], made["id"]);
    assert_eq!(failed["deliveries"][0]["lastError"], "the webhook is deleted");
    let again = format!("/webhook-deliveries/{}/redeliver", id(&failed["deliveries"][0]));
    seller.payments.create(&again, &fresh_uuid(), &json!({})).await.refuses(409, "deleted");

    let new = register(&seller, json!({"webhookUrl": receiver.url("/")})).await.is(201);
    assert!(new["id"] != made["id"] && new["secretKey"] != made["secretKey"]);
    server.close().await;
}
