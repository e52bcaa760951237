//! `/tax`, and invoices of sellers who leave tax to the countries.

use crate::support::make::line;
use crate::support::{Server, fresh, json};

#[tokio::test]
async fn the_rates_of_a_country_are_read_by_day() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let rates = seller.billing.get("/tax/rates?country=DE&on=2020-08-01").await.is(200);
    let expected = json!({
        "country": "DE", "on": "2020-08-01",
        "rates": [
            {"kind": "standard", "rate": "16", "from": "2020-07-01", "until": "2020-12-31"},
            {"kind": "reduced", "rate": "5", "from": "2020-07-01", "until": "2020-12-31"},
        ],
    });
    assert_eq!(rates, expected);
    let today = seller.billing.get("/tax/rates?country=NL").await.is(200);
    assert_eq!((&today["on"], &today["rates"][0]["rate"]), (&json!("2027-01-15"), &json!("21")));
    assert_eq!(today["rates"][0].get("until"), None);
    for (query, field) in [
        ("", "country"),
        ("?country=GB", "country"),
        ("?country=de", "country"),
        ("?country=DE&on=yesterday", "on"),
        ("?country=DE&on=2019-12-31", "on"),
    ] {
        seller.billing.get(&format!("/tax/rates{query}")).await.refuses(400, field);
    }
    server.close().await;
}

#[tokio::test]
async fn the_tax_of_a_sale_is_found_without_storing_anything() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let evaluate = async |body| seller.billing.post("/tax/evaluate", &body).await;
    for (body, expected) in [
        (
            json!({"sellerCountry": "NL", "customerCountry": "DE", "amountMinor": 1000}),
            json!({"taxCategory": "S", "taxRate": "19", "taxMinor": 190}),
        ),
        (
            json!({
                "sellerCountry": "NL", "customerCountry": "DE", "amountMinor": 1000,
                "taxId": "DE136695976",
            }),
            json!({
                "taxCategory": "AE", "taxRate": "0", "taxMinor": 0, "reason": "Reverse charge",
                "taxIdValid": true,
            }),
        ),
        (
            json!({
                "sellerCountry": "NL", "customerCountry": "DE", "amountMinor": -1000,
                "taxId": "DE136695977", "taxKind": "reduced", "on": "2020-08-01",
            }),
            json!({"taxCategory": "S", "taxRate": "5", "taxMinor": -50, "taxIdValid": false}),
        ),
        (
            json!({
                "sellerCountry": "NL", "customerCountry": "US", "amountMinor": 1000,
                "taxId": "12-3456789",
            }),
            json!({
                "taxCategory": "O", "taxRate": "0", "taxMinor": 0,
                "reason": "Outside the scope of EU VAT",
            }),
        ),
    ] {
        assert_eq!(evaluate(body.clone()).await.is(200), expected, "{body}");
    }
    for (body, field) in [
        (json!({"customerCountry": "DE", "amountMinor": 1}), "sellerCountry"),
        (
            json!({"sellerCountry": "US", "customerCountry": "DE", "amountMinor": 1}),
            "sellerCountry",
        ),
        (json!({"sellerCountry": "NL", "amountMinor": 1}), "customerCountry"),
        (json!({"sellerCountry": "NL", "customerCountry": "DE"}), "amountMinor"),
        (
            json!({"sellerCountry": "NL", "customerCountry": "DE", "amountMinor": 1, "on": "2019-01-01"}),
            "on",
        ),
    ] {
        evaluate(body).await.refuses(400, field);
    }
    let home = json!({"country": "NL"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &home).await.is(200);
    let own = evaluate(json!({"customerCountry": "NL", "amountMinor": 100})).await.is(200);
    assert_eq!(own["taxMinor"], 21);
    server.close().await;
}

#[tokio::test]
async fn documents_are_taxed_by_the_countries_of_seller_and_customer() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let automatic = json!({"taxMode": "automatic", "country": "NL", "defaultTaxRate": "33"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &automatic).await.is(200);
    let contract = seller.contract("2027-01-15").await;
    let issue = async |bill_to, lines| {
        let body = json!({
            "contractId": contract, "origin": "one_time", "billTo": bill_to, "lines": lines,
        });
        seller.billing.create("/invoices", &fresh("invoice"), &body).await
    };
    let work = || json!([line("Work", 1000)]);
    for (bill_to, category, rate, tax) in [
        (json!({"country": "NL"}), "S", "21", 210),
        (json!({"companyCountry": "Germany"}), "S", "19", 190),
        (json!({"country": "DE", "taxId": "DE 136 695 976"}), "AE", "0", 0),
        (json!({"country": "US", "taxId": "12-3456789"}), "O", "0", 0),
        (json!({}), "O", "0", 0),
    ] {
        let made = issue(bill_to.clone(), work()).await.is(201);
        let sold = &made["lines"][0];
        assert_eq!((&sold["taxCategory"], &sold["taxRate"]), (&json!(category), &json!(rate)));
        assert_eq!(
            (&made["taxMinor"], &made["grandTotalMinor"]),
            (&json!(tax), &json!(1000 + tax))
        );
        assert_eq!(made["taxSummary"].as_array().map(Vec::len), Some(1), "{bill_to}");
    }
    // A stated id that is none of the country's is the caller's mistake.
    let wrong = json!({"country": "DE", "taxId": "DE136695977"});
    issue(wrong, work()).await.refuses(400, "billTo.taxId");
    let both = json!([line("Work", 1000), {
        "description": "Taxed at home", "quantity": "1", "unitPriceMinor": 1, "taxRate": "21",
    }]);
    issue(json!({"country": "US"}), both).await.refuses(422, "taxCategory O");
    // What is known of the customer alone counts where nothing else is said.
    let customer = json!({"email": "bo@example.com", "companyCountry": "SE"});
    let customer = seller.billing.post("/customers", &customer).await.is(200)["id"].clone();
    let body = json!({
        "sellerCustomerId": customer, "currency": "EUR", "startDate": "2027-01-15",
    });
    let theirs = seller.billing.create("/contracts", &fresh("contract"), &body).await.is(201);
    let theirs = theirs["id"].as_u64().expect("an id");
    let cleared = json!({"expectedBaseVersion": 1, "customerCompanyCountry": ""});
    seller.billing.post(&format!("/contracts/{theirs}/amendments"), &cleared).await.is(200);
    seller.subscribe(theirs, "2027-01-15", json!({})).await;
    let first = json!({"contractId": theirs, "origin": "recurring"});
    let first = seller.billing.create("/invoices", &fresh("invoice"), &first).await.is(201);
    assert_eq!((&first["taxMinor"], &first["billTo"].get("companyCountry")), (&json!(250), &None));
    let advance = json!({"to": "2027-02-15T12:00:00Z"});
    seller.billing.post(&format!("/contracts/{theirs}/test-clock/advance"), &advance).await.is(200);
    let list = seller.billing.get(&format!("/invoices?contractId={theirs}")).await.is(200);
    assert_eq!(list["invoices"].as_array().map(Vec::len), Some(2));
    assert_eq!(list["invoices"][0]["taxSummary"][0]["taxRate"], "25");
    server.close().await;
}

