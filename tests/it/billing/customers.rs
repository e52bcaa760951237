//! `/customers`.

use crate::support::response::{column, id};
use crate::support::{Server, Value, json};

#[tokio::test]
async fn a_customer_is_made_once_for_an_email() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let ada = json!({
        "email": "Ada@Example.com", "customerRef": "A-1", "name": "Ada Lovelace",
        "phone": "+44 20 7946 0000", "companyName": "Engines Ltd", "companyCountry": "GB",
        "currency": "GBP", "customerType": "company",
    });
    let made = seller.billing.post("/customers", &ada).await.is(200);
    assert_eq!(made["email"], "Ada@Example.com", "stored as first given");
    for field in ["customerRef", "name", "phone", "companyName", "companyCountry", "currency"] {
        assert_eq!(made[field], ada[field], "{field}");
    }
    assert_eq!(made["customerType"], "company");
    assert_eq!(made["createdAt"], server.now().to_string());
    let again = seller.billing.post("/customers", &json!({"email": "ada@example.COM"})).await;
    assert_eq!(again.is(200), made);
    let read = seller.billing.get(&format!("/customers/{}", id(&made))).await;
    assert_eq!(read.is(200), made);
    server.close().await;
}

#[tokio::test]
async fn details_fill_what_is_empty_and_overwrite_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let post = async |body| seller.billing.post("/customers", &body).await.is(200);
    let first = post(json!({"email": "a@example.com", "name": "Ada"})).await;
    assert_eq!(first.get("phone"), None);
    let second = post(json!({"email": "a@example.com", "name": "Eve", "phone": "1"})).await;
    assert_eq!((&second["name"], &second["phone"]), (&json!("Ada"), &json!("1")));
    let third = post(json!({"email": "a@example.com", "currency": "SEK"})).await;
    assert_eq!((&third["phone"], &third["currency"]), (&json!("1"), &json!("SEK")));
    server.close().await;
}

#[tokio::test]
async fn a_wrong_detail_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let refuse = async |body, field| {
        seller.billing.post("/customers", &body).await.refuses(400, field);
    };
    refuse(json!({}), "email").await;
    refuse(json!({"email": ""}), "email").await;
    refuse(json!({"email": "ada"}), "email").await;
    refuse(json!({"email": "Ada <ada@example.com>"}), "email").await;
    refuse(json!({"email": 7}), "email").await;
    for (field, most) in [
        ("customerRef", 128),
        ("name", 64),
        ("phone", 32),
        ("companyName", 255),
        ("companyCountry", 56),
        ("taxId", 64),
    ] {
        let email = format!("{field}@example.com");
        refuse(json!({"email": email, field: "é".repeat(most + 1)}), field).await;
        let body = json!({"email": email, field: "é".repeat(most)});
        seller.billing.post("/customers", &body).await.is(200);
    }
    refuse(json!({"email": "b@example.com", "currency": "CHF"}), "currency").await;
    refuse(json!({"email": "b@example.com", "customerType": "robot"}), "customerType").await;
    let wrong = seller.billing.post("/customers", &json!({"email": 7})).await;
    wrong.refuses(400, "invalid request body: email");
    server.close().await;
}

#[tokio::test]
async fn texts_are_kept_as_they_look() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let post = async |body: Value| seller.billing.post("/customers", &body).await;
    for text in ["Ada\0", "Ada\nLovelace", "A\u{1b}[31mda"] {
        let refused = post(json!({"email": "a@example.com", "name": text})).await;
        let why = "name must not contain control characters";
        refused.refuses_saying(400, why);
    }
    let hidden = "A\u{202e}d\u{200b}a \u{200f}\u{5d0}";
    let body = json!({"email": "a@example.com", "name": hidden, "customerRef": "R\u{2066}7"});
    let made = post(body).await.is(200);
    assert_eq!(
        (&made["name"], &made["customerRef"]),
        (&json!("Ada \u{200f}\u{5d0}"), &json!("R7"))
    );
    // Filters are read alike.
    let list = seller.billing.get("/customers?customerRef=R%E2%81%A67").await.is(200);
    assert_eq!(list["customers"][0]["id"], made["id"]);
    server.close().await;
}

#[tokio::test]
async fn an_email_with_a_plus_is_escaped_or_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.billing.post("/customers", &json!({"email": "a+b@example.com"})).await.is(200);
    let found = seller.billing.get("/customers?email=A%2Bb@example.com").await.is(200);
    assert_eq!(found["customers"].as_array().map(Vec::len), Some(1));
    let no_email = "email must be an e-mail address";
    for (wrong, text) in [
        ("a+b@example.com", "email must be an e-mail address, with + written as %2B"),
        ("a%20b@example.com", no_email),
        ("nobody", no_email),
        ("", no_email),
    ] {
        let refused = seller.billing.get(&format!("/customers?email={wrong}")).await;
        refused.refuses_saying(400, text);
    }
    server.close().await;
}

#[tokio::test]
async fn a_reference_belongs_to_one_customer() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let post = async |body| seller.billing.post("/customers", &body).await;
    post(json!({"email": "a@example.com", "customerRef": "R"})).await.is(200);
    post(json!({"email": "a@example.com", "customerRef": "R"})).await.is(200);
    post(json!({"email": "b@example.com", "customerRef": "R"})).await.refuses(422, "customerRef");
    // Even when this customer has one already.
    post(json!({"email": "c@example.com", "customerRef": "S"})).await.is(200);
    post(json!({"email": "c@example.com", "customerRef": "R"})).await.refuses(422, "customerRef");
    // A refused request made nobody.
    let list = seller.billing.get("/customers?email=b@example.com").await.is(200);
    assert_eq!(list["customers"], json!([]));
    // Another seller's references are another seller's.
    let other = server.seller().await;
    let body = json!({"email": "b@example.com", "customerRef": "R"});
    other.billing.post("/customers", &body).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn customers_are_listed_newest_first_and_found_by_email_or_reference() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let minted: Vec<u64> =
        seller.minted["customers"].as_array().expect("three").iter().map(id).collect();
    let body = json!({"email": "new@example.com", "customerRef": "R/7 x"});
    let new = id(&seller.billing.post("/customers", &body).await.is(200));
    let list = seller.billing.get("/customers").await.is(200);
    let newest_first: Vec<u64> = std::iter::once(new).chain(minted.into_iter().rev()).collect();
    assert_eq!(json!(column(&list, "customers", "id")), json!(newest_first));
    assert_eq!(list["hasMore"], false);
    for query in ["email=NEW%40example.com", "customerRef=R%2F7%20x", "customerRef=R%2F7+x"] {
        let list = seller.billing.get(&format!("/customers?{query}")).await.is(200);
        assert_eq!(json!(column(&list, "customers", "id")), json!([new]), "{query}");
    }
    for query in ["email=nobody@example.com", "customerRef=r"] {
        let list = seller.billing.get(&format!("/customers?{query}")).await.is(200);
        assert_eq!(list["customers"], json!([]), "{query}");
    }
    server.close().await;
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_before_it_is_missed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for wrong in ["0", "-1", "abc", "1.5", "9007199254740992", "%20"] {
        let response = seller.billing.get(&format!("/customers/{wrong}")).await;
        response.has_status(400);
    }
    seller.billing.get("/customers/9007199254740991").await.refuses_saying(404, "not found");
    server.close().await;
}
