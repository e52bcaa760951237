//! What is no back-test, and one of nothing.

use super::{path, per_unit};
use crate::support::make::with;
use crate::support::{Server, json};

#[tokio::test]
async fn a_wrong_question_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let right = json!({"config": per_unit("1"), "from": "2027-01-01", "to": "2028-01-01"});
    let path = |metric: &str| path(contract, metric);
    let empty = seller.billing.post(&path("api.calls"), &right).await.is(200);
    let zero = json!({"billedMinor": 0, "wouldBeMinor": 0, "differenceMinor": 0});
    assert_eq!((&empty["periods"], &empty["totals"]), (&json!([]), &zero));
    let seats = with(&per_unit("1"), json!({"scheme": "per_seat"}));
    for (more, named) in [
        (json!({"config": null}), "config is required"),
        (json!({"config": with(&per_unit("1"), json!({"rounding": null}))}), "config.rounding"),
        (json!({"config": with(&per_unit("1"), json!({"currency": "USD"}))}), "config.currency"),
        (json!({"config": seats}), "config.scheme"),
        (json!({"from": null}), "from is required"),
        (json!({"to": null}), "to is required"),
        (json!({"from": "yesterday"}), "from must be a date"),
        (json!({"to": "2027-02-30"}), "to must be a date"),
        (json!({"to": 5}), "to"),
        (json!({"from": "2028-01-01"}), "from must be before to"),
    ] {
        seller.billing.post(&path("api.calls"), &with(&right, more)).await.refuses(400, named);
    }
    seller.billing.post(&path("platform.seat.active"), &right).await.refuses(400, "config.scheme");
    for metric in ["unheard.of", "a%20b"] {
        seller.billing.post(&path(metric), &right).await.refuses_saying(404, "not found");
    }
    let other = server.seller().await;
    other.metric("api.calls", json!({})).await;
    other.billing.post(&path("api.calls"), &right).await.refuses_saying(404, "not found");
    server.close().await;
}
