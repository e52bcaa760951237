//! How the business stands, and what somebody looks for.

use crate::support::buyer::DECLINED;
use crate::support::orders::{card_data, order, reference};
use crate::support::{Browser, Server, Value, json};

const ALL: &str = "{ overview(months: 3) {
    asOf counts { contracts activeSubscriptions customers }
    currencies { currency recurringMinor
        movement { month newMinor expansionMinor contractionMinor churnedMinor recurringMinor }
        billed { month amountMinor } collected { month amountMinor }
        outstanding { notDueMinor to30Minor to60Minor to90Minor olderMinor }
        failedPayments { count amountMinor } } } }";

async fn overview(browser: &Browser) -> Value {
    browser.query(ALL).await["overview"].clone()
}

#[tokio::test]
async fn revenue_moves_by_the_contracts_own_clock() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let yearly = json!({"priceMinor": 12_000, "frequency": "annual"});
    let first = seller.subscribe(contract, "2027-01-15", yearly).await;
    let monthly = json!({"priceMinor": 2_900, "frequency": "monthly"});
    let second = seller.subscribe(contract, "2027-01-15", monthly).await;
    let now = overview(&browser).await;
    assert_eq!(now["counts"]["activeSubscriptions"], 2);
    let euro = &now["currencies"][0];
    assert_eq!((&euro["currency"], &euro["recurringMinor"]), (&json!("EUR"), &json!(3_900)));
    let january = &euro["movement"][2];
    assert_eq!(
        *january,
        json!({
            "month": "2027-01", "newMinor": 3_900, "expansionMinor": 0, "contractionMinor": 0,
            "churnedMinor": 0, "recurringMinor": 3_900,
        })
    );
    assert_eq!(euro["movement"][1]["recurringMinor"], 0);

    seller.advance(contract, "2027-02-20T12:00:00Z").await;
    let id = |subscription: &Value| subscription["id"].as_u64().expect("an id");
    let dearer = json!({"priceMinor": 4_900, "effective": "immediately"});
    seller.act(id(&second), "change-plan", dearer).await;
    seller.advance(contract, "2027-03-02T12:00:00Z").await;
    seller.act(id(&first), "cancel", json!({"mode": "immediately"})).await;
    // An overview is shown again for half a minute.
    assert_eq!(overview(&browser).await, now);
    server.pass_seconds(30);
    let later = overview(&browser).await;
    let euro = &later["currencies"][0];
    let moved = |place: usize| {
        let month = &euro["movement"][place];
        ["newMinor", "expansionMinor", "churnedMinor", "recurringMinor"]
            .map(|name| month[name].as_i64().expect("a number"))
    };
    assert_eq!(euro["movement"][2]["month"], "2027-03");
    assert_eq!(moved(0), [3_900, 0, 0, 3_900]);
    assert_eq!(moved(1), [0, 2_000, 0, 5_900]);
    assert_eq!(moved(2), [0, 0, 1_000, 4_900]);
    assert_eq!(
        (euro["recurringMinor"].as_i64(), &later["counts"]["activeSubscriptions"]),
        (Some(4_900), &json!(1))
    );
    server.close().await;
}

#[tokio::test]
async fn money_is_billed_waited_for_and_collected() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let paid = seller.one_time(contract, 10_000).await;
    let open = seller.one_time(contract, 5_000).await;
    let page = paid["paymentUrl"].as_str().expect("a page");
    server.anonymous.pay(page, crate::support::buyer::GOOD).await.is(200);
    let declined = order(json!({"cardData": card_data(DECLINED)}));
    seller.initiate(&declined).await;
    let of = |invoice: &Value| invoice["grandTotalMinor"].as_i64().expect("a total");
    let now = overview(&browser).await;
    let euro = &now["currencies"][0];
    let last = |list: &str| euro[list][2]["amountMinor"].as_i64().expect("an amount");
    assert_eq!(last("billed"), of(&paid) + of(&open));
    assert_eq!(last("collected"), of(&paid));
    assert_eq!(euro["outstanding"]["notDueMinor"], of(&open));
    assert_eq!(euro["failedPayments"], json!({"count": 1, "amountMinor": 1_250}));
    // It ages by the contract's own clock.
    seller.advance(contract, "2027-12-01T12:00:00Z").await;
    server.pass_seconds(30);
    let later = overview(&browser).await;
    let euro = &later["currencies"][0];
    assert_eq!(euro["outstanding"]["notDueMinor"], 0);
    assert_eq!(euro["outstanding"]["olderMinor"], of(&open));
    assert_eq!(euro["billed"][2]["month"], "2027-12");
    server.close().await;
}

#[tokio::test]
async fn months_are_asked_for_within_bounds_and_others_see_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 10_000).await;
    let other = server.owner_of(&server.seller().await).await;
    assert_eq!(overview(&other).await["currencies"], json!([]));
    for months in ["0", "37"] {
        let query = format!("{{ overview(months: {months}) {{ asOf }} }}");
        let (text, code, _) = other.error(&query).await;
        assert_eq!(
            (text.as_str(), code.as_str()),
            ("months must be an integer from 1 to 36", "BAD_REQUEST")
        );
    }
    server.close().await;
}

#[tokio::test]
async fn things_are_found_by_what_people_know_of_them() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let body = json!({
        "email": "Grace@Example.com", "name": "Grace Brewster Hopper", "companyName": "COBOL AG",
        "customerRef": "crm-7",
    });
    let customer = seller.billing.post("/customers", &body).await.is(200);
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let payment = seller.initiate(&order(json!({}))).await.is(202);
    let found = async |browser: &Browser, text: &str| -> Vec<(String, String)> {
        let query = "query($text: String!) { search(text: $text) { kind id title detail } }";
        let found = browser.query_with(query, json!({"text": text})).await;
        let hits = found["search"].as_array().expect("hits").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        hits.map(|hit| (text(&hit["kind"]), text(&hit["id"]))).collect()
    };
    let grace = ("customer".to_owned(), customer["id"].to_string());
    for text in ["grace", "GRACE@ex", "brew", "brewster hop", "hopper", "cobol", "crm-7", " ag"] {
        assert!(found(&browser, text).await.contains(&grace), "{text}");
    }
    assert_eq!(found(&browser, "race").await, []);
    assert_eq!(found(&browser, "  ").await, []);
    let number = invoice["invoiceNumber"].as_str().expect("a number");
    let the_invoice = ("invoice".to_owned(), invoice["id"].to_string());
    for text in [number.to_owned(), number.to_lowercase(), invoice["id"].to_string()] {
        assert!(found(&browser, &text).await.contains(&the_invoice), "{text}");
    }
    let the_contract = ("contract".to_owned(), contract.to_string());
    for text in [&contract.to_string(), "C-000001", "c-1"] {
        assert!(found(&browser, text).await.contains(&the_contract), "{text}");
    }
    let reference = reference(&payment);
    let the_payment = ("payment".to_owned(), reference.to_owned());
    let beginning = &reference[..reference.len() - 2];
    assert!(found(&browser, beginning).await.contains(&the_payment));
    for number in 0..30 {
        let body = json!({"email": format!("many{number}@example.com"), "name": "Many"});
        seller.billing.post("/customers", &body).await.has_status(200);
    }
    assert_eq!(found(&browser, "many").await.len(), 20);

    let other = server.owner_of(&server.seller().await).await;
    for text in ["grace", number, &invoice["id"].to_string(), reference] {
        assert_eq!(found(&other, text).await, [], "{text}");
    }
    server.close().await;
}
