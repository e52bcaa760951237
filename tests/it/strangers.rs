//! Every route, tried by those who have no business there: nobody, somebody with a wrong key, a
//! second seller with ids of the first. The list comes from the router.

use accrue::gate::{Access, Idempotency, Route, Surface};
use accrue::routes::routes;
use hyper::Method;

use crate::support::buyer::{GOOD, page_of};
use crate::support::heard::id;
use crate::support::{Api, Heard, House, Inbox, Seller, Value, fresh_uuid, json, until};

/// The path of a route with every parameter filled in by `fill`.
fn path(route: &Route, fill: impl Fn(&str) -> String) -> String {
    let mut path = route.path().to_owned();
    for name in route.parameters() {
        path = path.replace(&format!("{{{name}}}"), &fill(name));
    }
    path
}

async fn knock(api: &Api, route: &Route, path: &str) -> Heard {
    let key = match route.idempotency() {
        Idempotency::None | Idempotency::Billing => "stranger".to_owned(),
        Idempotency::Payments | Idempotency::PaymentsFirst => fresh_uuid(),
    };
    let body = if route.method() == Method::GET { "" } else { "{}" };
    let headers = [("idempotency-key", key.as_str())];
    api.send(route.method().clone(), path, &headers, body).await
}

#[tokio::test]
async fn without_a_key_nobody_comes_in() {
    let house = House::open().await;
    let mut tried = 0;
    for route in routes() {
        let path = path(&route, |_| "1".to_owned());
        let strangers = [
            house.open.clone(),
            house.open.with_key("sk_test_nobody"),
            house.open.with_key("x y"),
            house.open.with_key(""),
        ];
        for stranger in strangers {
            let heard = knock(&stranger, &route, &path).await;
            if route.access() != Access::Open {
                assert_eq!(
                    (heard.status, heard.media_type()),
                    (401, "text/plain"),
                    "{} {}",
                    route.method(),
                    route.path()
                );
                assert!(heard.header("x-ratelimit-limit").is_none());
                tried += 1;
            } else {
                assert_ne!(heard.status, 401, "{}", heard.asked);
                assert!(heard.status < 500, "{}: {}", heard.asked, heard.text);
            }
        }
    }
    assert!(tried > 100, "only {tried} routes are behind a key");
    house.close().await;
}

#[tokio::test]
async fn every_path_refuses_methods_it_does_not_have() {
    let house = House::open().await;
    let all = routes();
    for route in &all {
        let path = path(route, |_| "1".to_owned());
        let own: Vec<&Method> =
            all.iter().filter(|other| other.path() == route.path()).map(Route::method).collect();
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if own.contains(&&method) {
                continue;
            }
            let heard = house.open.send(method, &path, &[], "").await;
            heard.has_status(405);
            let allow = heard.header("allow").expect("Allow");
            for own in &own {
                assert!(allow.contains(own.as_str()), "{}: Allow is {allow}", heard.asked);
            }
        }
    }
    house.close().await;
}

#[tokio::test]
async fn every_path_refuses_ids_that_are_none() {
    let house = House::open().await;
    let seller = house.seller().await;
    let keyed = house.open.with_key(&seller.key);
    for route in routes().iter().filter(|route| route.access() == Access::SellerKey) {
        for name in route.parameters().filter(|name| name.ends_with("Id")) {
            let wrong =
                path(route, |other| if other == name { "x1".to_owned() } else { "1".to_owned() });
            let heard = knock(&keyed, route, &wrong).await;
            assert_eq!(heard.status, 400, "{} {}: {}", route.method(), wrong, heard.text);
            assert!(heard.error().contains(name), "{}: {}", heard.asked, heard.text);
        }
    }
    house.close().await;
}

