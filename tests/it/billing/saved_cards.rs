//! Cards that buyers let be saved on a hosted page: `savedCards` of a customer.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD, page_of};
use crate::support::make::with;
use crate::support::response::{column, id};
use crate::support::{Seller, Server, Value, fresh, fresh_uuid, json, until};

const PAYS_ONCE: &str = "4000000000000341";

async fn cards(seller: &Seller, customer: u64) -> Vec<Value> {
    let customer = seller.billing.get(&format!("/customers/{customer}")).await.is(200);
    customer["savedCards"].as_array().expect("cards").clone()
}

/// Pays a new invoice with a card that is to be saved.
async fn saving(server: &Server, seller: &Seller, number: &str) -> Value {
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let more = json!({"cardNumber": number, "saveCard": true});
    server.anonymous.pay_with(&page_of(&invoice), more).await.is(200)
}

#[tokio::test]
async fn a_card_is_saved_with_consent_and_its_number_is_nowhere() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let customer = seller.customer();
    assert_eq!(cards(&seller, customer).await, Vec::<Value>::new());
    saving(&server, &seller, GOOD).await;
    let saved = cards(&seller, customer).await;
    let expected = json!({
        "id": id(&saved[0]), "brand": "visa", "last4": "4242", "expiryMonth": 12,
        "expiryYear": 2030, "isDefault": true, "createdAt": server.now().to_string(),
    });
    assert_eq!(saved, [expected]);
    let listed = seller.billing.get("/customers").await.is(200);
    let of_all: Vec<_> = listed["customers"].as_array().expect("customers").iter().collect();
    let counts: Vec<_> =
        of_all.iter().map(|one| one["savedCards"].as_array().expect("cards").len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 1);
    assert!(!listed.to_string().contains("simcard"), "no token is shown");
    let found = seller.billing.post("/customers", &json!({"email": of_all[0]["email"]})).await;
    assert_eq!(found.is(200), *of_all[0]);
    server
        .closing(|folder| {
            for file in walk(folder) {
                let bytes = std::fs::read(&file).expect("readable");
                for clear in [&b"4242424242424242"[..], b"simcard_"] {
                    let there = bytes.windows(clear.len()).any(|part| part == clear);
                    assert!(!there, "{} in the clear", file.display());
                }
            }
        })
        .await;
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

#[tokio::test]
async fn without_consent_or_success_no_card_is_saved() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let page = page_of(&invoice);
    let declined = json!({"cardNumber": DECLINED, "saveCard": true});
    server.anonymous.pay_with(&page, declined).await.is(200);
    server.anonymous.pay_with(&page, json!({"saveCard": false})).await.is(200);
    assert_eq!(cards(&seller, seller.customer()).await, Vec::<Value>::new());
    server.close().await;
}

#[tokio::test]
async fn a_card_that_the_bank_asks_about_is_saved_once_the_buyer_has_confirmed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let asked = saving(&server, &seller, CHALLENGED).await;
    assert_eq!(cards(&seller, seller.customer()).await, Vec::<Value>::new());
    let bank = asked["actionUrl"].as_str().expect("the bank's page");
    server.anonymous.answer_bank(bank, "approve").await.is(200);
    let saved = cards(&seller, seller.customer()).await;
    assert_eq!(saved[0]["last4"], "3220");
    server.close().await;
}

#[tokio::test]
async fn the_newest_card_is_the_default_and_each_is_kept_once_until_it_is_removed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let customer = seller.customer();
    for number in [GOOD, PAYS_ONCE, GOOD] {
        saving(&server, &seller, number).await;
    }
    let saved = cards(&seller, customer).await;
    let customer_now = json!({"savedCards": saved});
    assert_eq!(column(&customer_now, "savedCards", "last4"), ["4242", "0341"]);
    assert_eq!(column(&customer_now, "savedCards", "isDefault"), [true, false]);
    let path = |card: &Value| format!("/customers/{customer}/saved-cards/{}", id(card));
    seller.billing.delete(&path(&saved[0])).await.has_status(204);
    seller.billing.delete(&path(&saved[0])).await.has_status(404);
    let left = cards(&seller, customer).await;
    assert_eq!((left.len(), &left[0]["isDefault"]), (1, &json!(true)));
    let stranger = server.seller().await;
    stranger.billing.delete(&path(&left[0])).await.has_status(404);
    assert_eq!(cards(&seller, customer).await, left);
    server.close().await;
}

