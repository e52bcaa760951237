//! `POST /invoices`.

use crate::support::make::{line, with};
use crate::support::response::id;
use crate::support::{Response, Seller, Server, Value, fresh, json};

async fn create(seller: &Seller, body: &Value) -> Response {
    seller.billing.create("/invoices", &fresh("invoice"), body).await
}

#[tokio::test]
async fn an_invoice_is_numbered_sent_and_payable() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "memo": "Thanks",
        "lines": [line("Set-up", 5000)],
    });
    let made = create(&seller, &body).await.is(201);
    let number = made["invoiceNumber"].as_str().expect("a number");
    let (agreement, order) = number.split_once('-').expect("a dash");
    assert!(agreement.bytes().all(|digit| digit.is_ascii_digit()), "{number}");
    assert_eq!(order, "2701AAA");
    assert_eq!(
        (&made["contractId"], &made["sellerCustomerId"]),
        (&json!(contract), &json!(seller.customer()))
    );
    assert_eq!(made["contractNumber"], "C-000001");
    assert_eq!((&made["origin"], &made["status"]), (&json!("one_time"), &json!("sent")));
    assert_eq!((&made["invoiceType"], &made["currency"]), (&json!("standard"), &json!("EUR")));
    assert_eq!(
        (&made["issueDate"], &made["dueDate"]),
        (&json!("2027-01-15"), &json!("2027-01-29"))
    );
    assert_eq!(made["issuedAt"], "2027-01-15T09:00:00Z");
    assert_eq!(made["sentAt"], "2027-01-15T09:00:00Z");
    assert_eq!(
        (&made["collectionMethod"], &made["memo"]),
        (&json!("payment_link"), &json!("Thanks"))
    );
    for (amount, value) in [
        ("subtotalMinor", 5000),
        ("discountMinor", 0),
        ("taxMinor", 0),
        ("grandTotalMinor", 5000),
        ("creditAppliedMinor", 0),
        ("collectibleMinor", 5000),
        ("outstandingMinor", 5000),
    ] {
        assert_eq!(made[amount], value, "{amount}");
    }
    assert!(made["billTo"]["email"].is_string());
    let url = made["paymentUrl"].as_str().expect("a page");
    assert!(url.starts_with(&format!("{}/pay/", server.anonymous.origin)), "{url}");
    for absent in ["paidAt", "voidedAt", "corrects"] {
        assert_eq!(made.get(absent), None, "{absent}");
    }
    let sold = &made["lines"][0];
    assert_eq!((&sold["source"], &sold["description"]), (&json!("one_time"), &json!("Set-up")));
    assert_eq!((&sold["quantity"], &sold["unitPriceMinor"]), (&json!("1"), &json!(5000)));
    assert_eq!((&sold["amountMinor"], &sold["taxMinor"]), (&json!(5000), &json!(0)));
    assert_eq!(sold["taxRate"], "0");
    assert_eq!(seller.invoice_now(id(&made)).await, made);
    server.close().await;
}

#[tokio::test]
async fn numbers_have_no_gaps_within_a_month_and_begin_anew_in_the_next() {
    let server = Server::at("2027-01-30T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-30").await;
    let order = async || {
        let made = seller.one_time(contract, 100).await;
        let number = made["invoiceNumber"].as_str().expect("a number");
        number.split_once('-').expect("a dash").1.to_owned()
    };
    assert_eq!(order().await, "2701AAA");
    // A refused document takes no number.
    let wrong = json!({"contractId": contract, "origin": "recurring"});
    create(&seller, &wrong).await.has_status(422);
    assert_eq!(order().await, "2701AAB");
    for _ in 2..26 {
        order().await;
    }
    assert_eq!(order().await, "2701ABA");
    server.pass_seconds(3 * 86_400);
    assert_eq!(order().await, "2702AAA");
    let other = server.seller().await;
    let contract = other.contract("2027-02-02").await;
    let made = other.one_time(contract, 100).await;
    assert!(made["invoiceNumber"].as_str().is_some_and(|number| number.ends_with("-2702AAA")));
    server.close().await;
}