/// What paths can name, each with what it is called there.
type Owned = Vec<(&'static str, String)>;

/// One object of every kind that a path can name.
async fn furnish(house: &House, inbox: &Inbox) -> (Seller, Owned) {
    let seller = house.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let subscription = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let body = json!({"webhookUrl": inbox.url("/")});
    let webhook = id(&seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201));
    let body = json!({"cidr": "127.0.0.0/8"});
    let entry = seller.payments.create("/webhook-allowlist", &fresh_uuid(), &body).await.is(201);
    let invoice = id(&seller.one_time(contract, 100).await);
    let delivery = until("a delivery", async || {
        let list = seller.payments.get("/webhook-deliveries").await.is(200);
        list["deliveries"][0]["id"].as_u64()
    })
    .await;
    let line = seller.invoice_now(invoice).await["lines"][0]["lineId"].to_string();
    seller.metric("api.calls", json!({})).await;
    let described = json!({"description": "A meter"});
    let endpoint = seller.billing.post("/usage/webhook-endpoints", &described).await.is(201);
    let (upload, letter) = intake(&seller).await;
    let payee = seller.payee(0);
    house.fund(&seller, payee, 1, 500).await;
    let payout = id(&seller.payout(json!({})).await);
    let body = json!({"currency": "EUR", "amountMinor": 100});
    let topup = seller.payments.create("/topup-invoices", &fresh_uuid(), &body).await.is(201);
    let body = json!({"displayName": "Atelier Nord", "email": "nord@example.com"});
    let vendor = seller.payments.create("/vendors", &fresh_uuid(), &body).await.is(201);
    let page = page_of(&seller.one_time(contract, 100).await);
    let paid = seller.payments.pay(&page, GOOD).await.is(200);
    let reference = paid["paymentId"].as_str().expect("a reference").to_owned();
    let mut owned = vec![("lineId", line), ("externalOrderRef", reference)];
    owned.extend(["metric", "metricName"].map(|name| (name, "api.calls".to_owned())));
    let ids = [
        ("contractId", contract),
        ("subscriptionId", subscription),
        ("invoiceId", invoice),
        ("customerId", seller.customer()),
        ("webhookId", webhook),
        ("entryId", id(&entry)),
        ("deliveryId", delivery),
        ("endpointId", id(&endpoint)),
        ("uploadId", upload),
        ("deadLetterId", letter),
        ("payeeId", payee),
        ("methodId", seller.method(payee).await),
        ("walletId", seller.wallet(0)),
        ("payoutId", payout),
        ("topupInvoiceId", id(&topup)),
        ("vendorId", id(&vendor)),
    ];
    owned.extend(ids.map(|(name, id)| (name, id.to_string())));
    (seller, owned)
}

/// An upload of one row that is refused, and the dead letter that becomes of it.
async fn intake(seller: &Seller) -> (u64, u64) {
    let mapping = json!({
        "contractId": "contract", "metric": {"const": "unheard.of"}, "quantity": {"const": "1"},
        "occurredAt": {"const": "2027-01-15T08:30:00Z"},
    });
    let part = |name: &str, content: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let (file, mapping) = (part("file", "contract\n1\n"), part("mapping", &mapping.to_string()));
    let headers = [("content-type", "multipart/form-data; boundary=b")];
    let body = format!("{file}{mapping}--b--\r\n");
    let taken = seller.billing.send(Method::POST, "/usage/csv", &headers, &body).await.is(202);
    let letter = until("a dead letter", async || {
        let list = seller.billing.get("/usage/dead-letters").await.is(200);
        list["deadLetters"][0]["id"].as_u64()
    });
    (taken["uploadId"].as_u64().expect("an id"), letter.await)
}

/// The id among what paths can name.
fn owned_id(owned: &Owned, name: &str) -> u64 {
    let (_, value) = owned.iter().find(|(known, _)| *known == name).expect("an id");
    value.parse().expect("a number")
}