#[tokio::test]
async fn the_vat_id_of_a_customer_counts_for_documents_that_nobody_asks_for_in_words() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let automatic = json!({"taxMode": "automatic", "country": "DE", "taxId": "DE136695976"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &automatic).await.is(200);
    let of = |tax_id| json!({"email": "office@example.com", "companyCountry": "France", "taxId": tax_id});
    let wrong = seller.billing.post("/customers", &of("FR00000000000")).await;
    wrong.refuses(400, "taxId is no VAT id of FR");
    let customer = seller.billing.post("/customers", &of("FR32950005041")).await.is(200);
    assert_eq!(customer["taxId"], "FR32950005041");
    let body = json!({
        "sellerCustomerId": customer["id"], "currency": "EUR", "startDate": "2027-01-15",
    });
    let contract = seller.billing.create("/contracts", &fresh("contract"), &body).await.is(201);
    let contract = contract["id"].as_u64().expect("an id");
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    let run = format!("/sellers/{}/contracts/{contract}/billing-run", seller.id);
    server.operator.post(&run, &json!({})).await.is(200);
    let list = seller.billing.get(&format!("/invoices?contractId={contract}")).await.is(200);
    let billed = &list["invoices"][0];
    assert_eq!(billed["billTo"]["taxId"], "FR32950005041");
    assert_eq!(
        (&billed["taxMinor"], &billed["taxSummary"][0]["taxCategory"]),
        (&json!(0), &json!("AE"))
    );
    // A recipient may be registered elsewhere than it has its seat.
    let adhoc = json!({"origin": "adhoc", "currency": "EUR", "lines": [line("Work", 1000)], "billTo": {
        "email": "branch@example.com", "companyCountry": "France", "country": "DE",
        "taxId": "DE136695976",
    }});
    seller.billing.create("/invoices", &fresh("invoice"), &adhoc).await.is(201);
    server.close().await;
}

#[tokio::test]
async fn an_ad_hoc_invoice_is_tried_with_what_is_known_of_its_customer() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let automatic = json!({"taxMode": "automatic", "country": "NL"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &automatic).await.is(200);
    let known = json!({"email": "a@example.com", "companyCountry": "DE"});
    let known = seller.billing.post("/customers", &known).await.is(200);
    let issue = async |bill_to, lines| {
        let body = json!({
            "origin": "adhoc", "currency": "EUR", "billTo": bill_to, "lines": lines,
        });
        seller.billing.create("/invoices", &fresh("invoice"), &body).await
    };
    // Of what is refused nothing is left: neither a contract nor more of the customer.
    let wrong = json!({"email": "a@example.com", "name": "Ada", "taxId": "nonsense"});
    let refused = issue(wrong, json!([line("Work", 1000)])).await;
    refused.refuses(400, "billTo.taxId is no VAT id of DE");
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 0);
    let path = format!("/customers/{}", known["id"]);
    assert_eq!(seller.billing.get(&path).await.is(200), known);
    // Both lines are taxed where the customer is.
    let book = json!({
        "description": "Book", "quantity": "1", "unitPriceMinor": 1000, "taxRate": "7",
    });
    for _ in 0..2 {
        let lines = json!([line("Work", 1000), book]);
        let made = issue(json!({"email": "A@example.com"}), lines).await.is(201);
        let rates = [&made["lines"][0]["taxRate"], &made["lines"][1]["taxRate"]];
        assert_eq!((rates, &made["taxMinor"]), ([&json!("19"), &json!("7")], &json!(260)));
    }
    // What its contract says goes before what is known of the customer.
    let contract = seller.billing.all("/contracts", "contracts").await[0]["contractId"].clone();
    let moved = json!({"expectedBaseVersion": 1, "customerCompanyCountry": "SE"});
    seller.billing.post(&format!("/contracts/{contract}/amendments"), &moved).await.is(200);
    let of = |tax_id| json!({"email": "a@example.com", "taxId": tax_id});
    let work = || json!([line("Work", 1000)]);
    issue(of("DE136695976"), work()).await.refuses(400, "billTo.taxId is no VAT id of SE");
    assert_eq!(issue(json!({"email": "a@example.com"}), work()).await.is(201)["taxMinor"], 250);
    server.close().await;
}
