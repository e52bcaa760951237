//! A second seller with a key of its own and the ids of the first: whatever it names is missing.

use accrue::gate::Route;
use accrue::routes::routes;

use super::owned::{Owned, missing, owned_id, seed, upload};
use super::{Attempt, attempt, call, call_with, name_of, path};
use crate::support::make::{line, with};
use crate::support::meter::event;
use crate::support::orders::order;
use crate::support::{Receiver, Response, Seller, Server, Value, fresh, json};

/// Lists of what the caller owns.
pub(super) const LISTS: &[&str] = &[
    "GET /billing-api/v1/customers",
    "GET /billing-api/v1/contracts",
    "GET /billing-api/v1/subscriptions",
    "GET /billing-api/v1/invoices",
    "GET /billing-api/v1/events",
    "GET /billing-api/v1/usage/metrics",
    "GET /usage/v1/metrics",
    "GET /billing-api/v1/usage/dead-letters",
    "GET /usage/v1/dead-letters",
    "GET /billing-api/v1/usage/webhook-endpoints",
    "GET /usage/v1/webhook-endpoints",
    "GET /payments-api/v1/webhooks",
    "GET /payments-api/v1/webhook-deliveries",
    "GET /payments-api/v1/webhook-allowlist",
    "GET /payments-api/v1/payees",
    "GET /payments-api/v1/wallets",
    "GET /payments-api/v1/payouts",
    "GET /payments-api/v1/payments",
    "GET /payments-api/v1/topup-invoices",
    "GET /payments-api/v1/vendors",
];

/// The list as a file.
pub(super) const EXPORT: &str = "GET /billing-api/v1/invoices/export";

/// Routes that take a file, whose rows name contracts.
const FILES: [&str; 2] = ["POST /billing-api/v1/usage/csv", "POST /usage/v1/csv"];

/// Whether a body of this route can name an object.
pub(super) fn names_in_body(route: &str) -> bool {
    let nothing = |_: &str| String::new();
    FILES.contains(&route) || !bodies(route, &json!(0), nothing).is_empty()
}

/// Bodies that are right but for one id, which is another seller's. `minted` is what the caller
/// owns.
fn bodies(route: &str, minted: &Value, foreign: impl Fn(&str) -> String) -> Vec<Value> {
    let number = |name: &str| foreign(name).parse::<u64>().unwrap_or_default();
    let shared = json!({
        "totalAmount": 12.5, "payeeDistribution": [{"payeeId": number("payeeId"), "amount": 1.5}],
    });
    let usage = || {
        let mut usage = event(0, &fresh("event"));
        usage["contractId"] = json!(foreign("contractId"));
        usage
    };
    match route.split_once(' ').map_or(route, |(_, path)| path) {
        _ if !route.starts_with("POST ") => vec![],
        "/billing-api/v1/contracts" => vec![json!({
            "sellerCustomerId": number("customerId"), "currency": "EUR", "startDate": "2027-01-15",
        })],
        "/billing-api/v1/invoices" => vec![
            json!({
                "contractId": number("contractId"), "origin": "one_time", "lines": [line("x", 1)],
            }),
            json!({"contractId": number("contractId"), "origin": "recurring"}),
        ],
        "/billing-api/v1/usage/events" | "/usage/v1/events" => vec![usage()],
        "/billing-api/v1/usage/events:batch" | "/usage/v1/events:batch" => {
            vec![json!({"events": [usage()]})]
        }
        "/payments-api/v1/wallets" => {
            vec![json!({"currency": "USD", "payeeId": number("payeeId")})]
        }
        "/payments-api/v1/payouts" => {
            let payout = |wallet: Value, method: Value| {
                json!({
                    "walletId": wallet, "payoutMethodId": method, "currencyCode": "EUR",
                    "amount": "1.00", "idempotencyKey": fresh("payout"),
                })
            };
            let own = minted["wallets"][1]["id"].clone();
            let method = json!(number("methodId"));
            vec![payout(json!(number("walletId")), method.clone()), payout(own, method)]
        }
        "/payments-api/v1/initialize-payment" => vec![order(json!({"orderData": shared}))],
        "/payments-api/v1/checkout" => {
            let session = |more: Value| {
                let body = json!({
                    "externalOrderRef": fresh("order"), "amount": 12.5, "currencyCode": "EUR",
                    "returnUrls": {
                        "success": "http://shop.example.com/",
                        "failure": "http://shop.example.com/",
                    },
                });
                with(&body, more)
            };
            let customer = json!({"sellerCustomerId": number("customerId")});
            vec![session(json!({"orderData": shared})), session(customer)]
        }
        "/payments-api/v1/finalize-payment" => {
            vec![json!({"externalOrderRef": foreign("externalOrderRef")})]
        }
        "/payments-api/v1/device-intelligence/token" => {
            vec![json!({"sessionId": foreign("sessionId")})]
        }
        _ => vec![],
    }
}

/// Asserts that a response about a foreign object is that about a missing one, to the letter.
fn are_the_same(foreign: &Response, missing: &Response) {
    assert_eq!((foreign.status, &foreign.text), (missing.status, &missing.text));
    let names = |response: &Response| -> Vec<String> {
        response.headers.keys().map(ToString::to_string).collect()
    };
    assert_eq!(names(foreign), names(missing), "{}", foreign.request);
}

/// The routes that are tried so.
fn tried(as_this: Attempt) -> impl Iterator<Item = Route> {
    routes().into_iter().filter(move |route| attempt(route) == Some(as_this))
}

fn value<'a>(owned: &'a Owned, name: &str) -> &'a str {
    let found = owned.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("nothing is called {name}"))
}

