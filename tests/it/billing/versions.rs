//! `GET /contracts/{contractId}/versions`.

use crate::support::response::column;
use crate::support::{Server, json};

#[tokio::test]
async fn every_version_stays_readable_newest_first() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for version in 1..=4 {
        server.pass_seconds(60);
        let item = json!({
            "componentType": "recurring", "quantity": version.to_string(), "componentConfig": {},
        });
        let body = json!({
            "expectedBaseVersion": version, "customerName": format!("Name {}", version + 1),
            "lineItems": [item],
        });
        let path = format!("/contracts/{contract}/amendments");
        seller.billing.post(&path, &body).await.is(200);
    }
    let path = format!("/contracts/{contract}/versions");
    let list = seller.billing.get(&path).await.is(200);
    assert_eq!(json!(column(&list, "versions", "version")), json!([5, 4, 3, 2, 1]));
    let names = column(&list, "versions", "customerName");
    assert_eq!(names[0], "Name 5");
    assert_eq!(names[3], "Name 2");
    assert_eq!(list["versions"][0]["lineItems"][0]["quantity"], "4");
    assert_eq!(list["versions"][4]["lineItems"], json!([]));
    assert_eq!(list["versions"][4]["createdAt"], "2027-01-15T09:00:00Z");
    assert_eq!(list["versions"][0]["createdAt"], "2027-01-15T09:04:00Z");
    assert_eq!(list["hasMore"], false);
    let page = seller.billing.get(&format!("{path}?limit=2")).await.is(200);
    assert_eq!(json!(column(&page, "versions", "version")), json!([5, 4]));
    assert_eq!(page["hasMore"], true);
    let cursor = &page["nextCursor"];
    let page = seller.billing.get(&format!("{path}?limit=2&cursor={cursor}")).await.is(200);
    assert_eq!(json!(column(&page, "versions", "version")), json!([3, 2]));
    server.close().await;
}
