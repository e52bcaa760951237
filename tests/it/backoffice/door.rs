//! Who may come in (decisions 9).

use crate::support::{House, json};

#[tokio::test]
async fn without_an_operators_token_there_is_no_back_office() {
    let house = House::with(&[("operator_token", "")]).await;
    for path in ["/switches", "/sellers", "/nothing"] {
        house.operator.get(path).await.refuses_saying(404, "not found");
        let stranger = house.operator.without_key().get(path).await;
        stranger.refuses_saying(404, "not found");
        house.operator.delete(path).await.has_status(404);
    }
    house.close().await;
}

#[tokio::test]
async fn only_the_operators_token_opens_it() {
    let house = House::open().await;
    let seller = house.seller().await;
    let strangers = [
        house.operator.without_key(),
        house.operator.with_key("wrong"),
        house.operator.with_key(&seller.key),
    ];
    for stranger in strangers {
        let heard = stranger.get("/switches").await;
        assert_eq!((heard.status, heard.media_type()), (401, "text/plain"));
        stranger.post("/sellers", &json!({})).await.has_status(401);
    }
    // And the operator's token is no seller's key.
    let heard = house.billing().with_key(crate::support::OPERATOR).get("/contracts").await;
    heard.has_status(401);
    house.close().await;
}