#[tokio::test]
async fn amounts_discounts_and_taxes_add_up() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let full = |quantity: &str, price: i64, discount: i64, rate: &str| {
        json!({
            "description": "x", "quantity": quantity, "unitPriceMinor": price,
            "discountMinor": discount, "taxRate": rate,
        })
    };
    let body =
        |lines: Vec<Value>| json!({"contractId": contract, "origin": "one_time", "lines": lines});
    // 2.5 x 333 = 832.5 -> 833; tax 19 % of (833 + 1000 - 33) and 7 % of 500, each rounded once.
    let lines = vec![full("2.5", 333, 0, "19"), full("1", 1000, 33, "19"), full("5", 100, 0, "7")];
    let made = create(&seller, &body(lines)).await.is(201);
    assert_eq!((&made["subtotalMinor"], &made["discountMinor"]), (&json!(2333), &json!(33)));
    assert_eq!((&made["taxMinor"], &made["grandTotalMinor"]), (&json!(342 + 35), &json!(2677)));
    let lines = made["lines"].as_array().expect("lines");
    assert_eq!(lines[0]["amountMinor"], 833);
    assert_eq!(lines[1]["amountMinor"], 967);
    let taxes: i64 = lines.iter().map(|line| line["taxMinor"].as_i64().expect("tax")).sum();
    assert_eq!(taxes, 377);
    // Three lines of 0.33 at 19 %: 0.1881 in all, 19 cents shared by largest remainder.
    let lines = vec![full("1", 33, 0, "19"); 3];
    let made = create(&seller, &body(lines)).await.is(201);
    assert_eq!(made["taxMinor"], 19);
    let mut taxes: Vec<i64> = made["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| line["taxMinor"].as_i64().expect("tax"))
        .collect();
    taxes.sort_unstable();
    assert_eq!(taxes, [6, 6, 7]);
    // Half a minor unit goes up.
    let made = create(&seller, &body(vec![full("1", 50, 0, "1")])).await.is(201);
    assert_eq!(made["taxMinor"], 1);
    let made = create(&seller, &body(vec![full("1", 49, 0, "1")])).await.is(201);
    assert_eq!(made["taxMinor"], 0);
    let made = create(&seller, &body(vec![full("1", 10_000, 0, "8.0625")])).await.is(201);
    assert_eq!(made["taxMinor"], 806);
    server.close().await;
}

#[tokio::test]
async fn a_negative_line_lowers_the_total_but_never_below_0() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = |rebate: i64| {
        json!({
            "contractId": contract, "origin": "one_time",
            "lines": [line("Goods", 1000), line("Rebate", rebate)],
        })
    };
    let made = create(&seller, &body(-300)).await.is(201);
    assert_eq!(made["grandTotalMinor"], 700);
    create(&seller, &body(-1001)).await.has_status(422);
    // Collectible 0: issued and paid in one, no link, no mail.
    let paid = create(&seller, &body(-1000)).await.is(201);
    assert_eq!((&paid["status"], &paid["collectibleMinor"]), (&json!("paid"), &json!(0)));
    assert_eq!((&paid["outstandingMinor"], paid.get("paymentUrl")), (&json!(0), None));
    assert_eq!((paid.get("sentAt"), &paid["paidAt"]), (None, &json!("2027-01-15T09:00:00Z")));
    let path = format!("/invoices/{}/send", id(&paid));
    seller.billing.post(&path, &json!({})).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let least = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("x", 100)],
    });
    let sold = |more: Value| json!({"lines": [with(&line("x", 100), more)]});
    let many = |count: usize| json!({"lines": vec![line("x", 1); count]});
    for (more, field) in [
        (json!({"origin": null}), "origin"),
        (json!({"origin": "gift"}), "origin"),
        (json!({"contractId": null}), "contractId"),
        (json!({"contractId": "7"}), "contractId"),
        (json!({"invoiceType": "proforma"}), "invoiceType"),
        (json!({"invoiceType": "credit_note"}), "corrects"),
        (json!({"invoiceType": "modified"}), "corrects"),
        (json!({"currency": "USD"}), "currency"),
        (json!({"currency": "XXX"}), "currency"),
        (json!({"lines": null}), "lines"),
        (json!({"lines": []}), "lines"),
        (many(201), "lines"),
        (sold(json!({"description": null})), "description"),
        (sold(json!({"description": ""})), "description"),
        (sold(json!({"description": "x".repeat(513)})), "description"),
        (sold(json!({"quantity": 1})), "quantity"),
        (sold(json!({"quantity": "-1"})), "quantity"),
        (sold(json!({"quantity": "1e2"})), "quantity"),
        (sold(json!({"unitPriceMinor": 1.5})), "unitPriceMinor"),
        (sold(json!({"unitPriceMinor": null})), "unitPriceMinor"),
        (sold(json!({"discountMinor": -1})), "discountMinor"),
        (sold(json!({"discountMinor": 101})), "discountMinor"),
        (sold(json!({"taxRate": "100.1"})), "taxRate"),
        (sold(json!({"taxRate": "-1"})), "taxRate"),
        (sold(json!({"taxRate": "1.00001"})), "taxRate"),
        (sold(json!({"periodStart": "x"})), "periodStart"),
        (sold(json!({"unitPriceMinor": 1_000_000_000_000_001_i64})), "10^15"),
        (json!({"dueDate": "2027-01-14"}), "dueDate"),
        (json!({"dueDate": "x"}), "dueDate"),
        (json!({"collectionMethod": "cash"}), "collectionMethod"),
        (json!({"send": "yes"}), "send"),
        (json!({"billTo": {"email": "nobody"}}), "billTo"),
    ] {
        create(&seller, &with(&least, more)).await.refuses(400, field);
    }
    for more in [
        many(200),
        sold(json!({"quantity": "0"})),
        sold(json!({"discountMinor": 100})),
        sold(json!({"description": "x".repeat(512)})),
        json!({"dueDate": "2027-01-15"}),
        json!({"invoiceType": "simplified"}),
    ] {
        create(&seller, &with(&least, more)).await.is(201);
    }
    server.close().await;
}

