//! What a customer sees and does on the portal.

use hyper::Method;

use crate::support::buyer::GOOD;
use crate::support::{Seller, Server, Value, json};

const FORM: [(&str, &str); 2] =
    [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];
const PAGE: [(&str, &str); 1] = [("accept", "text/html")];

/// The address of the first test customer's portal.
async fn portal(seller: &Seller) -> String {
    let path = format!("/customers/{}/portal", seller.customer());
    let made = seller.billing.post(&path, &json!({})).await.is(201);
    made["portalUrl"].as_str().expect("an address").to_owned()
}

async fn allow(server: &Server, seller: &Seller, actions: &str) {
    let browser = server.owner_of(seller).await;
    let actions =
        format!("mutation {{ setPortalActions(input: {{actions: {actions}}}) {{ name }} }}");
    let answer = browser.operation(&actions, json!({})).await;
    assert_eq!(answer["errors"], Value::Null, "{answer}");
}

#[tokio::test]
async fn a_customer_sees_what_is_theirs() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let more = json!({"description": "Team <plan>", "priceMinor": 2_900});
    seller.subscribe(contract, "2027-01-15", more).await;
    let paid = seller.one_time(contract, 1_000).await;
    let open = seller.one_time(contract, 2_000).await;
    let link = |invoice: &Value| invoice["paymentUrl"].as_str().expect("a page").to_owned();
    let number = |invoice: &Value| invoice["invoiceNumber"].as_str().expect("a number").to_owned();
    server.anonymous.pay(&link(&paid), GOOD).await.is(200);
    let url = portal(&seller).await;
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    page.has_status(200);
    for shown in [&number(&paid), &number(&open), "Team &#60;plan&#62;", "Paid", "Open", "Active"] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    // Nothing is offered unless the seller allows it.
    assert!(!page.text.contains("<form") && !page.text.contains(&link(&open)));
    allow(&server, &seller, "[\"pay\"]").await;
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(page.text.contains(&link(&open)) && !page.text.contains(&link(&paid)));
    let german = [("accept", "text/html"), ("accept-language", "de")];
    let page = server.anonymous.send(Method::GET, &url, &german, "").await;
    assert!(page.text.contains("Rechnungen") && page.text.contains("Bezahlt"));

    let pdf = server.anonymous.get(&format!("{url}/invoices/{}", paid["id"])).await;
    assert_eq!(pdf.has_status(200).media_type(), "application/pdf");
    assert!(pdf.bytes.starts_with(b"%PDF"));
    server.close().await;
}

#[tokio::test]
async fn a_customer_sees_seats_as_days_of_seats() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-14").await;
    seller.one_time(contract, 1_000).await;
    seller.set_seats(&server, contract, 3, "2027-01-14T08:00:00Z").await;
    let url = portal(&seller).await;
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    page.has_status(200);
    assert!(page.text.contains("Seats × days"), "{}", page.text);
    assert!(page.text.contains("<span class=\"money\">6</span>"), "{}", page.text);
    server.close().await;
}

#[tokio::test]
async fn a_customer_does_what_the_seller_allows_and_the_log_says_so() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let made = seller.subscribe(contract, "2027-01-15", json!({})).await;
    let id = made["id"].as_u64().expect("an id");
    seller.recurring(contract).await;
    let url = portal(&seller).await;
    let form = format!("action=cancel&id={id}");
    let json_form = [FORM[0], ("accept", "application/json")];
    let refused = server.anonymous.send(Method::POST, &url, &json_form, &form).await;
    refused.refuses_saying(403, "the seller does not offer cancel here");
    assert_eq!(seller.subscription(id).await["cancelAt"], Value::Null);

    allow(&server, &seller, "[\"cancel\", \"resume\", \"card\"]").await;
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(page.text.contains("value=\"cancel\"") && !page.text.contains("value=\"resume\""));
    let led = server.anonymous.send(Method::POST, &url, &FORM, &form).await;
    let path = url.trim_start_matches(&server.anonymous.origin);
    assert_eq!(led.has_status(303).header("location"), Some(path));
    let canceled = seller.subscription(id).await;
    assert_eq!(canceled["cancelAt"], made["currentPeriodEnd"]);
    assert_eq!(canceled["cancelReason"], "by the buyer, on the portal");
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(page.text.contains("Ends on") && !page.text.contains("value=\"cancel\""));
    assert!(page.text.contains("Do not cancel"));
    let keep = format!("action=resume&id={id}");
    server.anonymous.send(Method::POST, &url, &FORM, &keep).await.has_status(303);
    let kept = seller.subscription(id).await;
    assert_eq!((&kept["cancelAt"], &kept["cancelReason"]), (&Value::Null, &Value::Null));
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(page.text.contains("value=\"cancel\"") && !page.text.contains("Do not cancel"));

    let paused = seller.subscribe(contract, "2027-01-15", json!({})).await;
    let paused = paused["id"].as_u64().expect("an id");
    seller.act(paused, "pause", json!({})).await;
    let resume = format!("action=resume&id={paused}");
    server.anonymous.send(Method::POST, &url, &FORM, &resume).await.has_status(303);
    assert_eq!(seller.subscription(paused).await["status"], "active");

    let timeline = seller.billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
    let by_buyer: Vec<(&Value, &Value)> = timeline["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|one| one["detail"].as_str().is_some_and(|said| said.contains("by the buyer")))
        .map(|one| (&one["kind"], &one["subscriptionId"]))
        .collect();
    let expected = [
        ("subscription_resumed", paused),
        ("subscription_cancel_taken_back", id),
        ("subscription_cancel_scheduled", id),
    ];
    let expected = expected.map(|(kind, of)| (json!(kind), json!(of)));
    assert_eq!(by_buyer, expected.iter().map(|(kind, of)| (kind, of)).collect::<Vec<_>>());

    let log = server.owner_of(&seller).await;
    let log = log.query("{ auditEntries { nodes { actor action object } } }").await;
    let email = seller.minted["customers"][0]["email"].as_str().expect("an e-mail");
    let acts = log["auditEntries"]["nodes"].as_array().expect("entries");
    for (action, object) in
        [("cancelSubscription", id), ("resumeSubscription", id), ("resumeSubscription", paused)]
    {
        let expected = json!({
            "actor": format!("buyer:{email}"), "action": action,
            "object": format!("subscription {object}"),
        });
        assert!(acts.contains(&expected), "{action}: {log}");
    }
    for wrong in ["", "action=pay&id=1", "action=cancel", "action=refund&id=1"] {
        let wrong = server.anonymous.send(Method::POST, &url, &json_form, wrong).await;
        wrong.refuses(400, "action must be");
    }
    server.close().await;
}

