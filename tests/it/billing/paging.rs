//! Paging, which all lists do alike.

use crate::support::response::ids;
use crate::support::{Seller, Server, Value, json};

/// The lists, their arrays and the original name of their cursor.
const LISTS: [(&str, &str, &str); 4] = [
    ("/contracts", "contracts", "afterId"),
    ("/customers", "customers", "beforeId"),
    ("/subscriptions", "subscriptions", "beforeId"),
    ("/invoices", "invoices", "beforeId"),
];

/// Five rows in each list.
async fn filled(server: &Server) -> Seller {
    let seller = server.seller().await;
    for n in 0..5 {
        let contract = seller.contract("2027-01-15").await;
        seller.subscribe(contract, "2027-01-15", json!({})).await;
        seller.one_time(contract, 100).await;
        let body = json!({"email": format!("c{n}@example.com")});
        seller.billing.post("/customers", &body).await.is(200);
    }
    seller
}

fn rows(body: &Value, list: &str) -> Vec<u64> {
    match list {
        "contracts" => {
            let rows = body[list].as_array().expect("rows").iter();
            let id = |row: &Value| row.get("contractId").or(row.get("id")).and_then(Value::as_u64);
            rows.map(|row| id(row).expect("an id")).collect()
        }
        _ => ids(body, list),
    }
}

#[tokio::test]
async fn every_row_comes_once_whatever_the_page_size_and_the_name_of_the_cursor() {
    let server = Server::start().await;
    let seller = filled(&server).await;
    for (path, list, original) in LISTS {
        let whole = seller.billing.get(&format!("{path}?limit=100")).await.is(200);
        let whole = rows(&whole, list);
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        if original == "beforeId" {
            sorted.reverse();
        }
        assert_eq!(whole, sorted, "{path} has its order");
        let original_next = match original {
            "afterId" => "nextAfterId",
            _ => "nextBeforeId",
        };
        for cursor_name in ["cursor", original] {
            for limit in [1, 2, 3, whole.len()] {
                let (mut found, mut cursor) = (Vec::new(), 0);
                loop {
                    let query = format!("{path}?limit={limit}&{cursor_name}={cursor}");
                    let page = seller.billing.get(&query).await.is(200);
                    found.extend(rows(&page, list));
                    assert_eq!(page.get("nextCursor"), page.get(original_next), "{query}");
                    if page["hasMore"] == false {
                        assert_eq!(page.get("nextCursor"), None, "{query}");
                        break;
                    }
                    cursor = page["nextCursor"].as_u64().expect("a cursor");
                }
                assert_eq!(found, whole, "{path} by {limit} with {cursor_name}");
            }
        }
    }
    server.close().await;
}

#[tokio::test]
async fn a_page_has_20_rows_by_default() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for n in 0..22 {
        let body = json!({"email": format!("c{n}@example.com")});
        seller.billing.post("/customers", &body).await.is(200);
    }
    let page = seller.billing.get("/customers").await.is(200);
    assert_eq!(ids(&page, "customers").len(), 20);
    assert_eq!(page["hasMore"], true);
    server.close().await;
}

#[tokio::test]
async fn wrong_paging_values_are_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (path, _, original) in LISTS {
        for wrong in ["limit=0", "limit=101", "limit=x", "limit=-1", "limit=", "limit=1.5"] {
            seller.billing.get(&format!("{path}?{wrong}")).await.refuses(400, "limit");
        }
        for name in ["cursor", original] {
            for wrong in ["-1", "x", "1.5"] {
                let response = seller.billing.get(&format!("{path}?{name}={wrong}")).await;
                response.refuses(400, name);
            }
        }
        for pair in [(3, 4), (0, 4), (4, 0)] {
            let query = format!("{path}?cursor={}&{original}={}", pair.0, pair.1);
            seller.billing.get(&query).await.refuses(400, "cursor");
        }
        let same = format!("{path}?cursor=4&{original}=4");
        seller.billing.get(&same).await.is(200);
        seller.billing.get(&format!("{path}?limit=100&cursor=0")).await.is(200);
    }
    server.close().await;
}