#[tokio::test]
async fn what_belongs_to_another_seller_is_missing() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (owner, owned) = seed(&server, &receiver).await;
    let other = server.seller().await;
    let stranger = server.anonymous.with_key(&other.key);
    for route in tried(Attempt::Path) {
        let foreign = path(&route, |name| value(&owned, name).to_owned());
        let foreign = call(&stranger, &route, &foreign).await;
        let missing = path(&route, |_| "9007199254740991".to_owned());
        let missing = call(&stranger, &route, &missing).await;
        assert_eq!(foreign.status, 404, "{}: {}", foreign.request, foreign.text);
        are_the_same(&foreign, &missing);
    }
    // Nothing was changed.
    let contract = owned_id(&owned, "contractId");
    let now = owner.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!(now["version"], 1);
    server.close().await;
}

#[tokio::test]
async fn bodies_that_name_what_belongs_to_another_seller_name_what_is_missing() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (_, owned) = seed(&server, &receiver).await;
    let other = server.seller().await;
    other.metric("api.calls", json!({})).await;
    let stranger = server.anonymous.with_key(&other.key);
    let none = missing(&owned);
    for route in tried(Attempt::Body) {
        let name = name_of(&route);
        if FILES.contains(&name.as_str()) {
            continue;
        }
        let foreign = bodies(&name, &other.minted, |name| value(&owned, name).to_owned());
        let missing = bodies(&name, &other.minted, |name| value(&none, name).to_owned());
        for (foreign, missing) in foreign.into_iter().zip(missing) {
            let foreign = call_with(&stranger, &route, route.path(), &foreign.to_string()).await;
            let missing = call_with(&stranger, &route, route.path(), &missing.to_string()).await;
            let refused = match name.ends_with("events:batch") {
                true => foreign["items"][0]["status"] == "rejected",
                false => [400, 404, 422].contains(&foreign.status),
            };
            assert!(refused, "{}: {}", foreign.request, foreign.text);
            are_the_same(&foreign, &missing);
        }
    }
    server.close().await;
}

#[tokio::test]
async fn rows_of_a_file_that_name_a_foreign_contract_name_one_that_is_missing() {
    let server = Server::start().await;
    let owner = server.seller().await;
    let contract = owner.metered("2027-01-15").await;
    let other = server.seller().await;
    other.metric("api.calls", json!({})).await;
    for usage in [other.billing.under("/billing-api/v1/usage"), other.older()] {
        let (_, foreign) = upload(&usage, &contract.to_string(), "api.calls").await;
        let (_, missing) = upload(&usage, "9007199254740991", "api.calls").await;
        assert_eq!(foreign["reason"], missing["reason"], "{foreign}");
        assert!(foreign["reason"].as_str().is_some_and(|why| why.contains("unknown contract")));
    }
    assert_eq!(owner.usage(contract).await["metrics"], json!([]), "nothing was recorded");
    server.close().await;
}

#[tokio::test]
async fn no_list_shows_what_is_another_sellers() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (owner, _) = seed(&server, &receiver).await;
    let other = server.seller().await;
    for route in tried(Attempt::List) {
        let list = async |seller: &Seller| {
            let body = call(&server.anonymous.with_key(&seller.key), &route, route.path()).await;
            let body = body.is(200);
            let rows = body.as_object().expect("a list").values().find_map(Value::as_array);
            let rows = rows.unwrap_or_else(|| panic!("{}: {body}", name_of(&route))).clone();
            let id = |row: &Value| {
                let id = ["id", "contractId", "paymentId", "name", "eventId"]
                    .iter()
                    .find_map(|name| row.get(name))
                    .cloned();
                id.unwrap_or_else(|| panic!("{}: no id in {row}", name_of(&route)))
            };
            // Every account has this metric.
            rows.iter().map(id).filter(|id| id != "platform.seat.active").collect::<Vec<Value>>()
        };
        let (own, foreign) = (list(&other).await, list(&owner).await);
        assert!(!foreign.is_empty(), "{} shows the owner nothing", name_of(&route));
        let shown: Vec<&Value> = own.iter().filter(|id| foreign.contains(id)).collect();
        assert_eq!(shown, [&Value::Null; 0], "{}", name_of(&route));
    }
    for (api, path, list) in [
        (&other.billing, "/contracts", "contracts"),
        (&other.billing, "/subscriptions", "subscriptions"),
        (&other.billing, "/invoices", "invoices"),
        (&other.billing, "/events", "events"),
        (&other.billing, "/usage/dead-letters", "deadLetters"),
        (&other.billing, "/usage/webhook-endpoints", "webhookEndpoints"),
        (&other.payments, "/webhooks", "webhooks"),
        (&other.payments, "/webhook-deliveries", "deliveries"),
        (&other.payments, "/webhook-allowlist", "allowlist"),
    ] {
        assert_eq!(api.get(path).await.is(200)[list], json!([]), "{path}");
    }
    server.close().await;
}

#[tokio::test]
async fn no_export_has_what_is_another_sellers() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (owner, owned) = seed(&server, &receiver).await;
    let other = server.seller().await;
    let period = "issuedFrom=2020-01-01&issuedTo=2040-01-01&format=ndjson";
    let of = format!("{period}&contractId={}", owned_id(&owned, "contractId"));
    for query in [period, &of] {
        let path = format!("/invoices/export?{query}");
        assert!(!owner.billing.get(&path).await.has_status(200).text.is_empty());
        assert_eq!(other.billing.get(&path).await.has_status(200).text, "", "{query}");
    }
    server.close().await;
}

#[tokio::test]
async fn no_list_of_a_filter_shows_what_is_another_sellers() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let (owner, owned) = seed(&server, &receiver).await;
    let other = server.seller().await;
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
    server.close().await;
}