#[tokio::test]
async fn who_may_cancel_takes_the_own_cancel_back_and_no_other() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let made = seller.subscribe(contract, "2027-01-15", json!({})).await;
        ids.push(made["id"].as_u64().expect("an id"));
    }
    seller.recurring(contract).await;
    let [own, of_seller] = ids[..] else { panic!("two subscriptions") };
    allow(&server, &seller, "[\"cancel\"]").await;
    let url = portal(&seller).await;
    let json_form = [FORM[0], ("accept", "application/json")];
    let send = async |action: &str, id: u64| {
        let form = format!("action={action}&id={id}");
        server.anonymous.send(Method::POST, &url, &json_form, &form).await
    };
    seller.act(of_seller, "cancel", json!({"mode": "period_end"})).await;
    send("cancel", own).await.has_status(204);
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert_eq!(page.text.matches("value=\"resume\"").count(), 1, "{}", page.text);
    send("resume", of_seller).await.refuses_saying(403, "the seller does not offer resume here");
    send("resume", own).await.has_status(204);
    assert_eq!(seller.subscription(own).await["cancelAt"], Value::Null);
    assert_ne!(seller.subscription(of_seller).await["cancelAt"], Value::Null);
    // There is nothing left to take back.
    send("resume", own).await.refuses_saying(403, "the seller does not offer resume here");
    server.close().await;
}

#[tokio::test]
async fn the_portal_of_a_closed_account_says_so_and_does_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    allow(&server, &seller, "[\"cancel\"]").await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let url = portal(&seller).await;
    let account = format!("/sellers/{}", seller.id);
    server.operator.patch(&account, &json!({"status": "inactive"})).await.is(200);
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    page.has_status(200);
    assert!(page.text.contains("This page is closed"), "{}", page.text);
    assert!(!page.text.contains(invoice["invoiceNumber"].as_str().expect("a number")));
    let json_form = [FORM[0], ("accept", "application/json")];
    let posted = server.anonymous.send(Method::POST, &url, &json_form, "action=cancel&id=1").await;
    posted.refuses_saying(409, "the page is closed");
    let pdf = server.anonymous.get(&format!("{url}/invoices/{}", invoice["id"])).await;
    pdf.refuses_saying(409, "the page is closed");

    server.operator.patch(&account, &json!({"status": "active"})).await.is(200);
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(page.text.contains(invoice["invoiceNumber"].as_str().expect("a number")));
    server.close().await;
}

#[tokio::test]
async fn nobody_reaches_what_is_anothers_and_a_link_is_over_after_an_hour() {
    let server = Server::start().await;
    let seller = server.seller().await;
    allow(&server, &seller, "[\"cancel\", \"card\"]").await;
    let url = portal(&seller).await;
    let body = json!({
        "sellerCustomerId": seller.minted["customers"][1]["id"], "currency": "EUR",
        "startDate": "2027-01-15",
    });
    let made = seller.billing.create("/contracts", "another", &body).await.is(201);
    let contract = made["id"].as_u64().expect("an id");
    let foreign = seller.subscribe(contract, "2027-01-15", json!({})).await;
    let invoice = seller.one_time(contract, 1_000).await;
    let json_form = [FORM[0], ("accept", "application/json")];
    for form in [format!("action=cancel&id={}", foreign["id"]), "action=card&id=1".to_owned()] {
        server.anonymous.send(Method::POST, &url, &json_form, &form).await.has_status(404);
    }
    let pdf = format!("{url}/invoices/{}", invoice["id"]);
    server.anonymous.get(&pdf).await.refuses_saying(404, "not found");
    let page = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert!(!page.text.contains(invoice["invoiceNumber"].as_str().expect("a number")));

    let mut bent = url.clone();
    bent.pop();
    server.anonymous.get(&bent).await.refuses_saying(404, "not found");
    server.pass_seconds(3_599);
    server.anonymous.get(&url).await.has_status(200);
    server.pass_seconds(1);
    let over = server.anonymous.send(Method::GET, &url, &PAGE, "").await;
    assert_eq!((over.status, over.media_type()), (404, "text/html"));
    for said in ["This link has expired", "could be opened for an hour", "seller-name"] {
        assert!(over.text.contains(said), "{said} is missing: {}", over.text);
    }
    let cut = server.anonymous.send(Method::GET, &bent, &PAGE, "").await;
    assert!(cut.text.contains("This link leads nowhere"), "{}", cut.text);
    server.close().await;
}