#[tokio::test]
async fn what_belongs_to_another_seller_is_missing() {
    let house = House::open().await;
    let inbox = Inbox::open().await;
    let (owner, owned) = furnish(&house, &inbox).await;
    let other = house.seller().await;
    let stranger = house.open.with_key(&other.key);
    let mut tried = Vec::new();
    for route in routes() {
        if route.access() != Access::SellerKey || route.parameters().next().is_none() {
            continue;
        }
        let fill = |name: &str| {
            let known = owned.iter().find(|(known, _)| *known == name);
            known.unwrap_or_else(|| panic!("no {name} to try {} with", route.path())).1.clone()
        };
        let foreign = knock(&stranger, &route, &path(&route, fill)).await;
        let missing = path(&route, |_| "9007199254740991".to_owned());
        let missing = knock(&stranger, &route, &missing).await;
        assert_eq!(foreign.status, 404, "{}: {}", foreign.asked, foreign.text);
        assert_eq!((foreign.status, &foreign.text), (missing.status, &missing.text));
        let names = |heard: &Heard| -> Vec<String> {
            heard.headers.keys().map(ToString::to_string).collect()
        };
        assert_eq!(names(&foreign), names(&missing), "{}", foreign.asked);
        tried.push(route.path());
    }
    assert!(tried.len() >= 25, "{tried:?}");
    // Nothing was changed, and no list shows anything.
    let contract = owned_id(&owned, "contractId");
    let now = owner.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(now["version"], 1);
    for (api, path, list) in [
        (&other.billing, "/contracts", "contracts"),
        (&other.billing, "/subscriptions", "subscriptions"),
        (&other.billing, "/invoices", "invoices"),
        (&other.billing, "/usage/dead-letters", "deadLetters"),
        (&other.billing, "/usage/webhook-endpoints", "webhookEndpoints"),
        (&other.payments, "/webhooks", "webhooks"),
        (&other.payments, "/webhook-deliveries", "deliveries"),
        (&other.payments, "/webhook-allowlist", "allowlist"),
    ] {
        assert_eq!(api.get(path).await.is(200)[list], json!([]), "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn no_list_of_a_filter_shows_what_is_another_sellers() {
    let house = House::open().await;
    let inbox = Inbox::open().await;
    let (owner, owned) = furnish(&house, &inbox).await;
    let other = house.seller().await;
    let contract = owned_id(&owned, "contractId");
    let number = owner.invoice_now(owned_id(&owned, "invoiceId")).await["invoiceNumber"].clone();
    for path in [
        format!("/invoices?contractId={contract}"),
        format!("/invoices?sellerCustomerId={}", owner.customer()),
        format!("/invoices?corrects={}", number.as_str().expect("a number")),
        format!("/subscriptions?contractId={contract}"),
        "/customers?email=astrid.holm@example.com".to_owned(),
    ] {
        let list = other.billing.get(&path).await.is(200);
        let rows = list.as_object().expect("a list").values().find_map(Value::as_array);
        for row in rows.expect("rows") {
            assert_ne!(row["id"].as_u64(), Some(owner.customer()), "{path}");
            assert_eq!(row.get("contractId"), None, "{path}");
        }
    }
    let foreign = format!("/webhook-deliveries?webhookId={}", owned_id(&owned, "webhookId"));
    assert_eq!(other.payments.get(&foreign).await.is(200)["deliveries"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn bodies_that_are_no_objects_are_refused_everywhere() {
    let house = House::open().await;
    let inbox = Inbox::open().await;
    let (seller, owned) = furnish(&house, &inbox).await;
    let keyed = house.open.with_key(&seller.key);
    let document = house.open.get("/openapi.json").await.is(200);
    for route in routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let reads_a_body = document["paths"][route.path()][&method]["requestBody"].is_object();
        if route.access() != Access::SellerKey || !reads_a_body {
            continue;
        }
        let path = path(&route, |name| {
            owned.iter().find(|(known, _)| *known == name).expect("a name").1.clone()
        });
        for body in ["{", "[]", "7", "null", "\"x\"", "not json"] {
            let key = fresh_uuid();
            let headers = [("idempotency-key", key.as_str())];
            let heard = keyed.send(route.method().clone(), &path, &headers, body).await;
            assert_eq!(heard.status, 400, "{}: {}", heard.asked, heard.text);
            let text = heard.error();
            match route.surface() {
                Surface::Payments => assert_eq!(text, "invalid request body"),
                _ => assert!(text.starts_with("invalid request body: "), "{text}"),
            }
        }
    }
    house.close().await;
}
