//! Who may come in.

use crate::support::{Server, json};

#[tokio::test]
async fn without_an_operators_token_there_is_no_back_office() {
    let server = Server::with(&[("operator_token", "")]).await;
    for path in ["/switches", "/sellers", "/nothing"] {
        server.operator.get(path).await.refuses_saying(404, "not found");
        let stranger = server.operator.without_key().get(path).await;
        stranger.refuses_saying(404, "not found");
        server.operator.delete(path).await.has_status(404);
    }
    server.close().await;
}

#[tokio::test]
async fn only_the_operators_token_opens_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let strangers = [
        server.operator.without_key(),
        server.operator.with_key("wrong"),
        server.operator.with_key(&seller.key),
    ];
    for stranger in strangers {
        let response = stranger.get("/switches").await;
        assert_eq!((response.status, response.media_type()), (401, "text/plain"));
        stranger.post("/sellers", &json!({})).await.has_status(401);
    }
    // And the operator's token is no seller's key.
    let response = server.billing().with_key(crate::support::OPERATOR).get("/contracts").await;
    response.has_status(401);
    server.close().await;
}