#[tokio::test]
async fn a_saved_card_is_told_on_the_timeline_of_the_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    server.anonymous.pay_with(&page_of(&invoice), json!({"saveCard": true})).await.is(200);
    let path = format!("/contracts/{contract}/timeline");
    let entry = until("the entry", async || {
        let timeline = seller.billing.get(&path).await.is(200);
        let entries = timeline["entries"].as_array().expect("entries").clone();
        entries.into_iter().find(|entry| entry["kind"] == "card_saved")
    })
    .await;
    assert_eq!(entry["detail"], "Visa 4242");
    server.close().await;
}

#[tokio::test]
async fn a_card_that_is_saved_elsewhere_pays_what_is_open_whatever_the_status_of_its_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut open = Vec::new();
    for statuses in [&[][..], &["active"], &["active", "suspended"]] {
        let contract = seller.contract("2027-01-15").await;
        for (version, status) in (1..).zip(statuses) {
            let body = json!({"expectedBaseVersion": version, "status": status});
            let path = format!("/contracts/{contract}/amendments");
            seller.billing.post(&path, &body).await.is(200);
        }
        open.push((contract, id(&seller.one_time(contract, 4_200).await)));
    }
    saving(&server, &seller, GOOD).await;
    for (contract, invoice) in open {
        let path = format!("/contracts/{contract}/timeline");
        until("the contract to know of the card", async || {
            let timeline = seller.billing.get(&path).await.is(200);
            column(&timeline, "entries", "kind").contains(&&json!("card_saved")).then_some(())
        })
        .await;
        let answer = seller.advance(contract, "2027-01-16T00:00:00Z").await;
        assert_eq!(answer["collection"]["charged"], 1, "{answer}");
        assert_eq!(seller.invoice_now(invoice).await["status"], "paid");
    }
    server.close().await;
}

#[tokio::test]
async fn a_checkout_saves_the_card_of_the_customer_that_it_names() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let customer = seller.customer();
    let open = async |more: Value| {
        let body = json!({
            "externalOrderRef": fresh("order"), "amount": 49.9, "currencyCode": "EUR",
            "returnUrls": {
                "success": "http://shop.example.com/yes", "failure": "http://shop.example.com/no",
            },
        });
        seller.payments.create("/checkout", &fresh_uuid(), &with(&body, more)).await
    };
    open(json!({"sellerCustomerId": 999_999_999})).await.has_status(404);
    let pays = json!({"paymentMethod": "card", "saveCard": true});
    let nobody = open(json!({})).await.is(201);
    let page = nobody["checkoutUrl"].as_str().expect("a page");
    assert!(!server.anonymous.open_page(page).await.text.contains("saveCard"));
    server.anonymous.pay_with(page, pays.clone()).await.is(200);
    assert_eq!(cards(&seller, customer).await, Vec::<Value>::new(), "of nobody in particular");
    let named = open(json!({"sellerCustomerId": customer})).await.is(201);
    let page = named["checkoutUrl"].as_str().expect("a page");
    assert!(server.anonymous.open_page(page).await.text.contains("saveCard"));
    server.anonymous.pay_with(page, pays).await.is(200);
    assert_eq!(cards(&seller, customer).await[0]["last4"], "4242");
    server.close().await;
}

#[tokio::test]
async fn the_page_offers_to_save_the_card_and_remembers_the_choice() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let page = page_of(&seller.one_time(contract, 1234).await);
    let shown = server.anonymous.open_page(&page).await.text;
    assert!(shown.contains("Save this card for future payments"), "{shown}");
    let box_of = |page: &str| {
        let from = page.find("id=\"saveCard\"").expect("a box");
        page[from..].split('>').next().expect("an end").to_owned()
    };
    assert!(!box_of(&shown).contains("checked"));
    let wrong = "cardNumber=4242&expMonth=12&expYear=30&cvv=123&saveCard=true";
    let again = server.anonymous.submit(&page, wrong).await;
    again.has_status(400);
    assert!(box_of(&again.text).contains("checked"), "{}", again.text);
    server.close().await;
}

#[tokio::test]
async fn a_trial_that_requires_a_card_ends_active_once_one_is_saved() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let trial = json!({"trialDays": 10, "requirePaymentMethod": true});
    let sub = id(&seller.subscribe(contract, "2027-01-15", trial).await);
    saving(&server, &seller, GOOD).await;
    let answer = seller.advance(contract, "2027-01-25T00:00:00Z").await;
    assert_eq!(answer["lifecycle"]["trialsActivated"], 1);
    assert_eq!(seller.subscription(sub).await["status"], "active");
    server.close().await;
}
