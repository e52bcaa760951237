//! Tax on invoices, and what stands on them of their seller.

use crate::support::{Server, fresh, json};

#[tokio::test]
async fn a_document_sums_its_tax_by_category_and_rate() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let sold = |words: &str, minor: i64| json!({"description": words, "quantity": "1", "unitPriceMinor": minor});
    let mut lines = [
        sold("Workshop", 10_000),
        sold("Book", 2_000),
        sold("Course", 3_000),
        sold("Licence", 500),
        sold("Gift", 100),
    ];
    lines[0]["taxRate"] = json!("21");
    lines[1]["taxRate"] = json!("9");
    lines[1]["taxKind"] = json!("reduced");
    lines[2]["taxKind"] = json!("exempt");
    lines[3]["taxCategory"] = json!("AE");
    let body = json!({"contractId": contract, "origin": "one_time", "lines": lines});
    let made = seller.billing.create("/invoices", &fresh("invoice"), &body).await.is(201);
    let lines = made["lines"].as_array().expect("lines");
    let treated: Vec<_> =
        lines.iter().map(|line| (line["taxCategory"].clone(), line["taxRate"].clone())).collect();
    let pairs = [("S", "21"), ("S", "9"), ("E", "0"), ("AE", "0"), ("Z", "0")];
    assert_eq!(treated, pairs.map(|(category, rate)| (json!(category), json!(rate))));
    assert_eq!((&lines[1]["taxKind"], lines[0].get("taxKind")), (&json!("reduced"), None));
    let summary = json!([
        {"taxCategory": "S", "taxRate": "9", "taxableMinor": 2000, "taxMinor": 180},
        {"taxCategory": "S", "taxRate": "21", "taxableMinor": 10000, "taxMinor": 2100},
        {"taxCategory": "Z", "taxRate": "0", "taxableMinor": 100, "taxMinor": 0},
        {
            "taxCategory": "E", "taxRate": "0", "taxableMinor": 3000, "taxMinor": 0,
            "reason": "Exempt from VAT",
        },
        {
            "taxCategory": "AE", "taxRate": "0", "taxableMinor": 500, "taxMinor": 0,
            "reason": "Reverse charge",
        },
    ]);
    assert_eq!(made["taxSummary"], summary);
    assert_eq!(made["taxMinor"], 2280);
    let list = seller.billing.get("/invoices").await.is(200);
    assert_eq!(list["invoices"][0]["taxSummary"], summary);
    server.close().await;
}

#[tokio::test]
async fn a_document_names_its_seller_as_it_was_at_issue() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/sellers/{}", seller.id);
    let profile = json!({
        "name": "Byron GmbH", "email": "office@byron.example.com", "phone": "+49 30 1",
        "country": "DE", "taxId": "DE136695976", "addressLine1": "Hof 1", "city": "Berlin",
        "postalCode": "10115", "defaultTaxRate": "19", "paymentTermsDays": 30,
    });
    let changed = server.operator.patch(&path, &profile).await.is(200);
    for (field, value) in profile.as_object().expect("fields") {
        assert_eq!(&changed[field], value, "{field}");
    }
    let made = seller.one_time(contract, 100).await;
    assert_eq!((&made["taxMinor"], &made["dueDate"]), (&json!(19), &json!("2027-02-14")));
    let named = json!({
        "name": "Byron GmbH", "email": "office@byron.example.com", "phone": "+49 30 1",
        "country": "DE", "taxId": "DE136695976", "addressLine1": "Hof 1", "city": "Berlin",
        "postalCode": "10115",
    });
    assert_eq!(made["seller"], named);
    let moved = json!({"name": "Byron AG", "city": "Bonn", "phone": null, "addressLine1": ""});
    server.operator.patch(&path, &moved).await.is(200);
    assert_eq!(seller.invoice_now(crate::support::response::id(&made)).await, made);
    let next = seller.one_time(contract, 100).await;
    let seller_now = &next["seller"];
    assert_eq!((&seller_now["name"], &seller_now["city"]), (&json!("Byron AG"), &json!("Bonn")));
    assert_eq!((seller_now.get("phone"), seller_now.get("addressLine1")), (None, None));
    server.close().await;
}