#[tokio::test]
async fn references_that_are_unknown_or_foreign_are_missing() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let foreign = other.contract("2027-01-15").await;
    for contract in [foreign, 999_999_999] {
        let body = json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 1)]});
        create(&seller, &body).await.refuses_saying(404, "not found");
    }
    server.close().await;
}

#[tokio::test]
async fn recurring_and_usage_take_what_is_due_and_no_lines() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for origin in ["recurring", "usage"] {
        let body = json!({"contractId": contract, "origin": origin});
        create(&seller, &body).await.has_status(422);
        let body = with(&body, json!({"lines": [line("x", 1)]}));
        create(&seller, &body).await.refuses(400, "lines");
    }
    // One document carries the oldest unclaimed term of every subscription.
    let more = json!({"description": "Team", "taxRate": "19"});
    seller.subscribe(contract, "2027-01-15", more).await;
    seller.subscribe(contract, "2026-12-01", json!({"priceMinor": 500})).await;
    let made = seller.recurring(contract).await;
    assert_eq!((&made["origin"], &made["subtotalMinor"]), (&json!("recurring"), &json!(1500)));
    assert_eq!(made["taxMinor"], 190);
    let lines = made["lines"].as_array().expect("lines");
    assert!(lines.iter().all(|line| line["source"] == "subscription"));
    let periods: Vec<_> =
        lines.iter().map(|line| (&line["periodStart"], &line["periodEnd"])).collect();
    assert!(periods.contains(&(&json!("2027-01-15"), &json!("2027-02-15"))), "{periods:?}");
    assert!(periods.contains(&(&json!("2026-12-01"), &json!("2027-01-01"))), "{periods:?}");
    let second = seller.recurring(contract).await;
    assert_eq!(second["subtotalMinor"], 500);
    let body = json!({"contractId": contract, "origin": "recurring"});
    create(&seller, &body).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn a_free_term_is_a_paid_invoice() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({"priceMinor": 0})).await;
    let made = seller.recurring(contract).await;
    assert_eq!((&made["status"], &made["grandTotalMinor"]), (&json!("paid"), &json!(0)));
    server.close().await;
}

#[tokio::test]
async fn an_ad_hoc_invoice_finds_or_makes_its_customer_and_contract() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let least = json!({
        "origin": "adhoc", "currency": "SEK", "lines": [line("Talk", 100_000)],
        "billTo": {"email": "New@Example.com", "name": "Nils"},
    });
    let made = create(&seller, &least).await.is(201);
    let customer = made["sellerCustomerId"].as_u64().expect("a customer");
    let read = seller.billing.get(&format!("/customers/{customer}")).await.is(200);
    assert_eq!(read["email"], "New@Example.com");
    assert_eq!(made["billTo"]["name"], "Nils");
    let contract = made["contractId"].as_u64().expect("a contract");
    let read = seller.billing.get(&format!("/contracts/{contract}")).await.is(200);
    assert_eq!((&read["status"], &read["version"]), (&json!("active"), &json!(1)));
    assert_eq!((&read["currency"], &read["startDate"]), (&json!("SEK"), &json!("2027-01-15")));
    let again = with(&least, json!({"billTo": {"email": "new@example.com"}}));
    let again = create(&seller, &again).await.is(201);
    assert_eq!(
        (&again["sellerCustomerId"], &again["contractId"]),
        (&json!(customer), &json!(contract))
    );
    let other = create(&seller, &with(&least, json!({"currency": "EUR"}))).await.is(201);
    assert_eq!(other["sellerCustomerId"], customer);
    assert_ne!(other["contractId"], contract);
    for (more, field) in [
        (json!({"contractId": contract}), "contractId"),
        (json!({"currency": null}), "currency"),
        (json!({"billTo": null}), "billTo"),
        (json!({"billTo": {"name": "Nobody"}}), "email"),
        (json!({"billTo": {"email": "Nils <nils@example.com>"}}), "email"),
    ] {
        create(&seller, &with(&least, more)).await.refuses(400, field);
    }
    server.close().await;
}

#[tokio::test]
async fn collection_and_sending_are_the_sellers_choice() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let least = json!({"contractId": contract, "origin": "one_time", "lines": [line("x", 100)]});
    let kept = create(&seller, &with(&least, json!({"send": false}))).await.is(201);
    assert_eq!((&kept["status"], kept.get("paymentUrl")), (&json!("issued"), None));
    assert_eq!(kept.get("sentAt"), None);
    let bank = json!({"collectionMethod": "bank_transfer"});
    let bank = create(&seller, &with(&least, bank)).await.is(201);
    assert_eq!((&bank["status"], bank.get("paymentUrl")), (&json!("issued"), None));
    let sent = json!({"collectionMethod": "bank_transfer", "send": true});
    create(&seller, &with(&least, sent)).await.has_status(422);
    let due = create(&seller, &with(&least, json!({"dueDate": "2027-03-01"}))).await.is(201);
    assert_eq!(due["dueDate"], "2027-03-01");
    // The engine date moves the default ahead.
    seller.advance(contract, "2027-02-20T12:00:00Z").await;
    assert_eq!(create(&seller, &least).await.is(201)["dueDate"], "2027-03-06");
    server.close().await;
}
